// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One {@code struct ofp_flow_stats}: a flow as a switch has it, with its counters.
 *
 * @param match the {@code struct ofp_match}, with which even an unknown flow can be deleted
 * @param ageSeconds since it was added
 * @param spec the flow, when all of it is known
 * @param problem what is not known, empty otherwise
 */
public record WireFlow(int table, int priority, long cookie, byte[] match, long packets, long bytes, long ageSeconds,
        Optional<FlowSpec> spec, String problem) {
    private static final int GOTO_TABLE = 1;
    private static final int APPLY_ACTIONS = 4;
    private static final int METER = 6;

    /** Reads the body of one flow statistics message. */
    public static List<WireFlow> decode(final byte[] entries) {
        final ByteBuf in = Unpooled.wrappedBuffer(entries);
        final List<WireFlow> flows = new ArrayList<>();
        while (in.isReadable()) {
            flows.add(decodeEntry(in.readSlice(in.getUnsignedShort(in.readerIndex())).skipBytes(2)));
        }
        return flows;
    }

    private static WireFlow decodeEntry(final ByteBuf in) {
        final int table = in.readUnsignedByte();
        final long ageSeconds = in.skipBytes(1).readUnsignedInt();
        in.skipBytes(Integer.BYTES);
        final int priority = in.readUnsignedShort();
        final int idleTimeout = in.readUnsignedShort();
        final int hardTimeout = in.readUnsignedShort();
        final int flags = in.readUnsignedShort();
        in.skipBytes(4);
        final long cookie = in.readLong();
        final long packets = in.readLong();
        final long bytes = in.readLong();
        final byte[] match = WireMatch.take(in);
        Optional<FlowSpec> spec = Optional.empty();
        String problem = "";
        try {
            final boolean learned = Table.ofNumber(table).filter(Table::isLearned).isPresent();
            // The switch stores the flag of the message by which it got the flow; learned flows have none.
            if (hardTimeout != 0 && !learned || (flags & ~WireMessages.RESET_COUNTS) != 0) {
                throw new UndecodableException("hard timeout " + hardTimeout + ", flags " + flags);
            }
            spec = Optional.of(spec(table, priority, cookie, idleTimeout, match, in));
        } catch (UndecodableException e) {
            problem = String.valueOf(e.getMessage());
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            // Damaged, or with values that no flow of ours can have: foreign too, whatever it is.
            problem = "damaged: " + e.getMessage();
        }
        return new WireFlow(table, priority, cookie, match, packets, bytes, ageSeconds, spec, problem);
    }

    private static FlowSpec spec(final int table, final int priority, final long cookie, final int idleTimeout,
            final byte[] match, final ByteBuf instructions) throws UndecodableException {
        final List<FieldMatch> matches = WireMatch.decode(Unpooled.wrappedBuffer(match));
        final List<Action> actions = new ArrayList<>();
        Optional<Table> next = Optional.empty();
        while (instructions.isReadable()) {
            final int type = instructions.readUnsignedShort();
            final ByteBuf body = instructions.readSlice(instructions.readUnsignedShort() - 4);
            switch (type) {
                case METER -> actions.add(new Action.Meter(body.readInt()));
                case APPLY_ACTIONS -> actions.addAll(WireActions.decode(body.skipBytes(4)));
                case GOTO_TABLE -> next = Optional.of(WireActions.table(body.readUnsignedByte()));
                default -> throw new UndecodableException("instruction " + type);
            }
        }
        return new FlowSpec(WireActions.table(table), priority, matches, actions, next, cookie, idleTimeout);
    }

    /** What the switch knows the flow by, when table and match are such as ours have. */
    public Optional<FlowSpec.Key> key() {
        try {
            return Optional.of(new FlowSpec(WireActions.table(table), priority,
                WireMatch.decode(Unpooled.wrappedBuffer(match)), List.of(), Optional.empty(), cookie, 0).key());
        } catch (UndecodableException | IndexOutOfBoundsException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static void encodeInstructions(final ByteBuf out, final FlowSpec flow) {
        final boolean metered = !flow.actions().isEmpty() && flow.actions().get(0) instanceof Action.Meter;
        if (metered) {
            out.writeShort(METER).writeShort(8).writeInt(((Action.Meter) flow.actions().get(0)).id());
        }
        final List<Action> applied = metered ? flow.actions().subList(1, flow.actions().size()) : flow.actions();
        if (!applied.isEmpty()) {
            final int start = out.writerIndex();
            out.writeShort(APPLY_ACTIONS).writeShort(0).writeZero(4);
            WireActions.encode(out, applied);
            out.setShort(start + 2, out.writerIndex() - start);
        }
        flow.next().ifPresent(table ->
            out.writeShort(GOTO_TABLE).writeShort(8).writeByte(table.number()).writeZero(3));
    }
}
