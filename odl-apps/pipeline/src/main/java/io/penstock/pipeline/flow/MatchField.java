// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import java.util.List;

/**
 * A field of a packet or of its pipeline state. Values are unsigned; those of fields wider than 64 bits come in two
 * halves.
 */
public enum MatchField {
    IN_PORT("in_port", "NXM_OF_IN_PORT", 16, Format.DECIMAL),
    ETH_DST("dl_dst", "NXM_OF_ETH_DST", 48, Format.MAC),
    ETH_SRC("dl_src", "NXM_OF_ETH_SRC", 48, Format.MAC),
    ETH_TYPE("dl_type", "NXM_OF_ETH_TYPE", 16, Format.HEX),
    /** 802.1Q tag 1..4094; {@link #UNTAGGED} matches a frame without a tag. */
    VLAN_VID("dl_vlan", "OXM_OF_VLAN_VID", 12, Format.DECIMAL),
    ARP_OP("arp_op", "NXM_OF_ARP_OP", 16, Format.DECIMAL),
    ARP_SPA("arp_spa", "NXM_OF_ARP_SPA", 32, Format.IPV4),
    ARP_TPA("arp_tpa", "NXM_OF_ARP_TPA", 32, Format.IPV4),
    ARP_SHA("arp_sha", "NXM_NX_ARP_SHA", 48, Format.MAC),
    ARP_THA("arp_tha", "NXM_NX_ARP_THA", 48, Format.MAC),
    IP_SRC("nw_src", "NXM_OF_IP_SRC", 32, Format.IPV4),
    IP_DST("nw_dst", "NXM_OF_IP_DST", 32, Format.IPV4),
    IPV6_SRC("ipv6_src", "NXM_NX_IPV6_SRC", 128, Format.IPV6),
    IPV6_DST("ipv6_dst", "NXM_NX_IPV6_DST", 128, Format.IPV6),
    /** Of IPv6 packets the protocol behind the extension headers. */
    IP_PROTO("nw_proto", "NXM_OF_IP_PROTO", 8, Format.DECIMAL),
    /** TTL of IPv4, hop limit of IPv6. */
    IP_TTL("nw_ttl", "NXM_NX_IP_TTL", 8, Format.DECIMAL),
    /** 0 is a packet that is no fragment; {@link Fragment} has the others. */
    IP_FRAG("nw_frag", "NXM_NX_IP_FRAG", 2, Format.FRAGMENT),
    TCP_SRC("tcp_src", "NXM_OF_TCP_SRC", 16, Format.DECIMAL),
    TCP_DST("tcp_dst", "NXM_OF_TCP_DST", 16, Format.DECIMAL),
    /** FIN is bit 0, SYN bit 1, RST bit 2. */
    TCP_FLAGS("tcp_flags", "NXM_NX_TCP_FLAGS", 12, Format.HEX),
    UDP_SRC("udp_src", "NXM_OF_UDP_SRC", 16, Format.DECIMAL),
    UDP_DST("udp_dst", "NXM_OF_UDP_DST", 16, Format.DECIMAL),
    SCTP_SRC("sctp_src", "OXM_OF_SCTP_SRC", 16, Format.DECIMAL),
    SCTP_DST("sctp_dst", "OXM_OF_SCTP_DST", 16, Format.DECIMAL),
    ICMP_TYPE("icmp_type", "NXM_OF_ICMP_TYPE", 8, Format.DECIMAL),
    ICMP_CODE("icmp_code", "NXM_OF_ICMP_CODE", 8, Format.DECIMAL),
    ICMPV6_TYPE("icmpv6_type", "NXM_NX_ICMPV6_TYPE", 8, Format.DECIMAL),
    ICMPV6_CODE("icmpv6_code", "NXM_NX_ICMPV6_CODE", 8, Format.DECIMAL),
    /** The address that a neighbour solicitation (135) asks for or an advertisement (136) is about (RFC 4861). */
    ND_TARGET("nd_target", "NXM_NX_ND_TARGET", 128, Format.IPV6),
    /** Source link-layer address option of a solicitation; zero without one. A flow that sets it insists on 135. */
    ND_SLL("nd_sll", "NXM_NX_ND_SLL", 48, Format.MAC),
    /** Target link-layer address option of an advertisement; zero without one. A flow that sets it insists on 136. */
    ND_TLL("nd_tll", "NXM_NX_ND_TLL", 48, Format.MAC),
    /** The word before the target: an advertisement's flags router, solicited and override are bits 31, 30 and 29. */
    ND_RESERVED("nd_reserved", "ERICOXM_OF_ICMPV6_ND_RESERVED", 32, Format.HEX),
    /** 1 or 2, whichever link-layer address option comes first; 0 without one. Setting it changes the first option. */
    ND_OPTIONS_TYPE("nd_options_type", "ERICOXM_OF_ICMPV6_ND_OPTIONS_TYPE", 8, Format.DECIMAL),
    REG0("reg0", "NXM_NX_REG0", 32, Format.HEX),
    REG1("reg1", "NXM_NX_REG1", 32, Format.HEX),
    REG2("reg2", "NXM_NX_REG2", 32, Format.HEX),
    REG3("reg3", "NXM_NX_REG3", 32, Format.HEX),
    REG4("reg4", "NXM_NX_REG4", 32, Format.HEX),
    REG5("reg5", "NXM_NX_REG5", 32, Format.HEX),
    REG6("reg6", "NXM_NX_REG6", 32, Format.HEX),
    REG7("reg7", "NXM_NX_REG7", 32, Format.HEX),
    REG8("reg8", "NXM_NX_REG8", 32, Format.HEX),
    REG9("reg9", "NXM_NX_REG9", 32, Format.HEX),
    REG10("reg10", "NXM_NX_REG10", 32, Format.HEX),
    REG11("reg11", "NXM_NX_REG11", 32, Format.HEX),
    REG12("reg12", "NXM_NX_REG12", 32, Format.HEX),
    REG13("reg13", "NXM_NX_REG13", 32, Format.HEX),
    REG14("reg14", "NXM_NX_REG14", 32, Format.HEX),
    REG15("reg15", "NXM_NX_REG15", 32, Format.HEX),
    /** Registers 8 to 11 as one, register 8 the most significant. */
    XXREG2("xxreg2", "NXM_NX_XXREG2", 128, Format.HEX),
    /** Registers 12 to 15 as one, register 12 the most significant. */
    XXREG3("xxreg3", "NXM_NX_XXREG3", 128, Format.HEX),
    CT_STATE("ct_state", "NXM_NX_CT_STATE", 32, Format.CT_STATE),
    /** The zone in which a packet was tracked last; only the whole field can be matched. */
    CT_ZONE("ct_zone", "NXM_NX_CT_ZONE", 16, Format.DECIMAL),
    CT_MARK("ct_mark", "NXM_NX_CT_MARK", 32, Format.HEX),
    /** 128 bits that a connection keeps, like {@link #CT_MARK}. */
    CT_LABEL("ct_label", "NXM_NX_CT_LABEL", 128, Format.HEX),
    /** Source address of a tracked packet's connection as its first packet had it, before translation. */
    CT_NW_SRC("ct_nw_src", "NXM_NX_CT_NW_SRC", 32, Format.IPV4),
    /** Its source port, likewise. */
    CT_TP_SRC("ct_tp_src", "NXM_NX_CT_TP_SRC", 16, Format.DECIMAL),
    /** Original source address of an IPv6 connection, like {@link #CT_NW_SRC}. */
    CT_IPV6_SRC("ct_ipv6_src", "NXM_NX_CT_IPV6_SRC", 128, Format.IPV6),
    /** Which {@link Action.Conjunction} has all its clauses; only the whole field can be matched. */
    CONJ_ID("conj_id", "NXM_NX_CONJ_ID", 32, Format.DECIMAL),
    /** Metadata type of the network service header (RFC 8300). */
    NSH_MDTYPE("nsh_mdtype", "NXOXM_NSH_MDTYPE", 8, Format.DECIMAL),
    /** Its service path identifier. */
    NSH_SPI("nsh_spi", "NXOXM_NSH_SPI", 24, Format.HEX),
    /** Its service index; each function that serves the packet counts it down. */
    NSH_SI("nsh_si", "NXOXM_NSH_SI", 8, Format.DECIMAL);

