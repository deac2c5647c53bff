// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A connection as an operator writes it, and as the other end answers it. */
class FiveTupleTest {
    private static final String HOST = "10.0.0.5";
    private static final String SERVER = "192.0.2.9";

    @Test
    void addressesOfBothFamiliesAreRead() {
        final FiveTuple ipv4 = FiveTuple.parse(HOST, SERVER, "tcp", 1024, 443);
        assertThat(ipv4).isEqualTo(new FiveTuple(IpFamily.IPV4, new Ipv6(0, Ipv4.parse(HOST).number()),
            new Ipv6(0, Ipv4.parse(SERVER).number()), IpProtocol.TCP, 1024, 443));
        assertThat(ipv4.text(ipv4.destination())).isEqualTo(SERVER);
        final FiveTuple ipv6 = FiveTuple.parse("2001:db8::1", "2001:db8::2", "udp", 0, 65535);
        assertThat(ipv6).isEqualTo(new FiveTuple(IpFamily.IPV6, Ipv6.parse("2001:db8::1"),
            Ipv6.parse("2001:db8::2"), IpProtocol.UDP, 0, 65535));
        assertThat(ipv6.text(ipv6.source())).isEqualTo("2001:db8::1");
    }

    @Test
    void icmpIsAnEchoRequestOfItsFamily() {
        assertThat(FiveTuple.parse(HOST, SERVER, "icmp", 0, 0)).satisfies(echo -> {
            assertThat(echo.protocol()).isEqualTo(IpProtocol.ICMP);
            assertThat(echo.sourcePort()).isEqualTo(8);
            assertThat(echo.destinationPort()).isZero();
            assertThat(echo.hasPorts()).isFalse();
            assertThat(echo.answer().sourcePort()).as("echo reply").isZero();
        });
        assertThat(FiveTuple.parse("::1", "::2", "icmp", 0, 0)).satisfies(echo -> {
            assertThat(echo.protocol()).isEqualTo(IpProtocol.ICMPV6);
            assertThat(echo.sourcePort()).isEqualTo(128);
            assertThat(echo.hasPorts()).isFalse();
            assertThat(echo.answer().sourcePort()).as("echo reply").isEqualTo(129);
            assertThat(echo.answer().source()).isEqualTo(echo.destination());
        });
    }

    @Test
    void anAnswerHasChangedEndsAndTheSameProtocol() {
        for (final String protocol : new String[] {"tcp", "udp"}) {
            final FiveTuple query = FiveTuple.parse(HOST, SERVER, protocol, 1024, 53);
            assertThat(query.hasPorts()).isTrue();
            assertThat(query.answer()).isEqualTo(FiveTuple.parse(SERVER, HOST, protocol, 53, 1024));
            assertThat(query.answer().answer()).isEqualTo(query);
        }
    }

    @Test
    void anIcmpTypeWithoutAnAnswerKeepsItsNumber() {
        final Ipv6 address = new Ipv6(0, 1);
        final FiveTuple unreachable = new FiveTuple(IpFamily.IPV4, address, address, IpProtocol.ICMP, 3, 1);
        assertThat(unreachable.answer()).isEqualTo(unreachable);
    }

    @ParameterizedTest
    @CsvSource({"10.0.0, 192.0.2.9, tcp, 1, 1, source-address", "10.0.0.5, 2001:db8::1, tcp, 1, 1, destination-address",
        "2001:db8::1, 10.0.0.5, tcp, 1, 1, destination-address", "10.0.0.5, 192.0.2.9, tcp, -1, 1, source-port",
        "10.0.0.5, 192.0.2.9, tcp, 65536, 1, source-port", "10.0.0.5, 192.0.2.9, udp, 1, -1, destination-port",
        "10.0.0.5, 192.0.2.9, udp, 1, 65536, destination-port", "10.0.0.5, 192.0.2.9, icmp, 1, 0, source-port",
        "10.0.0.5, 192.0.2.9, icmp, 0, 1, destination-port", "10.0.0.5, 192.0.2.9, sctp, 1, 1, protocol"})
    void aFieldThatIsWrongIsNamed(final String source, final String destination, final String protocol,
            final int sourcePort, final int destinationPort, final String field) {
        assertThatThrownBy(() -> FiveTuple.parse(source, destination, protocol, sourcePort, destinationPort))
            .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith(field + ": ");
    }
}
