// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A packet of IPv6 (RFC 8200). Extension headers are payload.
 *
 * @param hopLimit 0 to 255
 * @param nextHeader the protocol of the payload, as IANA has registered it, 0 to 255
 * @param source 16 bytes
 * @param destination 16 bytes
 */
public record Ipv6Packet(int hopLimit, int nextHeader, Bytes source, Bytes destination, Bytes payload) {
    public static final int PROTOCOL_UDP = 17;
    public static final int PROTOCOL_ICMPV6 = 58;
    /** Bytes of the header. */
    public static final int HEADER = 40;
    /** Bytes of an address. */
    public static final int ADDRESS = 16;
    /** Of what nobody must have forwarded (RFC 4861, section 7.1). */
    public static final int LINK_ONLY = 255;
    /** Address of all nodes on the link, ff02::1. */
    public static final Bytes ALL_NODES = Bytes.parseHex("ff020000000000000000000000000001");

    private static final int HOP_LIMIT = 64;

    public Ipv6Packet {
        requireNonNull(payload);
        if (source.length() != ADDRESS || destination.length() != ADDRESS) {
            throw new IllegalArgumentException("an IPv6 address has " + ADDRESS + " bytes");
        }
    }

    /** A packet with a hop limit as usual. */
    public Ipv6Packet(final int nextHeader, final Bytes source, final Bytes destination, final Bytes payload) {
        this(HOP_LIMIT, nextHeader, source, destination, payload);
    }

    /** Reads the payload of a frame, whose padding is cut off. Nothing if it is not IPv6 or shorter than it says. */
    public static Optional<Ipv6Packet> parse(final Bytes payload) {
        if (payload.length() < HEADER || payload.u8(0) >> 4 != 6 || payload.u16(4) > payload.length() - HEADER) {
            return Optional.empty();
        }
        return Optional.of(new Ipv6Packet(payload.u8(7), payload.u8(6), payload.part(8, ADDRESS),
            payload.part(24, ADDRESS), payload.part(HEADER, payload.u16(4))));
    }

    /** What checksums of the protocol above also count. */
    public PseudoHeader pseudoHeader() {
        return new PseudoHeader(new BytesWriter().put(source).put(destination).bytes());
    }

    /** The payload of a frame. Throws IllegalArgumentException if it is longer than IPv6 can say. */
    public Bytes bytes() {
        if (payload.length() > 0xffff) {
            throw new IllegalArgumentException(payload.length() + " bytes are too many for IPv6");
        }
        return new BytesWriter().u32(0x60000000L).u16(payload.length()).u8(nextHeader).u8(hopLimit).put(source)
            .put(destination).put(payload).bytes();
    }

    /** The MAC address of a group (RFC 2464, section 7). */
    public static long groupMac(final Bytes group) {
        return 0x333300000000L | group.u32(ADDRESS - 4);
    }
}
