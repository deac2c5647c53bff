// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.netty.buffer.ByteBuf;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;

/** Nicira's actions: {@code struct nx_action_*} of Open vSwitch, except learn. */
final class WireNiciraActions {
    private static final int VENDOR = 0x00002320;
    private static final int REG_MOVE = 6;
    private static final int REG_LOAD = 7;
    private static final int RESUBMIT_TABLE = 14;
    private static final int LEARN = 16;
    private static final int CONTROLLER = 20;
    private static final int SAMPLE = 29;
    private static final int CONJUNCTION = 34;
    private static final int CLONE = 42;
    private static final int CT_CLEAR = 43;
    private static final int LEARN_LIMITED = 45;
    private static final int CT = 35;
    private static final int NAT = 36;
    private static final int CHECK_PKT_LARGER = 49;
    private static final int ENCAP = 46;
    private static final int DECAP = 47;

    /** OFPP_IN_PORT as a 16-bit port: "the port it came from". */
    private static final int IN_PORT_16 = 0xfff8;
    /** OFPR_ACTION. */
    private static final int REASON_ACTION = 1;
    private static final int CT_COMMIT = 1;
    /** NX_CT_RECIRC_NONE: the packet does not come back. */
    private static final int NO_TABLE = 0xff;
    private static final int NAT_SOURCE = 1;
    private static final int NAT_DESTINATION = 2;
    private static final int NAT_RANGE_IPV4_MIN = 1;
    private static final int NAT_RANGE_PROTO_MIN = 16;
    /** Lowest and highest. */
    private static final int NAT_RANGE_PROTO = 48;

    /** Packet types: name space, and type in it. */
    private static final int PACKET_ETHERNET = 0;
    private static final int PACKET_NSH = 0x0001894f;
    /** Whatever the header says that comes next. */
    private static final int PACKET_NEXT = 0xfffe;
    /** Class 4 (NSH), type 1 (metadata type), 5 bytes. */
    private static final int PROPERTY_MD_TYPE = 0x00040105;

    private WireNiciraActions() {
        // Only functions.
    }

    static void encode(final ByteBuf out, final Action action) {
        final int start = out.writerIndex();
        if (action instanceof Action.Load load) {
            begin(out, REG_LOAD);
            out.writeShort(load.target().low() << 6 | load.target().bits() - 1)
                .writeInt(WireFields.actionHeader(load.target())).writeLong(load.value());
        } else if (action instanceof Action.Move move) {
            begin(out, REG_MOVE);
            out.writeShort(move.source().bits()).writeShort(move.source().low()).writeShort(move.target().low());
            WireFields.writeHeader(out, WireFields.actionHeader(move.source()));
            WireFields.writeHeader(out, WireFields.actionHeader(move.target()));
        } else if (action instanceof Action.Resubmit resubmit) {
            begin(out, RESUBMIT_TABLE);
            out.writeShort(IN_PORT_16).writeByte(resubmit.table().number()).writeZero(3);
        } else if (action instanceof Action.ConnTrack ct) {
            begin(out, CT);
            connTrack(out, ct);
        } else if (action instanceof Action.KeepLabel keep) {
            begin(out, CT);
            connTrack(out, CT_COMMIT, keep.zone(), NO_TABLE, 0);
            encode(out, keep.label());
        } else if (action instanceof Action.Clone copy) {
            begin(out, CLONE);
            out.writeZero(6);
            WireActions.encode(out, copy.actions());
        } else if (action instanceof Action.ClearConnTrack) {
            begin(out, CT_CLEAR);
        } else if (action instanceof Action.Learn learn) {
            begin(out, learn.limit().isEmpty() ? LEARN : LEARN_LIMITED);
            WireLearn.encode(out, learn);
        } else {
            encodeTest(out, action);
        }
        end(out, start);
    }

