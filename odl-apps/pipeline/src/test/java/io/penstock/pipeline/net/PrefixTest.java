// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Prefixes of both families and ranges of addresses, at their ends. */
class PrefixTest {
    private static final Prefix NET = Prefix.parse("10.0.1.0/24");

    private static Ipv4 ip(final String text) {
        return Ipv4.parse(text);
    }

    private static Range range(final String first, final String last) {
        return new Range(ip(first), ip(last));
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0/0, 4294967296", "128.0.0.0/1, 2147483648", "10.0.1.0/24, 256", "10.0.1.2/31, 2",
        "255.255.255.255/32, 1"})
    void aPrefixReachesFromItsAddressToItsEnd(final String text, final long size) {
        final Prefix prefix = Prefix.parse(text);
        assertThat(prefix).hasToString(text);
        assertThat(prefix.size()).isEqualTo(size).isEqualTo(prefix.last().minus(prefix.address()) + 1);
        assertThat(prefix.isHost()).isEqualTo(size == 1);
        assertThat(prefix.contains(prefix.address())).isTrue();
        assertThat(prefix.contains(prefix.last())).isTrue();
        assertThat(!prefix.address().equals(Ipv4.UNSPECIFIED) && prefix.contains(prefix.address().plus(-1))).isFalse();
        assertThat(!prefix.last().equals(Ipv4.BROADCAST) && prefix.contains(prefix.last().plus(1))).isFalse();
    }

    @Test
    void bitsBehindTheLengthAreClearedByReadingAndRefusedOtherwise() {
        assertThat(Prefix.parse("10.0.1.255/24")).isEqualTo(NET);
        assertThat(Prefix.host(ip("10.0.1.7"))).isEqualTo(Prefix.parse("10.0.1.7/32"));
        assertThatThrownBy(() -> new Prefix(ip("10.0.1.1"), 24)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Prefix(Ipv4.UNSPECIFIED, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Prefix(Ipv4.UNSPECIFIED, 33)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Prefix6(new Ipv6(0, 1), 127)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Prefix6(Ipv6.UNSPECIFIED, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Prefix6(Ipv6.UNSPECIFIED, 129)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/024", "/24", "10.0.0/24",
        "::/0"})
    void aTextThatIsNoIpv4PrefixIsRefused(final String text) {
        assertThatThrownBy(() -> Prefix.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"::", "::/", "::/129", "::/0128", "/64", "10.0.0.0/8"})
    void aTextThatIsNoIpv6PrefixIsRefused(final String text) {
        assertThatThrownBy(() -> Prefix6.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPrefixContainsThoseInsideItAndOverlapsThoseAroundIt() {
        for (final String inside : List.of("10.0.1.0/24", "10.0.1.0/25", "10.0.1.255/32")) {
            assertThat(NET.contains(Prefix.parse(inside))).isTrue();
            assertThat(NET.overlaps(Prefix.parse(inside))).isTrue();
            assertThat(Prefix.parse(inside).overlaps(NET)).isTrue();
        }
        final Prefix around = Prefix.parse("10.0.0.0/23");
        assertThat(NET.contains(around)).isFalse();
        assertThat(NET.overlaps(around)).isTrue();
        for (final String beside : List.of("10.0.0.0/24", "10.0.2.0/24", "10.0.2.0/32", "11.0.0.0/8")) {
            assertThat(NET.contains(Prefix.parse(beside))).isFalse();
            assertThat(NET.overlaps(Prefix.parse(beside))).isFalse();
        }
        final Prefix6 net = Prefix6.parse("2001:db8::/32");
        assertThat(net.contains(net)).isTrue();
        assertThat(net.contains(Prefix6.parse("2001:db8:ffff::/48"))).isTrue();
        assertThat(net.contains(Prefix6.parse("2001:db9::/48"))).isFalse();
        assertThat(net.contains(Prefix6.parse("2001:d00::/24"))).isFalse();
        assertThat(net.overlaps(Prefix6.parse("2001:d00::/24"))).isTrue();
        assertThat(Prefix6.parse("2001:d00::/24").overlaps(net)).isTrue();
        assertThat(net.overlaps(Prefix6.parse("2001:db9::/32"))).isFalse();
    }

    @Test
    void theLastAddressOfAnIpv6PrefixHasAllBitsBehindTheLength() {
        assertThat(Prefix6.parse("2001:db8::/32").last())
            .isEqualTo(Ipv6.parse("2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"));
        assertThat(Prefix6.parse("2001:db8::1:0/112").last()).isEqualTo(Ipv6.parse("2001:db8::1:ffff"));
        assertThat(Prefix6.parse("2001:db8::1/128").last()).isEqualTo(Ipv6.parse("2001:db8::1"));
        assertThat(Prefix6.parse("2001:db8::1/128")).hasToString("2001:db8::1/128");
    }

    @Test
    void prefixesAreInTheOrderOfTheirAddressesThenTheirLengths() {
        assertThat(List.of(Prefix.parse("10.0.0.0/8"), Prefix.parse("10.0.0.0/9"), Prefix.parse("10.0.1.0/24"),
            Prefix.parse("192.0.2.0/24"))).isSorted();
        assertThat(NET.compareTo(Prefix.parse("10.0.1.0/25"))).isNegative();
        assertThat(NET.compareTo(Prefix.parse("10.0.0.0/25"))).isPositive();
        assertThat(NET).isEqualByComparingTo(Prefix.parse("10.0.1.0/24"));
        assertThat(Prefix6.parse("2001:db8::/32").compareTo(Prefix6.parse("2001:db8::/33"))).isNegative();
        assertThat(Prefix6.parse("2001:db8::/32").compareTo(Prefix6.parse("2001:db7::/33"))).isPositive();
    }

    @Test
    void aRangeHasBothItsEnds() {
        final Range range = range("10.0.0.10", "10.0.0.19");
        assertThat(range.size()).isEqualTo(10);
        assertThat(range).hasToString("10.0.0.10-10.0.0.19");
        assertThat(range.contains(ip("10.0.0.9"))).isFalse();
        assertThat(range.contains(ip("10.0.0.10"))).isTrue();
        assertThat(range.contains(ip("10.0.0.19"))).isTrue();
        assertThat(range.contains(ip("10.0.0.20"))).isFalse();
        assertThat(range.overlaps(range("10.0.0.1", "10.0.0.9"))).isFalse();
        assertThat(range.overlaps(range("10.0.0.1", "10.0.0.10"))).isTrue();
        assertThat(range.overlaps(range("10.0.0.19", "10.0.0.30"))).isTrue();
        assertThat(range.overlaps(range("10.0.0.20", "10.0.0.30"))).isFalse();
    }

    @Test
    void aRangeWithoutAnotherKeepsTheAddressesBeforeAndBehindIt() {
        final Range range = range("10.0.0.10", "10.0.0.19");
        assertThat(range.without(range("10.0.0.12", "10.0.0.13")))
            .containsExactly(range("10.0.0.10", "10.0.0.11"), range("10.0.0.14", "10.0.0.19"));
        assertThat(range.without(range("10.0.0.1", "10.0.0.10"))).containsExactly(range("10.0.0.11", "10.0.0.19"));
        assertThat(range.without(range("10.0.0.19", "10.0.0.30"))).containsExactly(range("10.0.0.10", "10.0.0.18"));
        assertThat(range.without(range)).isEmpty();
        assertThat(range.without(range("0.0.0.0", "255.255.255.255"))).isEmpty();
        assertThat(range("0.0.0.0", "255.255.255.255").without(range("0.0.0.0", "255.255.255.254")))
            .containsExactly(range("255.255.255.255", "255.255.255.255"));
        assertThat(range.without(range("10.0.0.20", "10.0.0.30"))).containsExactly(range);
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.0, 10.0.0.255, 10.0.0.0/24",
        "10.0.0.1, 10.0.0.6, 10.0.0.1/32 10.0.0.2/31 10.0.0.4/31 10.0.0.6/32",
        "10.0.0.255, 10.0.1.0, 10.0.0.255/32 10.0.1.0/32", "0.0.0.0, 255.255.255.255, 0.0.0.0/0",
        "0.0.0.0, 0.0.0.0, 0.0.0.0/32", "255.255.255.254, 255.255.255.255, 255.255.255.254/31"})
    void aRangeIsTheFewestPrefixes(final String first, final String last, final String prefixes) {
        assertThat(range(first, last).prefixes()).extracting(Prefix::toString).containsExactly(prefixes.split(" "));
    }

    @Test
    void thePrefixesOfARangeHaveItsAddressesAlone() {
        for (long first = 0; first < 20; first++) {
            for (long last = first; last < 40; last++) {
                assertThat(new Range(new Ipv4(first), new Ipv4(last)).prefixes().stream()
                    .flatMap(prefix -> LongStream.rangeClosed(prefix.address().number(), prefix.last().number())
                        .boxed()))
                    .containsExactlyElementsOf(LongStream.rangeClosed(first, last).boxed().toList());
            }
        }
    }
}
