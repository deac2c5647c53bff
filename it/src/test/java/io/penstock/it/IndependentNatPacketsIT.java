// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.Datapath;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.OvsSandbox;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** UDP mappings that do not depend on the other end, of subscribers with 128 ports each, of which these have half. */
class IndependentNatPacketsIT {
    private static final String PUBLIC = "198.51.100.7";
    private static final int ECHO = 7;
    private static final int HALF = 64;
    private static final int STRANGER = 41000;
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final Tenant.Deterministic MAPPING =
        new Tenant.Deterministic(Prefix.parse("10.0.0.0/24"), Prefix.parse(PUBLIC + "/32"), true);

    /** Opens a mapping, then tells what it hears, and answers. */
    private static final String LISTEN = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(60)
        link.sendto(b"?", (sys.argv[2], int(sys.argv[3])))
        link.recv(100)
        print("ready", flush=True)
        link.settimeout(None)
        while True:
            words, peer = link.recvfrom(100)
            print(words.decode(), flush=True)
            link.sendto(b"heard " + words, peer)
        """;
    /** From one port says a word to a port until it is answered; prints the answer. */
    private static final String SAY = """
        import contextlib, socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(1)
        for _ in range(5):
            link.sendto(sys.argv[4].encode(), (sys.argv[2], int(sys.argv[3])))
            with contextlib.suppress(TimeoutError):
                print(link.recv(100).decode())
                break
        """;

    private static NatPair pair;
    private static OvsSandbox ovs;
    private static Host first;
    private static Host second;

    @BeforeAll
    static void start() {
        pair = new NatPair();
        ovs = pair.node().node().ovs();
        first = pair.first();
        second = pair.second();
        pair.node().network().transit().route(PUBLIC + "/32", Networks.BACKBONE_ADDRESS);
        pair.server().serveUdp(ECHO, "PIPE");
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @BeforeEach
    void load() {
        pair.load(NatPair.translated(Fixtures.mapped(MAPPING)));
        for (final Table table : List.of(Table.NAT_MAPPINGS, Table.NAT_PORTS)) {
            ovs.ofctl("del-flows", Constants.BRIDGE, "table=" + table.number());
        }
        // A cached flow would go on to translate for a moment, and nobody would know where answers belong.
        new Datapath(ovs).purge();
    }

    /** The public port that a port inside has for some servers, which has to be one. */
    private static int portOf(final Host host, final int inside) {
        final List<String> seen =
            Ask.udp(host, inside, NatPair.TELL, NatPair.TELL_TOO, NatPair.TELL).stream().distinct().toList();
        assertThat(seen).hasSize(1);
        final String[] words = seen.get(0).split(" ");
        assertThat(words[0]).isEqualTo(PUBLIC);
        return Integer.parseInt(words[1]);
    }

    private static int upperHalf(final Host host) {
        return MAPPING.blockOf(Ipv4.parse(host.address())).ports().low() + HALF;
    }

    @Test
    @Requirement(rfc = 4787, number = {"1", "3"})
    void aPortInsideHasOnePublicPortForEverybody() {
        for (final Host host : List.of(first, second)) {
            final int port = portOf(host, 30003);
            assertThat(port).isEqualTo(upperHalf(host) + 30003 % HALF);
            assertThat(portOf(host, 30003)).isEqualTo(port);
        }
        // A port of the destination is the last that is shown of a direction.
        assertThat(ovs.appctl("dpctl/dump-conntrack")).doesNotContain("dport=" + NatPair.TELL + ")");
    }

    @Test
    @Requirement(rfc = 4787, number = {"1", "11"})
    void portsThatWouldBeTheSameAreToldApart() {
        final int one = portOf(first, 30003);
        final int other = portOf(first, 30003 + HALF);
        assertThat(other).isEqualTo(upperHalf(first) + (30003 + HALF) / 2 % HALF).isNotEqualTo(one);
        assertThat(portOf(first, 30003)).isEqualTo(one);
        // Of this one both places are taken, so that it is tracked.
        portOf(first, 30003 / 2);
        final String seen = Ask.udp(first, 30003 + 2 * HALF * HALF, NatPair.TELL).get(0);
        assertThat(Integer.parseInt(seen.split(" ")[1])).isBetween(upperHalf(first) - HALF, upperHalf(first) - 1);
        assertThat(pair.node().packets(Table.NAT_MAP_FREE, "both ports are taken")).isPositive();
    }

    @Test
    @Requirement(rfc = 4787, number = {"8", "8a", "9", "9a"})
    @Requirement(rfc = 6888, number = "7")
    void strangersAreHeardAndAnswered() {
        try (Script listener = new Script(pair.node(), first, LISTEN, 30012, EdgeNetwork.SERVER, NatPair.TELL)) {
            final int port = upperHalf(first) + 30012 % HALF;
            assertThat(Script.run(pair.server(), SAY, STRANGER, PUBLIC, port, "one")).isEqualTo("heard one");
            assertThat(Script.run(pair.node().network().transit(), SAY, STRANGER, PUBLIC, port, "other"))
                .isEqualTo("heard other");
            // Hairpin: a subscriber by the public address of another one.
            assertThat(Script.run(second, SAY, 30100, PUBLIC, port, "neighbour")).isEqualTo("heard neighbour");
            assertThat(Script.run(pair.server(), SAY, STRANGER, PUBLIC, port + 1, "nobody")).isEmpty();
            assertThat(listener.lines()).containsExactly("one", "other", "neighbour");
        }
    }

    @Test
    @Requirement(rfc = 4787, number = {"5", "5c", "6", "6a"})
    @Requirement(rfc = 7857, number = "7")
    void eitherDirectionKeepsBothFlowsOfAMapping() {
        ovs.vsctl("set", "Bridge", Constants.BRIDGE, "protocols=[OpenFlow10,OpenFlow13]");
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
        return ovs.ofctl("-O", "OpenFlow10", "dump-flows", Constants.BRIDGE, "table=" + table.number()).lines()
            .filter(line -> line.contains("table=")).toList();
    }

    private static double seconds(final String flow, final String name) {
        final Matcher matcher = Pattern.compile(name + "=([0-9.]+)").matcher(flow);
        return matcher.find() ? Double.parseDouble(matcher.group(1)) : 0;
    }

    @Test
    void whatHasNoMappingIsTracked() {
        final String[] seen = Ask.tcp(first, 30005, NatPair.TELL).get(0).split(" ");
        assertThat(seen[0]).isEqualTo(PUBLIC);
        assertThat(Integer.parseInt(seen[1])).isBetween(upperHalf(first) - HALF, upperHalf(first) - 1);
        first.reaches(EdgeNetwork.SERVER);
        assertThat(Datagrams.echoed(first, EdgeNetwork.SERVER, ECHO, 5, 4000, "0.1")).as("in pieces").isEqualTo("5");
        assertThat(Datagrams.echoed(first, EdgeNetwork.SERVER, ECHO, 300, 64, "0.01")).isEqualTo("300");
    }

    @Test
    void nothingLeaksWhenAllPortsAreTaken() {
        try (Capture uplink = pair.node().network().transit().capture(TenantPair.PRIVATE)) {
            final int answered = Datagrams.answered(first, EdgeNetwork.SERVER, ECHO, 200);
            assertThat(answered).isBetween(HALF + 1, 2 * HALF);
            Await.until("the drops are counted", () -> pair.node().packets(Table.NAT_OUT_CHECK, "not translated"),
                count -> count >= 200 - answered);
            assertThat(portOf(second, 30003)).isEqualTo(upperHalf(second) + 30003 % HALF);
            assertThat(uplink.all()).isEmpty();
        }
    }
}
