// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static io.penstock.dhcp.TestMessage.discover;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lengths, times and numbers at their limits. */
class BoundsTest {
    private static final Mac MAC = new Mac(0x020000000001L);
    /** First place in a list of names that a pointer does not reach. */
    private static final int POINTER_LIMIT = 0x4000;

    private static Optional<OptionSet> parse(final String options) {
        return OptionSet.parse(Bytes.parseHex(options), Bytes.EMPTY, Bytes.EMPTY);
    }

    @Test
    void anOptionOf255BytesIsWrittenInOnePartAndALongerOneInTwo() {
        for (final int length : new int[] {0, 1, 254, 255, 256, 510, 511}) {
            final Bytes value = Bytes.parseHex("ab".repeat(length));
            final BytesWriter written = new BytesWriter();
            OptionSet.of(Map.of(200, value)).write(written);
            final int parts = length <= 255 ? 1 : length <= 510 ? 2 : 3;
            assertThat(written.length()).isEqualTo(length + 2 * parts).isEqualTo(OptionSet.sizeOf(value));
            assertThat(parse(written.u8(OptionCode.END).bytes().hex()).orElseThrow().get(200)).contains(value);
        }
    }

    @Test
    void anOptionMayFillThePlaceThatIsLeftButNoMore() {
        assertThat(parse("c802aabb" + "ff")).isPresent();
        assertThat(parse("c803aabb" + "ff").orElse(null)).as("the end is taken as data").isNull();
        assertThat(parse("c800" + "ff").orElseThrow().get(200)).contains(Bytes.EMPTY);
        assertThat(parse("00" + "00" + "c801aa" + "ff" + "c9").orElseThrow().all()).as("nothing behind the end")
            .containsOnlyKeys(200);
    }

    @Test
    void optionsOfTheProtocolHaveTheirLength() {
        for (final int code : new int[] {50, 51, 54, 118}) {
            assertThat(parse("%02x0401020304ff".formatted(code)).orElseThrow().number(code)).contains(0x01020304L);
            assertThat(parse("%02x03010203ff".formatted(code))).isEmpty();
            assertThat(parse("%02x050102030405ff".formatted(code))).isEmpty();
        }
        assertThat(parse("39020240ff")).isPresent();
        assertThat(parse("3901ffff")).isEmpty();
        assertThat(parse("3903024000ff")).isEmpty();
        assertThat(parse("3d020102ff")).isPresent();
        assertThat(parse("3d0101ff")).isEmpty();
        assertThat(parse("3dff" + "01".repeat(255) + "ff")).isPresent();
        assertThat(parse("3dff" + "01".repeat(255) + "3d0101" + "ff")).as("256 bytes").isEmpty();
        assertThat(parse("340100ff")).as("overload 0").isEmpty();
    }

    @Test
    void optionsOfOtherLengthsAreNoNumbers() {
        assertThat(parse("c80401020304ff").orElseThrow().number(200)).contains(0x01020304L);
        assertThat(parse("c803010203ff").orElseThrow().number(200)).isEmpty();
        assertThat(parse("ff").orElseThrow().number(200)).isEmpty();
    }

    @Test
    void overloadNamesTheFieldsThatHoldOptions() {
        final Bytes file = Bytes.parseHex("c801aaff");
        final Bytes name = Bytes.parseHex("c901bbff");
        for (int overload = 1; overload <= 3; overload++) {
            final OptionSet options =
                OptionSet.parse(Bytes.parseHex("34010" + overload + "ff"), file, name).orElseThrow();
            assertThat(options.get(200).isPresent()).isEqualTo(overload != 2);
            assertThat(options.get(201).isPresent()).isEqualTo(overload != 1);
            assertThat(options.fillFile()).isEqualTo(overload != 2);
            assertThat(options.fillServerName()).isEqualTo(overload != 1);
        }
        assertThat(OptionSet.NONE.fillFile()).isFalse();
        assertThat(OptionSet.NONE.fillServerName()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"'', true", "0100, true", "0101aa, true", "050401020304, true", "0504010203, false",
        "0503010203, false", "05050102030405, false",
        "01, false", "0101, false", "0101aa01, false", "0101aa0203bb, false", "0101aa0201bb, true"})
    void anAgentOptionIsWholeSubOptions(final String option, final boolean right) {
        assertThat(RelayAgent.isRight(Bytes.parseHex(option))).isEqualTo(right);
    }

