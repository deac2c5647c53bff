// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** A chain through a router in a virtual machine, which the node starts by itself, and again when it dies. */
@Tag("deep")
@Tag("guest")
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class RouterGuestIT {
    private static final int VLAN = 107;
    private static final int WEB = 80;
    private static final String ROUTER = "rtvm";
    private static final String GUEST = "functions/" + ROUTER + "/qemu";
    /** What is left of 64 behind the gateway of the VRF and the transit router. */
    private static final int DIRECT = 62;
    private static final int ROUTED = DIRECT - 1;
    /** Emulated, on a busy machine; the first time ever, the guest is made of packages before. */
    private static final Duration BOOT = Duration.ofSeconds(200);

    private final EdgeSystem system;
    private final EdgeNode node;
    private Host host;

    RouterGuestIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeAll
    void order() {
        system.reset();
        node.functions().startAgent();
        policy("closed");
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain("routed", ROUTER))));
        system.restconf().put(Intent.path("routed"), Intent.tenants(List.of(
            Intent.tenant("routed", node, VLAN, Intent.FIRST_POOL, "'chain': 'routed'"))));
        host = node.host(VLAN);
        node.network().server().serveTcp(WEB);
        TcpStream.serve(node);
    }

    @BeforeEach
    void itIsThere() {
        awaitInService();
        policy("open");
        system.awaitState("routed", "active");
        system.awaitApplied();
        awaitTtl(ROUTED);
    }

    @AfterAll
    void stop() {
        system.reset();
        node.stopFunctionsAgent();
        node.functions().stop(ROUTER);
    }

    /** Probes: four seconds of silence are a failure, which a guest that is only slow does not come to. */
    private void policy(final String policy) {
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of("{'name': '" + ROUTER + "', 'node': '"
            + node.name() + "', 'fail-policy': '" + policy + "', 'shared': false, 'routed': {},"
            + " 'health-check': {'interval': 500, 'lost': 8, 'hold': 4}, 'start': {'function': 'router-vm'}}")));
    }

    private void awaitInService() {
        Await.until("probes pass the guest", BOOT, () -> system.instance(ROUTER, ROUTER), instance ->
            instance.get("state").getAsString().equals("in-service")
                && instance.get("process").getAsString().equals("running"));
    }

    /** Pings until an answer has this TTL. */
    private void awaitTtl(final int ttl) {
        Await.until("answers have TTL " + ttl, () -> ping().output(),
            said -> said.contains(" ttl=" + ttl + " "));
    }

    private Shell.Result ping(final String... options) {
        final List<String> command = new ArrayList<>(List.of("ping", "-n", "-c", "1", "-W", "2"));
        command.addAll(List.of(options));
        command.add(EdgeNetwork.SERVER);
        return host.shell().attempt(command.toArray(String[]::new));
    }

    @Test
    void itIsAHopOfBothWays() {
        try (Capture arriving = node.network().server()
                .capture("icmp[icmptype] == icmp-echo and ip[8] == " + ROUTED)) {
            awaitTtl(ROUTED);
            Await.until("requests with TTL " + ROUTED, () -> !arriving.frames().isEmpty());
        }
        Await.until("it tells of a TTL that is used up", () -> ping("-t", "2").output(),
            said -> said.contains("From 169.254.81.2 ") && said.contains("Time to live exceeded"));
        Await.until("a full frame passes", () -> ping("-M", "do", "-s", "1472").isGood());
        assertThat(host.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("routed"));
    }

    @Test
    void oneThatDiesIsPassedByOrNotAsItIsSaidAndStartedAgain() {
        final long before = node.process(GUEST).pid();
        final Instant killed;
        try (PingStream pings = new PingStream(node, host, EdgeNetwork.SERVER);
                TcpStream tcp = new TcpStream(node, host)) {
            pings.awaitMore();
            tcp.awaitMore();
            killed = Instant.now();
            node.killGuest(ROUTER);
            pings.awaitMore();
            final Duration gap = pings.longestGapSince(killed);
            Figures.tell("router in a guest with policy open is killed, longest time without an answer", gap);
            assertThat(gap).isLessThan(EdgeSystem.FAILOVER);
            system.awaitState("routed", "active, bypassing function " + ROUTER);
            tcp.awaitMore();
        }
        awaitTtl(DIRECT);
        policy("closed");
        system.awaitState("routed", "stopped: function " + ROUTER + " is down");
        system.awaitApplied();
        host.doesNotReach(EdgeNetwork.SERVER);

        awaitInService();
        Figures.tell("router in a guest is killed, until it is in service again",
            Duration.between(killed, Instant.now()));
        assertThat(node.process(GUEST).pid()).isNotEqualTo(before);
        assertThat(Shell.printed(node.ovs().directory().resolve("functions-agent.log")))
            .contains(" " + ROUTER + ": its process ended");
        system.awaitState("routed", "active");
        awaitTtl(ROUTED);
        assertThat(host.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("routed"));
        system.awaitSync();
    }
}