    /** Value of {@link #VLAN_VID} for a frame that carries no 802.1Q tag. */
    public static final long UNTAGGED = 0;

    /** How ovs-ofctl writes a value. */
    enum Format { DECIMAL, HEX, MAC, IPV4, IPV6, FRAGMENT, CT_STATE }

    private final String text;
    private final String nxm;
    private final int bits;
    private final Format format;

    MatchField(final String text, final String nxm, final int bits, final Format format) {
        this.text = text;
        this.nxm = nxm;
        this.bits = bits;
        this.format = format;
    }

    /** Name in a match, as in ovs-fields(7). */
    public String text() {
        return text;
    }

    /** Name in an action, as in ovs-fields(7). */
    public String nxm() {
        return nxm;
    }

    /** Width in bits. */
    public int bits() {
        return bits;
    }

    Format format() {
        return format;
    }

    /** A mask that covers the whole field, or its low 64 bits. */
    public long fullMask() {
        return FieldRange.ones(bits);
    }

    /** A mask that covers what the field has beyond 64 bits. */
    public long fullMaskHigh() {
        return FieldRange.ones(bits - Long.SIZE);
    }

    /** Whether it is a register, a wide one too. */
    public boolean isRegister() {
        return compareTo(REG0) >= 0 && compareTo(XXREG3) <= 0;
    }

    /** The registers that a wide register is another name of, the most significant first; none for other fields. */
    public List<MatchField> parts() {
        return switch (this) {
            case XXREG2 -> List.of(REG8, REG9, REG10, REG11);
            case XXREG3 -> List.of(REG12, REG13, REG14, REG15);
            default -> List.of();
        };
    }

    /** The whole field as a range. */
    public FieldRange range() {
        return new FieldRange(this, bits - 1, 0);
    }
}