    private static void encodeTest(final ByteBuf out, final Action action) {
        if (action instanceof Action.Sample sample) {
            begin(out, SAMPLE);
            out.writeShort(sample.probability()).writeInt(sample.collectorSet()).writeInt(0)
                .writeInt(sample.observationPoint());
        } else if (action instanceof Action.Conjunction part) {
            begin(out, CONJUNCTION);
            // On the wire the first clause is number 0.
            out.writeByte(part.clause() - 1).writeByte(part.of()).writeInt((int) part.id());
        } else if (action instanceof Action.CheckPktLarger check) {
            begin(out, CHECK_PKT_LARGER);
            out.writeShort(check.bytes()).writeShort(check.result().low())
                .writeInt(WireFields.actionHeader(check.result())).writeZero(6);
        } else if (action instanceof Action.EncapNsh) {
            begin(out, ENCAP);
            out.writeZero(2).writeInt(PACKET_NSH).writeInt(PROPERTY_MD_TYPE).writeByte(1);
        } else if (action instanceof Action.EncapEthernet) {
            begin(out, ENCAP);
            out.writeZero(2).writeInt(PACKET_ETHERNET);
        } else if (action instanceof Action.Decap) {
            begin(out, DECAP);
            out.writeZero(2).writeInt(PACKET_NEXT);
        } else {
            throw new IllegalStateException("no wire format for " + action.getClass());
        }
    }

    private static void begin(final ByteBuf out, final int subtype) {
        out.writeShort(WireActions.EXPERIMENTER).writeShort(0).writeInt(VENDOR).writeShort(subtype);
    }

    private static void end(final ByteBuf out, final int start) {
        out.writeZero(WireMatch.padding(out.writerIndex() - start));
        out.setShort(start + 2, out.writerIndex() - start);
    }

    private static void connTrack(final ByteBuf out, final int flags, final FieldRange zone, final int table,
            final int alg) {
        out.writeShort(flags).writeInt(WireFields.actionHeader(zone)).writeShort(zone.low() << 6 | zone.bits() - 1)
            .writeByte(table).writeZero(3).writeShort(alg);
    }

    private static void connTrack(final ByteBuf out, final Action.ConnTrack ct) {
        connTrack(out, ct.commit() ? CT_COMMIT : 0, ct.zone(), ct.table().number(),
            ct.alg().map(Alg::port).orElse(0));
        ct.nat().ifPresent(nat -> {
            final int start = out.writerIndex();
            begin(out, NAT);
            out.writeZero(2);
            if (nat instanceof Action.Nat.Source source) {
                out.writeShort(NAT_SOURCE)
                    .writeShort(NAT_RANGE_IPV4_MIN | (source.ports().isPresent() ? NAT_RANGE_PROTO : 0))
                    .writeInt((int) source.address().number());
                source.ports().ifPresent(ports -> out.writeShort(ports.low()).writeShort(ports.high()));
            } else if (nat instanceof Action.Nat.Destination destination) {
                out.writeShort(NAT_DESTINATION)
                    .writeShort(NAT_RANGE_IPV4_MIN | (destination.port().isPresent() ? NAT_RANGE_PROTO_MIN : 0))
                    .writeInt((int) destination.address().number());
                destination.port().ifPresent(out::writeShort);
            } else {
                out.writeShort(0).writeShort(0);
            }
            end(out, start);
        });
        ct.mark().ifPresent(mark -> encode(out, mark));
    }

    /** Reads what follows type and length. */
    static Action decode(final ByteBuf in) throws UndecodableException {
        final int vendor = in.readInt();
        final int subtype = in.readUnsignedShort();
        if (vendor != VENDOR) {
            throw new UndecodableException("action of vendor 0x%08x".formatted(vendor));
        }
        return switch (subtype) {
            case REG_LOAD -> decodeLoad(in);
            case REG_MOVE -> decodeMove(in);
            case RESUBMIT_TABLE -> decodeResubmit(in);
            case CONTROLLER -> decodeController(in);
            case SAMPLE -> decodeSample(in);
            case CT -> decodeConnTrack(in);
            case CONJUNCTION -> decodeConjunction(in);
            case CHECK_PKT_LARGER -> decodeCheckPktLarger(in);
            case CT_CLEAR -> new Action.ClearConnTrack();
            case CLONE -> new Action.Clone(WireActions.decode(in.skipBytes(6)));
            case LEARN -> WireLearn.decode(in, false);
            case LEARN_LIMITED -> WireLearn.decode(in, true);
            case ENCAP -> decodeEncap(in);
            case DECAP -> decodeDecap(in);
            default -> throw new UndecodableException("Nicira action " + subtype);
        };
    }

