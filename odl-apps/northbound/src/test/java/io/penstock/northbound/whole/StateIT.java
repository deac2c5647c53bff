// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.time.Duration;
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
    private static final Duration ROUND = Duration.ofSeconds(3);

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
            // The engine may have been started just now: then the node connects for the first time too.
            Await.until("both events", () -> events.events().stream()
                .filter(event -> event.get("name").getAsString().equals(node.name()))
                .map(event -> event.get("status").getAsString()).dropWhile("connected"::equals).toList()
                .equals(List.of("lost", "connected")));
            assertThat(events.events()).noneMatch(event -> event.get("kind").getAsString().equals("tenant"));
        }
    }

    @Test
    void aPortThatCannotBeOpenedIsThereWithTheReason() {
        awaitStatus("active");
        final String type = node.ovs().vsctl("get", "Interface", Documents.ACCESS, "type").strip();
        node.ovs().vsctl("set", "Interface", Documents.ACCESS, "type=patch");
        Await.until("the reason", () -> port(Documents.ACCESS).filter(port -> port.has("error")).isPresent());
        assertThat(port(Documents.ACCESS).orElseThrow().get("up").getAsBoolean()).isFalse();
        assertThat(port(Documents.ACCESS).orElseThrow().get("error").getAsString()).contains(Documents.ACCESS);
        node.ovs().vsctl("set", "Interface", Documents.ACCESS, "type=" + type);
        Await.until("it is open again", () -> port(Documents.ACCESS).filter(port -> !port.has("error"))
            .isPresent());
    }

    private Optional<JsonObject> port(final String name) {
        return state("node", node.name()).stream().flatMap(state -> Edge.list(state, "port"))
            .filter(port -> port.get("name").getAsString().equals(name)).findFirst();
    }

    @Test
    void whatIsConfiguredAndGivenIsThere() {
        awaitStatus("active");
        final JsonObject acme = state("tenant", "acme").orElseThrow();
        final JsonObject attachment = acme.getAsJsonArray("attachment").get(0).getAsJsonObject();
        assertThat(attachment.get("node").getAsString()).isEqualTo(node.name());
        assertThat(attachment.get("port").getAsString()).isEqualTo(Documents.ACCESS);
        assertThat(attachment.get("vlan").getAsInt()).isEqualTo(VLAN);
        assertThat(acme.get("pool").getAsString()).isEqualTo(Documents.FIRST_POOL);
        assertThat(acme.has("public-prefix")).isFalse();
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(Documents.tenant("acme", node.name(), VLAN,
            Documents.FIRST_POOL).replace("'nat': {", "'nat': {'port-block': [{'inside-prefix': '10.0.0.0/25', "
                + "'public-prefix': '198.51.100.128/32', 'block-size': 512}], "))));
        final JsonObject blocks = Await.until("it has blocks", () -> state("tenant", "acme"),
            state -> state.orElseThrow().has("public-prefix")).orElseThrow().getAsJsonArray("public-prefix").get(0)
            .getAsJsonObject();
        assertThat(blocks.get("kind").getAsString()).isEqualTo("port-block");
        assertThat(blocks.get("inside-prefix").getAsString()).isEqualTo("10.0.0.0/25");
        assertThat(blocks.get("public-prefix").getAsString()).isEqualTo("198.51.100.128/32");
        assertThat(blocks.get("used-blocks").getAsInt()).isZero();
    }

    @Test
    void countersAreThoseOfTheLastComparison() {
        awaitStatus("active");
        edge.controller().stopEngine();
        edge.controller().startEngine(ROUND);
        awaitStatus("active");
        try (DataClient.Events events = edge.client().listen("penstock-state", "spoofing-event")) {
            node.count(edge.vrf("acme"), 17);
            Await.until("connections are read", () -> onNode().filter(state -> state.has("sessions")).isPresent());
            assertThat(onNode().orElseThrow().get("sessions").getAsLong()).isEqualTo(17);
            assertThat(onNode().orElseThrow().get("dropped-packets").getAsLong()).isZero();
            edge.arp(node, VLAN, "192.0.2.7");
            Await.until("a drop is counted", () -> onNode().orElseThrow().get("guarded-packets").getAsLong() == 1);
            assertThat(onNode().orElseThrow().get("dropped-packets").getAsLong()).isEqualTo(1);
            Await.until("it is told", () -> events.events().size() == 1);
            assertThat(events.events().get(0).get("event").getAsString()).isEqualTo("seen");
            assertThat(events.events().get(0).get("tenant").getAsString()).isEqualTo("acme");
            edge.arp(node, VLAN + 1, "192.0.2.7");
            Await.until("a drop of the node is counted", () ->
                state("node", node.name()).orElseThrow().get("dropped-packets").getAsLong() == 1);
            assertThat(state("node", node.name()).orElseThrow().get("missing-flows").getAsInt()).isZero();
            final String compared = compared();
            Await.until("another round", () -> !compared().equals(compared));
            assertThat(events.events()).as("it is told once").hasSize(1);
        } finally {
            edge.controller().stopEngine();
            edge.controller().startEngine();
        }
    }

    private Optional<JsonObject> onNode() {
        return state("tenant", "acme").filter(state -> state.has("node"))
            .map(state -> state.getAsJsonArray("node").get(0).getAsJsonObject());
    }

    private String compared() {
        return state("node", node.name()).orElseThrow().get("last-compared").getAsString();
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
