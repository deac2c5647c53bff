// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv6;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** {@code struct ofp_match}: a list of fields with values and masks. */
public final class WireMatch {
    /** OFPMT_OXM. */
    private static final int TYPE = 1;
    private static final int HEADER = 4;
    /** Class of fields that are somebody's own. */
    private static final int EXPERIMENTER = 0xffff;
    private static final int ONF = 0x4f4e4600;
    private static final int ONF_TCP_FLAGS = 42;
    /** Bit 12 of vlan_vid: a tag is present. */
    private static final int VLAN_PRESENT = 0x1000;
    private static final int VLAN_MASK = 0x0fff;
    /** Reserved ports have 32-bit numbers from here on, and the same low 16 bits in {@link MatchField#IN_PORT}. */
    private static final long RESERVED_PORTS = 0xffffff00L;
    private static final int RESERVED_PORTS_16 = 0xff00;

    private WireMatch() {
        // Only functions.
    }

    static void encode(final ByteBuf out, final List<FieldMatch> matches) {
        final int start = out.writerIndex();
        out.writeShort(TYPE).writeShort(0);
        matches.forEach(match -> encodeField(out, match));
        final int length = out.writerIndex() - start;
        out.setShort(start + 2, length);
        out.writeZero(padding(length));
    }

    private static void encodeField(final ByteBuf out, final FieldMatch match) {
        if (match.field() == MatchField.VLAN_VID) {
            encodeVlan(out, match);
        } else if (match.field() == MatchField.IN_PORT && match.isExact() && match.value() >= RESERVED_PORTS_16) {
            write(out, match.field(), match.value() | RESERVED_PORTS, 0, false);
        } else if (match.field().bits() > Long.SIZE) {
            writeWide(out, match);
        } else {
            write(out, match.field(), match.value(), match.mask(), !match.isExact());
        }
    }

    private static void encodeVlan(final ByteBuf out, final FieldMatch match) {
        if (!match.isExact()) {
            write(out, match.field(), VLAN_PRESENT | match.value(), VLAN_PRESENT | match.mask(), true);
        } else if (match.value() == MatchField.UNTAGGED) {
            write(out, match.field(), 0, VLAN_PRESENT, true);
        } else {
            write(out, match.field(), VLAN_PRESENT | match.value(), 0, false);
        }
    }

    private static void writeWide(final ByteBuf out, final FieldMatch match) {
        out.writeInt(WireFields.matchHeader(match.field(), !match.isExact()));
        out.writeLong(match.valueHigh()).writeLong(match.value());
        if (!match.isExact()) {
            out.writeLong(match.maskHigh()).writeLong(match.mask());
        }
    }

    private static void write(final ByteBuf out, final MatchField field, final long value, final long mask,
            final boolean masked) {
        WireFields.writeHeader(out, WireFields.matchHeader(field, masked));
        final int bytes = WireFields.matchBytes(field);
        writeValue(out, value, bytes);
        if (masked) {
            writeValue(out, mask, bytes);
        }
    }

    /** Reads a match with its padding. */
    static List<FieldMatch> decode(final ByteBuf in) throws UndecodableException {
        final ByteBuf fields = slice(in);
        final List<FieldMatch> matches = new ArrayList<>();
        while (fields.isReadable()) {
            final int header = fields.readInt();
            if (header >>> 16 == EXPERIMENTER) {
                matches.add(decodeExperimenter(header, fields));
            } else {
                matches.add(decodeField(WireFields.field(header), header, fields));
            }
        }
        return matches;
    }

    /** In OpenFlow 1.3 Open vSwitch tells of TCP flags by a field of the ONF's; it takes its own field as well. */
    private static FieldMatch decodeExperimenter(final int header, final ByteBuf in) throws UndecodableException {
        final int rest = header & 0x100 | (header & 0xff) - Integer.BYTES;
        if (in.getInt(in.readerIndex()) == ONF && (header >>> 9 & 0x7f) == ONF_TCP_FLAGS) {
            return decodeField(MatchField.TCP_FLAGS, rest, in.skipBytes(Integer.BYTES));
        }
        WireFields.readHeader(in.readerIndex(in.readerIndex() - Integer.BYTES));
        return decodeField(WireFields.field(header), rest, in);
    }

