// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
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
    private static final String FOREIGN = "ip and ether src " + Constants.backboneMac(1)
        + " and (src net 10.0.0.0/8 or dst net 10.64.0.0/10)";
    private static final int VLAN = 100;
    private static final int NEIGHBOURS_VLAN = 101;
    private static final int WEB = 80;
    private static final int DNS = 53;
    private static final int ECHO = 7;
    private static final int DIGEST = 9001;
    private static final int LOG = 514;
    private static final String MANY = "40";
    private static final String FAR = "172.31.0.9";
    private static final String FAR_SEEN = "10.98.0.9";
    /** Somebody outside has the address at which the tenant sees another. */
    private static final String IMPOSTOR = "10.99.0.9";

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
        for (final String more : List.of(FAR, IMPOSTOR)) {
            remote.shell().run("ip", "address", "add", more + "/32", "dev", Host.DEVICE);
            network.transit().route(more, SAME);
        }
        remote.serveTcp(DIGEST, "EXEC:sha256sum");
        neighbour = network.host("acc0", NEIGHBOURS_VLAN, SAME + "/24", GATEWAY);
        for (final Host host : List.of(network.server(), remote, service, own)) {
            host.serveTcp(WEB);
            host.serveUdp(DNS);
            host.serveUdp(ECHO, "PIPE");
        }
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void load() {
        load(List.of(twice(SEEN_NETWORK, NETWORK), twice(FAR_SEEN_NETWORK, FAR_NETWORK)));
    }

    private static void load(final List<Tenant.Twice> mappings) {
        final Tenant plain = Networks.plain("merger", VLAN, PUBLIC);
        final Tenant.Nat nat = new Tenant.Nat(Optional.of(Ipv4.parse(PUBLIC)), Optional.empty(),
            List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.10/32"), Prefix.parse(OWN + "/32"))),
            List.of(new Tenant.PortForward("web", 6, WEB, Ipv4.parse("10.0.0.20"), WEB),
                new Tenant.PortForward("echo", 17, ECHO, Ipv4.parse("10.0.0.20"), ECHO),
                new Tenant.PortForward("log", 17, LOG, Ipv4.parse("10.0.0.20"), LOG)));
        final Snapshot snapshot = Networks.of(plain.with(nat.with(mappings)),
            Networks.seeing(Networks.plain("neighbour", NEIGHBOURS_VLAN, NEIGHBOURS_PUBLIC), "10.77.0.0/24", NETWORK));
        node.load(snapshot);
        for (final Host host : List.of(client, service, own, neighbour)) {
            host.meets(GATEWAY);
        }
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
            assertThat(foreign.all()).isEmpty();
        }
        // What the other tenant sees somewhere else is nothing special to this one.
        neighbour.doesNotReach(SEEN);
    }

    @Test
    void whoeverIsElsewhereIsReachedAsBefore() {
        assertThat(client.askTcp(service.address(), WEB)).isEqualTo(SAME);
        assertThat(client.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(PUBLIC);
        assertThat(client.askTcp(PUBLIC, WEB)).isEqualTo(PUBLIC);
        assertThat(neighbour.askTcp(PUBLIC, WEB)).isEqualTo(NEIGHBOURS_PUBLIC);
        assertThat(node.network().server().askTcp(PUBLIC, WEB)).isEqualTo(EdgeNetwork.SERVER);
    }

    @Test
    void connectionsFromThereComeFromWhereItIsSeen() {
        try (Capture foreign = node.network().transit().capture(FOREIGN)) {
            assertThat(remote.askTcp(PUBLIC, WEB)).isEqualTo(SEEN);
            assertThat(remote.askTcp(OWN, WEB)).isEqualTo(SEEN);
            assertThat(remote.askUdp(OWN, DNS)).isEqualTo(SEEN);
            remote.reaches(OWN);
            assertThat(echoes(remote, PUBLIC)).isEqualTo(MANY);
            assertThat(foreign.all()).isEmpty();
        }
    }

    @Test
    void busyConnectionsAreNotTracked() {
        node.node().ovs().appctl("dpctl/flush-conntrack");
        assertThat(echoes(client, SEEN)).isEqualTo(MANY);
        passBy();
        assertThat(sessions()).contains("nw_src=" + SAME + ",nw_dst=" + SAME).doesNotContain(SEEN);
        final String send = "head -c 50000000 /dev/zero | ";
        assertThat(client.shell().run(Duration.ofSeconds(60), "sh", "-c",
            send + "socat -t 20 - TCP4:" + SEEN + ":" + DIGEST)).isEqualTo(client.shell().run("sh", "-c",
            send + "sha256sum"));
        Await.until("segments pass by", () -> node.packets(Table.NAT_OUT_KNOWN, "translated by a session"),
            count -> count >= 1000);
    }

    @Test
    void busyServicesAreNotTracked() {
        node.node().ovs().appctl("dpctl/flush-conntrack");
        assertThat(echoes(remote, PUBLIC)).isEqualTo(MANY);
        passBy();
        assertThat(sessions()).doesNotContain(SEEN);
    }

    private static void passBy() {
        Await.until("packets in pass by", () -> node.packets(Table.NAT_IN_KNOWN, "translated by a session"),
            count -> count >= 10);
        Await.until("packets out pass by", () -> node.packets(Table.NAT_OUT_KNOWN, "translated by a session"),
            count -> count >= 10);
    }

    private static String sessions() {
        return node.node().ovs().ofctl("--no-names", "dump-flows", Constants.BRIDGE,
            "table=" + Table.NAT_SESSIONS.number());
    }

    @Test
    void anAddressMeansOneNetwork() {
        client.reaches(FAR_SEEN);
        client.doesNotReach(FAR);
        assertThat(node.packets(Table.CHAIN_OUT, "to 172.31.0.0/24, which is seen at 10.98.0.0/24")).isPositive();
        assertThat(ping(remote, OWN, "-I", IMPOSTOR)).isFalse();
        assertThat(node.packets(Table.CHAIN_IN, "from 10.99.0.0/24, at which the tenant sees 10.0.0.0/24"))
            .isPositive();

        load(List.of(twice(SEEN_NETWORK, NETWORK)));
        client.reaches(FAR);
        client.doesNotReach(FAR_SEEN);
    }

    @Test
    void errorsComeFromWhereItIsSeen() {
        try (Capture errors = client.capture("icmp[icmptype] == icmp-unreach")) {
            client.getsNoUdpAnswer(SEEN, DNS + 1);
            // The packet that it is about is as it was outside.
            Await.until("the error arrives", errors::frames, frames -> !frames.isEmpty());
            assertThat(errors.frames().get(0)).contains(SEEN + " > " + SAME + ": ICMP " + SAME + " udp port");
        }
    }

    @Test
    void errorsAboutPacketsFromThereDoNotLeave() {
        try (Capture errors = remote.capture("icmp[icmptype] == icmp-unreach")) {
            remote.getsNoUdpAnswer(PUBLIC, LOG);
            Await.until("the error is dropped", () -> node.packets(Table.NAT_OUT_CHECK, "not translated"),
                count -> count > 0);
            assertThat(errors.all()).isEmpty();
        }
    }

    @Test
    void fragmentsDoNotPass() {
        for (final Host host : List.of(client, own)) {
            assertThat(ping(host, SEEN, "-s", "4000")).isFalse();
        }
        assertThat(node.packets(Table.CHAIN_OUT, "fragment to 10.99.0.0/24, which is translated to 10.0.0.0/24"))
            .isEqualTo(12);
        assertThat(ping(remote, OWN, "-s", "4000")).isFalse();
        assertThat(node.packets(Table.CHAIN_IN, "fragment from 10.0.0.0/24, which is seen at 10.99.0.0/24"))
            .isEqualTo(6);
    }

    /** Whether one of two pings is answered. */
    private static boolean ping(final Host host, final String address, final String option, final String value) {
        return host.shell().attempt("ping", "-n", "-c", "2", "-i", "0.2", "-W", "1", option, value, address).isGood();
    }

    /** Datagrams that come back unharmed, of {@link #MANY} from one socket. */
    private static String echoes(final Host host, final String address) {
        return Datagrams.echoed(host, address, ECHO, Integer.parseInt(MANY), 64, "0.02");
    }
}
