// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A message of ICMP for IPv4 (RFC 792).
 *
 * @param rest the 32 bits behind the checksum, of which the type says what they are
 */
public record Icmp(int type, int code, long rest, Bytes payload) {
    public static final int UNREACHABLE = 3;
    public static final int TIME_EXCEEDED = 11;

    private static final int HEADER = 8;

    public Icmp {
        requireNonNull(payload);
    }

    /** Reads the payload of a packet; nothing if it is too short or its checksum is wrong. */
    public static Optional<Icmp> parse(final Bytes payload) {
        if (payload.length() < HEADER || Checksum.of(Checksum.add(0, payload)) != 0) {
            return Optional.empty();
        }
        return Optional.of(new Icmp(payload.u8(0), payload.u8(1), payload.u32(4), payload.from(HEADER)));
    }

    /** The payload of a packet, with the checksum. */
    public Bytes bytes() {
        final Bytes start = new BytesWriter().u8(type).u8(code).bytes();
        final Bytes end = new BytesWriter().u32(rest).put(payload).bytes();
        return new BytesWriter().put(start).u16(Checksum.of(Checksum.add(Checksum.add(0, start), end))).put(end)
            .bytes();
    }
}
