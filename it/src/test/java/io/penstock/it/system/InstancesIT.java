// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.Datagrams;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Two firewalls that share the connections of a tenant: one is frozen, killed, drained; the other goes on. */
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class InstancesIT {
    private static final List<String> INSTANCES = List.of("fw1", "fw2");
    private static final String IN_SERVICE = "in-service";
    private static final int PORTS = 20;
    private static final int ECHO = 9018;
    private static final Duration TIME = Duration.ofSeconds(8);

    private final EdgeSystem system;
    private final EdgeNode node;
    private Host host;
    /** Connections of a test before are known for minutes. */
    private int firstPort = 21_000;

    InstancesIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeAll
    void startInstances() {
        system.reset();
        state(IN_SERVICE);
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain("walled", "fw"))));
        system.restconf().put(Intent.path("walled"), Intent.tenants(List.of(
            Intent.tenant("walled", node, 104, Intent.FIRST_POOL, "'chain': 'walled'"))));
        host = node.host(104);
        DatagramStreams.serve(node);
        Datagrams.echo(node.network().server(), ECHO);
    }

    @BeforeEach
    void everythingIsUp() {
        state(IN_SERVICE);
        INSTANCES.forEach(instance -> node.functions().start(instance, "packet-filter", "normal"));
        INSTANCES.forEach(instance -> awaitInstance(instance, IN_SERVICE));
        system.awaitState("walled", "active");
        system.awaitApplied();
        host.reaches(EdgeNetwork.SERVER);
        firstPort += 2 * PORTS;
    }

    @AfterAll
    void stopInstances() {
        INSTANCES.forEach(node.functions()::stop);
    }

    /** The function with its first instance in a state; one that waits a while for its core has not failed. */
    private void state(final String first) {
        state(first, "'interval': 200, 'lost': 20, 'hold': 2");
    }

    private void state(final String first, final String healthCheck) {
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of("{'name': 'fw', 'node': '"
            + node.name() + "', 'health-check': {" + healthCheck + "},"
            + " 'instance': [{'name': 'fw1', 'state': '" + first + "'}, {'name': 'fw2'}]}")));
    }

    private void awaitInstance(final String instance, final String state) {
        Await.until(instance + " is " + state,
            () -> system.instance("fw", instance).get("state").getAsString(), state::equals);
    }

    private long packets(final String instance) {
        return system.instance("fw", instance).get("packets-in").getAsLong();
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void oneThatHangsIsTakenOutSoonAndComesBackWithoutLoss() {
        state(IN_SERVICE, "'interval': 100, 'lost': 4, 'hold': 2");
        system.awaitApplied();
        try (DatagramStreams streams = new DatagramStreams(node, host, firstPort, PORTS, TIME)) {
            Await.until("both have packets", () -> INSTANCES.stream().allMatch(instance -> packets(instance) > PORTS));
            node.freezeFunction("fw1", true);
            awaitInstance("fw1", "in-service, does not answer probes");
            final DatagramStreams.Result result = streams.end();
            Figures.tell("instance hangs, longest time without an answer", result.longestGap());
            assertThat(result.longestGap()).isLessThan(EdgeSystem.FAILOVER);
        } finally {
            node.freezeFunction("fw1", false);
        }
        awaitInstance("fw1", IN_SERVICE);
        assertThat(system.instance("fw", "fw1").getAsJsonObject("probes").get("sent").getAsInt()).isPositive();
        state(IN_SERVICE);
        system.awaitApplied();
        final long before = packets("fw1");
        try (DatagramStreams streams = new DatagramStreams(node, host, firstPort, PORTS, TIME)) {
            // Those that moved stay where they are; these ports are known.
            assertThat(streams.end().lost()).isZero();
        }
        assertThat(packets("fw1")).isEqualTo(before);
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void oneThatIsKilledIsTakenOutSoon() {
        try (DatagramStreams streams = new DatagramStreams(node, host, firstPort, PORTS, TIME)) {
            Await.until("both have packets", () -> INSTANCES.stream().allMatch(instance -> packets(instance) > PORTS));
            node.killFunction("fw1");
            awaitInstance("fw1", "in-service, down");
            final DatagramStreams.Result result = streams.end();
            Figures.tell("instance is killed, longest time without an answer", result.longestGap());
            assertThat(result.longestGap()).isLessThan(EdgeSystem.FAILOVER);
        }
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void changesThatArePlannedLoseNothing() {
        try (DatagramStreams streams = new DatagramStreams(node, host, firstPort, PORTS, TIME)) {
            for (int times = 0; times < 3; times++) {
                state("draining");
                system.awaitApplied();
                state(IN_SERVICE);
                system.awaitApplied();
            }
            final DatagramStreams.Result result = streams.end();
            Figures.tell("instance drained and in service again, three times", result.lost() + " of " + result.sent()
                + " datagrams lost");
            assertThat(result.lost()).isZero();
        }
    }

    /**
     * This firewall does not know the answers to what the other has passed, so those under way are lost: as many as the
     * functions, which run at low priority, hold at that moment. What the same connections send afterwards is not.
     */
    @Test
    @Tag("deep")
    @Tag("loss")
    void takingOneAwayAtOnceLosesWhatIsUnderWayAlone() {
        try (DatagramStreams streams = new DatagramStreams(node, host, firstPort, PORTS, TIME)) {
            state("out-of-service");
            awaitInstance("fw1", "out-of-service");
            system.awaitApplied();
            final long applied = System.nanoTime();
            final DatagramStreams.Result result = streams.end();
            Figures.tell("instance taken out of service at once", result.lost() + " of " + result.sent()
                + " datagrams lost");
            assertThat(result.lostAt()).allMatch(sent -> sent < applied);
            assertThat(result.longestGap()).isLessThan(EdgeSystem.FAILOVER);
        }
        try (DatagramStreams same = new DatagramStreams(node, host, firstPort, PORTS, TIME)) {
            assertThat(same.end().lost()).isZero();
        }
    }

    /** A datagram from each of some ports, one after the other; all are answered. */
    private void allAreAnswered(final int fromPort) {
        assertThat(Datagrams.answered(host, EdgeNetwork.SERVER, ECHO, PORTS, fromPort)).isEqualTo(PORTS);
    }

    /** Packets that an instance has had, when all of them are counted. */
    private long counted(final String instance) {
        node.settle();
        return packets(instance);
    }

    private void bothHaveConnections() {
        final Map<String, Long> before = INSTANCES.stream().collect(Collectors.toMap(each -> each, this::counted));
        allAreAnswered(firstPort);
        assertThat(INSTANCES).allSatisfy(instance -> assertThat(counted(instance)).as(instance)
            .isGreaterThan(before.get(instance)));
    }

    @Test
    void theOtherServesWhileOneHangsAndItComesBackWhenItAnswers() {
        bothHaveConnections();
        node.freezeFunction("fw1", true);
        try {
            awaitInstance("fw1", "in-service, does not answer probes");
            system.awaitApplied();
            allAreAnswered(firstPort);
        } finally {
            node.freezeFunction("fw1", false);
        }
        awaitInstance("fw1", IN_SERVICE);
        assertThat(system.instance("fw", "fw1").getAsJsonObject("probes").get("sent").getAsInt()).isPositive();
        system.awaitApplied();
        final long before = counted("fw1");
        // Those that moved stay where they are; these ports are known.
        allAreAnswered(firstPort);
        assertThat(counted("fw1")).isEqualTo(before);
    }

    @Test
    void theOtherServesWhenOneIsKilled() {
        bothHaveConnections();
        node.killFunction("fw1");
        awaitInstance("fw1", "in-service, down");
        system.awaitApplied();
        allAreAnswered(firstPort);
        allAreAnswered(firstPort + PORTS);
    }

    @Test
    void oneThatDrainsKeepsItsConnectionsAndGetsNoOthers() {
        bothHaveConnections();
        state("draining");
        system.awaitApplied();
        final long begun = counted("fw1");
        allAreAnswered(firstPort);
        final long kept = counted("fw1");
        assertThat(kept).isGreaterThan(begun);
        allAreAnswered(firstPort + PORTS);
        assertThat(counted("fw1")).isEqualTo(kept);
    }

    @Test
    void theOtherServesWhenOneIsTakenAwayAtOnce() {
        bothHaveConnections();
        state("out-of-service");
        awaitInstance("fw1", "out-of-service");
        system.awaitApplied();
        allAreAnswered(firstPort);
    }
}
