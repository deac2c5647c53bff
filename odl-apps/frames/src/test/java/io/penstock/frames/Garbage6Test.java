// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Whatever comes by IPv6, reading gives a value or nothing, and soon. */
@Timeout(value = 360, threadMode = ThreadMode.SEPARATE_THREAD)
class Garbage6Test {
    private static final int ROUNDS = 10_000;
    private static final Bytes HOST = Bytes.parseHex("fe800000000000000000000000000005");

    @Test
    void routerSolicitations() {
        final Ipv6Packet empty = new Ipv6Packet(255, 58, HOST, HOST, Bytes.EMPTY);
        final Bytes good = new Ipv6Packet(255, 58, HOST, HOST, new Icmpv6(Icmpv6.ROUTER_SOLICITATION, 0,
            Bytes.parseHex("000000000101020000000005")).bytes(empty.pseudoHeader())).bytes();
        damage(good, bytes -> Ipv6Packet.parse(bytes).flatMap(RouterSolicitation::parse).isPresent() ? 1 : 0);
    }

    @Test
    void optionsWithARightChecksum() {
        final Random random = new Random(4861);
        int understood = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final byte[] body = new byte[random.nextInt(40)];
            random.nextBytes(body);
            Arrays.fill(body, 0, Math.min(body.length, 4), (byte) 0);
            if (body.length > 5) {
                body[5] = (byte) random.nextInt(5);
            }
            final Ipv6Packet empty = new Ipv6Packet(255, 58, HOST, HOST, Bytes.EMPTY);
            final Bytes message =
                new Icmpv6(Icmpv6.ROUTER_SOLICITATION, 0, Bytes.of(body)).bytes(empty.pseudoHeader());
            understood += RouterSolicitation.parse(new Ipv6Packet(255, 58, HOST, HOST, message)).isPresent() ? 1 : 0;
        }
        assertThat(understood).as("options that are right by chance").isBetween(ROUNDS / 100, ROUNDS / 4);
    }

    @Test
    void dhcp() {
        final Bytes good = new Dhcpv6(Dhcpv6.INFORMATION_REQUEST, 1, List.of(
            new Dhcpv6.Option(Dhcpv6.CLIENT_ID, Dhcpv6.duid(5)),
            new Dhcpv6.Option(Dhcpv6.OPTION_REQUEST, Bytes.parseHex("0017001800")))).bytes();
        damage(good, bytes -> Dhcpv6.parse(bytes).map(message -> {
            message.asksFor(Dhcpv6.NTP_SERVER);
            message.option(Dhcpv6.SERVER_ID);
            return message.bytes().length() == bytes.length() ? 1 : 0;
        }).orElse(0));
    }

    @Test
    void datagrams() {
        final PseudoHeader header = new PseudoHeader(Bytes.parseHex(HOST.hex() + HOST.hex()));
        final Bytes good = new Ipv6Packet(17, HOST, HOST,
            new Udp(546, 547, Bytes.parseHex("0b000001")).bytes(header)).bytes();
        damage(good, bytes -> Ipv6Packet.parse(bytes)
            .flatMap(packet -> Udp.parse(packet.payload(), packet.pseudoHeader())).isPresent() ? 1 : 0);
    }

    /** Reads something good and a little damaged, cut short now and then. */
    private static void damage(final Bytes good, final ToIntFunction<Bytes> read) {
        final Random random = new Random(8200);
        int understood = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final byte[] bytes = good.toArray();
            for (int change = random.nextInt(4); change > 0; change--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            understood += read.applyAsInt(Bytes.of(
                Arrays.copyOf(bytes, random.nextInt(4) == 0 ? random.nextInt(bytes.length) : bytes.length)));
        }
        assertThat(understood).as("what was good nevertheless").isBetween(ROUNDS / 20, ROUNDS - 1);
    }
}