    private static Action decodeLoad(final ByteBuf in) throws UndecodableException {
        final int position = in.readUnsignedShort();
        final FieldRange target = WireFields.range(in.readInt(), position >> 6, (position & 0x3f) + 1);
        return WireActions.load(target, in.readLong());
    }

    private static Action decodeMove(final ByteBuf in) throws UndecodableException {
        final int bits = in.readUnsignedShort();
        final int sourceLow = in.readUnsignedShort();
        final int targetLow = in.readUnsignedShort();
        final FieldRange source = WireFields.range(WireFields.readHeader(in), sourceLow, bits);
        return new Action.Move(source, WireFields.range(WireFields.readHeader(in), targetLow, bits));
    }

    private static Action decodeEncap(final ByteBuf in) throws UndecodableException {
        final int size = in.readUnsignedShort();
        final int type = in.readInt();
        if (size == 0 && type == PACKET_ETHERNET && !in.isReadable()) {
            return new Action.EncapEthernet();
        } else if (size == 0 && type == PACKET_NSH && in.readInt() == PROPERTY_MD_TYPE && in.readByte() == 1) {
            return new Action.EncapNsh();
        }
        throw new UndecodableException("encap of size %d, type 0x%x".formatted(size, type));
    }

    private static Action decodeDecap(final ByteBuf in) throws UndecodableException {
        final int type = in.skipBytes(2).readInt();
        if (type != PACKET_NEXT) {
            throw new UndecodableException("decap to type 0x%x".formatted(type));
        }
        return new Action.Decap();
    }

    private static Action decodeConjunction(final ByteBuf in) {
        final int clause = in.readUnsignedByte() + 1;
        final int clauses = in.readUnsignedByte();
        return new Action.Conjunction(in.readUnsignedInt(), clause, clauses);
    }

    private static Action decodeSample(final ByteBuf in) throws UndecodableException {
        final int probability = in.readUnsignedShort();
        final int collectorSet = in.readInt();
        final int domain = in.readInt();
        if (domain != 0) {
            throw new UndecodableException("sample of observation domain " + domain);
        }
        return new Action.Sample(probability, collectorSet, in.readInt());
    }

    private static Action decodeCheckPktLarger(final ByteBuf in) throws UndecodableException {
        final int bytes = in.readUnsignedShort();
        final int bit = in.readUnsignedShort();
        return new Action.CheckPktLarger(bytes, WireFields.range(in.readInt(), bit, 1));
    }

    private static Action decodeResubmit(final ByteBuf in) throws UndecodableException {
        final int port = in.readUnsignedShort();
        if (port != IN_PORT_16) {
            throw new UndecodableException("resubmit with port " + port);
        }
        return new Action.Resubmit(WireActions.table(in.readUnsignedByte()));
    }

    private static Action decodeController(final ByteBuf in) throws UndecodableException {
        final int maxLength = in.readUnsignedShort();
        final int controller = in.readUnsignedShort();
        final int reason = in.readUnsignedByte();
        if (controller != 0 || reason != REASON_ACTION) {
            throw new UndecodableException("controller " + controller + " with reason " + reason);
        }
        return new Action.Controller(maxLength);
    }

