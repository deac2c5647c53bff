// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IcmpErrorTest {
    private static final String ABOUT =
        "4500002012344000011197780a000005c612000a" + "9c40829a000c0000" + "61626364";
    private static final String HOST6 = "20010db8000000000000000000000005";
    private static final String WORLD6 = "20010db8ffff00000000000000000001";
    private static final String ABOUT6 = "60000000000c1101" + HOST6 + WORLD6 + "9c40829a000c0000" + "61626364";
    private static final Bytes ROUTER6 = Bytes.parseHex("fe800000000000000000000000000001");

    /** RFC 1191, section 4: the MTU is in the low half of the word behind the checksum. */
    @Test
    void fragmentationNeededHasTheMtuAndTheWholeShortPacket() {
        assertThat(IcmpError.ofIpv4(Icmp.UNREACHABLE, 4, 1400, 0x0a000001L, Bytes.parseHex(ABOUT)).hex()).isEqualTo(
            "45c0003c00000000400165fc0a0000010a000005" + "030413d600000578" + ABOUT);
    }

    @Test
    void packetTooBigCountsTheAddressesInItsChecksum() {
        assertThat(IcmpError.ofIpv6(IcmpError.V6_TOO_BIG, 0, 1400, ROUTER6, Bytes.parseHex(ABOUT6)).hex()).isEqualTo(
            "60000000003c3a40" + ROUTER6 + HOST6 + "02001b9e00000578" + ABOUT6);
    }

    @Test
    void thePaddingOfAShortFrameIsNotQuoted() {
        final Bytes padded = Bytes.parseHex(ABOUT + "00".repeat(14));
        assertThat(IcmpError.ofIpv4(Icmp.TIME_EXCEEDED, 0, 0, 1, padded).length()).isEqualTo(28 + 32);
        final Bytes padded6 = Bytes.parseHex(ABOUT6 + "00".repeat(14));
        assertThat(IcmpError.ofIpv6(IcmpError.V6_TIME_EXCEEDED, 0, 0, ROUTER6, padded6).length()).isEqualTo(48 + 52);
    }

    /** Nor what the switch left out. */
    @Test
    void ofALongPacketThereIsAsMuchAsMayBe() {
        final Bytes four = new Ipv4Packet(17, 1, 2, Bytes.parseHex("00".repeat(1400))).bytes();
        assertThat(IcmpError.ofIpv4(Icmp.TIME_EXCEEDED, 0, 0, 1, four).length()).isEqualTo(IcmpError.IPV4_MOST);
        assertThat(IcmpError.ofIpv4(Icmp.TIME_EXCEEDED, 0, 0, 1, four.part(0, 100)).length()).isEqualTo(128);
        final Bytes six = new BytesWriter().u32(6L << 28).u16(1400).padTo(1440).bytes();
        assertThat(IcmpError.ofIpv6(IcmpError.V6_TOO_BIG, 0, 1280, ROUTER6, six).length())
            .isEqualTo(IcmpError.IPV6_MOST);
        assertThat(IcmpError.ofIpv6(IcmpError.V6_TOO_BIG, 0, 1280, ROUTER6, six.part(0, 100)).length())
            .isEqualTo(148);
    }
}
