// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

/**
 * Errors that a router sends about packets: ICMP for IPv4 (RFC 792, RFC 1812, section 4.3) and ICMPv6 (RFC 4443). Each
 * is a whole packet to the sender of the one it is about, of which it has as much as fits.
 */
public final class IcmpError {
    /** Most bytes of such a packet (RFC 1812, section 4.3.2.3; RFC 4443, section 2.4, c). */
    public static final int IPV4_MOST = 576;
    public static final int IPV6_MOST = 1280;
    /** Types of ICMPv6. */
    public static final int V6_UNREACHABLE = 1;
    public static final int V6_TOO_BIG = 2;
    public static final int V6_TIME_EXCEEDED = 3;

    private static final int IPV6_HEADER = 40;
    private static final int ICMP_HEADER = 8;
    private static final int PROTOCOL_ICMPV6 = 58;
    private static final int HOP_LIMIT = 64;
    /** Type of service: the precedence of what networks need to work (RFC 1812, section 4.3.2.5). */
    private static final int CONTROL = 6 << 5;
    private static final int IPV4_SOURCE = 12;
    private static final int IPV6_SOURCE = 8;
    private static final int IPV6_ADDRESS = 16;

    private IcmpError() {
        // Only functions.
    }

    /**
     * An error of ICMP.
     *
     * @param rest the 32 bits behind the checksum: of "fragmentation needed" the MTU (RFC 1191, section 4), else 0
     * @param source address of the router
     * @param about the packet from its IPv4 header on, which has to be there; its end may be missing
     */
    public static Bytes ofIpv4(final int type, final int code, final long rest, final long source, final Bytes about) {
        final Bytes quoted = quoted(about, about.u16(2), IPV4_MOST - Ipv4Packet.HEADER - ICMP_HEADER);
        final Bytes error = new Icmp(type, code, rest, quoted).bytes();
        final Bytes start = new BytesWriter().u8(0x45).u8(CONTROL).u16(Ipv4Packet.HEADER + error.length()).u32(0)
            .u8(HOP_LIMIT).u8(Ipv4Packet.PROTOCOL_ICMP).bytes();
        final Bytes addresses = new BytesWriter().u32(source).u32(about.u32(IPV4_SOURCE)).bytes();
        return new BytesWriter().put(start).u16(Checksum.of(Checksum.add(Checksum.add(0, start), addresses)))
            .put(addresses).put(error).bytes();
    }

    /**
     * An error of ICMPv6.
     *
     * @param rest the 32 bits behind the checksum: of "packet too big" the MTU, else 0
     * @param source address of the router, 16 bytes
     * @param about the packet from its IPv6 header on, which has to be there; its end may be missing
     */
    public static Bytes ofIpv6(final int type, final int code, final long rest, final Bytes source,
            final Bytes about) {
        final Bytes quoted = quoted(about, IPV6_HEADER + about.u16(4), IPV6_MOST - IPV6_HEADER - ICMP_HEADER);
        final Bytes addresses = new BytesWriter().put(source).put(about.part(IPV6_SOURCE, IPV6_ADDRESS)).bytes();
        final Bytes start = new BytesWriter().u8(type).u8(code).bytes();
        final Bytes end = new BytesWriter().u32(rest).put(quoted).bytes();
        final int length = ICMP_HEADER + quoted.length();
        final int checksum = Checksum.of(Checksum.add(Checksum.add(
            new PseudoHeader(addresses).sum(PROTOCOL_ICMPV6, length), start), end));
        return new BytesWriter().u32(6L << 28).u16(length).u8(PROTOCOL_ICMPV6).u8(HOP_LIMIT).put(addresses)
            .put(start).u16(checksum).put(end).bytes();
    }

    /** Not the padding of a short frame either. */
    private static Bytes quoted(final Bytes about, final int length, final int most) {
        return about.part(0, Math.min(Math.min(length, about.length()), most));
    }
}
