// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Of two functions that the node starts one dies again and again: behind the other one nothing is lost, whoever else
 * dies meanwhile.
 */
@Tag("deep")
@Tag("restart")
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class CrashLoopIT {
    private static final String STEADY = "steady";
    private static final String FRAIL = "frail";
    private static final String RUNNING = "running";
    private static final String STOPPED = "stopped: function " + FRAIL + " is down";
    private static final Pattern PAUSE = Pattern.compile("failed: .*; next try in ([0-9]+) s");
    private static final int DEATHS = 3;
    /** Seconds of a pause that nobody comes to who has begun to count a moment ago. */
    private static final int LONG = 8;
    private static final int PORTS = 4;
    private static final Duration TIME = Duration.ofSeconds(25);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final EdgeSystem system;
    private final EdgeNode node;
    private final NodeAgent agent;
    private Host calm;
    private Host hurt;

    CrashLoopIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        agent = NodeAgent.ofFunctions(node);
    }

    @BeforeAll
    void order() {
        system.reset();
        node.functions().startAgent();
        order(STEADY, "low");
        order(FRAIL, "low");
        calm = tenant("calm", 108, STEADY);
        hurt = tenant("hurt", 109, FRAIL);
        DatagramStreams.serve(node);
        TcpStream.serve(node);
    }

    private void order(final String function, final String scheduling) {
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of("{'name': '" + function
            + "', 'node': '" + node.name() + "', 'fail-policy': 'closed', 'start': {'function': 'forwarder', 'core': 0,"
            + " 'scheduling': '" + scheduling + "'}}")));
    }

    private Host tenant(final String name, final int vlan, final String function) {
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain(name, function))));
        system.restconf().put(Intent.path(name), Intent.tenants(List.of(
            Intent.tenant(name, node, vlan, Intent.FIRST_POOL, "'chain': '" + name + "'"))));
        return node.host(vlan);
    }

    @BeforeEach
    void bothRun() {
        order(FRAIL, "low");
        awaitRunning(STEADY);
        awaitRunning(FRAIL);
        system.awaitState("calm", "active");
        system.awaitState("hurt", "active");
        system.awaitApplied();
        calm.reaches(EdgeNetwork.SERVER);
        hurt.reaches(EdgeNetwork.SERVER);
    }

    @AfterAll
    void stop() {
        system.reset();
        node.stopFunctionsAgent();
        node.functions().stop(STEADY);
        node.functions().stop(FRAIL);
    }

    private String process(final String function) {
        return system.instance(function, function).get("process").getAsString();
    }

    private void awaitRunning(final String function) {
        Await.until(function + " runs", LIMIT, () -> process(function), RUNNING::equals);
    }

    /** Waits until the node says that a function will have to wait so many seconds, or more. */
    private int awaitPause(final Supplier<String> report, final int least) {
        return pause(Await.until("a pause of " + least + " s", LIMIT, report, said -> pause(said) >= least));
    }

    private static int pause(final String report) {
        return PAUSE.matcher(report).results().mapToInt(match -> Integer.parseInt(match.group(1))).findFirst()
            .orElse(0);
    }

    /** Does something while there is no controller. */
    private <T> T withoutController(final Supplier<T> work) {
        system.controller().kill();
        final T result;
        try {
            result = work.get();
        } finally {
            system.controller().start();
        }
        system.awaitSync();
        return result;
    }

    private long pid(final String function) {
        return node.process("functions/" + function + "/testpmd").pid();
    }

    @Test
    void pausesGrowAndTheOtherTenantLosesNothing() {
        final long steady = pid(STEADY);
        try (DatagramStreams streams = new DatagramStreams(node, calm, 33_000, PORTS, TIME);
                TcpStream tcp = new TcpStream(node, calm);
                PingStream noise = new PingStream(node, hurt, EdgeNetwork.SERVER)) {
            tcp.awaitMore();
            int pause = 1;
            for (int death = 1; death <= DEATHS; death++) {
                noise.awaitMore();
                node.killFunction(FRAIL);
                system.awaitState("hurt", STOPPED);
                // The first pause is short; whoever looks may miss it.
                pause = death == 1 ? pause : awaitPause(() -> process(FRAIL), 2 * pause);
                system.awaitState("hurt", "active");
                awaitRunning(FRAIL);
            }
            noise.awaitMore();
            tcp.awaitMore();
            final DatagramStreams.Result result = streams.end();
            Figures.tell("function dies " + DEATHS + " times, behind another one", result.lost() + " of "
                + result.sent() + " datagrams lost");
            assertThat(result.lost()).isZero();
        }
        assertThat(pid(STEADY)).isEqualTo(steady);
    }

    @Test
    void withoutAgentAndControllerTheOtherTenantLosesNothing() {
        final long steady = pid(STEADY);
        try (PingStream pings = new PingStream(node, calm, EdgeNetwork.SERVER);
                TcpStream tcp = new TcpStream(node, calm)) {
            pings.awaitMore();
            tcp.awaitMore();
            try (Deaths deaths = new Deaths(node, FRAIL)) {
                system.awaitState("hurt", STOPPED);
                agent.keepDown();
                final int pause = withoutController(() -> {
                    pings.awaitMore();
                    final long before = deaths.count();
                    agent.start();
                    Await.until("the next agent takes over", LIMIT, () -> deaths.count() > before);
                    return awaitPause(() -> node.externalIds(FRAIL + "-in"), LONG);
                });
                // It finds its orders there, and gives none that would have the agent begin anew.
                assertThat(awaitPause(() -> process(FRAIL), 1)).isGreaterThanOrEqualTo(pause);
                system.awaitState("hurt", STOPPED);
                tcp.awaitMore();
            }
            // Who orders something else need not wait.
            order(FRAIL, "normal");
            awaitRunning(FRAIL);
            system.awaitState("hurt", "active");
            hurt.reaches(EdgeNetwork.SERVER);
            pings.awaitMore();
            tcp.awaitMore();
            Figures.tell("function dies again and again, agent and controller too, behind another one, pings lost",
                Integer.toString(pings.lost()));
            assertThat(pings.lost()).isZero();
        }
        assertThat(process(STEADY)).isEqualTo(RUNNING);
        assertThat(pid(STEADY)).isEqualTo(steady);
    }
}
