// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.hostile;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Makes the packets that somebody could send to find what a switch does not rewrite: every protocol, every type of
 * ICMP, wrong lengths, every kind of fragment, options, header lengths, TTLs and versions. The same each time.
 */
final class OddPackets {
    /** Those whose headers Open vSwitch and connection tracking know, and some that they do not. */
    private static final List<Integer> SOME = List.of(0, 1, 6, 17, 253);
    private static final List<Integer> MORE = List.of(0, 1, 2, 6, 17, 47, 50, 51, 58, 132, 255);
    private static final List<Integer> LENGTH_ERRORS = List.of(-36, -20, -17, -16, -9, -1, 1, 9, 1000, -37);
    /** Reserved, "do not fragment", first pieces, middle ones, last ones, the last possible one. */
    private static final List<Integer> FRAGMENTS =
        List.of(0x8000, 0x4000, 0x2000, 0x6000, 0x2001, 0x2002, 0x0001, 0x0002, 0x00b9, 0x1fff, 0x3fff, 0xffff);
    /** Padding, end, record route, source routes, timestamp, router alert, nonsense, a length beyond the header. */
    private static final List<String> OPTIONS = List.of("01010101", "00000000", "0707040000000000", "8307040a58010500",
        "8907040a58010500", "440c050000000000000000", "94040000", "ff02ff02", "07ff0400", "0700");
    private static final List<Integer> UNREACHABLE_AND_SUCH = List.of(3, 5, 11, 12);

    private final String source;
    private final String destination;
    private final List<OddPacket> packets = new ArrayList<>();
    private int next;

    private OddPackets(final int first, final String source, final String destination) {
        next = first;
        this.source = source;
        this.destination = destination;
    }

    /** All of them, from one address to another, with numbers from {@code first} on. */
    static List<OddPacket> between(final int first, final String source, final String destination) {
        final OddPackets odd = new OddPackets(first, source, destination);
        odd.protocols();
        odd.icmp();
        odd.lengths();
        odd.headers();
        return odd.packets;
    }

    private void protocols() {
        for (int protocol = 0; protocol < 256; protocol++) {
            packets.add(make(protocol));
        }
        for (final int protocol : SOME) {
            for (final int ttl : List.of(0, 1, 2, 255)) {
                packets.add(make(protocol).withTtl(ttl));
            }
        }
    }

    private void icmp() {
        for (int type = 0; type < 256; type++) {
            for (int code = 0; code < (UNREACHABLE_AND_SUCH.contains(type) ? 17 : 1); code++) {
                // About a datagram that was never sent.
                final ByteBuffer payload = ByteBuffer.allocate(36).put((byte) type).put((byte) code)
                    .put(8, (byte) 0x45).put(17, (byte) 17);
                payload.putShort(2, OddPacket.checksum(payload, 0, payload.capacity(), 0));
                packets.add(OddPacket.of(next++, source, destination, 1, payload.array()));
            }
        }
    }

    private void lengths() {
        for (final int protocol : MORE) {
            for (int length = 0; length < 10; length++) {
                packets.add(OddPacket.of(next++, source, destination, protocol, new byte[length]));
            }
        }
        for (final int protocol : SOME) {
            LENGTH_ERRORS.forEach(error -> packets.add(make(protocol).withLengthError(error)));
            // A header of TCP that says it is shorter than it is, and one that says it is longer than the packet.
            for (final int words : List.of(0, 4, 15)) {
                final byte[] payload = payload(protocol);
                payload[12] = (byte) (words << 4);
                packets.add(OddPacket.of(next++, source, destination, protocol, payload));
            }
        }
    }

    private void headers() {
        for (final int protocol : SOME) {
            FRAGMENTS.forEach(fragment -> packets.add(make(protocol).withFragment(fragment)));
            IntStream.range(0, 16).forEach(words -> packets.add(make(protocol).withWords(words)));
            IntStream.range(0, 16).forEach(version -> packets.add(make(protocol).withVersion(version)));
            for (final String option : OPTIONS) {
                packets.add(make(protocol).withOptions(option + "0".repeat((8 - option.length() % 8) % 8)));
            }
        }
    }

    private OddPacket make(final int protocol) {
        return OddPacket.of(next++, source, destination, protocol, payload(protocol));
    }

    /** Twenty bytes that are a segment, a datagram or an echo request as well, each with its right checksum. */
    private byte[] payload(final int protocol) {
        final ByteBuffer payload = ByteBuffer.allocate(20).putShort((short) (0x0800 + next % 0x6000))
            .putShort((short) 5000).putShort((short) 20).putShort((short) 0).putInt(0).putShort((short) 0x5002)
            .putShort((short) 8192);
        if (protocol == 1) {
            payload.putShort(0, (short) 0x0800).putShort(2, (short) 0);
            payload.putShort(2, OddPacket.checksum(payload, 0, payload.capacity(), 0));
        } else if (protocol == 6) {
            payload.putShort(16, OddPacket.checksum(payload, 0, payload.capacity(), protocol + payload.capacity()
                + OddPacket.halves(source) + OddPacket.halves(destination)));
        }
        return payload.array();
    }
}