    /**
     * The known fields of the match of a packet-in; others are left out, because a packet is worth having without them.
     * So are those of 128 bits: of the pipeline's state that a packet-in tells of, wide registers come as single ones.
     *
     * @param match a whole {@code struct ofp_match}
     */
    public static Map<MatchField, Long> fields(final byte[] match) {
        final ByteBuf fields = slice(Unpooled.wrappedBuffer(match));
        final Map<MatchField, Long> values = new EnumMap<>(MatchField.class);
        while (fields.isReadable()) {
            final int header = fields.readInt();
            final ByteBuf value = fields.readSlice(header & 0xff);
            if (header >>> 16 == EXPERIMENTER) {
                continue;
            }
            try {
                final FieldMatch decoded = decodeField(WireFields.field(header), header, value);
                if (decoded.field().bits() <= Long.SIZE) {
                    values.put(decoded.field(), decoded.value());
                }
            } catch (UndecodableException e) {
                // Not one of ours: nobody asks for it.
            }
        }
        return values;
    }

    /** Takes the bytes of a match, header and padding included, off the buffer; all that is left if it is damaged. */
    public static byte[] take(final ByteBuf in) {
        final int length = in.getUnsignedShort(in.readerIndex() + 2);
        final byte[] match = new byte[Math.min(length + padding(length), in.readableBytes())];
        in.readBytes(match);
        return match;
    }

    private static ByteBuf slice(final ByteBuf in) {
        final int length = in.getUnsignedShort(in.readerIndex() + 2);
        in.skipBytes(HEADER);
        final ByteBuf fields = in.readSlice(length - HEADER);
        in.skipBytes(padding(length));
        return fields;
    }

    private static FieldMatch decodeField(final MatchField field, final int header, final ByteBuf in)
            throws UndecodableException {
        final boolean masked = (header & 0x100) != 0;
        final int bytes = (header & 0xff) / (masked ? 2 : 1);
        if (bytes != WireFields.matchBytes(field) && bytes != (field.bits() + 7) / Byte.SIZE) {
            throw new UndecodableException(field + " of " + bytes + " bytes");
        }
        if (field.bits() > Long.SIZE) {
            return decodeWide(field, masked, in);
        }
        final long value = readValue(in, bytes);
        final long mask = masked ? readValue(in, bytes) : field.fullMask();
        if (field == MatchField.VLAN_VID) {
            return decodeVlan(value, masked ? mask : VLAN_PRESENT | VLAN_MASK);
        }
        if (field == MatchField.IN_PORT && !masked && value >= RESERVED_PORTS) {
            return FieldMatch.of(field, value & field.fullMask());
        } else if ((value & ~field.fullMask()) != 0) {
            throw new UndecodableException("%s 0x%x".formatted(field, value));
        }
        final long known = mask & field.fullMask();
        return new FieldMatch(field, value & known, known);
    }

    private static FieldMatch decodeWide(final MatchField field, final boolean masked, final ByteBuf in) {
        final long high = in.readLong();
        final long low = in.readLong();
        if (!masked) {
            return FieldMatch.of(field, new Ipv6(high, low));
        }
        final long maskHigh = in.readLong();
        final long maskLow = in.readLong();
        return new FieldMatch(field, high & maskHigh, low & maskLow, maskHigh, maskLow);
    }

    private static FieldMatch decodeVlan(final long value, final long mask) throws UndecodableException {
        final boolean present = (value & VLAN_PRESENT) != 0;
        if ((mask & VLAN_PRESENT) != 0 && !present) {
            return FieldMatch.of(MatchField.VLAN_VID, MatchField.UNTAGGED);
        }
        final long vid = value & mask & VLAN_MASK;
        final long vidMask = mask & VLAN_MASK;
        // A frame with tag 0 is not one without a tag, and "any tag" has no name.
        if (!present || vidMask == 0 || vidMask == VLAN_MASK && vid == MatchField.UNTAGGED) {
            throw new UndecodableException("vlan_vid 0x%x/0x%x".formatted(value, mask));
        }
        return new FieldMatch(MatchField.VLAN_VID, vid, vidMask);
    }

    static void writeValue(final ByteBuf out, final long value, final int bytes) {
        for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
            out.writeByte((int) (value >> shift));
        }
    }

    static long readValue(final ByteBuf in, final int bytes) {
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            value = value << 8 | in.readUnsignedByte();
        }
        return value;
    }

    /** Bytes up to the next multiple of eight. */
    static int padding(final int length) {
        return (8 - length % 8) % 8;
    }
}
