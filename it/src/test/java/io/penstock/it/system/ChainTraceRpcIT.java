// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.gson.JsonObject;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The controller says which of two firewalls a connection passes, and the firewalls say whether it is right. */
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class ChainTraceRpcIT {
    private static final String TENANT = "traced";
    private static final int VLAN = 105;
    private static final int SERVICE = 9017;
    private static final int CONNECTIONS = 8;
    private static final List<String> INSTANCES = List.of("fw1", "fw2");
    private static final Pattern CLIENT_PORT = Pattern.compile("10\\.0\\.0\\.5\\.(\\d+) > ");
    /** Connections from given ports that talk until they are ended. */
    private static final String TALKS = """
        import socket, sys, time
        links = []
        for port in map(int, sys.argv[3:]):
            link = socket.socket()
            link.bind(("", port))
            link.settimeout(60)
            link.connect((sys.argv[1], int(sys.argv[2])))
            links.append(link)
        print("ready", flush=True)
        while True:
            for link in links:
                link.sendall(b"x")
                assert link.recv(1) == b"x"
            time.sleep(0.05)
        """;

    private final EdgeSystem system;
    private final EdgeNode node;
    private Host host;
    /** Connections of a test before are known for minutes. */
    private int firstPort = 31_000;

    ChainTraceRpcIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeAll
    void startInstances() {
        system.reset();
        state("in-service");
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain("walled", "fw"))));
        system.restconf().put(Intent.path(TENANT), Intent.tenants(List.of(
            Intent.tenant(TENANT, node, VLAN, Intent.FIRST_POOL, "'chain': 'walled'"))));
        host = node.host(VLAN);
        node.network().server().serveTcp(SERVICE, "PIPE");
        INSTANCES.forEach(instance -> node.functions().start(instance, "packet-filter"));
    }

    @BeforeEach
    void everythingIsUp() {
        node.up();
        state("in-service");
        INSTANCES.forEach(instance -> Await.until(instance + " is up", () ->
            system.instance("fw", instance).get("state").getAsString(), "in-service"::equals));
        system.awaitState(TENANT, "active");
        system.awaitApplied();
        host.reaches(EdgeNetwork.SERVER);
        firstPort += 100;
    }

    @AfterAll
    void stopInstances() {
        INSTANCES.forEach(node.functions()::stop);
    }

    private void state(final String first) {
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of("{'name': 'fw', 'node': '"
            + node.name() + "', 'instance': [{'name': 'fw1', 'state': '" + first + "'}, {'name': 'fw2'}]}")));
    }

    private static String question(final int port) {
        return "{'tenant': '%s', 'source-address': '10.0.0.5', 'destination-address': '%s', 'protocol': 'tcp', "
            .formatted(TENANT, EdgeNetwork.SERVER) + "'source-port': %d, 'destination-port': %d}"
            .formatted(port, SERVICE);
    }

    private JsonObject trace(final int port) {
        return system.restconf().call("chain-trace", question(port));
    }

    /** Which instance a trace that the switch agrees with tells, and why it has the connection. */
    private String said(final int port) {
        final JsonObject trace = trace(port);
        assertThat(trace.get("verdict").getAsString()).as("%s", trace).isEqualTo("agrees");
        final JsonObject there = trace.getAsJsonObject("outbound").getAsJsonArray("hop").get(0).getAsJsonObject();
        final JsonObject back = trace.getAsJsonObject("inbound").getAsJsonArray("hop").get(0).getAsJsonObject();
        assertThat(back.get("instance")).isEqualTo(there.get("instance"));
        assertThat(back.get("reason").getAsString()).isEqualTo("keeps its connection");
        return there.get("instance").getAsString() + ", " + there.get("reason").getAsString();
    }

    private Map<Integer, String> said(final List<Integer> ports) {
        return ports.stream().collect(Collectors.toMap(port -> port, this::said));
    }

    /** Which instance sees packets of connections that talk: what is seen there, not what was planned. */
    private Map<Integer, String> seen(final List<Integer> ports) {
        final Map<Integer, String> seen = new HashMap<>();
        for (final String instance : INSTANCES) {
            try (Capture capture = node.functions().capture(instance, "inside", "vlan and tcp");
                    Capture other = node.functions().capture(INSTANCES.get(1 - INSTANCES.indexOf(instance)), "inside",
                        "vlan and tcp")) {
                Await.until("all connections talk", () -> {
                    final List<Integer> both = IntStream.concat(clients(capture), clients(other)).boxed().toList();
                    return both.containsAll(ports);
                });
                clients(capture).filter(ports::contains).forEach(port -> {
                    final String before = seen.put(port, instance);
                    assertThat(before == null || before.equals(instance)).as("%d moved", port).isTrue();
                });
            }
        }
        return seen;
    }

    private static IntStream clients(final Capture capture) {
        return capture.frames().stream().map(CLIENT_PORT::matcher).filter(matcher -> matcher.find())
            .mapToInt(matcher -> Integer.parseInt(matcher.group(1)));
    }

    private Process talk(final List<Integer> ports) {
        final List<String> command = new ArrayList<>(List.of("/usr/bin/python3", "-c", TALKS,
            EdgeNetwork.SERVER, Integer.toString(SERVICE)));
        ports.forEach(port -> command.add(Integer.toString(port)));
        return host.shell().start(node.file("talks-" + System.nanoTime()), command.toArray(String[]::new));
    }

    private static Map<Integer, String> with(final Map<Integer, String> instances, final String reason) {
        return instances.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue() + ", " + reason));
    }

    @Test
    void aTraceTellsTheInstanceThatReallySeesTheConnection() {
        final List<Integer> old = IntStream.range(firstPort, firstPort + CONNECTIONS).boxed().toList();
        final List<Integer> young = IntStream.range(firstPort + 20, firstPort + 20 + CONNECTIONS).boxed().toList();
        final Map<Integer, String> promised = said(old);
        final Process talks = talk(old);
        try {
            final Map<Integer, String> seen = seen(old);
            assertThat(promised).isEqualTo(with(seen, "share of new connections"));
            assertThat(seen.values()).contains("fw1", "fw2");
            assertThat(said(old)).isEqualTo(with(seen, "keeps its connection"));

            state("draining");
            system.awaitApplied();
            assertThat(said(old)).isEqualTo(with(seen, "keeps its connection"));
            assertThat(said(young).values()).containsOnly("fw2, share of new connections");
            final Process others = talk(young);
            try {
                assertThat(seen(young).values()).containsOnly("fw2");
            } finally {
                Shell.stop(others);
            }
            assertThat(seen(old)).isEqualTo(seen);
        } finally {
            Shell.stop(talks);
        }
    }

    /** Another port than the plan says, by hand, for a connection of the first instance. */
    private void moved(final String match) {
        node.ovs().ofctl("add-flow", Constants.BRIDGE, match + ",actions=output:" + portNumber("fw2-in"));
    }

    private String entrance() {
        return "table=%d,reg15=%d/0xffff,reg0=0/0x1000000".formatted(Table.CHAIN_ENTER.number(), portNumber("fw1-in"));
    }

    private int portOfFirst() {
        return IntStream.range(firstPort, firstPort + CONNECTIONS)
            .filter(each -> said(each).startsWith("fw1,")).findFirst().orElseThrow();
    }

    /** On a busy machine a console takes half a minute, in which the controller repairs the switch. */
    @Test
    @Tag("deep")
    @Tag("loss")
    void aChangeByHandIsSeenAtTheConsole() {
        final String match = entrance();
        final int port = portOfFirst();
        Await.until("the console tells", Duration.ofMinutes(3), () -> {
            moved(match);
            return catchThrowable(() -> system.controller().console("penstock:chain-trace " + TENANT + " 10.0.0.5 "
                + EdgeNetwork.SERVER + " tcp " + port + " " + SERVICE));
        }, error -> error != null && error.getMessage().contains("differs from the plan"));
        system.restconf().call("resync", "{}");
        assertThat(said(port)).startsWith("fw1,");
    }

    @Test
    void aChangeByHandIsSeen() {
        final String match = entrance();
        final int port = portOfFirst();
        // Each is tried again, because the controller may have repaired the switch meanwhile.
        final JsonObject lost = Await.until("a lost flow is seen", () -> {
            node.ovs().ofctl("del-flows", Constants.BRIDGE, match);
            return trace(port);
        }, ChainTraceRpcIT::differs);
        assertThat(lost.get("reason").getAsString()).contains("acc0 goes to no port", "chain_enter", "fw1-in");

        final JsonObject moved = Await.until("another port is seen", () -> {
            moved(match);
            return trace(port);
        }, ChainTraceRpcIT::differs);
        assertThat(moved.get("reason").getAsString()).contains("goes to fw2-in", "fw1-in");

        system.restconf().call("resync", "{}");
        assertThat(said(port)).startsWith("fw1,");
    }

    private static boolean differs(final JsonObject traced) {
        return traced.get("verdict").getAsString().equals("differs");
    }

    /** A translated packet with the header ends Open vSwitch 4.0. */
    @Test
    void aFunctionWithAServiceHeaderIsDown() {
        serviceHeader(true);
        try {
            INSTANCES.forEach(instance -> assertThat(system.instance("fw", instance).get("state").getAsString())
                .contains("the switch cannot carry service headers"));
            system.awaitState(TENANT, "stopped: function fw is down");
        } finally {
            serviceHeader(false);
        }
        assertThat(said(firstPort)).isNotEmpty();
    }

    private void serviceHeader(final boolean known) {
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of("{'name': 'fw', 'node': '"
            + node.name() + "', 'nsh': " + known + "}")));
        system.awaitApplied();
    }

    @Test
    void withoutTheAgentNothingIsChecked() {
        final NodeAgent agent = new NodeAgent(node);
        agent.keepDown();
        final JsonObject trace = trace(firstPort);
        assertThat(trace.get("verdict").getAsString()).isEqualTo("not-checked");
        assertThat(trace.get("reason").getAsString()).contains("the agent did not answer");
        assertThat(trace.getAsJsonObject("outbound").getAsJsonArray("hop")).isNotEmpty();
        assertThat(node.ovs().vsctl("get", "Bridge", Constants.BRIDGE, "external_ids"))
            .doesNotContain(NodeKeys.TRACE);
        agent.start();
        assertThat(said(firstPort)).isNotEmpty();
    }

    private int portNumber(final String port) {
        return Integer.parseInt(node.ovs().vsctl("get", "Interface", port, "ofport").strip());
    }
}
