// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.netty.buffer.ByteBuf;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnLimit;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.FieldRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code struct nx_action_learn}, or with a limit {@code struct nx_action_learn2}, after its subtype. */
final class WireLearn {
    /** Bit of a part's header: the source is a constant, not a field. */
    private static final int FROM_VALUE = 1 << 13;
    /** Bit of a part's header: the part is an action, not a match. */
    private static final int INTO_LOAD = 1 << 11;
    /** NX_LEARN_F_WRITE_RESULT. */
    private static final int WRITE_RESULT = 4;
    private static final int BITS_MASK = 0x07ff;

    private WireLearn() {
        // Only functions.
    }

    static void encode(final ByteBuf out, final Action.Learn learn) {
        out.writeShort(learn.idleTimeout()).writeShort(learn.hardTimeout()).writeShort(learn.priority())
            .writeLong(learn.cookie())
            .writeShort(learn.limit().isPresent() ? WRITE_RESULT : 0)
            .writeByte(learn.table().number()).writeZero(1).writeShort(0).writeShort(0);
        learn.limit().ifPresent(limit -> out.writeInt(limit.flows()).writeShort(limit.result().low()).writeZero(2)
            .writeInt(WireFields.actionHeader(limit.result())));
        learn.specs().forEach(spec -> encode(out, spec));
    }

    private static void encode(final ByteBuf out, final LearnSpec spec) {
        if (spec instanceof LearnSpec.MatchCopy copy) {
            copy(out, 0, copy.source(), copy.target());
        } else if (spec instanceof LearnSpec.LoadCopy copy) {
            copy(out, INTO_LOAD, copy.source(), copy.target());
        } else if (spec instanceof LearnSpec.MatchValue value) {
            value(out, 0, value.value(), value.target());
        } else if (spec instanceof LearnSpec.LoadValue value) {
            value(out, INTO_LOAD, value.value(), value.target());
        } else {
            throw new IllegalStateException("no wire format for " + spec.getClass());
        }
    }

    private static void copy(final ByteBuf out, final int kind, final FieldRange source, final FieldRange target) {
        out.writeShort(kind | target.bits());
        range(out, source);
        range(out, target);
    }

    private static void value(final ByteBuf out, final int kind, final int value, final FieldRange target) {
        if (target.bits() > Short.SIZE || value >>> target.bits() != 0) {
            throw new IllegalArgumentException("learn: " + value + " does not fit " + target);
        }
        out.writeShort(kind | FROM_VALUE | target.bits()).writeShort(value);
        range(out, target);
    }

    private static void range(final ByteBuf out, final FieldRange range) {
        out.writeInt(WireFields.actionHeader(range)).writeShort(range.low());
    }

    static Action decode(final ByteBuf in, final boolean limited) throws UndecodableException {
        final int idleTimeout = in.readUnsignedShort();
        final int hardTimeout = in.readUnsignedShort();
        final int priority = in.readUnsignedShort();
        final long cookie = in.readLong();
        final int flags = in.readUnsignedShort();
        final int table = in.readUnsignedByte();
        in.skipBytes(1);
        final int finTimeouts = in.readInt();
        if (flags != (limited ? WRITE_RESULT : 0) || finTimeouts != 0) {
            throw new UndecodableException("learn with flags %d or timeouts after FIN".formatted(flags));
        }
        final Optional<LearnLimit> limit = limited ? Optional.of(decodeLimit(in)) : Optional.empty();
        final List<LearnSpec> specs = new ArrayList<>();
        // A zero header is padding.
        while (in.readableBytes() >= 2 && in.getShort(in.readerIndex()) != 0) {
            specs.add(decodeSpec(in));
        }
        return new Action.Learn(WireActions.table(table), priority, idleTimeout, hardTimeout, limit, cookie,
            specs);
    }

    private static LearnLimit decodeLimit(final ByteBuf in) throws UndecodableException {
        final int flows = in.readInt();
        final int low = in.readUnsignedShort();
        in.skipBytes(2);
        if (flows < 1) {
            throw new UndecodableException("learn with limit " + flows);
        }
        return new LearnLimit(flows, WireFields.range(in.readInt(), low, 1));
    }

    private static LearnSpec decodeSpec(final ByteBuf in) throws UndecodableException {
        final int header = in.readUnsignedShort();
        final int bits = header & BITS_MASK;
        if ((header & ~(FROM_VALUE | INTO_LOAD | BITS_MASK)) != 0) {
            throw new UndecodableException("learn part 0x%04x".formatted(header));
        }
        final boolean load = (header & INTO_LOAD) != 0;
        if ((header & FROM_VALUE) == 0) {
            final FieldRange source = decodeRange(in, bits);
            final FieldRange target = decodeRange(in, bits);
            return load ? new LearnSpec.LoadCopy(source, target) : new LearnSpec.MatchCopy(source, target);
        }
        if (bits > Short.SIZE) {
            throw new UndecodableException("learn with a constant of " + bits + " bits");
        }
        final int value = in.readUnsignedShort();
        final FieldRange target = decodeRange(in, bits);
        return load ? new LearnSpec.LoadValue(value, target) : new LearnSpec.MatchValue(value, target);
    }

    private static FieldRange decodeRange(final ByteBuf in, final int bits) throws UndecodableException {
        final int header = in.readInt();
        return WireFields.range(header, in.readUnsignedShort(), bits);
    }
}
