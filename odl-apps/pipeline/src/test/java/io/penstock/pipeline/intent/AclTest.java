// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.intent.AclMatch.Ends;
import io.penstock.pipeline.intent.AclMatch.Icmp;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which packets an entry is about, and which answers a list lets back. */
@Tag("safety")
class AclTest {
    private static final Optional<Prefix> INSIDE = Optional.of(Prefix.parse("10.0.0.0/24"));
    private static final Optional<Prefix> OUTSIDE = Optional.of(Prefix.parse("192.0.2.0/24"));
    private static final FiveTuple WEB = FiveTuple.parse("10.0.0.5", "192.0.2.9", "tcp", 1024, 80);
    private static final FiveTuple WEB6 = FiveTuple.parse("2001:db8:1::5", "2001:db8:2::9", "tcp", 1024, 80);
    private static final FiveTuple ECHO = FiveTuple.parse("10.0.0.5", "192.0.2.9", "icmp", 0, 0);

    private static AclMatch addresses(final Optional<Prefix> source, final Optional<Prefix> destination) {
        return Matches.ipv4(new Ends<>(source, destination), Optional.empty(), Matches.any(), Optional.empty());
    }

    private static AclMatch tcp(final int lowSource, final int highSource, final int low, final int high) {
        return Matches.ports(Optional.of(IpProtocol.TCP), Optional.of(new PortRange(lowSource, highSource)),
            Optional.of(new PortRange(low, high)));
    }

    private static AclMatch icmp(final int type, final Optional<Integer> code) {
        return new AclMatch(Optional.of(IpFamily.IPV4), Optional.of(IpProtocol.ICMP), Matches.any(), Matches.any(),
            Matches.any(), new Icmp(Optional.of(type), code));
    }

    private static AclMatch addresses6(final String source, final String destination) {
        return new AclMatch(Optional.of(IpFamily.IPV6), Optional.empty(), Matches.any(),
            new Ends<>(Optional.of(Prefix6.parse(source)), Optional.of(Prefix6.parse(destination))), Matches.any(),
            new Icmp(Optional.empty(), Optional.empty()));
    }

    private static Acl.Entry entry(final AclMatch match) {
        return new Acl.Entry("e", true, match, List.of());
    }

    @Test
    void bothAddressesHaveToBeInTheirPrefixes() {
        assertThat(addresses(INSIDE, OUTSIDE).isAbout(WEB)).isTrue();
        assertThat(addresses(INSIDE, INSIDE).isAbout(WEB)).isFalse();
        assertThat(addresses(OUTSIDE, OUTSIDE).isAbout(WEB)).isFalse();
        assertThat(addresses(INSIDE, OUTSIDE).isAbout(WEB6)).isFalse();
        assertThat(addresses6("2001:db8:1::/48", "2001:db8:2::/48").isAbout(WEB6)).isTrue();
        assertThat(addresses6("2001:db8:1::/48", "2001:db8:1::/48").isAbout(WEB6)).isFalse();
        assertThat(addresses6("2001:db8:2::/48", "2001:db8:2::/48").isAbout(WEB6)).isFalse();
        assertThat(addresses6("::/0", "::/0").isAbout(WEB)).isFalse();
    }

    @Test
    void anEntryWithoutAddressesIsAboutBothFamilies() {
        final AclMatch entry = addresses(Optional.empty(), Optional.empty());
        assertThat(entry.isAbout(WEB)).isTrue();
        assertThat(entry.isAbout(WEB6)).isTrue();
        assertThat(addresses(Optional.empty(), OUTSIDE).isAbout(IpFamily.IPV6)).isFalse();
        assertThat(icmp(8, Optional.empty()).isAbout(IpFamily.IPV6)).isFalse();
    }

    @Test
    void portsAreFromTheFirstToTheLastOfTheirRange() {
        assertThat(tcp(1024, 1024, 80, 80).isAbout(WEB)).isTrue();
        assertThat(tcp(0, 0xffff, 79, 80).isAbout(WEB)).isTrue();
        assertThat(tcp(0, 0xffff, 80, 81).isAbout(WEB)).isTrue();
        assertThat(tcp(0, 0xffff, 81, 82).isAbout(WEB)).isFalse();
        assertThat(tcp(0, 0xffff, 78, 79).isAbout(WEB)).isFalse();
        assertThat(tcp(1025, 0xffff, 80, 80).isAbout(WEB)).isFalse();
        assertThat(tcp(0, 1023, 80, 80).isAbout(WEB)).isFalse();
        assertThat(tcp(0, 0xffff, 0, 0xffff).isAbout(ECHO)).as("another protocol").isFalse();
        for (final int[] range : new int[][] {{-1, 5}, {6, 5}, {5, 0x10000}}) {
            assertThatThrownBy(() -> new PortRange(range[0], range[1]))
                .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void icmpTypeAndCodeHaveToBeThoseOfTheEntry() {
        assertThat(icmp(8, Optional.of(0)).isAbout(ECHO)).isTrue();
        assertThat(icmp(8, Optional.of(1)).isAbout(ECHO)).isFalse();
        assertThat(icmp(13, Optional.of(0)).isAbout(ECHO)).isFalse();
    }

    @Test
    void answersComeFromTheOtherEnd() {
        final AclMatch answer = new Acl("l", List.of(entry(addresses(INSIDE, OUTSIDE)))).answers().entries().get(0)
            .match();
        assertThat(answer.isAbout(WEB.answer())).isTrue();
        assertThat(answer.isAbout(WEB)).isFalse();
        final AclMatch ports = tcp(1024, 0xffff, 80, 80).answer();
        assertThat(ports.isAbout(WEB.answer())).isTrue();
        assertThat(ports.isAbout(WEB)).isFalse();
        final AclMatch answer6 = addresses6("2001:db8:1::/48", "2001:db8:2::/48").answer();
        assertThat(answer6.isAbout(WEB6.answer())).isTrue();
        assertThat(answer6.isAbout(WEB6)).isFalse();
    }

    @Test
    void onlyQueriesOfIcmpHaveAnswers() {
        final Acl list = new Acl("l", Stream.of(icmp(8, Optional.empty()), icmp(3, Optional.of(1)),
            icmp(13, Optional.empty()), icmp(15, Optional.empty()), icmp(0, Optional.empty())).map(AclTest::entry)
            .toList());
        assertThat(list.answers().entries()).extracting(entry -> entry.match().icmp().type().orElseThrow())
            .containsExactly(0, 14, 16);
        assertThat(list.answers().entries().get(0).match().isAbout(ECHO.answer())).isTrue();
        final AclMatch echo6 = new AclMatch(Optional.of(IpFamily.IPV6), Optional.of(IpProtocol.ICMPV6), Matches.any(),
            Matches.any(), Matches.any(), new Icmp(Optional.of(128), Optional.empty()));
        assertThat(echo6.hasAnswers()).isTrue();
        assertThat(echo6.answer().icmp().type()).contains(129);
        assertThat(new FiveTuple(IpFamily.IPV6, new Ipv6(0, 1), new Ipv6(0, 2), IpProtocol.ICMPV6, 129, 0))
            .matches(echo6.answer()::isAbout);
    }
}
