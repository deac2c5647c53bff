// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Action.Nat.Ports;
import io.penstock.pipeline.flow.Action.Nat.Source;
import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.intent.Prefix;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Subscribers with a block of ports each, as their address tells. */
class SubscribersPacketsIT {
    private static final String PUBLIC = "198.51.100.7";
    private static final String GATEWAY = "10.0.0.1";
    private static final int VLAN = 100;
    private static final int WHO = 8081;
    private static final int ECHO = 7;
    private static PacketNode node;
    private static Host first;
    private static Host second;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        final EdgeNetwork network = node.network();
        network.transit().route(PUBLIC + "/32", Networks.BACKBONE_ADDRESS);
        first = network.host("acc0", VLAN, "10.0.0.5/24", GATEWAY);
        second = network.host("acc0", VLAN, "10.0.0.6/24", GATEWAY);
        network.server().serve("socat", "TCP4-LISTEN:" + WHO + ",reuseaddr,fork",
            "SYSTEM:read line; echo $SOCAT_PEERADDR $SOCAT_PEERPORT");
        Datagrams.echo(network.server(), ECHO);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Tenant.Deterministic mapping() {
        return new Tenant.Deterministic(Prefix.parse("10.0.0.0/24"), Prefix.parse(PUBLIC + "/32"));
    }

    @BeforeEach
    void load() {
        final Tenant plain = Networks.plain("town", VLAN, TenantPair.FIRST_PUBLIC);
        node.load(Networks.of(new Tenant(plain.name(), plain.attachments(), plain.subnets(), plain.routes(),
            Optional.of(Fixtures.mapped(mapping())), plain.egressAcl(), plain.chain())));
        node.node().ovs().appctl("dpctl/flush-conntrack");
        for (final Host host : List.of(first, second)) {
            host.forgetNeighbours();
            host.reaches(GATEWAY);
        }
    }

    @Test
    @Requirement(rfc = 4787, number = "3a")
    @Requirement(rfc = 6888, number = {"2", "14"})
    void everySubscriberHasHisPorts() {
        for (final Host host : List.of(first, second)) {
            final Source block = mapping().blockOf(Ipv4.parse(host.address()));
            final Ports ports = block.ports().orElseThrow();
            for (int count = 0; count < 3; count++) {
                final String[] seen = host.askTcp(EdgeNetwork.SERVER, WHO).split(" ");
                assertThat(seen[0]).isEqualTo(PUBLIC);
                assertThat(Integer.parseInt(seen[1])).isBetween(ports.low(), ports.high());
                assertThat(mapping().subscriberAt(Ipv4.parse(seen[0]), Integer.parseInt(seen[1])))
                    .contains(Ipv4.parse(host.address()));
            }
            host.reaches(EdgeNetwork.SERVER);
        }
    }

    @Test
    @Requirement(rfc = 6888, number = {"4", "4a", "11a", "11d"})
    @Requirement(rfc = 7857, number = "4")
    void whoUsesUpHisBlockHarmsNobodyAndLeaksNothing() {
        try (Capture uplink = node.network().transit().capture(TenantPair.PRIVATE)) {
            assertThat(Datagrams.answered(first, EdgeNetwork.SERVER, ECHO, 200)).isEqualTo(mapping().blockSize());
            Await.until("the drops are counted", () -> node.packets(Table.NAT_OUT_CHECK, "not translated"),
                count -> count >= 200 - mapping().blockSize());
            assertThat(second.askTcp(EdgeNetwork.SERVER, WHO)).startsWith(PUBLIC);
            assertThat(uplink.frames()).isEmpty();
        }
        // The ports are free again when the connections are forgotten.
        node.node().ovs().appctl("dpctl/flush-conntrack");
        assertThat(Datagrams.answered(first, EdgeNetwork.SERVER, ECHO, 10)).isEqualTo(10);
    }
}
