// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.netty.buffer.ByteBuf;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The numbers of the fields. Open vSwitch writes a match and a set_field with the OpenFlow (OXM) number where there is
 * one, and Nicira actions with the Nicira (NXM) number where there is one; so do we, and read both.
 */
final class WireFields {
    /** OXM_OF_*: class of the standard fields. */
    private static final int OXM = 0x8000;
    /** NXM_OF_*: class of Nicira's numbers for fields that OpenFlow 1.0 had. */
    private static final int NXM0 = 0x0000;
    /** NXM_NX_*: class of Nicira's own fields. */
    private static final int NXM1 = 0x0001;
    /** ERICOXM_OF_*: class of Ericsson's fields, of which there are two. */
    private static final int ERICOXM = 0x1000;

    /** NXOXM_NSH_*: an experimenter's, whose number follows the header. */
    private static final int EXPERIMENTER = 0xffff;
    private static final int NSH = 0x005ad650;

    private static final Map<Integer, MatchField> FIELDS = Arrays.stream(MatchField.values())
        .flatMap(field -> Stream.of(
            Map.entry(matchNumber(field), field), Map.entry(actionNumber(field), field)))
        .distinct()
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));

    private WireFields() {
        // Only functions.
    }

    /** The header (class, field, mask bit, length of what follows) of a match or set_field. */
    static int matchHeader(final MatchField field, final boolean masked) {
        final int length = matchBytes(field) * (masked ? 2 : 1) + (isNsh(field) ? Integer.BYTES : 0);
        return matchNumber(field) << 9 | (masked ? 0x100 : 0) | length;
    }

    /** Writes a header, and behind it what some have. */
    static void writeHeader(final ByteBuf out, final int header) {
        out.writeInt(header);
        if (header >>> 16 == EXPERIMENTER) {
            out.writeInt(NSH);
        }
    }

    /** Reads a header, and what some have behind it: of other experimenters no field is known. */
    static int readHeader(final ByteBuf in) throws UndecodableException {
        final int header = in.readInt();
        if (header >>> 16 == EXPERIMENTER) {
            final int experimenter = in.readInt();
            if (experimenter != NSH) {
                throw new UndecodableException("field 0x%08x of experimenter 0x%08x".formatted(header, experimenter));
            }
        }
        return header;
    }

    private static boolean isNsh(final MatchField field) {
        return matchNumber(field) >>> 7 == EXPERIMENTER;
    }

    /** The header of a field in a Nicira action. */
    static int actionHeader(final FieldRange range) {
        final MatchField field = range.field();
        return actionNumber(field) << 9 | (isNsh(field) ? Integer.BYTES + matchBytes(field) : (field.bits() + 7) / 8);
    }

    /** Bytes of a value in a match or set_field. */
    static int matchBytes(final MatchField field) {
        return field == MatchField.IN_PORT || field == MatchField.NSH_SPI ? 4 : (field.bits() + 7) / 8;
    }

    /** The field with this header. */
    static MatchField field(final int header) throws UndecodableException {
        final MatchField field = FIELDS.get(header >>> 9);
        if (field == null) {
            throw new UndecodableException("field 0x%08x".formatted(header));
        }
        return field;
    }

    /** Bits {@code low} to {@code low + bits - 1} of the field with this header. */
    static FieldRange range(final int header, final int low, final int bits) throws UndecodableException {
        final MatchField field = field(header);
        if (bits < 1 || low + bits > field.bits()) {
            throw new UndecodableException(field + " bits " + low + " to " + (low + bits - 1));
        }
        return new FieldRange(field, low + bits - 1, low);
    }

    private static int number(final int type, final int field) {
        return type << 7 | field;
    }

    private static int matchNumber(final MatchField field) {
        return switch (field) {
            case IN_PORT -> number(OXM, 0);
            case ETH_DST -> number(OXM, 3);
            case ETH_SRC -> number(OXM, 4);
            case ETH_TYPE -> number(OXM, 5);
            case VLAN_VID -> number(OXM, 6);
            case IP_PROTO -> number(OXM, 10);
            case IP_SRC -> number(OXM, 11);
            case IP_DST -> number(OXM, 12);
            case TCP_SRC -> number(OXM, 13);
            case TCP_DST -> number(OXM, 14);
            case UDP_SRC -> number(OXM, 15);
            case UDP_DST -> number(OXM, 16);
            case SCTP_SRC -> number(OXM, 17);
            case SCTP_DST -> number(OXM, 18);
            case ICMP_TYPE -> number(OXM, 19);
            case ICMP_CODE -> number(OXM, 20);
            case ARP_OP -> number(OXM, 21);
            case IPV6_SRC -> number(OXM, 26);
            case IPV6_DST -> number(OXM, 27);
            case ICMPV6_TYPE -> number(OXM, 29);
            case ICMPV6_CODE -> number(OXM, 30);
            case ND_TARGET -> number(OXM, 31);
            case ND_SLL -> number(OXM, 32);
            case ND_TLL -> number(OXM, 33);
            case ARP_SPA -> number(OXM, 22);
            case ARP_TPA -> number(OXM, 23);
            case ARP_SHA -> number(OXM, 24);
            case ARP_THA -> number(OXM, 25);
            default -> actionNumber(field);
        };
    }

    private static int actionNumber(final MatchField field) {
        return switch (field) {
            case IN_PORT -> number(NXM0, 0);
            case ETH_DST -> number(NXM0, 1);
            case ETH_SRC -> number(NXM0, 2);
            case ETH_TYPE -> number(NXM0, 3);
            case VLAN_VID -> number(OXM, 6);
            case IP_PROTO -> number(NXM0, 6);
            case IP_SRC -> number(NXM0, 7);
            case IP_DST -> number(NXM0, 8);
            case TCP_SRC -> number(NXM0, 9);
            case TCP_DST -> number(NXM0, 10);
            case UDP_SRC -> number(NXM0, 11);
            case UDP_DST -> number(NXM0, 12);
            case SCTP_SRC -> number(OXM, 17);
            case SCTP_DST -> number(OXM, 18);
            case ICMP_TYPE -> number(NXM0, 13);
            case ICMP_CODE -> number(NXM0, 14);
            case ARP_OP -> number(NXM0, 15);
            case ARP_SPA -> number(NXM0, 16);
            case ARP_TPA -> number(NXM0, 17);
            case ARP_SHA -> number(NXM1, 17);
            case ARP_THA -> number(NXM1, 18);
            case IP_TTL -> number(NXM1, 29);
            case IP_FRAG -> number(NXM1, 26);
            case TCP_FLAGS -> number(NXM1, 34);
            case IPV6_SRC -> number(NXM1, 19);
            case IPV6_DST -> number(NXM1, 20);
            case ICMPV6_TYPE -> number(NXM1, 21);
            case ICMPV6_CODE -> number(NXM1, 22);
            case ND_TARGET -> number(NXM1, 23);
            case ND_SLL -> number(NXM1, 24);
            case ND_TLL -> number(NXM1, 25);
            case ND_RESERVED -> number(ERICOXM, 1);
            case ND_OPTIONS_TYPE -> number(ERICOXM, 2);
            case CONJ_ID -> number(NXM1, 37);
            // The numbers of the registers follow each other, as those of their names do.
            case REG0, REG1, REG2, REG3, REG4, REG5, REG6, REG7, REG8, REG9, REG10, REG11, REG12, REG13, REG14, REG15 ->
                number(NXM1, field.ordinal() - MatchField.REG0.ordinal());
            case XXREG2 -> number(NXM1, 113);
            case XXREG3 -> number(NXM1, 114);
            case CT_STATE -> number(NXM1, 105);
            case CT_ZONE -> number(NXM1, 106);
            case CT_MARK -> number(NXM1, 107);
            case CT_LABEL -> number(NXM1, 108);
            case CT_NW_SRC -> number(NXM1, 120);
            case CT_IPV6_SRC -> number(NXM1, 122);
            case CT_TP_SRC -> number(NXM1, 124);
            case NSH_MDTYPE -> number(EXPERIMENTER, 2);
            case NSH_SPI -> number(EXPERIMENTER, 4);
            case NSH_SI -> number(EXPERIMENTER, 5);
        };
    }
}
