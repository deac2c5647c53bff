// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What clients read of the state, and when it changes. */
@OnEdge
class StateIT {
    private static final int VLAN = 100;

    private final Edge edge;
    private final DummyNode node;

    StateIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeEach
    void reset() {
        edge.reset();
        // The tenant of the test before has gone; the state follows.
        Await.until("it is gone", () -> state("tenant", "acme").isEmpty());
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(
            Documents.tenant("acme", node.name(), VLAN, Documents.FIRST_POOL))));
        edge.awaitApplied();
    }

    @AfterEach
    void release() {
        edge.controller().southbound().release();
        node.ovs().up();
    }

    private Optional<JsonObject> state(final String list, final String name) {
        return edge.client().state("penstock-state:state/" + list + "=" + name);
    }

    private void awaitStatus(final String status) {
        Await.until("acme is " + status, () -> state("tenant", "acme")
            .filter(state -> state.get("status").getAsString().equals(status)).isPresent());
    }

    @Test
    void aTenantIsReadByItself() {
        awaitStatus("active");
        final JsonObject acme = state("tenant", "acme").orElseThrow();
        assertThat(acme.has("reason")).isFalse();
        assertThat(acme.get("public-address").getAsString()).isEqualTo(edge.tenant("acme").orElseThrow()
            .get("public").getAsString());
        assertThat(acme.getAsJsonArray("node").get(0).getAsJsonObject().get("vrf").getAsInt())
            .isEqualTo(edge.tenant("acme").orElseThrow().get("vrf").getAsInt());
        assertThat(Instant.parse(acme.get("since").getAsString())).isBefore(Instant.now().plusSeconds(1));
        assertThat(state("tenant", "nobody")).isEmpty();
        assertThat(state("pool", Documents.FIRST_POOL).orElseThrow().get("used").getAsString()).isEqualTo("1");
    }

    @Test
    void aChangeIsInstalledBeforeItIsActive() {
        awaitStatus("active");
        edge.controller().southbound().hold(edge.switchId(node));
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(
            Documents.tenant("acme", node.name(), VLAN + 1, Documents.FIRST_POOL))));
        awaitStatus("installing");
        edge.controller().southbound().release();
        awaitStatus("active");
    }

    @Test
    void aNodeThatIsAwayIsSeenAtItsTenants() {
        awaitStatus("active");
        try (DataClient.Events events = edge.client().listen("penstock-state", "status-event")) {
            node.ovs().killSwitch();
            awaitStatus("waiting");
            assertThat(state("tenant", "acme").orElseThrow().get("reason").getAsString())
                .isEqualTo("waiting for node " + node.name());
            assertThat(state("node", node.name()).orElseThrow().get("connected").getAsBoolean()).isFalse();
            assertThat(state("node", edge.second().name()).orElseThrow().get("connected").getAsBoolean()).isTrue();
            node.ovs().up();
            awaitStatus("active");
            Await.until("the node is in sync", () -> state("node", node.name())
                .filter(state -> state.get("in-sync").getAsBoolean()).isPresent());
            assertThat(state("node", node.name()).orElseThrow().getAsJsonArray("port").toString())
                .contains(Documents.ACCESS);
            Await.until("both events", () -> events.events().stream()
                .filter(event -> event.get("name").getAsString().equals(node.name()))
                .map(event -> event.get("status").getAsString()).toList().equals(List.of("lost", "connected")));
            assertThat(events.events()).noneMatch(event -> event.get("kind").getAsString().equals("tenant"));
        }
    }

    @Test
    void aTenantThatIsRemovedHasNoState() {
        awaitStatus("active");
        edge.client().data("DELETE", Documents.path("acme"), "");
        Await.until("it is gone", () -> state("tenant", "acme").isEmpty());
    }

    @Test
    void withoutAnEngineThereIsNoState() {
        awaitStatus("active");
        edge.controller().stopEngine();
        assertThat(state("tenant", "acme")).isEmpty();
        edge.controller().startEngine();
        awaitStatus("active");
    }
}
