// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** IPv4 and MAC addresses, and protocols, as text. */
class AddressTextTest {
    @ParameterizedTest
    @CsvSource({"0.0.0.0, 0", "0.0.0.255, 255", "1.2.3.4, 16909060", "128.0.0.0, 2147483648",
        "255.255.255.255, 4294967295"})
    void anIpv4AddressIsAnUnsignedNumber(final String text, final long number) {
        assertThat(Ipv4.parse(text)).isEqualTo(new Ipv4(number)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "256.2.3.4", "1.2.3.", "1..3.4", "1.2.3.-4",
        "1.2.3.0004", "a.b.c.d", " 1.2.3.4", "1.2.3.4/32"})
    void aTextThatIsNoIpv4AddressIsRefused(final String text) {
        assertThatThrownBy(() -> Ipv4.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anIpv4AddressHas32Bits() {
        assertThatThrownBy(() -> new Ipv4(1L << 32)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Ipv4(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Ipv4.BROADCAST.plus(1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Ipv4.UNSPECIFIED.plus(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ipv4AddressesAreInTheOrderOfTheirNumbers() {
        final Ipv4 high = Ipv4.parse("192.0.2.1");
        assertThat(List.of(Ipv4.UNSPECIFIED, Ipv4.parse("10.255.255.255"), high, Ipv4.BROADCAST)).isSorted();
        assertThat(high.plus(255)).isEqualTo(Ipv4.parse("192.0.3.0"));
        assertThat(high.minus(Ipv4.parse("192.0.3.0"))).isEqualTo(-255);
    }

    @ParameterizedTest
    @CsvSource({"00:00:00:00:00:00, 0", "02:50:53:00:00:01, 2544013148161", "ff:ff:ff:ff:ff:ff, 281474976710655"})
    void aMacAddressIsAnUnsignedNumber(final String text, final long number) {
        assertThat(Mac.parse(text)).isEqualTo(new Mac(number)).hasToString(text);
        assertThat(Mac.parse("0A:bC:00:00:00:0f")).isEqualTo(new Mac(0x0abc0000000fL));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "02:50:53:00:00", "02:50:53:00:00:01:02", "025053000001", "02-50-53-00-00-01",
        "0g:50:53:00:00:01", "2:50:53:0:0:1"})
    void aTextThatIsNoMacAddressIsRefused(final String text) {
        assertThatThrownBy(() -> Mac.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aMacAddressHas48Bits() {
        assertThatThrownBy(() -> new Mac(1L << 48)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Mac(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aHostHasNoAddressOfAGroupAndNotZero() {
        assertThat(Mac.parse("02:50:53:00:00:01").isHost()).isTrue();
        assertThat(Mac.parse("01:00:5e:00:00:01").isHost()).isFalse();
        assertThat(Mac.parse("ff:ff:ff:ff:ff:ff").isHost()).isFalse();
        assertThat(new Mac(0).isHost()).isFalse();
    }

    @Test
    void protocolsWithPortsHaveNames() {
        for (final int protocol : new int[] {IpProtocol.TCP, IpProtocol.UDP}) {
            assertThat(IpProtocol.number(IpProtocol.name(protocol))).isEqualTo(protocol);
        }
        assertThat(IpProtocol.name(6)).isEqualTo("tcp");
        assertThat(IpProtocol.name(17)).isEqualTo("udp");
        assertThatThrownBy(() -> IpProtocol.name(IpProtocol.ICMP)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IpProtocol.number("icmp")).isInstanceOf(IllegalArgumentException.class);
    }
}
