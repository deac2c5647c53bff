// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A packet of IPv4 (RFC 791). Options of one that was read are passed over; one that is built has none.
 *
 * @param fragment the 16 bits with flags and fragment offset
 * @param timeToLive 0 to 255
 * @param protocol as IANA has registered it, 0 to 255
 */
public record Ipv4Packet(int fragment, int timeToLive, int protocol, long source, long destination, Bytes payload) {
    /** Address of everybody on the link. */
    public static final long BROADCAST = 0xffffffffL;
    public static final int PROTOCOL_ICMP = 1;
    public static final int PROTOCOL_UDP = 17;
    /** The flag "don't fragment". */
    public static final int DONT_FRAGMENT = 0x4000;
    /** Bytes of a header without options. */
    public static final int HEADER = 20;

    private static final int TIME_TO_LIVE = 64;
    private static final int MORE_OR_OFFSET = 0x3fff;

    public Ipv4Packet {
        requireNonNull(payload);
    }

    /** A whole packet with a time to live as usual. */
    public Ipv4Packet(final int protocol, final long source, final long destination, final Bytes payload) {
        this(0, TIME_TO_LIVE, protocol, source, destination, payload);
    }

    /**
     * Reads the payload of a frame, whose padding is cut off. Nothing if it is not IPv4, is shorter than it says, or
     * its header's checksum is wrong.
     */
    public static Optional<Ipv4Packet> parse(final Bytes payload) {
        if (payload.length() < HEADER || payload.u8(0) >> 4 != 4) {
            return Optional.empty();
        }
        final int header = (payload.u8(0) & 0xf) * 4;
        final int total = payload.u16(2);
        if (header < HEADER || total < header || total > payload.length()
                || Checksum.of(Checksum.add(0, payload.part(0, header))) != 0) {
            return Optional.empty();
        }
        return Optional.of(new Ipv4Packet(payload.u16(6), payload.u8(8), payload.u8(9), payload.u32(12),
            payload.u32(16), payload.part(header, total - header)));
    }

    /** Whether it is a part of a packet. */
    public boolean isFragment() {
        return (fragment & MORE_OR_OFFSET) != 0;
    }

    /** What checksums of the protocol above also count. */
    public PseudoHeader pseudoHeader() {
        return PseudoHeader.ofIpv4(source, destination);
    }

    /** The payload of a frame, with the checksum. Throws IllegalArgumentException if it is longer than IPv4 can say. */
    public Bytes bytes() {
        final int total = HEADER + payload.length();
        if (total > 0xffff) {
            throw new IllegalArgumentException(total + " bytes are too many for IPv4");
        }
        final Bytes start = new BytesWriter().u8(0x45).u8(0).u16(total).u16(0).u16(fragment).u8(timeToLive).u8(protocol)
            .bytes();
        final Bytes addresses = new BytesWriter().u32(source).u32(destination).bytes();
        return new BytesWriter().put(start).u16(Checksum.of(Checksum.add(Checksum.add(0, start), addresses)))
            .put(addresses).put(payload).bytes();
    }
}
