// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.intent.Prefix;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Packet;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Packets between a tenant and a network outside that has the same addresses, down to the same host. */
class TwicePacketsIT {
    private static final String PUBLIC = "203.0.113.11";
    private static final String NEIGHBOURS_PUBLIC = "203.0.113.12";
    private static final String OWN = "198.51.100.10";
    private static final String GATEWAY = "10.0.0.1";
    /** Where the client is inside, and somebody else outside. */
    private static final String SAME = "10.0.0.5";
    private static final String NETWORK = "10.0.0.0/24";
    private static final String SEEN = "10.99.0.5";
    private static final String SEEN_NETWORK = "10.99.0.0/24";
    private static final String NEIGHBOURS_SEEN = "10.77.0.5";
    /** A network outside that the tenant does not have inside, and where it sees it. */
    private static final String FAR_NETWORK = "172.31.0.0/24";
    private static final String FAR_SEEN_NETWORK = "10.98.0.0/24";
    /** Nothing that leaves may have such a source, or go where only the tenant is. */
    private static final String FOREIGN = "ip and ether src " + Packet.mac(Constants.backboneMac(1))
        + " and (src net 10.0.0.0/8 or dst net 10.64.0.0/10)";
    private static final int VLAN = 100;
    private static final int NEIGHBOURS_VLAN = 101;
    private static final int WEB = 80;
    private static final int DNS = 53;
    private static final int ECHO = 7;

    private static PacketNode node;
    private static Host client;
    private static Host service;
    private static Host own;
    private static Host neighbour;
    private static Host remote;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        final EdgeNetwork network = node.network();
        network.transit().route("198.51.100.0/24", Networks.BACKBONE_ADDRESS);
        remote = network.remote(SAME + "/24", GATEWAY);
        client = network.host("acc0", VLAN, SAME + "/24", GATEWAY);
        service = network.host("acc0", VLAN, "10.0.0.20/24", GATEWAY);
        own = network.host("acc0", VLAN, "10.0.0.10/24", GATEWAY);
        neighbour = network.host("acc0", NEIGHBOURS_VLAN, SAME + "/24", GATEWAY);
        for (final Host host : List.of(network.server(), remote, service, own)) {
            host.serveTcp(WEB);
            host.serveUdp(DNS);
            host.serve("socat", "-b", "65535", "UDP4-RECVFROM:" + ECHO + ",fork", "PIPE");
        }
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void load() {
        final Tenant plain = Networks.plain("merger", VLAN, PUBLIC);
        final Tenant.Nat nat = new Tenant.Nat(Optional.of(Ipv4.parse(PUBLIC)), Optional.empty(),
            List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.10/32"), Prefix.parse(OWN + "/32"))),
            List.of(new Tenant.PortForward("web", 6, WEB, Ipv4.parse("10.0.0.20"), WEB),
                new Tenant.PortForward("echo", 17, ECHO, Ipv4.parse("10.0.0.20"), ECHO)));
        final Tenant neighbours = Networks.plain("neighbour", NEIGHBOURS_VLAN, NEIGHBOURS_PUBLIC);
        final Snapshot snapshot = Networks.of(
            with(plain, nat.with(List.of(twice(SEEN_NETWORK, NETWORK), twice(FAR_SEEN_NETWORK, FAR_NETWORK)))),
            with(neighbours, neighbours.nat().orElseThrow().with(List.of(twice("10.77.0.0/24", NETWORK)))));
        node.load(snapshot);
        for (final Host host : List.of(client, service, own, neighbour)) {
            host.forgetNeighbours();
            host.reaches(GATEWAY);
        }
    }

    private static Tenant with(final Tenant base, final Tenant.Nat nat) {
        return new Tenant(base.name(), base.attachments(), base.subnets(), base.routes(), Optional.of(nat),
            base.egressAcl(), base.chain());
    }

    private static Tenant.Twice twice(final String seen, final String outside) {
        return new Tenant.Twice(Prefix.parse(seen), Prefix.parse(outside));
    }

    @Test
    void aNetworkWithTheSameAddressesIsReached() {
        try (Capture foreign = node.network().transit().capture(FOREIGN)) {
            assertThat(client.askUdp(SEEN, DNS)).isEqualTo(PUBLIC);
            assertThat(client.askTcp(SEEN, WEB)).isEqualTo(PUBLIC);
            client.reaches(SEEN);
            assertThat(own.askUdp(SEEN, DNS)).isEqualTo(OWN);
            assertThat(own.askTcp(SEEN, WEB)).isEqualTo(OWN);
            own.reaches(SEEN);
            // Each tenant sees it where it wants.
            assertThat(neighbour.askTcp(NEIGHBOURS_SEEN, WEB)).isEqualTo(NEIGHBOURS_PUBLIC);
            assertThat(foreign.frames()).isEmpty();
        }
        // What the other tenant sees somewhere else is nothing special to this one.
        neighbour.doesNotReach(SEEN);
    }
}
