// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.icmp;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Icmp;
import io.penstock.frames.Ipv4Packet;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.ErrorKind;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OffenderTest {
    private static final String HOST = "10.0.0.5";
    private static final String WORLD = "198.18.0.10";
    private static final String HOST6 = "20010db8000000000000000000000005";
    private static final String WORLD6 = "20010db8ffff00000000000000000001";
    private static final String ECHO = "8000" + "00".repeat(6);

    private static Bytes packet(final int fragment, final int protocol, final String source, final String destination,
            final Bytes payload) {
        return new Ethernet(1, 2, Ethernet.TYPE_IPV4, new Ipv4Packet(fragment, 1, protocol,
            Ipv4.parse(source).number(), Ipv4.parse(destination).number(), payload).bytes()).bytes();
    }

    private static Bytes udp(final int fragment, final String source, final String destination) {
        return packet(fragment, 17, source, destination, Bytes.parseHex("00".repeat(8)));
    }

    private static Bytes icmp(final int type) {
        return packet(0, 1, HOST, WORLD, new Icmp(type, 0, 0, Bytes.parseHex("00".repeat(28))).bytes());
    }

    private static Bytes ipv6(final int next, final String source, final String destination, final String payload) {
        return new Ethernet(1, 2, Ethernet.TYPE_IPV6, new BytesWriter().u32(6L << 28).u16(payload.length() / 2).u8(next)
            .u8(1).put(Bytes.parseHex(source + destination + payload)).bytes()).bytes();
    }

    static Stream<Arguments> rules() {
        final ErrorKind ttl = ErrorKind.TIME_EXCEEDED;
        final ErrorKind big = ErrorKind.TOO_BIG;
        final int dont = Ipv4Packet.DONT_FRAGMENT;
        return Stream.of(
            Arguments.of("UDP", ttl, udp(0, HOST, WORLD), null),
            Arguments.of("a first fragment", ttl, udp(0x2000, HOST, WORLD), null),
            Arguments.of("a later fragment", ttl, udp(0x2001, HOST, WORLD), Outcome.LATER_FRAGMENT),
            Arguments.of("the last fragment", ttl, udp(0x00b9, HOST, WORLD), Outcome.LATER_FRAGMENT),
            Arguments.of("a ping", ttl, icmp(8), null),
            Arguments.of("a timestamp", ttl, icmp(13), null),
            Arguments.of("unreachable", ttl, icmp(3), Outcome.ABOUT_ERROR),
            Arguments.of("source quench", ttl, icmp(4), Outcome.ABOUT_ERROR),
            Arguments.of("redirect", ttl, icmp(5), Outcome.ABOUT_ERROR),
            Arguments.of("time exceeded", ttl, icmp(11), Outcome.ABOUT_ERROR),
            Arguments.of("parameter problem", ttl, icmp(12), Outcome.ABOUT_ERROR),
            Arguments.of("ICMP of an unknown type", ttl, packet(0, 1, HOST, WORLD, Bytes.EMPTY).part(0, 34),
                Outcome.ABOUT_ERROR),
            Arguments.of("a group", ttl, udp(0, HOST, "239.1.2.3"), Outcome.TO_GROUP),
            Arguments.of("everybody", ttl, udp(0, HOST, "255.255.255.255"), Outcome.TO_GROUP),
            Arguments.of("from who has no address", ttl, udp(0, "0.0.0.0", WORLD), Outcome.FROM_NOBODY),
            Arguments.of("from loopback", ttl, udp(0, "127.0.0.1", WORLD), Outcome.FROM_NOBODY),
            Arguments.of("from a group", ttl, udp(0, "224.0.0.1", WORLD), Outcome.FROM_NOBODY),
            Arguments.of("from everybody", ttl, udp(0, "255.255.255.255", WORLD), Outcome.FROM_NOBODY),
            Arguments.of("too big and not to be fragmented", big, udp(dont, HOST, WORLD), null),
            Arguments.of("too big and to be fragmented", big, udp(0, HOST, WORLD), Outcome.MAY_FRAGMENT),
            Arguments.of("IPv6", ttl, ipv6(17, HOST6, WORLD6, "00".repeat(8)), null),
            Arguments.of("IPv6, too big", big, ipv6(17, HOST6, WORLD6, "00".repeat(8)), null),
            Arguments.of("IPv6 to a group", ttl, ipv6(17, HOST6, "ff05" + WORLD6.substring(4), ""), Outcome.TO_GROUP),
            Arguments.of("IPv6, too big for a group", big, ipv6(17, HOST6, "ff05" + WORLD6.substring(4), ""), null),
            Arguments.of("IPv6 from a group", ttl, ipv6(17, "ff05" + WORLD6.substring(4), WORLD6, ""),
                Outcome.FROM_NOBODY),
            Arguments.of("IPv6 from nobody", ttl, ipv6(17, "00".repeat(16), WORLD6, ""), Outcome.FROM_NOBODY),
            Arguments.of("IPv6 from loopback", ttl, ipv6(17, "00".repeat(15) + "01", WORLD6, ""),
                Outcome.FROM_NOBODY),
            Arguments.of("ping of IPv6", ttl, ipv6(58, HOST6, WORLD6, ECHO), null),
            Arguments.of("ping behind options", ttl, ipv6(60, HOST6, WORLD6, "3a01" + "00".repeat(14) + ECHO), null),
            Arguments.of("error of IPv6", ttl, ipv6(58, HOST6, WORLD6, "0300" + "00".repeat(6)), Outcome.ABOUT_ERROR),
            Arguments.of("unknown error of IPv6", ttl, ipv6(58, HOST6, WORLD6, "7f00"), Outcome.ABOUT_ERROR),
            Arguments.of("redirect of IPv6", ttl, ipv6(58, HOST6, WORLD6, "8900"), Outcome.ABOUT_ERROR),
            Arguments.of("error behind options", ttl, ipv6(0, HOST6, WORLD6, "3a00" + "00".repeat(6) + "0100"),
                Outcome.ABOUT_ERROR),
            Arguments.of("later fragment of IPv6", ttl, ipv6(44, HOST6, WORLD6, "11000008" + "00".repeat(4)),
                Outcome.LATER_FRAGMENT),
            Arguments.of("first fragment of IPv6", ttl, ipv6(44, HOST6, WORLD6, "11000001" + "00".repeat(4)), null));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void whoIsTold(final String what, final ErrorKind kind, final Bytes frame, final Outcome whyNot) {
        assertThat(Offender.parse(frame).orElseThrow().whyNot(kind)).as(what).isEqualTo(Optional.ofNullable(whyNot));
    }

    @Test
    void whatHasNoHeaderIsNoPacket() {
        final Bytes frame = udp(0, HOST, WORLD);
        assertThat(Offender.parse(frame.part(0, 33))).isEmpty();
        assertThat(Offender.parse(frame.part(0, 34))).isPresent();
        assertThat(Offender.parse(new Ethernet(1, 2, Ethernet.TYPE_ARP, frame.from(14)).bytes())).isEmpty();
        assertThat(Offender.parse(new Ethernet(1, 2, Ethernet.TYPE_IPV6, frame.from(14)).bytes())).isEmpty();
        assertThat(Offender.parse(Bytes.EMPTY)).isEmpty();
    }

    /** Type, code and the 32 bits behind the checksum. */
    @Test
    void eachKindHasItsTypeAndCode() {
        assertThat(beginning(ErrorKind.TIME_EXCEEDED)).isEqualTo("0b00 00000000 0300 00000000");
        assertThat(beginning(ErrorKind.NO_ROUTE)).isEqualTo("0300 00000000 0100 00000000");
        assertThat(beginning(ErrorKind.TOO_BIG)).isEqualTo("0304 00000578 0200 00000578");
        assertThat(beginning(ErrorKind.NO_PORT)).isEqualTo("0303 00000000 0104 00000000");
    }

    private static String beginning(final ErrorKind kind) {
        final Bytes four = Offender.parse(udp(0, HOST, WORLD)).orElseThrow()
            .error(kind, 1400, Bytes.parseHex("0a000001"));
        final Bytes six = Offender.parse(ipv6(17, HOST6, WORLD6, "")).orElseThrow()
            .error(kind, 1400, Bytes.parseHex(WORLD6));
        return String.join(" ", four.part(20, 2).hex(), four.part(24, 4).hex(), six.part(40, 2).hex(),
            six.part(44, 4).hex());
    }
}
