// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

/** Neighbour discovery of IPv6 (RFC 4861) as a router speaks it. */
public final class Neighbours6 {
    /** Option with the sender's MAC address. */
    static final int SOURCE_LINK_LAYER = 1;

    /** Of ff02::1:ff00:0/104, which the last three bytes of an address follow (RFC 4291, section 2.7.1). */
    private static final Bytes SOLICITED_NODE = Bytes.parseHex("ff0200000000000000000001ff");

    private Neighbours6() {
        // Only functions.
    }

    /** The frame that asks who has an address (section 4.3). Addresses have 16 bytes. */
    public static Ethernet solicitation(final long mac, final Bytes source, final Bytes target) {
        final Bytes group = new BytesWriter().put(SOLICITED_NODE).put(target.from(13)).bytes();
        return frame(Ipv6Packet.groupMac(group), mac, source, group, new Icmpv6(Icmpv6.NEIGHBOUR_SOLICITATION, 0,
            new BytesWriter().u32(0).put(target).put(sourceLinkLayer(mac)).bytes()));
    }

    /** A frame with a message that nobody may forward. */
    static Ethernet frame(final long destinationMac, final long mac, final Bytes source, final Bytes destination,
            final Icmpv6 message) {
        final Ipv6Packet empty =
            new Ipv6Packet(Ipv6Packet.LINK_ONLY, Ipv6Packet.PROTOCOL_ICMPV6, source, destination, Bytes.EMPTY);
        return new Ethernet(destinationMac, mac, Ethernet.TYPE_IPV6, new Ipv6Packet(Ipv6Packet.LINK_ONLY,
            Ipv6Packet.PROTOCOL_ICMPV6, source, destination, message.bytes(empty.pseudoHeader())).bytes());
    }

    static Bytes sourceLinkLayer(final long mac) {
        return new BytesWriter().u8(SOURCE_LINK_LAYER).u8(1).u48(mac).bytes();
    }
}
