// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.netty.buffer.ByteBuf;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;

/** A list of {@code struct ofp_action_*}: the standard ones here, Nicira's in {@link WireNiciraActions}. */
final class WireActions {
    static final long PORT_IN_PORT = 0xfffffff8L;
    static final long PORT_CONTROLLER = 0xfffffffdL;
    /** Last number of a real port. */
    static final int LAST_PORT = 0xfeff;
    static final int EXPERIMENTER = 0xffff;

    private static final int OUTPUT = 0;
    private static final int PUSH_VLAN = 17;
    private static final int POP_VLAN = 18;
    private static final int PUSH_MPLS = 19;
    private static final int POP_MPLS = 20;
    private static final int DEC_NW_TTL = 24;
    private static final int SET_FIELD = 25;
    private static final int ETHERTYPE_8021Q = 0x8100;
    private static final int ETHERTYPE_MPLS = 0x8847;
    private static final int VLAN_PRESENT = 0x1000;

    private WireActions() {
        // Only functions.
    }

    static void encode(final ByteBuf out, final List<Action> actions) {
        actions.forEach(action -> encode(out, action));
    }

    static void encode(final ByteBuf out, final Action action) {
        if (action instanceof Action.Output output) {
            output(out, output.port(), 0);
        } else if (action instanceof Action.OutputInPort) {
            output(out, PORT_IN_PORT, 0);
        } else if (action instanceof Action.Controller controller) {
            output(out, PORT_CONTROLLER, controller.maxLength());
        } else if (action instanceof Action.PushVlan) {
            out.writeShort(PUSH_VLAN).writeShort(8).writeShort(ETHERTYPE_8021Q).writeZero(2);
        } else if (action instanceof Action.PopVlan) {
            out.writeShort(POP_VLAN).writeShort(8).writeZero(4);
        } else if (action instanceof Action.PushMpls) {
            out.writeShort(PUSH_MPLS).writeShort(8).writeShort(ETHERTYPE_MPLS).writeZero(2);
        } else if (action instanceof Action.PopMpls pop) {
            out.writeShort(POP_MPLS).writeShort(8).writeShort(pop.etherType()).writeZero(2);
        } else if (action instanceof Action.DecTtl) {
            out.writeShort(DEC_NW_TTL).writeShort(8).writeZero(4);
        } else if (action instanceof Action.SetField set) {
            setField(out, set);
        } else {
            WireNiciraActions.encode(out, action);
        }
    }

    private static void output(final ByteBuf out, final long port, final int maxLength) {
        out.writeShort(OUTPUT).writeShort(16).writeInt((int) port).writeShort(maxLength).writeZero(6);
    }

    private static void setField(final ByteBuf out, final Action.SetField set) {
        final MatchField field = set.field();
        final int bytes = WireFields.matchBytes(field);
        final int header = WireFields.matchHeader(field, false);
        final int length = 8 + (header & 0xff);
        final int padding = WireMatch.padding(length);
        out.writeShort(SET_FIELD).writeShort(length + padding);
        WireFields.writeHeader(out, header);
        if (field.bits() > Long.SIZE) {
            out.writeLong(set.valueHigh()).writeLong(set.value());
        } else {
            WireMatch.writeValue(out, field == MatchField.VLAN_VID ? set.value() | VLAN_PRESENT : set.value(), bytes);
        }
        out.writeZero(padding);
    }

    /** Reads actions until the buffer ends. */
    static List<Action> decode(final ByteBuf in) throws UndecodableException {
        final List<Action> actions = new ArrayList<>();
        while (in.isReadable()) {
            final int type = in.getUnsignedShort(in.readerIndex());
            final int length = in.getUnsignedShort(in.readerIndex() + 2);
            final ByteBuf body = in.readSlice(length).skipBytes(4);
            actions.add(type == EXPERIMENTER ? WireNiciraActions.decode(body) : decode(type, body));
        }
        return actions;
    }

    private static Action decode(final int type, final ByteBuf in) throws UndecodableException {
        return switch (type) {
            case OUTPUT -> decodeOutput(in.readUnsignedInt(), in.readUnsignedShort());
            case PUSH_VLAN -> pushed("push_vlan", in.readUnsignedShort(), ETHERTYPE_8021Q, new Action.PushVlan());
            case POP_VLAN -> new Action.PopVlan();
            case PUSH_MPLS -> pushed("push_mpls", in.readUnsignedShort(), ETHERTYPE_MPLS, new Action.PushMpls());
            case POP_MPLS -> new Action.PopMpls(in.readUnsignedShort());
            case DEC_NW_TTL -> new Action.DecTtl();
            case SET_FIELD -> {
                final FieldMatch set = decodeSetField(in);
                yield new Action.SetField(set.field(), set.valueHigh(), set.value());
            }
            default -> throw new UndecodableException("action " + type);
        };
    }

    private static Action decodeOutput(final long port, final int maxLength) throws UndecodableException {
        if (port == PORT_IN_PORT) {
            return new Action.OutputInPort();
        } else if (port == PORT_CONTROLLER) {
            return new Action.Controller(maxLength);
        } else if (port > LAST_PORT) {
            throw new UndecodableException("output to port 0x%x".formatted(port));
        }
        return new Action.Output((int) port);
    }

    private static Action pushed(final String name, final int ethertype, final int known, final Action action)
            throws UndecodableException {
        if (ethertype != known) {
            throw new UndecodableException("%s 0x%x".formatted(name, ethertype));
        }
        return action;
    }

    static FieldMatch decodeSetField(final ByteBuf in) throws UndecodableException {
        final MatchField field = WireFields.field(WireFields.readHeader(in));
        if (field.bits() > Long.SIZE) {
            return FieldMatch.of(field, new Ipv6(in.readLong(), in.readLong()));
        }
        long value = WireMatch.readValue(in, WireFields.matchBytes(field));
        if (field == MatchField.VLAN_VID) {
            value &= ~VLAN_PRESENT;
        }
        if ((value & ~field.fullMask()) != 0) {
            throw new UndecodableException("set_field of %s to 0x%x".formatted(field, value));
        }
        return FieldMatch.of(field, value);
    }

    static Table table(final int number) throws UndecodableException {
        return Table.ofNumber(number).orElseThrow(() -> new UndecodableException("table " + number));
    }

    static Action load(final FieldRange target, final long value) throws UndecodableException {
        if (target.bits() < Long.SIZE && value >>> target.bits() != 0) {
            throw new UndecodableException("load of 0x%x into %s".formatted(value, target));
        }
        return new Action.Load(target, value);
    }
}
