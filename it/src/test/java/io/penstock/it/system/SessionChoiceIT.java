// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The node's agent gives the busy connections of a tenant sessions. How it takes them: test_agent_session_flows. */
@Tag("deep")
@Tag("restart")
@OnSystem
class SessionChoiceIT {
    private static final int VLAN = 100;
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final int CONNECTIONS = 5;
    private static final double PAUSE_SECONDS = 0.001;

    private final EdgeSystem system;
    private final EdgeNode node;

    SessionChoiceIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @Test
    @SuppressWarnings("try")
    void busyConnectionsGetSessions() {
        system.reset();
        system.restconf().put(Intent.path("acme"), Intent.tenants(List.of(Intent.translated(
            Intent.tenant("acme", node, VLAN, Intent.FIRST_POOL), "{'pool': '" + Intent.FIRST_POOL + "'}"))));
        system.awaitApplied();
        final String address = system.publicAddress("acme");
        final Host host = node.host(VLAN);
        host.reaches(EdgeNetwork.SERVER);
        try (DatagramStream busy = new DatagramStream(node, VLAN, EdgeNetwork.SERVER, CONNECTIONS, PAUSE_SECONDS)) {
            Await.until("the connections have sessions", PATIENCE, () -> node.hasSession(address));
            assertThat(EdgeSystem.isClean(system.verify(node))).isTrue();
        }
    }
}
