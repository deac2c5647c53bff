// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Chains of forwarders that are changed under traffic. */
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class ChainEditIT {
    private static final List<String> FUNCTIONS = List.of("ed1", "ed2");
    private static final int PORTS = 20;
    private static final int TIMES = 5;
    private static final Duration TIME = Duration.ofSeconds(8);

    private final EdgeSystem system;
    private final EdgeNode node;
    private Host host;
    private int firstPort = 23_000;

    ChainEditIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeAll
    void startFunctions() {
        system.reset();
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", FUNCTIONS.stream().map(name ->
            "{'name': '" + name + "', 'node': '" + node.name() + "', 'fail-policy': 'closed'}").toList()));
        chain("ed1", "ed2");
        system.restconf().put(Intent.path("edited"), Intent.tenants(List.of(tenant("edited", 105, "edited"))));
        host = node.host(105);
        DatagramStreams.serve(node);
        FUNCTIONS.forEach(function -> node.functions().start(function, "forwarder", "normal"));
        system.awaitState("edited", "active");
        host.reaches(EdgeNetwork.SERVER);
    }

    @AfterAll
    void stopFunctions() {
        FUNCTIONS.forEach(node.functions()::stop);
    }

    private void chain(final String... functions) {
        system.restconf().put(Intent.NETWORK + "/chain=edited",
            Intent.list("chain", List.of(Intent.chain("edited", functions))));
        system.awaitApplied();
    }

    /** Back and forth under traffic; nothing is lost. */
    @ParameterizedTest
    @Tag("deep")
    @Tag("loss")
    @CsvSource({"ed1 ed2, ed1", "ed1 ed2, ed2", "ed1 ed2, ed2 ed1"})
    void packetsUnderWayAreNotLost(final String before, final String after) {
        chain(before.split(" "));
        firstPort += 2 * PORTS;
        try (DatagramStreams streams = new DatagramStreams(node, host, firstPort, PORTS, TIME)) {
            for (int times = 0; times < TIMES; times++) {
                chain(after.split(" "));
                chain(before.split(" "));
            }
            final DatagramStreams.Result result = streams.end();
            Figures.tell("chain of " + before + " made " + after + " and back, " + TIMES + " times", result.lost()
                + " of " + result.sent() + " datagrams lost");
            assertThat(result.lost()).isZero();
        }
    }

    /** What stays for those that are inside is gone in the end, and is no drift before. */
    @Test
    void nothingStaysBehind() {
        chain("ed1", "ed2");
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain("single", "ed1"))));
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(tenant("was-longer", 106, "edited"),
            tenant("never-longer", 107, "single"))));
        system.awaitApplied();
        final int longer = flows("was-longer");
        final int single = flows("never-longer");
        assertThat(longer).isGreaterThan(single);
        chain("ed1");
        assertThat(EdgeSystem.isClean(system.verify(node))).isTrue();
        Await.until("only the flows of its chain are left", () -> flows("was-longer"), count -> count == single);
    }

    private String tenant(final String name, final int vlan, final String chain) {
        return Intent.tenant(name, node, vlan, Intent.FIRST_POOL, "'chain': '" + chain + "'");
    }

    private int flows(final String tenant) {
        return node.flowsOf(system.vrf(tenant)).size();
    }
}
