// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
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

/** Packets to hosts and services that the world reaches. */
class PublishedPacketsIT {
    private static final String PUBLIC = NatPair.PUBLIC;
    private static final String NEIGHBOURS_PUBLIC = "203.0.113.12";
    private static final String OWN = "198.51.100.10";
    private static final String OWN_OF_PREFIX = "198.51.100.130";
    private static final String GATEWAY = NatPair.GATEWAY;
    private static final int VLAN = NatPair.VLAN;
    private static final int NEIGHBOURS_VLAN = 101;
    private static final int WEB = 80;
    private static final int INNER_WEB = 8080;
    private static final int ECHO = 7;
    private static final int LOG = 514;
    private static final int INNER_LOG = 5140;
    private static final int CLOSED = 99;
    private static final int DEAF = 98;
    private static final String MANY = "40";
    /** Sends one datagram from a port. */
    private static final String SAY = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.sendto(b"?", (sys.argv[2], int(sys.argv[3])))
        link.settimeout(1)
        try:
            link.recv(100)
        except OSError:
            pass
        """;
    /** Begins a connection and waits. */
    private static final String KNOCK = """
        import socket, sys, time
        link = socket.socket()
        link.setblocking(False)
        link.connect_ex((sys.argv[1], int(sys.argv[2])))
        print("ready", flush=True)
        time.sleep(60)
        """;
    /** Complains about a datagram that nobody ever sent. */
    private static final String COMPLAINT = Icmp.PACKETS + """
        me, server = sys.argv[1:3]
        send(ip(me, server, 1, icmp(3, 3, bytes(4), ip(server, me, 17, ports(1234, 4321)))))
        """;

    private static PacketNode node;
    private static Host client;
    private static Host service;
    private static Host own;
    private static Host ownOfPrefix;
    private static Host neighbour;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        final EdgeNetwork network = node.network();
        network.transit().route("198.51.100.0/24", Networks.BACKBONE_ADDRESS);
        client = network.host("acc0", VLAN, "10.0.0.5/24", GATEWAY);
        service = network.host("acc0", VLAN, "10.0.0.20/24", GATEWAY);
        own = network.host("acc0", VLAN, "10.0.0.10/24", GATEWAY);
        ownOfPrefix = network.host("acc0", VLAN, "10.0.0.130/24", GATEWAY);
        neighbour = network.host("acc0", NEIGHBOURS_VLAN, "10.0.0.5/24", GATEWAY);
        service.serveTcp(INNER_WEB);
        for (final Host host : List.of(network.server(), service, own, ownOfPrefix)) {
            host.serveTcp(WEB);
            host.serveUdp(ECHO, "PIPE");
        }
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void load() {
        load(List.of(new Tenant.PortForward("web", 6, WEB, Ipv4.parse("10.0.0.20"), INNER_WEB),
            new Tenant.PortForward("deaf", 6, DEAF, Ipv4.parse("10.0.0.99"), DEAF),
            new Tenant.PortForward("closed", 17, CLOSED, Ipv4.parse("10.0.0.20"), CLOSED),
            new Tenant.PortForward("echo", 17, ECHO, Ipv4.parse("10.0.0.20"), ECHO),
            new Tenant.PortForward("log", 17, LOG, Ipv4.parse("10.0.0.20"), INNER_LOG)));
    }

    private static void load(final List<Tenant.PortForward> forwards) {
        final Tenant shop = NatPair.published(
            List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.10/32"), Prefix.parse(OWN + "/32")),
                new Tenant.OneToOne(Prefix.parse("10.0.0.128/29"), Prefix.parse("198.51.100.128/29"))),
            forwards.toArray(Tenant.PortForward[]::new))
            // Datagrams in pieces come here as fast as the machine can.
            .with(new Protection(Optional.empty(), false, Quota.NONE.withFragments(Quota.UNLIMITED)));
        final Snapshot snapshot = Networks.of(shop, Networks.plain("neighbour", NEIGHBOURS_VLAN, NEIGHBOURS_PUBLIC));
        node.load(snapshot);
        for (final Host host : List.of(client, service, own, ownOfPrefix, neighbour)) {
            host.meets(GATEWAY);
        }
    }

    private static Host server() {
        return node.network().server();
    }

    @Test
    void theWorldReachesAPublishedService() {
        assertThat(server().askTcp(PUBLIC, WEB)).isEqualTo(EdgeNetwork.SERVER);
        assertThat(echoes(server(), PUBLIC, 64)).isEqualTo(MANY);
        server().getsNoTcpAnswer(PUBLIC, INNER_WEB);
        server().doesNotReach(PUBLIC);
        // What begins inside is translated as before.
        assertThat(service.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(PUBLIC);
    }

    @Test
    void aBusyServiceIsNotTracked() {
        node.node().ovs().appctl("dpctl/flush-conntrack");
        assertThat(echoes(server(), PUBLIC, 64)).isEqualTo(MANY);
        Await.until("packets in pass by", () -> node.packets(Table.NAT_IN_KNOWN, "translated by a session"),
            count -> count >= 10);
        Await.until("packets out pass by", () -> node.packets(Table.NAT_OUT_KNOWN, "translated by a session"),
            count -> count >= 10);
    }

    @Test
    void piecesOfDatagramsReachAServiceThatIsSpokenTo() {
        // The later pieces of the first datagram do not tell their port.
        assertThat(echoesInVain(server(), PUBLIC, 4000)).isEqualTo("0");
        assertThat(echoes(server(), PUBLIC, 64)).isEqualTo(MANY);
        assertThat(echoes(server(), PUBLIC, 4000)).isEqualTo(MANY);
    }

    @Test
    void whatNobodyAnswersArrivesToo() {
        service.serve("socat", "-u", "UDP4-RECV:" + INNER_LOG, "OPEN:/dev/null");
        try (Capture capture = service.capture("udp and dst port " + INNER_LOG)) {
            server().shell().run("sh", "-c", "for n in 1 2 3 4 5; do echo $n; sleep 0.2; done | socat -u - UDP4-SENDTO:"
                + PUBLIC + ":" + LOG + ",sourceport=40001");
            Await.until("all have arrived", capture::frames, frames -> frames.size() == 5);
        }
    }

    @Test
    void aServiceThatIsWithdrawnIsNotReached() {
        assertThat(server().askTcp(PUBLIC, WEB)).isEqualTo(EdgeNetwork.SERVER);
        assertThat(echoes(server(), PUBLIC, 64)).isEqualTo(MANY);
        load(List.of());
        server().getsNoTcpAnswer(PUBLIC, WEB);
        // Not even by a connection that is known.
        assertThat(echoesInVain(server(), PUBLIC, 64)).isEqualTo("0");
    }

    /** It is new for conntrack, and translated, as one is that both ends open. */
    @Test
    void aConnectionThatNobodyAnsweredEndsWithItsService() {
        try (Script knock = new Script(node, server(), KNOCK, PUBLIC, DEAF)) {
            Await.until("it is tracked", () -> node.connections("tcp", "dport=" + DEAF), found -> found.size() == 1);
            load(List.of());
            final long before = node.packets(Table.NAT_IN_CHECK, "from the backbone, unsolicited");
            final long opened = node.packets(Table.NAT_IN_CHECK, "opened by both ends");
            Await.until("its SYN comes again and is dropped",
                () -> node.packets(Table.NAT_IN_CHECK, "from the backbone, unsolicited"),
                count -> count > before);
            assertThat(node.connections("tcp", "dport=" + DEAF)).hasSize(1);
            assertThat(node.packets(Table.NAT_IN_CHECK, "opened by both ends")).isEqualTo(opened);
            assertThat(knock.lines()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 5382, number = {"8", "8a"})
    void hostsInsideReachItByItsPublicAddress() {
        try (Capture uplink = node.network().transit().capture("net 203.0.113.0/24 or net 198.51.100.0/24")) {
            assertThat(client.askTcp(PUBLIC, WEB)).isEqualTo(PUBLIC);
            assertThat(service.askTcp(PUBLIC, WEB)).isEqualTo(PUBLIC);
            assertThat(own.askTcp(PUBLIC, WEB)).isEqualTo(OWN);
            assertThat(neighbour.askTcp(PUBLIC, WEB)).isEqualTo(NEIGHBOURS_PUBLIC);
            assertThat(client.askTcp(OWN, WEB)).isEqualTo(PUBLIC);
            assertThat(own.askTcp(OWN_OF_PREFIX, WEB)).isEqualTo(OWN);
            assertThat(neighbour.askTcp(OWN_OF_PREFIX, WEB)).isEqualTo(NEIGHBOURS_PUBLIC);
            neighbour.getsNoTcpAnswer(PUBLIC, INNER_WEB);
            client.getsNoTcpAnswer(NEIGHBOURS_PUBLIC, WEB);
            assertThat(uplink.all()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 4787, number = {"9", "9a"})
    @Requirement(rfc = 5508, number = "7")
    @Requirement(rfc = 7857, number = "12")
    void inOtherProtocolsToo() {
        try (Capture uplink = node.network().transit().capture("net 203.0.113.0/24 or net 198.51.100.0/24");
                Capture arrives = service.capture("udp and dst port " + ECHO)) {
            assertThat(echoes(client, PUBLIC, 64)).isEqualTo(MANY);
            assertThat(arrives.all()).isNotEmpty().allMatch(frame -> frame.contains(PUBLIC + ".40000 > "));
            assertThat(echoes(neighbour, PUBLIC, 64)).isEqualTo(MANY);
            assertThat(echoes(client, OWN, 64)).isEqualTo(MANY);
            assertThat(echoes(own, OWN_OF_PREFIX, 64)).isEqualTo(MANY);
            own.reaches(OWN_OF_PREFIX);
            client.reaches(OWN);
            neighbour.reaches(OWN);
            assertThat(uplink.all()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 5508, number = {"7", "7a"})
    void errorsTurnRoundToo() {
        try (Script heard = new Script(node, client, Icmp.HEAR)) {
            Script.run(client, SAY, 30070, PUBLIC, CLOSED);
            Await.until("the error arrives", heard::lines, lines -> lines.equals(List.of(
                PUBLIC + " 10.0.0.5 3 3 10.0.0.5 30070 " + PUBLIC + " " + CLOSED)));
        }
    }

    /** Of hosts translated one to one only the outer header is: a host does not know its own packet again. */
    @Test
    @Requirement(rfc = 5508, number = {"4a", "5a", "7"})
    void errorsAboutAHostWithAnAddressOfItsOwnShowTheWrongOne() {
        try (Script inside = new Script(node, own, Icmp.HEAR); Script outside = new Script(node, server(), Icmp.HEAR);
                Script neither = new Script(node, client, Icmp.HEAR)) {
            Script.run(own, SAY, 30071, EdgeNetwork.SERVER, CLOSED);
            Await.until("the error arrives", inside::lines, lines -> lines.equals(List.of(
                EdgeNetwork.SERVER + " 10.0.0.10 3 3 " + OWN + " 30071 " + EdgeNetwork.SERVER + " " + CLOSED)));
            Script.run(server(), SAY, 30072, OWN, CLOSED);
            Await.until("the error arrives", outside::lines, lines -> lines.equals(List.of(
                OWN + " " + EdgeNetwork.SERVER + " 3 3 " + EdgeNetwork.SERVER + " 30072 10.0.0.10 " + CLOSED)));
            final long before = node.packets(Table.NAT_IN_CHECK, "from the backbone, unsolicited");
            Script.run(client, SAY, 30073, OWN, CLOSED);
            Await.until("the error is dropped",
                () -> node.packets(Table.NAT_IN_CHECK, "from the backbone, unsolicited"),
                count -> count > before);
            assertThat(neither.lines()).isEmpty();
        }
    }

    /** There is no connection to look at. */
    @Test
    @Requirement(rfc = 5508, number = "5")
    void anErrorAboutNothingPassesFromAHostWithAnAddressOfItsOwn() {
        try (Script heard = new Script(node, server(), Icmp.HEAR)) {
            Script.run(own, COMPLAINT, own.address(), EdgeNetwork.SERVER);
            Await.until("the error arrives", heard::lines, lines -> lines.size() == 1);
        }
    }

    @Test
    void aHostWithAnAddressOfItsOwnIsThere() {
        node.node().ovs().appctl("dpctl/flush-conntrack");
        try (Capture uplink = node.network().transit().capture(TenantPair.PRIVATE)) {
            for (final Host host : List.of(own, ownOfPrefix)) {
                final String address = host == own ? OWN : OWN_OF_PREFIX;
                assertThat(host.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(address);
                assertThat(server().askTcp(address, WEB)).isEqualTo(EdgeNetwork.SERVER);
                server().reaches(address);
                host.reaches(EdgeNetwork.SERVER);
                assertThat(echoes(server(), address, 64)).isEqualTo(MANY);
                // The last segments of a test before may have made connections of other hosts since.
                assertThat(node.node().ovs().appctl("dpctl/dump-conntrack"))
                    .doesNotContain("=" + host.address() + ",", "=" + address + ",");
            }
            assertThat(uplink.all()).isEmpty();
        }
    }

    @Test
    void piecesOfItsDatagramsPassUnharmed() {
        try (Capture uplink = node.network().transit().capture(TenantPair.PRIVATE)) {
            for (final Host host : List.of(own, ownOfPrefix)) {
                final String address = host == own ? OWN : OWN_OF_PREFIX;
                assertThat(echoes(server(), address, 4000)).isEqualTo(MANY);
                assertThat(echoes(host, EdgeNetwork.SERVER, 4000)).isEqualTo(MANY);
                server().shell().run("ping", "-n", "-c", "2", "-i", "0.2", "-W", "60", "-s", "4000", address);
            }
            assertThat(uplink.all()).isEmpty();
        }
    }

    /** Datagrams that come back unharmed, of {@link #MANY} from one socket. */
    private static String echoes(final Host host, final String address, final int size) {
        return Datagrams.echoed(host, address, ECHO, Integer.parseInt(MANY), size, "0.02");
    }

    private static String echoesInVain(final Host host, final String address, final int size) {
        return Datagrams.echoedInVain(host, address, ECHO, Integer.parseInt(MANY), size, "0.02");
    }
}
