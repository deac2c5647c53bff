// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The addresses that a server hands out, and those that need a lease. */
class DhcpTest {
    @Test
    void theHostsOfASubnetAreBoundToPoolsWithoutExclusionsAndToReservations() {
        final Dhcp.Subnet subnet = new Dhcp.Subnet(Prefix.parse("10.0.1.0/24"),
            List.of(range("10.0.1.10", "10.0.1.19")), List.of(range("10.0.1.12", "10.0.1.13")),
            List.of(kept("10.0.1.11"), kept("10.0.1.12"), kept("10.0.1.200")), 60, Dhcp.Options.NONE);
        assertThat(subnet.bound()).containsExactly(range("10.0.1.10", "10.0.1.11"), range("10.0.1.14", "10.0.1.19"),
            range("10.0.1.12", "10.0.1.12"), range("10.0.1.200", "10.0.1.200"));
        assertThat(subnet.handsOut(ip("10.0.1.10"))).isTrue();
        assertThat(subnet.handsOut(ip("10.0.1.13"))).isFalse();
        assertThat(subnet.handsOut(ip("10.0.1.20"))).isFalse();
    }

    private static Dhcp.Reservation kept(final String address) {
        return new Dhcp.Reservation(ip(address), Optional.of(new Mac(1)), Optional.empty(),
            Optional.empty(), Optional.empty());
    }

    private static Range range(final String first, final String last) {
        return new Range(ip(first), ip(last));
    }

    private static Ipv4 ip(final String text) {
        return Ipv4.parse(text);
    }
}
