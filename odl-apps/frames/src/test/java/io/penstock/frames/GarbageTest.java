// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Whatever comes, reading gives a value or nothing, and soon. */
@Timeout(value = 360, threadMode = ThreadMode.SEPARATE_THREAD)
class GarbageTest {
    private static final int ROUNDS = 20_000;

    @Test
    void readingNeverThrows() {
        final Random random = new Random(826);
        final Bytes[] seeds = {
            Arp.request(1, 2, 3).toAll().bytes(),
            new Ethernet(1, 2, Ethernet.TYPE_IPV4, new Ipv4Packet(17, 3, 4,
                new Udp(68, 67, Bytes.parseHex("0102030405")).bytes(PseudoHeader.ofIpv4(3, 4))).bytes()).bytes(),
            new Ethernet(1, 2, Ethernet.TYPE_IPV4,
                new Ipv4Packet(1, 3, 4, new Icmp(8, 0, 1, Bytes.EMPTY).bytes()).bytes()).bytes(),
        };
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final byte[] frame = seeds[random.nextInt(seeds.length)].toArray();
            for (int change = random.nextInt(4); change > 0; change--) {
                frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            }
            read += readAll(Bytes.of(Arrays.copyOf(frame, random.nextInt(4) == 0 ? random.nextInt(frame.length)
                : frame.length)));
        }
        assertThat(read).as("frames that were good nevertheless").isBetween(ROUNDS / 20, ROUNDS / 2);
    }

    private static int readAll(final Bytes bytes) {
        Arp.parse(bytes);
        Icmp.parse(bytes);
        Udp.parse(bytes, PseudoHeader.ofIpv4(3, 4));
        Ipv4Packet.parse(bytes);
        final Ethernet frame = Ethernet.parse(bytes).orElse(null);
        if (frame == null) {
            return 0;
        }
        final Ipv4Packet packet = Ipv4Packet.parse(frame.payload()).orElse(null);
        if (packet == null) {
            return Arp.parse(frame.payload()).isPresent() ? 1 : 0;
        }
        return Udp.parse(packet.payload(), packet.pseudoHeader()).isPresent()
            || Icmp.parse(packet.payload()).isPresent() ? 1 : 0;
    }
}
