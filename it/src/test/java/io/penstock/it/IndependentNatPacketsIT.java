// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.intent.Prefix;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** UDP mappings that do not depend on the other end, of subscribers with 128 ports each, of which these have half. */
class IndependentNatPacketsIT {
    private static final String PUBLIC = "198.51.100.7";
    private static final String GATEWAY = "10.0.0.1";
    private static final int VLAN = 100;
    private static final int TELL = 10;
    private static final int ECHO = 7;
    private static final int WHO = 8081;
    private static final int HALF = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Tenant.Deterministic MAPPING =
        new Tenant.Deterministic(Prefix.parse("10.0.0.0/24"), Prefix.parse(PUBLIC + "/32"), true);

    /** Tells everybody the address and port a datagram came from. */
    private static final String TELLER = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        while True:
            _, peer = link.recvfrom(100)
            link.sendto(f"{peer[0]} {peer[1]}".encode(), peer)
        """;
    /** From one port asks tellers; prints their words. */
    private static final String ASK = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(5)
        for port in sys.argv[3:]:
            link.sendto(b"?", (sys.argv[2], int(port)))
            print(link.recv(100).decode())
        """;
    /** Opens a mapping, tells its public port, and then what it hears in some seconds. */
    private static final String LISTEN = """
        import socket, sys, time
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(5)
        link.sendto(b"?", (sys.argv[2], int(sys.argv[3])))
        print(link.recv(100).decode().split()[1], flush=True)
        end = time.monotonic() + 20
        while (left := end - time.monotonic()) > 0:
            link.settimeout(left)
            try:
                words, peer = link.recvfrom(100)
            except TimeoutError:
                break
            print("heard", words.decode(), flush=True)
            link.sendto(b"heard " + words, peer)
        """;
    /** From one port says a word to a port until it is answered; prints the answer. */
    private static final String SAY = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(1)
        for _ in range(5):
            link.sendto(sys.argv[4].encode(), (sys.argv[2], int(sys.argv[3])))
            try:
                print(link.recv(100).decode())
                break
            except TimeoutError:
                pass
        """;

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
        for (int port = TELL; port < TELL + 3; port++) {
            network.server().serve("/usr/bin/python3", "-c", TELLER, Integer.toString(port));
        }
        network.server().serve("socat", "-b", "65535", "UDP4-RECVFROM:" + ECHO + ",fork", "PIPE");
        network.server().serve("socat", "TCP4-LISTEN:" + WHO + ",reuseaddr,fork",
            "SYSTEM:read line; echo $SOCAT_PEERADDR $SOCAT_PEERPORT");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void load() {
        node.load(Networks.of(Networks.translated(Networks.plain("town", VLAN, TenantPair.FIRST_PUBLIC),
            Fixtures.mapped(MAPPING))));
        node.node().ovs().appctl("dpctl/flush-conntrack");
        for (final Table table : List.of(Table.NAT_MAPPINGS, Table.NAT_PORTS)) {
            node.node().ovs().ofctl("del-flows", Constants.BRIDGE, "table=" + table.number());
        }
        // A cached flow would go on to translate for a moment, and nobody would know where answers belong.
        node.node().ovs().appctl("revalidator/purge");
        for (final Host host : List.of(first, second)) {
            host.forgetNeighbours();
            host.reaches(GATEWAY);
        }
    }

    private static String python(final Host host, final String program, final Object... arguments) {
        final String[] command = new String[arguments.length + 3];
        command[0] = "/usr/bin/python3";
        command[1] = "-c";
        command[2] = program;
        for (int index = 0; index < arguments.length; index++) {
            command[index + 3] = arguments[index].toString();
        }
        return host.shell().run(PATIENCE, command);
    }

    /** The public port that a port inside has for some servers, which has to be one. */
    private static int portOf(final Host host, final int inside) {
        final List<String> seen = python(host, ASK, inside, EdgeNetwork.SERVER, TELL, TELL + 1, TELL + 2, TELL).lines()
            .distinct().toList();
        assertThat(seen).hasSize(1);
        final String[] words = seen.get(0).split(" ");
        assertThat(words[0]).isEqualTo(PUBLIC);
        return Integer.parseInt(words[1]);
    }

    private static int upperHalf(final Host host) {
        return MAPPING.blockOf(Ipv4.parse(host.address())).ports().orElseThrow().low() + HALF;
    }

    @Test
    void aPortInsideHasOnePublicPortForEverybody() {
        for (final Host host : List.of(first, second)) {
            final int port = portOf(host, 30003);
            assertThat(port).isEqualTo(upperHalf(host) + 30003 % HALF);
            assertThat(portOf(host, 30003)).isEqualTo(port);
        }
        assertThat(node.node().ovs().appctl("dpctl/dump-conntrack")).doesNotContain("dport=10,");
    }

    @Test
    void portsThatWouldBeTheSameAreToldApart() {
        final int one = portOf(first, 30003);
        final int other = portOf(first, 30003 + HALF);
        assertThat(other).isEqualTo(upperHalf(first) + (30003 + HALF) / 2 % HALF).isNotEqualTo(one);
        assertThat(portOf(first, 30003)).isEqualTo(one);
        // Of this one both places are taken, so that it is tracked.
        final int taken = 30003 + 2 * HALF * HALF;
        assertThat(taken % HALF).isEqualTo(30003 % HALF);
        python(first, ASK, 30003 / 2, EdgeNetwork.SERVER, TELL);
        final String seen = python(first, ASK, taken, EdgeNetwork.SERVER, TELL);
        assertThat(Integer.parseInt(seen.split(" ")[1])).isBetween(upperHalf(first) - HALF, upperHalf(first) - 1);
        assertThat(node.packets(Table.NAT_MAP_FREE, "both ports are taken")).isPositive();
    }

    @Test
    void strangersAreHeardAndAnswered() throws Exception {
        final Path heard = node.run().directory().resolve("heard-" + System.nanoTime());
        final Process listener = first.shell().start(heard, "/usr/bin/python3", "-c", LISTEN, "30012",
            EdgeNetwork.SERVER, Integer.toString(TELL));
        try {
            Await.until("it has a mapping", () -> Files.isReadable(heard) && heard.toFile().length() > 4);
            final int port = upperHalf(first) + 30012 % HALF;
            assertThat(python(node.network().server(), SAY, 41000, PUBLIC, port, "stranger"))
                .isEqualTo("heard stranger");
            assertThat(python(node.network().transit(), SAY, 41000, PUBLIC, port, "other")).isEqualTo("heard other");
            // Hairpin: a subscriber by the public address of another one.
            assertThat(python(second, SAY, 30100, PUBLIC, port, "neighbour")).isEqualTo("heard neighbour");
            assertThat(python(node.network().server(), SAY, 41000, PUBLIC, port + 1, "nobody")).isEmpty();
            listener.destroy();
            assertThat(listener.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(Files.readString(heard)).isEqualTo(
                port + "\nheard stranger\nheard other\nheard neighbour\n");
        } finally {
            Shell.stop(listener);
        }
    }

    @Test
    void eitherDirectionKeepsBothFlowsOfAMapping() {
        node.node().ovs().vsctl("set", "Bridge", Constants.BRIDGE, "protocols=[OpenFlow10,OpenFlow13]");
        portOf(first, 30020);
        assertThat(learned(Table.NAT_MAPPINGS)).singleElement().satisfies(flow -> assertThat(flow)
            .contains("hard_timeout=" + Constants.MAPPING_IDLE_SECONDS, "udp", "nw_src=10.0.0.5", "tp_src=30020"));
        assertThat(learned(Table.NAT_PORTS)).hasSize(1);
        for (final Table table : List.of(Table.NAT_MAPPINGS, Table.NAT_PORTS)) {
            Await.until("it is kept for some seconds", PATIENCE, () -> {
                portOf(first, 30020);
                return learned(table).get(0);
            }, flow -> flow.contains("hard_age=") && seconds(flow, "duration") - seconds(flow, "hard_age") > 3);
        }
    }

    private static List<String> learned(final Table table) {
        // OpenFlow 1.3 does not tell how long ago a flow was made again.
        return node.node().ovs().ofctl("-O", "OpenFlow10", "dump-flows", Constants.BRIDGE, "table=" + table.number())
            .lines()
            .filter(line -> line.contains("table=")).toList();
    }

    private static double seconds(final String flow, final String name) {
        final Matcher matcher = Pattern.compile(name + "=([0-9.]+)").matcher(flow);
        return matcher.find() ? Double.parseDouble(matcher.group(1)) : 0;
    }

    @Test
    void whatHasNoMappingIsTracked() {
        final String[] seen = first.askTcp(EdgeNetwork.SERVER, WHO).split(" ");
        assertThat(seen[0]).isEqualTo(PUBLIC);
        assertThat(Integer.parseInt(seen[1])).isBetween(upperHalf(first) - HALF, upperHalf(first) - 1);
        first.reaches(EdgeNetwork.SERVER);
        assertThat(Datagrams.echoed(first, EdgeNetwork.SERVER, ECHO, 5, 4000, "0.1")).as("in pieces").isEqualTo("5");
        assertThat(Datagrams.echoed(first, EdgeNetwork.SERVER, ECHO, 300, 64, "0.01")).isEqualTo("300");
    }

    @Test
    void nothingLeaksWhenAllPortsAreTaken() {
        try (Capture uplink = node.network().transit().capture(TenantPair.PRIVATE)) {
            final int answered = Datagrams.answered(first, EdgeNetwork.SERVER, ECHO, 200);
            assertThat(answered).isBetween(HALF + 1, 2 * HALF);
            Await.until("the drops are counted", () -> node.packets(Table.NAT_OUT_CHECK, "not translated"),
                count -> count >= 200 - answered);
            assertThat(portOf(second, 30003)).isEqualTo(upperHalf(second) + 30003 % HALF);
            assertThat(uplink.frames()).isEmpty();
        }
    }
}