    @Test
    void aSubOptionIsFoundBehindOthers() {
        final DhcpMessage message = discover(MAC).option(OptionCode.RELAY_AGENT, "0201ff" + "0102AABB" + "05040a090001")
            .message();
        assertThat(RelayAgent.circuitId(message)).contains("aabb");
        assertThat(RelayAgent.link(message)).contains(Ipv4.parse("10.9.0.1"));
        assertThat(RelayAgent.circuitId(discover(MAC).option(OptionCode.RELAY_AGENT, "0201ff").message())).isEmpty();
        assertThat(RelayAgent.link(discover(MAC).message())).isEmpty();
    }

    @Test
    void fieldsAreAsLongAsTheirPlaces() {
        final DhcpMessage good = discover(MAC).message();
        final Bytes place = Bytes.parseHex("61".repeat(129));
        final DhcpMessage full = new DhcpMessage(good.header(), good.addresses(), place.part(0, 16), place.part(0, 64),
            place.part(0, 128), good.options());
        assertThat(DhcpMessage.parse(full.bytes())).contains(full);
        assertThat(full.hasMac()).isFalse();
        assertThatThrownBy(() -> new DhcpMessage(good.header(), good.addresses(), place.part(0, 17), Bytes.EMPTY,
            Bytes.EMPTY, good.options())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DhcpMessage(good.header(), good.addresses(), Bytes.EMPTY, place.part(0, 65),
            Bytes.EMPTY, good.options())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DhcpMessage(good.header(), good.addresses(), Bytes.EMPTY, Bytes.EMPTY,
            place, good.options())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMessageIsReadFromItsFixedFieldsOnAndPaddedTo300Bytes() {
        final Bytes bytes = discover(MAC).message().bytes();
        assertThat(DhcpMessage.parse(bytes.part(0, 244))).as("up to the end of the options").isPresent();
        assertThat(DhcpMessage.parse(bytes.part(0, 240))).as("no end").isEmpty();
        assertThat(DhcpMessage.parse(bytes.part(0, 239))).isEmpty();
        assertThat(discover(MAC).option(200, "aa".repeat(60)).message().bytes().length()).isGreaterThan(300);
    }

    @Test
    void onlyTheEightTypesOfRfc2132HaveNames() {
        assertThat(MessageType.of(0)).isEmpty();
        assertThat(MessageType.of(1)).contains(MessageType.DISCOVER);
        assertThat(MessageType.of(8)).contains(MessageType.INFORM);
        assertThat(MessageType.of(9)).isEmpty();
        assertThat(MessageType.NAK.number()).isEqualTo(6);
    }

    @ParameterizedTest
    @CsvSource({"aAzZ09-x, aazz09-x", "a_b c, a-b-c", "pc.lan, pc", "a, a", "9, 9"})
    void aHostNameIsMadeALabel(final String told, final String label) {
        assertThat(DomainNames.hostName(Bytes.ofText(told))).contains(label);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".lan", "-a", "a-", "_", "a@b", "a[b", "a`b", "a{b", "a/b", "a:b", "ä"})
    void aNameThatIsNoLabelIsNone(final String told) {
        assertThat(DomainNames.hostName(Bytes.ofText(told))).isEmpty();
    }

    @Test
    void aLabelHas63BytesAndAName255() {
        assertThat(DomainNames.hostName(Bytes.ofText("a".repeat(63)))).contains("a".repeat(63));
        assertThat(DomainNames.hostName(Bytes.ofText("a".repeat(64)))).isEmpty();
        assertThat(DomainNames.hostName(Bytes.ofText("a." + "b".repeat(253)))).contains("a");
        assertThat(DomainNames.hostName(Bytes.ofText("a." + "b".repeat(254)))).isEmpty();
        assertThat(DomainNames.hostName(Bytes.parseHex("616200ff"))).as("up to a zero").contains("ab");
        assertThat(DomainNames.encode(List.of("x".repeat(63))).hex()).isEqualTo("3f" + "78".repeat(63) + "00");
    }

    @Test
    void rfc1035Section414PointersReachFourteenBits() {
        final List<String> names = new ArrayList<>();
        // Names of 64 bytes each, so that one begins at the last place that a pointer reaches to.
        names.add("a".repeat(62));
        for (int at = 64; at < POINTER_LIMIT - 1; at += 64) {
            names.add("%062d".formatted(at));
        }
        final int end = DomainNames.encode(names).length();
        assertThat(end).isEqualTo(POINTER_LIMIT);
        names.add("far");
        names.add("far");
        assertThat(DomainNames.encode(names).from(end).hex()).as("beyond what a pointer reaches")
            .isEqualTo("0366617200".repeat(2));
        names.clear();
        names.add("b".repeat(61));
        for (int at = 64; at < POINTER_LIMIT - 1; at += 64) {
            names.add("%062d".formatted(at));
        }
        names.add("far");
        names.add("far");
        assertThat(DomainNames.encode(names).from(POINTER_LIMIT - 1).hex()).as("the last place")
            .isEqualTo("0366617200" + "ffff");
    }

    @Test
    void aRequestedLeaseLastsFrom60SecondsToTheConfiguredTime() {
        final Network network = new Network();
        final int[][] askedAndGiven = {{0, 60}, {59, 60}, {60, 60}, {61, 61}, {Network.LEASE - 1, Network.LEASE - 1},
            {Network.LEASE, Network.LEASE}, {Network.LEASE + 1, Network.LEASE}};
        for (final int[] each : askedAndGiven) {
            final DhcpMessage offer = network.reply(
                discover(MAC).option(OptionCode.LEASE_TIME, "%08x".formatted(each[0])), MessageType.OFFER);
            assertThat(offer.options().number(OptionCode.LEASE_TIME)).contains((long) each[1]);
            assertThat(offer.options().number(OptionCode.RENEWAL_TIME)).contains((long) each[1] / 2);
            assertThat(offer.options().number(OptionCode.REBINDING_TIME)).contains((long) each[1] * 7 / 8);
        }
    }

    @Test
    void anOfferIsKeptForItsTimeAndNotASecondLonger() {
        final Offers offers = new Offers();
        offers.hold("a", new Ipv4(5), true, 100);
        offers.expire(100 + Offers.HOLD_SECONDS - 1);
        assertThat(offers.to("a")).contains(new Offers.Offer(new Ipv4(5), true, 100 + Offers.HOLD_SECONDS));
        assertThat(offers.isOthers(new Ipv4(5), "a")).isFalse();
        assertThat(offers.isOthers(new Ipv4(5), "b")).isTrue();
        assertThat(offers.isOthers(new Ipv4(6), "b")).isFalse();
        offers.expire(100 + Offers.HOLD_SECONDS);
        assertThat(offers.to("a")).isEmpty();
        assertThat(offers.isOthers(new Ipv4(5), "b")).isFalse();
        assertThat(offers.nextUnoffered(5)).isEqualTo(5);
    }

    @Test
    void aNewOfferReplacesTheOneBefore() {
        final Offers offers = new Offers();
        offers.hold("a", new Ipv4(5), false, 100);
        offers.hold("a", new Ipv4(6), true, 110);
        assertThat(offers.nextUnoffered(5)).isEqualTo(5);
        assertThat(offers.nextUnoffered(6)).isEqualTo(7);
        offers.expire(100 + Offers.HOLD_SECONDS);
        assertThat(offers.to("a")).as("its own time counts").isPresent();
    }

    @Test
    void anOfferBeyondTheLimitReplacesTheOldest() {
        final Offers offers = new Offers();
        for (long client = 0; client < Offers.MOST; client++) {
            offers.hold("c" + client, new Ipv4(client), true, 0);
        }
        assertThat(offers.to("c0")).isPresent();
        offers.hold("more", new Ipv4(Offers.MOST), true, 0);
        assertThat(offers.to("c0")).isEmpty();
        assertThat(offers.to("c1")).isPresent();
    }

    @Test
    void aLeaseEndsInTheSecondThatItExpires() {
        final Lease bound = new Lease(new Ipv4(1), Lease.State.BOUND, "c", new Mac(1), "lan", "pc", 50);
        final Lease declined = new Lease(new Ipv4(2), Lease.State.DECLINED, "d", new Mac(2), "lan", "", 60);
        final LeaseTable table = new LeaseTable(List.of(bound, declined));
        table.expire(49);
        assertThat(table.toList()).containsExactly(bound, declined);
        assertThat(table.changed()).isFalse();
        table.expire(50);
        assertThat(table.toList()).containsExactly(bound.with(Lease.State.FREE, 50), declined);
        assertThat(table.clientOfName("pc")).isEmpty();
        table.stored();
        assertThat(table.changed()).isFalse();
        table.expire(60);
        assertThat(table.toList()).containsExactly(bound.with(Lease.State.FREE, 50));
        assertThat(table.changed()).isTrue();
        table.stored();
        table.remove(new Ipv4(1));
        assertThat(table.changed()).isTrue();
    }
}