    private static Action decodeConnTrack(final ByteBuf in) throws UndecodableException {
        final int flags = in.readUnsignedShort();
        final int zoneSource = in.readInt();
        final int zoneBits = in.readUnsignedShort();
        final int table = in.readUnsignedByte();
        in.skipBytes(3);
        final int alg = in.readUnsignedShort();
        final Optional<Alg> gateway =
            Arrays.stream(Alg.values()).filter(each -> each.port() == alg).findFirst();
        if ((flags & ~CT_COMMIT) != 0 || zoneSource == 0 || alg != 0 && gateway.isEmpty()) {
            throw new UndecodableException(
                "ct with flags %d, zone %d of field 0x%x, alg %d".formatted(flags, zoneBits, zoneSource, alg));
        }
        final FieldRange zone = WireFields.range(zoneSource, zoneBits >> 6, (zoneBits & 0x3f) + 1);
        if (table == NO_TABLE) {
            return decodeKeepLabel(in, zone, flags, alg);
        }
        Optional<Action.Nat> nat = Optional.empty();
        Optional<Action.Load> mark = Optional.empty();
        while (in.isReadable()) {
            final boolean isNicira = in.getUnsignedShort(in.readerIndex()) == WireActions.EXPERIMENTER;
            final ByteBuf body = in.readSlice(in.getUnsignedShort(in.readerIndex() + 2)).skipBytes(4);
            if (!isNicira) {
                mark = Optional.of(decodeMark(body));
            } else if (body.getUnsignedShort(body.readerIndex() + Integer.BYTES) == REG_LOAD) {
                mark = Optional.of((Action.Load) decode(body));
            } else {
                nat = Optional.of(decodeNat(body));
            }
        }
        if (mark.isPresent() && (flags & CT_COMMIT) == 0) {
            throw new UndecodableException("ct_mark without commit");
        }
        return new Action.ConnTrack((flags & CT_COMMIT) != 0, zone, WireActions.table(table), nat, mark,
            gateway);
    }

    private static Action decodeKeepLabel(final ByteBuf in, final FieldRange zone, final int flags, final int alg)
            throws UndecodableException {
        final ByteBuf body =
            in.isReadable() ? in.readSlice(in.getUnsignedShort(in.readerIndex() + 2)).skipBytes(4) : in;
        if (flags == CT_COMMIT && alg == 0 && !in.isReadable() && body.isReadable()
                && decode(body) instanceof Action.Move label && label.target().field() == MatchField.CT_LABEL) {
            return new Action.KeepLabel(zone, label);
        }
        throw new UndecodableException("ct that neither goes on nor keeps a label");
    }

    private static Action.Nat decodeNat(final ByteBuf in) throws UndecodableException {
        final int vendor = in.readInt();
        final int subtype = in.readUnsignedShort();
        in.skipBytes(2);
        final int flags = in.readUnsignedShort();
        final int range = in.readUnsignedShort();
        if (vendor == VENDOR && subtype == NAT && flags == 0 && range == 0) {
            return new Action.Nat.Existing();
        } else if (vendor == VENDOR && subtype == NAT && flags == NAT_SOURCE
                && (range == NAT_RANGE_IPV4_MIN || range == (NAT_RANGE_IPV4_MIN | NAT_RANGE_PROTO))) {
            return new Action.Nat.Source(new Ipv4(in.readUnsignedInt()),
                range == NAT_RANGE_IPV4_MIN ? Optional.empty()
                : Optional.of(new Action.Nat.Ports(in.readUnsignedShort(), in.readUnsignedShort())));
        } else if (vendor == VENDOR && subtype == NAT && flags == NAT_DESTINATION
                && (range & ~NAT_RANGE_PROTO_MIN) == NAT_RANGE_IPV4_MIN) {
            return new Action.Nat.Destination(new Ipv4(in.readUnsignedInt()),
                range == NAT_RANGE_IPV4_MIN ? OptionalInt.empty() : OptionalInt.of(in.readUnsignedShort()));
        }
        throw new UndecodableException("inside ct: action %d, flags %d, range %d".formatted(subtype, flags, range));
    }

    /** Open vSwitch makes this of a load of all bits. */
    private static Action.Load decodeMark(final ByteBuf in) throws UndecodableException {
        final FieldMatch set = WireActions.decodeSetField(in);
        if (set.field() != MatchField.CT_MARK) {
            throw new UndecodableException("inside ct: set_field of " + set.field());
        }
        return new Action.Load(MatchField.CT_MARK.range(), set.value());
    }
}
