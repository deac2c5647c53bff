// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.neighbour;

import java.nio.ByteBuffer;

/** Ethernet frames of ARP requests (RFC 826). */
final class ArpRequest {
    private static final long BROADCAST = 0xffffffffffffL;
    private static final short ETHERTYPE_ARP = 0x0806;
    private static final int MINIMUM_FRAME = 60;

    private ArpRequest() {
        // Only functions.
    }

    /** Who has {@code target}? Tell {@code sender} at {@code mac}. Untagged, padded to the shortest frame. */
    static byte[] frame(final long mac, final long sender, final long target) {
        final ByteBuffer frame = ByteBuffer.allocate(MINIMUM_FRAME);
        putMac(frame, BROADCAST);
        putMac(frame, mac);
        frame.putShort(ETHERTYPE_ARP);
        frame.putShort((short) 1).putShort((short) 0x0800).put((byte) 6).put((byte) 4).putShort((short) 1);
        putMac(frame, mac);
        frame.putInt((int) sender);
        putMac(frame, 0);
        frame.putInt((int) target);
        return frame.array();
    }

    private static void putMac(final ByteBuffer frame, final long mac) {
        frame.putShort((short) (mac >> 32)).putInt((int) mac);
    }
}
