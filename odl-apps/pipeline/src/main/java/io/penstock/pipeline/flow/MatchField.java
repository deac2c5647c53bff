// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

/** A field of a packet or of its pipeline state. Values are unsigned and fit a {@code long}. */
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
    IP_PROTO("nw_proto", "NXM_OF_IP_PROTO", 8, Format.DECIMAL),
    IP_TTL("nw_ttl", "NXM_NX_IP_TTL", 8, Format.DECIMAL),
    /** 0 is a packet that is no fragment, the only value that is used. */
    IP_FRAG("nw_frag", "NXM_NX_IP_FRAG", 8, Format.FRAGMENT),
    TCP_SRC("tcp_src", "NXM_OF_TCP_SRC", 16, Format.DECIMAL),
    TCP_DST("tcp_dst", "NXM_OF_TCP_DST", 16, Format.DECIMAL),
    /** FIN is bit 0, SYN bit 1, RST bit 2. */
    TCP_FLAGS("tcp_flags", "NXM_NX_TCP_FLAGS", 12, Format.HEX),
    UDP_SRC("udp_src", "NXM_OF_UDP_SRC", 16, Format.DECIMAL),
    UDP_DST("udp_dst", "NXM_OF_UDP_DST", 16, Format.DECIMAL),
    ICMP_TYPE("icmp_type", "NXM_OF_ICMP_TYPE", 8, Format.DECIMAL),
    ICMP_CODE("icmp_code", "NXM_OF_ICMP_CODE", 8, Format.DECIMAL),
    REG0("reg0", "NXM_NX_REG0", 32, Format.HEX),
    REG1("reg1", "NXM_NX_REG1", 32, Format.HEX),
    REG2("reg2", "NXM_NX_REG2", 32, Format.HEX),
    REG3("reg3", "NXM_NX_REG3", 32, Format.HEX),
    REG4("reg4", "NXM_NX_REG4", 32, Format.HEX),
    REG5("reg5", "NXM_NX_REG5", 32, Format.HEX),
    REG6("reg6", "NXM_NX_REG6", 32, Format.HEX),
    REG7("reg7", "NXM_NX_REG7", 32, Format.HEX),
    CT_STATE("ct_state", "NXM_NX_CT_STATE", 32, Format.CT_STATE),
    CT_MARK("ct_mark", "NXM_NX_CT_MARK", 32, Format.HEX),
    /** Source address of a tracked packet's connection as its first packet had it, before translation. */
    CT_NW_SRC("ct_nw_src", "NXM_NX_CT_NW_SRC", 32, Format.IPV4),
    /** Its source port, likewise. */
    CT_TP_SRC("ct_tp_src", "NXM_NX_CT_TP_SRC", 16, Format.DECIMAL);

    /** Value of {@link #VLAN_VID} for a frame that carries no 802.1Q tag. */
    public static final long UNTAGGED = 0;

    /** How ovs-ofctl writes a value. */
    enum Format { DECIMAL, HEX, MAC, IPV4, FRAGMENT, CT_STATE }

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

    /** A mask that covers the whole field. */
    public long fullMask() {
        return (1L << bits) - 1;
    }

    /** The whole field as a range. */
    public FieldRange range() {
        return new FieldRange(this, bits - 1, 0);
    }
}
