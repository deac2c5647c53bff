// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class FramesTest {
    private static final long GATEWAY = 0x025053000001L;
    private static final long TEN_1 = 0x0a000001L;
    private static final long TEN_9 = 0x0a000009L;
    private static final PseudoHeader IPV6 = new PseudoHeader(Bytes.parseHex(
        "fe800000000000000000000000000001" + "ff020000000000000000000000000002"));

    @Test
    void arpRequestIsTheFrameOfRfc826() {
        assertThat(Arp.request(GATEWAY, TEN_1, TEN_9).toAll().bytes().hex()).isEqualTo(
            "ffffffffffff" + "025053000001" + "0806"
            + "0001" + "0800" + "06" + "04" + "0001" + "025053000001" + "0a000001" + "000000000000" + "0a000009"
            + "00".repeat(18));
    }

    @Test
    void arpIsReadAsItWasWritten() {
        final Arp reply = new Arp(Arp.REPLY, 0x020000000001L, TEN_9, GATEWAY, TEN_1);
        final Ethernet frame = Ethernet.parse(reply.to(GATEWAY).bytes()).orElseThrow();
        assertThat(frame.etherType()).isEqualTo(Ethernet.TYPE_ARP);
        assertThat(frame.destination()).isEqualTo(GATEWAY);
        assertThat(Arp.parse(frame.payload())).contains(reply);
    }

    @Test
    void arpOfAnotherHardwareOrProtocolIsNone() {
        final String right = Arp.request(GATEWAY, TEN_1, TEN_9).bytes().hex();
        assertThat(Arp.parse(Bytes.parseHex("0006" + right.substring(4)))).isEmpty();
        assertThat(Arp.parse(Bytes.parseHex("000186dd" + right.substring(8)))).isEmpty();
        assertThat(Arp.parse(Bytes.parseHex("000108000604"))).isEmpty();
    }

    /** The header of a packet from the standard's own family of examples, checked by hand: RFC 1071, section 3. */
    @Test
    void headerChecksumIsThatOfRfc1071() {
        assertThat(Checksum.add(0, Bytes.parseHex("0001f203f4f5f6f7"))).isEqualTo(0x2ddf0L);
        assertThat(Checksum.of(0x2ddf0L)).isEqualTo(~0xddf2 & 0xffff);
        assertThat(Checksum.add(0, Bytes.parseHex("0001f2"))).isEqualTo(0xf201L);
    }

    @Test
    void ipv4IsReadAsItWasWrittenWithoutPadding() {
        final Ipv4Packet packet = new Ipv4Packet(17, TEN_1, TEN_9, Bytes.parseHex("0102030405"));
        final Bytes frame = new Ethernet(1, 2, Ethernet.TYPE_IPV4, packet.bytes()).bytes();
        assertThat(frame.length()).isEqualTo(60);
        assertThat(Ipv4Packet.parse(Ethernet.parse(frame).orElseThrow().payload())).contains(packet);
    }

    @Test
    void ipv4WithAWrongChecksumOrLengthIsNone() {
        final byte[] right = new Ipv4Packet(17, TEN_1, TEN_9, Bytes.parseHex("0102")).bytes().toArray();
        for (int at = 0; at < Ipv4Packet.HEADER; at++) {
            final byte[] wrong = right.clone();
            wrong[at] ^= 1;
            assertThat(Ipv4Packet.parse(Bytes.of(wrong))).as("byte %d", at).isEmpty();
        }
        assertThat(Ipv4Packet.parse(Bytes.of(right).part(0, right.length - 1))).isEmpty();
    }

    @Test
    void ipv4OptionsArePassedOver() {
        final Bytes start = Bytes.parseHex("46000019000000004001");
        final Bytes end = Bytes.parseHex("0a0000010a00000994040000");
        final int sum = Checksum.of(Checksum.add(Checksum.add(0, start), end));
        final Bytes packet = new BytesWriter().put(start).u16(sum).put(end).u8(7).bytes();
        assertThat(Ipv4Packet.parse(packet).orElseThrow().payload()).isEqualTo(Bytes.parseHex("07"));
    }

    @Test
    void fragmentsAreKnown() {
        assertThat(new Ipv4Packet(0x2000, 64, 17, 1, 2, Bytes.EMPTY).isFragment()).isTrue();
        assertThat(new Ipv4Packet(1, 64, 17, 1, 2, Bytes.EMPTY).isFragment()).isTrue();
        assertThat(new Ipv4Packet(Ipv4Packet.DONT_FRAGMENT, 64, 17, 1, 2, Bytes.EMPTY).isFragment()).isFalse();
    }

    @Test
    void udpIsReadAsItWasWrittenOverBoth() {
        final Udp datagram = new Udp(68, 67, Bytes.parseHex("010203"));
        for (final PseudoHeader header : new PseudoHeader[] {PseudoHeader.ofIpv4(TEN_1, TEN_9), IPV6}) {
            final byte[] bytes = datagram.bytes(header).toArray();
            assertThat(Udp.parse(Bytes.of(bytes), header)).contains(datagram);
            bytes[9] ^= 1;
            assertThat(Udp.parse(Bytes.of(bytes), header)).isEmpty();
        }
    }

    @Test
    void udpWithoutChecksumIsForIpv4Alone() {
        final Bytes datagram = Bytes.parseHex("0044004300090000" + "01");
        assertThat(Udp.parse(datagram, PseudoHeader.ofIpv4(TEN_1, TEN_9))).isPresent();
        assertThat(Udp.parse(datagram, IPV6)).isEmpty();
    }

    /** RFC 768: a sum of zero is sent as all ones, which zero means there is none. */
    @Test
    void udpNeverHasAZeroChecksum() {
        for (int word = 0; word <= 0xffff; word++) {
            final Bytes payload = new BytesWriter().u16(word).bytes();
            if (new Udp(1, 2, payload).bytes(PseudoHeader.ofIpv4(TEN_1, TEN_9)).u16(6) == 0) {
                throw new AssertionError("zero for " + payload);
            }
        }
    }

    @Test
    void icmpIsReadAsItWasWritten() {
        final Icmp echo = new Icmp(8, 0, 0x12340001L, Bytes.parseHex("616263"));
        assertThat(Icmp.parse(echo.bytes())).contains(echo);
        assertThat(echo.bytes().u16(2)).isEqualTo(~(0x0800 + 0x1234 + 0x0001 + 0x6162 + 0x6300) & 0xffff);
        assertThat(Icmp.parse(echo.bytes().part(0, 10))).isEmpty();
    }

    @Test
    void lengthsOfIeee8023AreNoTypes() {
        assertThat(Ethernet.parse(new Ethernet(1, 2, 0x05ff, Bytes.EMPTY).bytes())).isEmpty();
        assertThat(Ethernet.parse(Bytes.parseHex("0102"))).isEmpty();
    }

    @Test
    void bytesNeverShowWhatIsOutside() {
        final Bytes part = Bytes.parseHex("0102030405").part(1, 2);
        assertThat(part.hex()).isEqualTo("0203");
        assertThat(part).isEqualTo(Bytes.parseHex("0203")).hasSameHashCodeAs(Bytes.parseHex("0203"));
        assertThatThrownBy(() -> part.u8(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> part.u8(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> part.part(1, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new BytesWriter().field(part, 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
