// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Together;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Packets of a tenant that has access lists in both directions. */
@Tag("safety")
class AclPacketsIT {
    private static final String PUBLIC = NatPair.PUBLIC;
    private static final String OWN = "198.51.100.10";
    private static final String GATEWAY = NatPair.GATEWAY;
    private static final int VLAN = NatPair.VLAN;
    private static final int ZONE = new VrfId(2).aclZone();
    private static final int WEB = 80;
    private static final int ECHO = 7;
    private static final int CLOSED = 99;
    private static final int STREAM = 9000;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final String MANY = "40";
    private static final String DENIED_IN = "ACL in permits no such packet";
    private static final String DENIED_OUT = "ACL out permits no such packet";
    private static final Acl NOTHING = new Acl("nothing", List.of());
    /** Tells the other end something all the time, once it was asked. */
    private static final String TELL = """
        import socket, time
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 9000))
        print("ready", flush=True)
        _, peer = link.recvfrom(100)
        while True:
            link.sendto(b"!", peer)
            time.sleep(0.02)
        """;
    /** Asks once. */
    private static final String SAY = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 40009))
        link.sendto(b"?", (sys.argv[1], int(sys.argv[2])))
        """;
    /** Answers a small datagram with a long one. */
    private static final String LONG_ANSWER = """
        import socket
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 9000))
        while True:
            link.sendto(bytes(4000), link.recvfrom(100)[1])
        """;
    private static final String ASK = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.settimeout(60)
        link.sendto(b"?", (sys.argv[1], int(sys.argv[2])))
        print(len(link.recv(65535)))
        """;
    /** Speaks in one connection of TCP for a while; prints each answer. */
    private static final String TALK = """
        import socket, sys, time
        link = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
        print("ready", flush=True)
        while True:
            link.sendall(b"?")
            print(link.recv(1).decode(), flush=True)
            time.sleep(0.05)
        """;

    private static PacketNode node;
    private static Host client;
    private static Host service;
    private static Host own;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        final EdgeNetwork network = node.network();
        network.transit().route("198.51.100.0/24", Networks.BACKBONE_ADDRESS);
        client = network.host("acc0", VLAN, "10.0.0.5/24", GATEWAY);
        service = network.host("acc0", VLAN, "10.0.0.20/24", GATEWAY);
        own = network.host("acc0", VLAN, "10.0.0.10/24", GATEWAY);
        for (final Host host : List.of(network.server(), service, own)) {
            host.serveTcp(WEB);
            host.serveUdp(ECHO, "PIPE");
        }
        network.server().serve("/usr/bin/python3", "-c", LONG_ANSWER);
        network.server().serveTcp(ECHO, "PIPE");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Host server() {
        return node.network().server();
    }

    private static Acl.Entry to(final int protocol, final int port) {
        return new Acl.Entry("p" + protocol + "-" + port, true, Matches.to(protocol, port, port), List.of());
    }

    private static Acl.Entry ping() {
        return new Acl.Entry("ping", true, Matches.icmp(8), List.of());
    }

    /** Lists of what may leave and what may come. */
    private static void load(final boolean stateful, final List<Acl.Entry> out, final List<Acl.Entry> in) {
        final Tenant plain = NatPair.published(
            List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.10/32"), Prefix.parse(OWN + "/32"))),
            new Tenant.PortForward("web", TCP, WEB, Ipv4.parse("10.0.0.20"), WEB),
            new Tenant.PortForward("echo", UDP, ECHO, Ipv4.parse("10.0.0.20"), ECHO),
            new Tenant.PortForward("stream", UDP, STREAM, Ipv4.parse("10.0.0.20"), STREAM));
        final Tenant shop = new Tenant(plain.name(), plain.attachments(), plain.subnets(), plain.routes(),
            plain.nat(), Optional.of("out"), Optional.empty())
            // Datagrams in pieces come here as fast as the machine can.
            .with(new Protection(Optional.of("in"), stateful, Quota.NONE.withFragments(Quota.UNLIMITED)));
        final Snapshot network = Networks.of(shop);
        final List<Acl> lists = new ArrayList<>(network.acls().values());
        lists.addAll(List.of(new Acl("out", out), new Acl("in", in), NOTHING));
        node.load(Snapshot.of(List.copyOf(network.nodes().values()), network.backbone(),
            List.copyOf(network.pools().values()), List.of(), List.copyOf(network.chains().values()),
            List.copyOf(network.tenants().values()), lists));
        for (final Host host : List.of(client, service, own)) {
            host.meets(GATEWAY);
        }
    }

    /**
     * The same without the connections of tests before. They are forgotten under the new lists: under the old ones the
     * last segments of such a connection would begin it once more.
     */
    private static void begin(final boolean stateful, final List<Acl.Entry> out, final List<Acl.Entry> in) {
        load(stateful, out, in);
        node.node().ovs().appctl("dpctl/flush-conntrack");
    }

    @Test
    void answersNeedNoEntryOfTheirOwn() {
        begin(true, List.of(to(TCP, WEB), to(UDP, ECHO), ping()), List.of());
        for (final Host host : List.of(client, own)) {
            assertThat(host.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(host == own ? OWN : PUBLIC);
            assertThat(echoes(host, EdgeNetwork.SERVER, 64)).isEqualTo(MANY);
            host.reaches(EdgeNetwork.SERVER);
        }
        // Nobody asked for these.
        Together.check(() -> server().getsNoTcpAnswer(PUBLIC, WEB), () -> server().getsNoTcpAnswer(OWN, WEB),
            () -> server().doesNotReach(OWN), () -> client.getsNoTcpAnswer(EdgeNetwork.SERVER, ECHO));
        assertThat(echoesInVain(server(), PUBLIC, 64)).isEqualTo("0");
    }

    @Test
    void withoutStateTheyDo() {
        begin(false, List.of(to(TCP, WEB), to(UDP, ECHO), ping()), List.of());
        assertThat(echoesInVain(client, EdgeNetwork.SERVER, 64)).isEqualTo("0");
        client.getsNoTcpAnswer(EdgeNetwork.SERVER, WEB);
        assertThat(node.packets(Table.TENANT_ACL_IN, DENIED_IN)).isPositive();
        assertThat(node.connections("zone=" + ZONE)).isEmpty();
    }

    @Test
    void aPublishedServiceNeedsItsEntryInAlone() {
        begin(true, List.of(), List.of(to(TCP, WEB), to(UDP, ECHO)));
        assertThat(server().askTcp(PUBLIC, WEB)).isEqualTo(EdgeNetwork.SERVER);
        assertThat(server().askTcp(OWN, WEB)).isEqualTo(EdgeNetwork.SERVER);
        assertThat(echoes(server(), PUBLIC, 64)).isEqualTo(MANY);
        server().doesNotReach(OWN);
        service.getsNoTcpAnswer(EdgeNetwork.SERVER, WEB);
        assertThat(echoesInVain(client, EdgeNetwork.SERVER, 64)).isEqualTo("0");
    }

    @Test
    void errorsAboutWhatIsPermittedPass() {
        begin(true, List.of(to(UDP, CLOSED)), List.of());
        try (Script heard = new Script(node, client, Icmp.HEAR)) {
            Script.run(client, SAY, EdgeNetwork.SERVER, CLOSED);
            Await.until("the error arrives", heard::lines, lines -> lines.equals(List.of(
                EdgeNetwork.SERVER + " 10.0.0.5 3 3 10.0.0.5 40009 " + EdgeNetwork.SERVER + " " + CLOSED)));
        }
    }

    /** What the service says of its own accord ends too, though nobody asks it any more. */
    @Test
    void whatIsRevokedIsCutInBothDirections() {
        begin(true, List.of(), List.of(to(UDP, ECHO), to(UDP, STREAM)));
        assertThat(echoes(server(), PUBLIC, 64)).isEqualTo(MANY);
        try (Script tell = new Script(node, service, TELL);
                Capture heard = server().capture("udp and src port " + STREAM)) {
            Script.run(server(), SAY, PUBLIC, STREAM);
            Await.until("the service speaks", heard::frames, frames -> frames.size() > 20);
            load(true, List.of(), List.of(to(TCP, WEB)));
            Await.until("it is cut", () -> node.packets(Table.TENANT_ACL_REPLY, DENIED_OUT), count -> count > 50);
            final int before = heard.all().size();
            final long dropped = node.packets(Table.TENANT_ACL_REPLY, DENIED_OUT);
            Await.until("more is cut", () -> node.packets(Table.TENANT_ACL_REPLY, DENIED_OUT),
                count -> count > dropped + 50);
            assertThat(heard.all()).hasSize(before);
            assertThat(tell.lines()).isEmpty();
        }
        assertThat(echoesInVain(server(), PUBLIC, 64)).isEqualTo("0");
        assertThat(node.connections("zone=" + ZONE, "dport=" + ECHO)).hasSize(1);
    }

    @Test
    void connectionsThatArePermittedOutliveAChange() {
        begin(true, List.of(to(TCP, ECHO), to(TCP, WEB)), List.of());
        try (Script talk = new Script(node, client, TALK, EdgeNetwork.SERVER, ECHO)) {
            Await.until("they talk", talk::lines, lines -> lines.size() > 5);
            load(true, List.of(to(TCP, ECHO)), List.of(to(UDP, ECHO)));
            final int before = talk.lines().size();
            Await.until("they still talk", talk::lines, lines -> lines.size() > before + 10);
            client.getsNoTcpAnswer(EdgeNetwork.SERVER, WEB);
        }
    }

    /** Of a datagram that is asked for by a small one, as a long answer of DNS is. */
    @Test
    void piecesOfAnswersPass() {
        begin(true, List.of(to(UDP, STREAM)), List.of());
        for (final Host host : List.of(client, own)) {
            assertThat(Script.run(host, ASK, EdgeNetwork.SERVER, STREAM).strip()).isEqualTo("4000");
        }
    }

    @Test
    void otherPiecesNeedAnEntryWithoutPorts() {
        begin(true, List.of(to(UDP, ECHO)), List.of());
        try (Capture uplink = node.network().transit().capture("udp")) {
            for (final Host host : List.of(client, own)) {
                assertThat(echoesInVain(host, EdgeNetwork.SERVER, 4000)).isEqualTo("0");
            }
            assertThat(uplink.all()).isEmpty();
        }
        assertThat(node.connections("zone=" + ZONE)).isEmpty();
        final Acl.Entry all = new Acl.Entry("udp", true,
            Matches.ports(Optional.of(UDP), Optional.empty(), Optional.empty()), List.of());
        load(true, List.of(all), List.of());
        for (final Host host : List.of(client, own)) {
            assertThat(echoes(host, EdgeNetwork.SERVER, 4000)).isEqualTo(MANY);
        }
        begin(true, List.of(), List.of(all));
        assertThat(echoes(server(), OWN, 4000)).isEqualTo(MANY);
    }

    @Test
    void whatCannotBeTrackedOpensNothing() {
        begin(true, List.of(to(UDP, ECHO)), List.of());
        node.node().ovs().appctl("dpctl/ct-set-limits", "zone=" + ZONE + ",limit=3");
        try {
            assertThat(Datagrams.answered(client, EdgeNetwork.SERVER, ECHO, 10)).isEqualTo(3);
            assertThat(node.packets(Table.TENANT_ACL_IN_REPLY, DENIED_IN)).isGreaterThanOrEqualTo(7);
        } finally {
            node.node().ovs().appctl("dpctl/ct-del-limits", "zone=" + ZONE);
        }
    }

    private static String echoes(final Host host, final String address, final int size) {
        return Datagrams.echoed(host, address, ECHO, Integer.parseInt(MANY), size, "0.01");
    }

    private static String echoesInVain(final Host host, final String address, final int size) {
        return Datagrams.echoedInVain(host, address, ECHO, Integer.parseInt(MANY), size, "0.01");
    }
}
