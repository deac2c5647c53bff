// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/** A datagram of UDP (RFC 768) over IPv4 or IPv6. */
public record Udp(int sourcePort, int destinationPort, Bytes payload) {
    /** Bytes of the header. */
    public static final int HEADER = 8;

    public Udp {
        requireNonNull(payload);
    }

    /**
     * Reads the payload of a packet that is no fragment. Nothing if it is shorter than it says, or its checksum is
     * wrong or, over IPv6, missing. What is behind the length it says is cut off.
     */
    public static Optional<Udp> parse(final Bytes payload, final PseudoHeader header) {
        if (payload.length() < HEADER) {
            return Optional.empty();
        }
        final int length = payload.u16(4);
        if (length < HEADER || length > payload.length()) {
            return Optional.empty();
        }
        final Bytes datagram = payload.part(0, length);
        final boolean right = payload.u16(6) == 0 ? header.mayHaveNoChecksum()
            : Checksum.of(Checksum.add(header.sum(Ipv4Packet.PROTOCOL_UDP, length), datagram)) == 0;
        return right ? Optional.of(new Udp(payload.u16(0), payload.u16(2), datagram.from(HEADER))) : Optional.empty();
    }

    /** The payload of a packet, with the checksum. Throws IllegalArgumentException if it is longer than UDP can say. */
    public Bytes bytes(final PseudoHeader header) {
        final int length = HEADER + payload.length();
        if (length > 0xffff) {
            throw new IllegalArgumentException(length + " bytes are too many for UDP");
        }
        final Bytes start = new BytesWriter().u16(sourcePort).u16(destinationPort).u16(length).bytes();
        final int checksum = Checksum.of(
            Checksum.add(Checksum.add(header.sum(Ipv4Packet.PROTOCOL_UDP, length), start), payload));
        // RFC 768: zero would say that there is none.
        return new BytesWriter().put(start).u16(checksum == 0 ? 0xffff : checksum).put(payload).bytes();
    }
}
