// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static java.util.Objects.requireNonNull;

import java.util.Optional;

/**
 * A frame of Ethernet II without tag and check sequence. The payload of one that was read has its padding.
 *
 * @param etherType from 0x0600
 */
public record Ethernet(long destination, long source, int etherType, Bytes payload) {
    /** MAC address of everybody. */
    public static final long BROADCAST = 0xffffffffffffL;
    public static final int TYPE_IPV4 = 0x0800;
    public static final int TYPE_ARP = 0x0806;
    public static final int TYPE_IPV6 = 0x86dd;

    private static final int HEADER = 14;
    private static final int SHORTEST = 60;
    private static final int FIRST_TYPE = 0x0600;

    public Ethernet {
        requireNonNull(payload);
    }

    /** Reads a frame; nothing if it is too short or has a length (IEEE 802.3) in place of a type. */
    public static Optional<Ethernet> parse(final Bytes frame) {
        if (frame.length() < HEADER || frame.u16(12) < FIRST_TYPE) {
            return Optional.empty();
        }
        return Optional.of(new Ethernet(frame.u48(0), frame.u48(6), frame.u16(12), frame.from(HEADER)));
    }

    /** Whether a MAC address is one of a group or of everybody. */
    public static boolean isGroup(final long mac) {
        return (mac >> 40 & 1) != 0;
    }

    /** The frame, padded to the shortest length. */
    public Bytes bytes() {
        return new BytesWriter().u48(destination).u48(source).u16(etherType).put(payload).padTo(SHORTEST).bytes();
    }
}
