// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.TestRun;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Two forwarders, beside which a third instance runs another version: a good one, and bad ones of three kinds. They are
 * judged by the tolerances that the model has, on whatever machine this runs: there are enough packets and probes that
 * what a busy machine delays for a moment is no percent of them.
 */
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class CanaryIT {
    private static final int VLAN = 106;
    private static final int TELNET = 23;
    private static final String FORWARDER = "forwarder";
    private static final List<String> OLD = List.of("cf1", "cf2");
    private static final String NEW = "cf3";
    private static final String IN_SERVICE = "in-service";
    private static final int PORTS = 16;
    private static final Duration LIMIT = Await.PATIENCE;
    /**
     * Starts so many connections at once, from consecutive ports or, for 0, from any; prints how many were answered
     * within so many seconds.
     */
    private static final String CALLS = """
        import selectors, socket, sys, time
        selector, done, end = selectors.DefaultSelector(), 0, time.monotonic() + float(sys.argv[4])
        for number in range(int(sys.argv[3])):
            call = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            call.setblocking(False)
            if port := int(sys.argv[5]):
                call.bind(("", port + number))
            call.connect_ex((sys.argv[1], int(sys.argv[2])))
            selector.register(call, selectors.EVENT_WRITE)
        while selector.get_map() and (left := end - time.monotonic()) > 0:
            for key, _ in selector.select(left):
                selector.unregister(key.fileobj)
                done += key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0
                key.fileobj.close()
        print(done)
        """;
    private static final int SOME = 24;
    /** Of the model: so many packets a new version has to get before it is judged. */
    private static final int LEAST_PACKETS = 100;

    private final EdgeSystem system;
    private final EdgeNode node;
    private Host host;
    /** Connections of a test before are known for minutes. */
    private int firstPort = 31_000;
    /** Below those that the kernel chooses. */
    private int newPort = 20_000;

    CanaryIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeAll
    void provision() {
        system.reset();
        withoutCanary();
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain("upgraded", "cf"))));
        system.restconf().put(Intent.path("upgraded"), Intent.tenants(List.of(
            Intent.tenant("upgraded", node, VLAN, Intent.FIRST_POOL, "'chain': 'upgraded'"))));
        host = node.host(VLAN);
        DatagramStreams.serve(node);
        TcpStream.serve(node);
        node.network().server().serveTcp(TELNET);
    }

    @BeforeEach
    void onlyTheOldVersionIsThere() {
        withoutCanary();
        OLD.forEach(instance -> node.functions().start(instance, FORWARDER, "normal"));
        OLD.forEach(instance -> awaitInstance(instance, IN_SERVICE));
        system.awaitState("upgraded", "active");
        system.awaitApplied();
        host.reaches(EdgeNetwork.SERVER);
        firstPort += 4 * PORTS;
    }

    @AfterAll
    void stopInstances() {
        OLD.forEach(node.functions()::stop);
        node.functions().stop(NEW);
    }

    private void withoutCanary() {
        function("'instance': [{'name': 'cf1'}, {'name': 'cf2'}]");
        node.functions().stop(NEW);
    }

    /** Probes: a second and a half of silence is a failure, which nobody who is only slow comes to. */
    private void function(final String more) {
        system.restconf().put(Intent.NETWORK + "/function=cf", Intent.list("function", List.of(
            "{'name': 'cf', 'node': '" + node.name() + "', 'health-check': {'interval': 100, 'lost': 15, 'hold': 2}, "
                + more + "}")));
    }

    /** Half of the connections, as there are few; all that a verdict depends on has the value that the model has. */
    private void introduce(final String version, final String kind, final int seconds) {
        function("""
            'instance': [{'name': 'cf1'}, {'name': 'cf2'}, {'name': 'cf3'}],
            'canary': {'version': '%s', 'instance': ['cf3'], 'share': 50, 'duration': %d}"""
            .formatted(version, seconds));
        Await.until("the controller knows", () -> is("version", version));
        node.functions().start(NEW, kind, "normal");
    }

    private void awaitInstance(final String instance, final String state) {
        Await.until(instance + " is " + state,
            () -> system.instance("cf", instance).get("state").getAsString(), state::equals);
    }

    private long packets(final String instance) {
        return system.instance("cf", instance).get("packets-in").getAsLong();
    }

    /** What is said of the newest version; nothing when there was none. */
    private JsonObject canary() {
        final JsonObject function = system.function("cf");
        return function.has("canary") ? function.getAsJsonArray("canary").get(0).getAsJsonObject() : new JsonObject();
    }

    private boolean is(final String leaf, final String value) {
        final JsonObject canary = canary();
        return canary.has(leaf) && canary.get(leaf).getAsString().equals(value);
    }

    private JsonObject awaitVerdict(final String verdict) {
        final JsonObject judged = Await.until("it is judged", LIMIT, this::canary, canary -> canary.has("decided"));
        Figures.tell("canary " + judged.get("version").getAsString(), judged.toString());
        assertThat(judged.get("state").getAsString()).as("%s", judged).isEqualTo(verdict);
        system.awaitApplied();
        return judged;
    }

    private static double number(final JsonObject side, final String leaf) {
        return Double.parseDouble(side.get(leaf).getAsString());
    }

    /** How many of {@link #SOME} new connections are answered within so many seconds. */
    private int answered(final double seconds, final int fromPort) {
        return Integer.parseInt(host.shell().run(LIMIT, "/usr/bin/python3", "-c", CALLS, EdgeNetwork.SERVER,
            Integer.toString(TELNET), Integer.toString(SOME), Double.toString(seconds), Integer.toString(fromPort))
            .strip());
    }

    /**
     * None is dropped: one that is, is dropped whenever it tries again. The ports are new: tests here start thousands
     * of connections, so the kernel gives their ports again while the switch still tracks them, and a connection from
     * such a port stays with the instance of the old one.
     */
    private void allAreAnswered() {
        assertThat(answered(60, newPort)).isEqualTo(SOME);
        newPort += SOME;
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void aGoodOneGoesForwardAndNothingIsLost() {
        try (DatagramStreams before = new DatagramStreams(node, host, firstPort, PORTS, LIMIT)) {
            try (TcpStream first = new TcpStream(node, host); TcpStream second = new TcpStream(node, host)) {
                first.awaitMore();
                second.awaitMore();
                introduce("good", FORWARDER, 5);
                awaitInstance(NEW, "in-service, canary good");
                system.awaitApplied();
                try (DatagramStreams during = new DatagramStreams(node, host, firstPort + 2 * PORTS, PORTS,
                        LIMIT)) {
                    evidenceIsThere(awaitVerdict("forward"));
                    final DatagramStreams.Result result = during.finish();
                    Figures.tell("canary goes forward", result.lost() + " of " + result.sent() + " datagrams lost");
                    assertThat(result.lost()).isZero();
                }
                first.awaitMore();
                second.awaitMore();
            }
            assertThat(before.finish().lost()).isZero();
        }
        awaitInstance("cf1", "draining");
        awaitInstance(NEW, "in-service, canary good judged forward");
        node.settle();
        final long old = OLD.stream().mapToLong(this::packets).sum();
        final long fresh = packets(NEW);
        allAreAnswered();
        node.settle();
        assertThat(packets(NEW)).isGreaterThan(fresh + SOME);
        assertThat(OLD.stream().mapToLong(this::packets).sum()).isEqualTo(old);
        assertThat(system.controller().log()).contains("function cf: canary good judged forward: no worse than");
    }

    private static void evidenceIsThere(final JsonObject judged) {
        final JsonObject fresh = judged.getAsJsonObject("new-version");
        assertThat(number(fresh, "packets-in")).isGreaterThanOrEqualTo(LEAST_PACKETS);
        // As the model has it: one percentage point more than the old version, and ten packets are ignored.
        final double ignored = 100 * 10 / number(fresh, "packets-in");
        assertThat(number(fresh, "dropped")).isLessThanOrEqualTo(
            Math.max(number(judged.getAsJsonObject("old-version"), "dropped") + 1, ignored));
        assertThat(number(fresh, "probes")).isGreaterThan(20);
        assertThat(number(fresh, "median-round-trip")).isPositive();
        final JsonObject old = judged.getAsJsonObject("old-version");
        assertThat(number(old, "packets-in")).isGreaterThan(100);
        assertThat(old.getAsJsonArray("instance")).hasSize(2);
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void oneThatDropsGoesBackAndTheEvidenceSaysWhy() {
        introduce("strict", "packet-filter", 60);
        awaitInstance(NEW, "in-service, canary strict");
        system.awaitApplied();
        final JsonObject judged = Await.until("it is judged", LIMIT, () -> {
            answered(0.2, 0);
            return canary();
        }, canary -> canary.has("decided"));
        assertThat(judged.get("state").getAsString()).as("%s", judged).isEqualTo("back");
        assertThat(judged.get("reason").getAsString()).contains("drops ");
        assertThat(number(judged, "measured")).isLessThan(60);
        assertThat(number(judged.getAsJsonObject("new-version"), "dropped")).isGreaterThan(50);
        assertThat(number(judged.getAsJsonObject("old-version"), "dropped")).isLessThan(20);
        awaitInstance(NEW, "draining, canary strict judged back");
        system.awaitApplied();
        node.settle();
        allAreAnswered();
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void oneThatIsSlowGoesBack() {
        introduce("slow", FORWARDER, 60);
        awaitInstance(NEW, "in-service, canary slow");
        try (TestRun.Closing slow = node.slowFunction(NEW)) {
            final JsonObject judged = awaitVerdict("back");
            assertThat(judged.get("reason").getAsString()).contains("median round trip is ");
            assertThat(number(judged.getAsJsonObject("new-version"), "median-round-trip")).isGreaterThan(
                2 * number(judged.getAsJsonObject("old-version"), "median-round-trip"));
        }
        allAreAnswered();
    }

    @Test
    void oneThatFailsGoesBackAtOnce() {
        introduce("failing", FORWARDER, 600);
        final JsonObject judged = fails();
        node.functions().start(NEW, FORWARDER, "normal");
        awaitInstance(NEW, "draining, canary failing judged back");
        system.awaitApplied();
        assertThat(canary()).isEqualTo(judged);
        allAreAnswered();
    }

    /** Kills what is measured; the verdict. */
    private JsonObject fails() {
        Await.until("it is measured", LIMIT, () -> is("state", "judging"));
        node.killFunction(NEW);
        final JsonObject judged = awaitVerdict("back");
        assertThat(judged.get("reason").getAsString()).isEqualTo("cf3 failed its health check");
        return judged;
    }

    @Test
    @Tag("deep")
    @Tag("restart")
    void oneThatFailsGoesBackAtOnceAndARestartOfTheControllerKeepsThat() {
        introduce("dead", FORWARDER, 600);
        final JsonObject judged = fails();
        system.controller().kill();
        node.functions().start(NEW, FORWARDER, "normal");
        system.controller().start();
        system.awaitSync();
        awaitInstance(NEW, "draining, canary dead judged back");
        system.awaitApplied();
        assertThat(canary()).isEqualTo(judged);
        final long had = packets(NEW);
        allAreAnswered();
        node.settle();
        assertThat(packets(NEW)).isEqualTo(had);
        // Another name is another attempt, and what was found out before stays.
        introduce("alive", FORWARDER, 600);
        Await.until("it is measured", LIMIT, () -> is("state", "judging"));
        assertThat(system.function("cf").getAsJsonArray("canary")).hasSizeGreaterThan(1);
    }
}
