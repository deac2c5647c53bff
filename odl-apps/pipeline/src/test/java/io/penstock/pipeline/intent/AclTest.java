// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which packets an entry is about, and which answers a list lets back. */
class AclTest {
    private static final Optional<Prefix> INSIDE = Optional.of(Prefix.parse("10.0.0.0/24"));
    private static final Optional<Prefix> OUTSIDE = Optional.of(Prefix.parse("192.0.2.0/24"));
    private static final FiveTuple WEB = FiveTuple.parse("10.0.0.5", "192.0.2.9", "tcp", 1024, 80);
    private static final FiveTuple WEB6 = FiveTuple.parse("2001:db8:1::5", "2001:db8:2::9", "tcp", 1024, 80);
    private static final FiveTuple ECHO = FiveTuple.parse("10.0.0.5", "192.0.2.9", "icmp", 0, 0);

    private static Acl.Entry addresses(final Optional<Prefix> source, final Optional<Prefix> destination) {
        return new Acl.Entry("e", true, source, destination, Optional.empty(), Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.empty(), List.of());
    }

    private static Acl.Entry tcp(final int lowSource, final int highSource, final int low, final int high) {
        return new Acl.Entry("e", true, Optional.empty(), Optional.empty(), Optional.of(IpProtocol.TCP),
            Optional.of(new PortRange(lowSource, highSource)), Optional.of(new PortRange(low, high)),
            Optional.empty(), Optional.empty(), List.of());
    }

    private static Acl.Entry icmp(final int type, final Optional<Integer> code) {
        return new Acl.Entry("e", true, Optional.empty(), Optional.empty(), Optional.of(IpProtocol.ICMP),
            Optional.empty(), Optional.empty(), Optional.of(type), code, List.of());
    }

    private static Acl.Entry addresses6(final String source, final String destination) {
        return new Acl.Entry("e", true, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.empty(), Optional.empty(), List.of(), Optional.of(IpFamily.IPV6),
            Optional.of(Prefix6.parse(source)), Optional.of(Prefix6.parse(destination)));
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
        final Acl.Entry entry = addresses(Optional.empty(), Optional.empty());
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
        final Acl.Entry answer = new Acl("l", List.of(addresses(INSIDE, OUTSIDE))).answers().entries().get(0);
        assertThat(answer.isAbout(WEB.answer())).isTrue();
        assertThat(answer.isAbout(WEB)).isFalse();
        final Acl.Entry ports = tcp(1024, 0xffff, 80, 80).answer();
        assertThat(ports.isAbout(WEB.answer())).isTrue();
        assertThat(ports.isAbout(WEB)).isFalse();
        final Acl.Entry answer6 = addresses6("2001:db8:1::/48", "2001:db8:2::/48").answer();
        assertThat(answer6.isAbout(WEB6.answer())).isTrue();
        assertThat(answer6.isAbout(WEB6)).isFalse();
    }

    @Test
    void onlyQueriesOfIcmpHaveAnswers() {
        final Acl list = new Acl("l", List.of(icmp(8, Optional.empty()), icmp(3, Optional.of(1)),
            icmp(13, Optional.empty()), icmp(15, Optional.empty()), icmp(0, Optional.empty())));
        assertThat(list.answers().entries()).extracting(entry -> entry.icmpType().orElseThrow())
            .containsExactly(0, 14, 16);
        assertThat(list.answers().entries().get(0).isAbout(ECHO.answer())).isTrue();
        final Acl.Entry echo6 = new Acl.Entry("e", true, Optional.empty(), Optional.empty(),
            Optional.of(IpProtocol.ICMPV6), Optional.empty(), Optional.empty(), Optional.of(128), Optional.empty(),
            List.of(), Optional.of(IpFamily.IPV6), Optional.empty(), Optional.empty());
        assertThat(echo6.hasAnswers()).isTrue();
        assertThat(echo6.answer().icmpType()).contains(129);
        assertThat(new FiveTuple(IpFamily.IPV6, new Ipv6(0, 1), new Ipv6(0, 2), IpProtocol.ICMPV6, 129, 0))
            .matches(echo6.answer()::isAbout);
    }
}
