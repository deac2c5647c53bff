// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** IPv6 to the byte. */
class Ipv6Test {
    private static final long ROUTER_MAC = 0x025053000001L;
    private static final Bytes ROUTER = Bytes.parseHex("fe80000000000000005053fffe000001");
    private static final Bytes HOST = Bytes.parseHex("fe800000000000000000000000000005");
    private static final Bytes NOBODY = Bytes.parseHex("00".repeat(16));

    @Test
    void aSolicitationAsksTheGroupOfTheTarget() {
        final Bytes frame = Neighbours6.solicitation(ROUTER_MAC, ROUTER,
            Bytes.parseHex("20010db8000100000000000000abcdef")).bytes();
        assertThat(frame.hex()).isEqualTo("3333ffabcdef025053000001" + "86dd" + "60000000" + "0020" + "3a" + "ff"
            + ROUTER.hex() + "ff0200000000000000000001ffabcdef" + "8700" + checksumOf(frame) + "00000000"
            + "20010db8000100000000000000abcdef" + "0101025053000001");
        assertThat(icmp(frame)).isPresent();
    }

    @Test
    void anAdvertisementTellsAll() {
        final Bytes frame = new RouterAdvertisement(true, 1800, Optional.of(1400),
            List.of(new RouterAdvertisement.OnLink(Bytes.parseHex("20010db8000100000000000000000000"), 64, true,
                2592000, 604800)),
            List.of(Bytes.parseHex("20010db8000000000000000000000053")), List.of("example.com"), 1800)
            .frame(Ipv6Packet.groupMac(Ipv6Packet.ALL_NODES), ROUTER_MAC, ROUTER, Ipv6Packet.ALL_NODES).bytes();
        assertThat(frame.hex()).isEqualTo("333300000001025053000001" + "86dd" + "60000000" + "0070" + "3a" + "ff"
            + ROUTER.hex() + "ff020000000000000000000000000001" + "8600" + checksumOf(frame)
            + "40400708" + "00000000" + "00000000" + "0101025053000001" + "0501000000000578"
            + "030440c0" + "00278d00" + "00093a80" + "00000000" + "20010db8000100000000000000000000"
            + "19030000" + "00000708" + "20010db8000000000000000000000053"
            + "1f030000" + "00000708" + "076578616d706c65" + "03636f6d00" + "000000");
        assertThat(icmp(frame)).isPresent();
    }

    @Test
    void aHostLooksForARouter() {
        assertThat(solicitation(255, HOST, "0101020000000005")).contains(new RouterSolicitation(HOST));
        assertThat(solicitation(255, NOBODY, "")).contains(new RouterSolicitation(NOBODY));
        assertThat(solicitation(254, HOST, "")).as("forwarded").isEmpty();
        assertThat(solicitation(255, NOBODY, "0101020000000005")).as("a MAC address of nobody").isEmpty();
        assertThat(solicitation(255, HOST, "0100020000000005")).as("an option without length").isEmpty();
        assertThat(solicitation(255, HOST, "0102020000000005")).as("an option longer than the message").isEmpty();
        assertThat(solicitation(255, HOST, "01")).as("half an option").isEmpty();
    }

    @Test
    void aWrongChecksumIsSeen() {
        final byte[] frame = packet(255, HOST, "").bytes().toArray();
        frame[frame.length - 1] ^= 1;
        assertThat(RouterSolicitation.parse(Ipv6Packet.parse(Bytes.of(frame)).orElseThrow())).isEmpty();
    }

    @Test
    void dhcpIsReadAndWritten() {
        final Bytes request = Bytes.parseHex("0b123456" + "0001000a" + "00030001020000000005" + "00060004" + "00170018"
            + "00080002" + "0000");
        final Dhcpv6 message = Dhcpv6.parse(request).orElseThrow();
        assertThat(message.type()).isEqualTo(Dhcpv6.INFORMATION_REQUEST);
        assertThat(message.transaction()).isEqualTo(0x123456);
        assertThat(message.option(Dhcpv6.CLIENT_ID)).contains(Bytes.parseHex("00030001020000000005"));
        assertThat(message.asksFor(Dhcpv6.DNS_SERVERS)).isTrue();
        assertThat(message.asksFor(Dhcpv6.NTP_SERVER)).isFalse();
        assertThat(message.bytes()).isEqualTo(request);
        assertThat(Dhcpv6.parse(Bytes.parseHex("0b12345600010003" + "0000"))).isEmpty();
        assertThat(Dhcpv6.duid(ROUTER_MAC).hex()).isEqualTo("00030001025053000001");
        assertThat(Dhcpv6.timeServers(List.of(HOST)).hex()).isEqualTo("00010010" + HOST.hex());
    }

    @Test
    void whatIsNoNameIsNotWritten() {
        assertThatThrownBy(() -> Names.encode(List.of("a..b"))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Names.encode(List.of("a".repeat(64)))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Ipv6Packet(17, Bytes.EMPTY, HOST, Bytes.EMPTY))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Ipv6Packet(17, HOST, HOST, Bytes.of(new byte[0x10000])).bytes())
            .isInstanceOf(IllegalArgumentException.class);
    }

    private static Optional<RouterSolicitation> solicitation(final int hopLimit, final Bytes source,
            final String options) {
        return RouterSolicitation.parse(Ipv6Packet.parse(packet(hopLimit, source, options).bytes()).orElseThrow());
    }

    private static Ipv6Packet packet(final int hopLimit, final Bytes source, final String options) {
        final Bytes target = Bytes.parseHex("ff020000000000000000000000000002");
        final Ipv6Packet empty = new Ipv6Packet(hopLimit, 58, source, target, Bytes.EMPTY);
        return new Ipv6Packet(hopLimit, 58, source, target, new Icmpv6(Icmpv6.ROUTER_SOLICITATION, 0,
            Bytes.parseHex("00000000" + options)).bytes(empty.pseudoHeader()));
    }

    /** Of the frame itself: the reader, which refuses a wrong one, shows that it is right. */
    private static String checksumOf(final Bytes frame) {
        return frame.part(56, 2).hex();
    }

    private static Optional<Icmpv6> icmp(final Bytes frame) {
        final Ipv6Packet packet = Ipv6Packet.parse(Ethernet.parse(frame).orElseThrow().payload()).orElseThrow();
        return Icmpv6.parse(packet.payload(), packet.pseudoHeader());
    }
}
