// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Headers of whole frames, of frames that are cut off, and of garbage. */
class FrameHeadersTest {
    private static final Bytes UDP_FRAME = new Ethernet(1, 2, Ethernet.TYPE_IPV4, new Ipv4Packet(17, 3, 4,
        new Udp(68, 67, Bytes.parseHex("0102030405")).bytes(PseudoHeader.ofIpv4(3, 4))).bytes()).bytes();

    private static FrameHeaders read(final Bytes frame) {
        return FrameHeaders.parse(frame).orElseThrow();
    }

    private static Bytes tagged(final Bytes frame, final String tags) {
        return new BytesWriter().put(frame.part(0, 12)).put(Bytes.parseHex(tags)).put(frame.from(12)).bytes();
    }

    @Test
    void aDatagram() {
        assertThat(read(UDP_FRAME)).isEqualTo(new FrameHeaders(1, 2, OptionalInt.empty(), 0x0800,
            Optional.of(Bytes.parseHex("00000003")), Optional.of(Bytes.parseHex("00000004")), OptionalInt.of(17),
            OptionalInt.of(68), OptionalInt.of(67)));
    }

    @Test
    void theOutermostOfTwoTags() {
        final FrameHeaders twice = read(tagged(UDP_FRAME, "88a8f0648100007b"));
        assertThat(twice.vlan()).hasValue(100);
        assertThat(twice.etherType()).isEqualTo(0x0800);
        assertThat(twice.destinationPort()).hasValue(67);
    }

    @Test
    void addressesOfArpAreThoseItIsAbout() {
        final FrameHeaders asks = read(Arp.request(1, 2, 3).toAll().bytes());
        assertThat(asks.source()).contains(Bytes.parseHex("00000002"));
        assertThat(asks.destination()).contains(Bytes.parseHex("00000003"));
        assertThat(asks.protocol()).isEmpty();
    }

    @Test
    void ipv6() {
        final Bytes one = Bytes.parseHex("20010db8000000000000000000000001");
        final Bytes two = Bytes.parseHex("20010db8000000000000000000000002");
        final FrameHeaders headers = read(new Ethernet(1, 2, Ethernet.TYPE_IPV6,
            new Ipv6Packet(6, one, two, Bytes.parseHex("01bb1000")).bytes()).bytes());
        assertThat(headers.source()).contains(one);
        assertThat(headers.destination()).contains(two);
        assertThat(headers.sourcePort()).hasValue(443);
        assertThat(headers.destinationPort()).hasValue(4096);
    }

    @Test
    void aLaterFragmentHasNoPorts() {
        final Bytes later = new Ipv4Packet(0x2001, 64, 17, 3, 4, Bytes.parseHex("0044004300000000")).bytes();
        assertThat(read(new Ethernet(1, 2, Ethernet.TYPE_IPV4, later).bytes()).sourcePort()).isEmpty();
    }

    @Test
    void whatIsCutOffIsReadAsFarAsItGoes() {
        final Bytes frame = tagged(UDP_FRAME, "81000064");
        for (int length = 0; length < frame.length(); length++) {
            final Optional<FrameHeaders> read = FrameHeaders.parse(frame.part(0, length));
            assertThat(read.isPresent()).as("%d bytes", length).isEqualTo(length >= 14);
            assertThat(read.flatMap(FrameHeaders::source).isPresent()).as("%d bytes", length).isEqualTo(length >= 38);
            assertThat(read.isPresent() && read.orElseThrow().sourcePort().isPresent()).as("%d bytes", length)
                .isEqualTo(length >= 42);
        }
    }

    @Test
    void garbageNeverThrows() {
        final Random random = new Random(77);
        for (int round = 0; round < 20_000; round++) {
            final byte[] frame = UDP_FRAME.part(0, random.nextInt(UDP_FRAME.length())).toArray();
            for (int change = random.nextInt(6); change > 0 && frame.length > 0; change--) {
                frame[random.nextInt(frame.length)] = (byte) random.nextInt();
            }
            final Optional<FrameHeaders> read = FrameHeaders.parse(Bytes.of(frame));
            assertThat(read.isPresent()).isEqualTo(frame.length >= 14);
        }
    }
}
