// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import java.util.Optional;

/**
 * ARP for IPv4 over Ethernet (RFC 826).
 *
 * @param operation {@link #REQUEST}, {@link #REPLY} or another
 */
public record Arp(int operation, long senderMac, long senderAddress, long targetMac, long targetAddress) {
    public static final int REQUEST = 1;
    public static final int REPLY = 2;

    private static final int LENGTH = 28;
    private static final int ETHERNET = 1;
    private static final int SIZES = 6 << 8 | 4;

    /** Reads the payload of a frame; nothing if it is not ARP for IPv4 over Ethernet. */
    public static Optional<Arp> parse(final Bytes payload) {
        if (payload.length() < LENGTH || payload.u16(0) != ETHERNET || payload.u16(2) != Ethernet.TYPE_IPV4
                || payload.u16(4) != SIZES) {
            return Optional.empty();
        }
        return Optional.of(new Arp(payload.u16(6), payload.u48(8), payload.u32(14), payload.u48(18), payload.u32(24)));
    }

    /** Who has {@code target}? Tell {@code sender} at {@code mac}. */
    public static Arp request(final long mac, final long sender, final long target) {
        return new Arp(REQUEST, mac, sender, 0, target);
    }

    /** The payload of a frame. */
    public Bytes bytes() {
        return new BytesWriter().u16(ETHERNET).u16(Ethernet.TYPE_IPV4).u16(SIZES).u16(operation)
            .u48(senderMac).u32(senderAddress).u48(targetMac).u32(targetAddress).bytes();
    }

    /** A frame from the sender to a MAC address. */
    public Ethernet to(final long destination) {
        return new Ethernet(destination, senderMac, Ethernet.TYPE_ARP, bytes());
    }

    /** A frame from the sender to everybody. */
    public Ethernet toAll() {
        return to(Ethernet.BROADCAST);
    }
}
