// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Subscribers with a block of ports each, as their address tells, of two public addresses that are no neighbours. */
@Tag("safety")
@Tag("hostile")
class SubscribersPacketsIT {
    private static final int ECHO = 7;
    private static final int MANY = 400;
    private static final Tenant.Deterministic LOW =
        new Tenant.Deterministic(Prefix.parse("10.0.0.0/25"), Prefix.parse("198.51.100.7/32"));
    private static final Tenant.Deterministic HIGH =
        new Tenant.Deterministic(Prefix.parse("10.0.0.128/25"), Prefix.parse("198.51.100.70/32"));

    private static NatPair pair;
    private static Host first;
    private static Host second;
    private static Host other;

    @BeforeAll
    static void start() {
        pair = new NatPair();
        first = pair.first();
        second = pair.second();
        other = pair.host("10.0.0.130");
        pair.node().network().transit().route("198.51.100.0/24", Networks.BACKBONE_ADDRESS);
        Datagrams.echo(pair.server(), ECHO);
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @BeforeEach
    void load() {
        pair.load(NatPair.translated(Fixtures.mapped(LOW, HIGH)), other);
    }

    @Test
    @Requirement(rfc = 4787, number = {"2", "3a"})
    @Requirement(rfc = 6888, number = {"2", "3", "14"})
    void everySubscriberHasHisPorts() {
        for (final Host host : List.of(first, second, other)) {
            final Tenant.Deterministic mapping = host == other ? HIGH : LOW;
            final PortRange ports = mapping.blockOf(Ipv4.parse(host.address())).ports();
            for (int port = 40000; port < 40006; port += 2) {
                for (final String answer : List.of(Ask.tcp(host, port, NatPair.TELL).get(0),
                        Ask.udp(host, port, NatPair.TELL).get(0))) {
                    final String[] seen = answer.split(" ");
                    assertThat(seen[0]).isEqualTo(mapping.outside().address().toString());
                    assertThat(Integer.parseInt(seen[1])).isBetween(ports.low(), ports.high());
                    assertThat(mapping.subscriberAt(Ipv4.parse(seen[0]), Integer.parseInt(seen[1])))
                        .contains(Ipv4.parse(host.address()));
                }
            }
            host.reaches(EdgeNetwork.SERVER);
        }
    }

    @Test
    @Requirement(rfc = 6888, number = {"4", "4a", "4b", "11a", "11d"})
    @Requirement(rfc = 7857, number = "4")
    void whoUsesUpHisBlockHarmsNobodyAndLeaksNothing() {
        try (Capture uplink = pair.node().network().transit().capture(TenantPair.PRIVATE)) {
            assertThat(Datagrams.answered(first, EdgeNetwork.SERVER, ECHO, MANY)).isEqualTo(LOW.blockSize());
            Await.until("the drops are counted", () -> pair.node().packets(Table.NAT_OUT_CHECK, "not translated"),
                count -> count >= MANY - LOW.blockSize());
            assertThat(Ask.tcp(second, 40000, NatPair.TELL)).allMatch(seen -> seen.startsWith("198.51.100.7 "));
            // Its ports of TCP are its own, and identifiers of ICMP are not counted.
            assertThat(Ask.tcp(first, 40000, NatPair.TELL)).allMatch(seen -> seen.startsWith("198.51.100.7 "));
            first.reaches(EdgeNetwork.SERVER);
            assertThat(uplink.all()).isEmpty();
        }
        // The ports are free again when the connections are forgotten.
        pair.node().node().ovs().appctl("dpctl/flush-conntrack");
        assertThat(Datagrams.answered(first, EdgeNetwork.SERVER, ECHO, 10)).isEqualTo(10);
    }
}
