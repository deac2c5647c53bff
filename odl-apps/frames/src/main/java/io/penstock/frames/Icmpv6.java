// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A message of ICMPv6 (RFC 4443).
 *
 * @param body what follows the checksum
 */
public record Icmpv6(int type, int code, Bytes body) {
    public static final int ROUTER_SOLICITATION = 133;
    public static final int ROUTER_ADVERTISEMENT = 134;
    public static final int NEIGHBOUR_SOLICITATION = 135;

    private static final int HEADER = 4;

    public Icmpv6 {
        requireNonNull(body);
    }

    /** Reads the payload of a packet; nothing if it is too short or its checksum is wrong. */
    public static Optional<Icmpv6> parse(final Bytes payload, final PseudoHeader header) {
        if (payload.length() < HEADER || Checksum.of(Checksum.add(
                header.sum(Ipv6Packet.PROTOCOL_ICMPV6, payload.length()), payload)) != 0) {
            return Optional.empty();
        }
        return Optional.of(new Icmpv6(payload.u8(0), payload.u8(1), payload.from(HEADER)));
    }

    /** The payload of a packet, with the checksum. */
    public Bytes bytes(final PseudoHeader header) {
        final Bytes start = new BytesWriter().u8(type).u8(code).bytes();
        final long sum = Checksum.add(header.sum(Ipv6Packet.PROTOCOL_ICMPV6, HEADER + body.length()), start);
        return new BytesWriter().put(start).u16(Checksum.of(Checksum.add(sum, body))).put(body).bytes();
    }
}
