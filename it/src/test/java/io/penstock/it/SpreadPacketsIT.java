// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Connections of two tenants with the same addresses, spread over two firewalls that keep state. */
class SpreadPacketsIT extends PairOnNode {
    private static final int ECHO = 7;
    private static final Instance ONE = new Instance("fw1", State.IN_SERVICE, 1);
    private static final Instance TWO = new Instance("fw2", State.IN_SERVICE, 1);
    private static final Pattern CLIENT_PORT = Pattern.compile("10\\.0\\.0\\.5\\.(\\d+)");
    private static final Pattern CLIENT_SYN = Pattern.compile("10\\.0\\.0\\.5\\.(\\d+) > [^:]*: Flags \\[S\\]");
    /** Connections one after the other, each from a port of its own; prints how many echoed. */
    private static final String CALLS = """
        import socket, sys
        done = 0
        for number in range(int(sys.argv[3])):
            link = socket.create_connection((sys.argv[1], int(sys.argv[2])), 60)
            link.sendall(b"x" * 100)
            done += len(link.recv(100)) == 100
            link.close()
        print(done)
        """;
    private static final int CONNECTIONS = 30;
    /** Connections that talk in turns until they are ended; prints the number of those that did not get each answer. */
    private static final String TALKS = """
        import signal, socket, sys, time
        ended = []
        signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
        links = [socket.create_connection((sys.argv[1], int(sys.argv[2])), 60) for _ in range(int(sys.argv[3]))]
        for link in links:
            link.settimeout(60)  # TCP waits longer after each loss, also on a busy machine.
            # The next firewall drops an answer that was under way when the former one failed: it does not know the
            # connection before the host sends, and a host that waits for the answer has nothing to send but this.
            for option, value in (("SO_KEEPALIVE", 1), ("TCP_KEEPIDLE", 1), ("TCP_KEEPINTVL", 1)):
                level = socket.SOL_SOCKET if option.startswith("SO") else socket.IPPROTO_TCP
                link.setsockopt(level, getattr(socket, option), value)
        print("ready", flush=True)
        broken = set()
        while not ended:
            for link in links:
                try:
                    link.sendall(b"x" * 100)
                    left = 100
                    while left:
                        left -= len(link.recv(left)) or 1000
                    if left < 0:
                        broken.add(link)
                except OSError:
                    broken.add(link)
            time.sleep(0.02)
        print(len(broken), flush=True)
        """;

    @BeforeAll
    static void start() {
        node.network().server().serveTcp(ECHO, "PIPE");
        load(Set.of(), ONE, TWO);
        node.functions().start("fw1", "packet-filter");
        node.functions().start("fw2", "packet-filter");
    }

    private static void load(final Set<String> down, final Instance... instances) {
        node.load(Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("fw", Networks.NODE, FailPolicy.CLOSED, true).spread(instances)),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.chained("second", 101, TenantPair.SECOND_PUBLIC)), down);
        pair.reachTheirGateways();
    }

    private static Set<Integer> ports(final Capture capture) {
        return ports(capture, CLIENT_PORT);
    }

    private static Set<Integer> ports(final Capture capture, final Pattern pattern) {
        return capture.frames().stream().map(pattern::matcher).filter(Matcher::find)
            .map(found -> Integer.valueOf(found.group(1))).collect(Collectors.toSet());
    }

    /** Of connections that began; those of a test before may still end. */
    private static Set<Integer> newPorts(final Capture capture) {
        return ports(capture, CLIENT_SYN);
    }

    @Test
    void connectionsAreSpreadAndBothWaysAreTheSame() {
        try (Capture one = node.functions().capture("fw1", "inside", "vlan and tcp");
                Capture two = node.functions().capture("fw2", "inside", "vlan and tcp")) {
            final int calls = 100;
            assertThat(Script.run(pair.first(), CALLS, EdgeNetwork.SERVER, ECHO, calls).strip()).isEqualTo("" + calls);
            final Set<Integer> firsts = newPorts(one);
            final Set<Integer> seconds = newPorts(two);
            // A stateful firewall that saw one way alone would have let none through.
            assertThat(ports(one)).as("connections that two instances saw").doesNotContainAnyElementsOf(seconds);
            assertThat(ports(two)).as("connections that two instances saw").doesNotContainAnyElementsOf(firsts);
            assertThat(firsts.size() + seconds.size()).isEqualTo(calls);
            assertThat(firsts).hasSizeBetween(calls / 4, 3 * calls / 4);
        }
        pair.areTranslated();
        pair.areIsolated();
        assertThat(node.packets(Table.CHAIN_KEEP, "no instance")).isZero();
    }

    @Test
    void connectionsStayWhereTheyAreWhileInstancesComeAndGo() {
        load(Set.of(), ONE);
        try (Script talks = new Script(node, pair.first(), TALKS, EdgeNetwork.SERVER, ECHO, CONNECTIONS)) {
            load(Set.of(), ONE, TWO);
            try (Capture two = node.functions().capture("fw2", "inside", "vlan and tcp")) {
                final int calls = 20;
                assertThat(Script.run(pair.first(), CALLS, EdgeNetwork.SERVER, ECHO, calls).strip())
                    .isEqualTo("" + calls);
                // The talks go on, and none of them came here.
                assertThat(ports(two)).hasSizeBetween(1, calls);
            }
            load(Set.of(), new Instance("fw1", State.DRAINING, 1), TWO);
            try (Capture one = node.functions().capture("fw1", "inside", "vlan and tcp")) {
                Await.until("they are where they were", () -> ports(one), ports -> ports.size() == CONNECTIONS);
            }
            assertThat(talks.terminate()).containsExactly("0");
        }
    }

    @Test
    void theOthersHaveTheConnectionsOfOneThatFails() {
        load(Set.of(), ONE, TWO);
        try (Script talks = new Script(node, pair.first(), TALKS, EdgeNetwork.SERVER, ECHO, CONNECTIONS)) {
            node.functions().stop("fw1");
            load(Set.of("fw1"), ONE, TWO);
            try (Capture two = node.functions().capture("fw2", "inside", "vlan and tcp")) {
                Await.until("all are there", () -> ports(two), ports -> ports.size() == CONNECTIONS);
            }
            node.functions().start("fw1", "packet-filter");
            load(Set.of(), ONE, TWO);
            try (Capture two = node.functions().capture("fw2", "inside", "vlan and tcp")) {
                Await.until("they stay", () -> ports(two), ports -> ports.size() == CONNECTIONS);
            }
            // This firewall takes up connections that it has not seen begin.
            assertThat(talks.terminate()).containsExactly("0");
        }
    }
}
