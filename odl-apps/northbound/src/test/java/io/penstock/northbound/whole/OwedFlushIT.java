// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections that a switch has to forget are forgotten, wherever the controller ends before it has said so. */
@OnEdge
@Tag("safety")
class OwedFlushIT {
    private static final int VLAN = 100;
    /** A datagram from 10.0.0.10 to 198.51.100.10. */
    private static final String DATAGRAM = "0200000000020200000000010800" + "4500001c000000004011468a0a00000ac633640a"
        + "0400003500080000";

    private final Edge edge;
    private final DummyNode node;

    OwedFlushIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeEach
    void reset() {
        edge.reset();
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(
            Documents.tenant("acme", node.name(), VLAN, Documents.FIRST_POOL))));
        edge.awaitSync();
        edge.forgetSteps();
    }

    @AfterEach
    void forget() {
        edge.controller().southbound().loseFlushes(false);
    }

    private void connect(final int zone) {
        node.ovs().ofctl("packet-out", Constants.BRIDGE,
            "in_port=LOCAL packet=" + DATAGRAM + " actions=ct(commit,zone=" + zone + ")");
        assertThat(isTracked(zone)).isTrue();
    }

    private boolean isTracked(final int zone) {
        return node.ovs().appctl("dpctl/dump-conntrack").lines().anyMatch(line -> line.contains("zone=" + zone));
    }

    private List<String> owed() {
        return node.flows().stream().filter(flow -> flow.contains("table=112")).toList();
    }

    @Test
    void aControllerThatEndsBetweenFlowsAndFlushIsFollowedByOneThatFlushes() {
        final int vrf = edge.vrf("acme");
        connect(vrf);
        edge.controller().southbound().loseFlushes(true);
        edge.client().delete(Documents.path("acme"));
        Await.until("the flush is on its way", () -> edge.controller().southbound().isFlushed(edge.switchId(node)));
        assertThat(node.isClassified(VLAN)).as("the flows are gone").isFalse();
        assertThat(isTracked(vrf)).as("the connections are not").isTrue();
        assertThat(owed()).as("and the switch knows it").isNotEmpty();
        edge.controller().stopEngine();
        edge.controller().southbound().loseFlushes(false);
        edge.controller().startEngine();
        Await.until("the connections are forgotten", () -> !isTracked(vrf));
        Await.until("the flows that named them are gone", () -> owed().isEmpty());
        edge.awaitSync();
    }

    @Test
    void whatIsOwedIsNoDifferenceFromThePlan() {
        edge.controller().southbound().loseFlushes(true);
        edge.client().delete(Documents.path("acme"));
        Await.until("the flush is on its way", () -> edge.controller().southbound().isFlushed(edge.switchId(node)));
        assertThat(owed()).isNotEmpty();
        edge.controller().stopEngine();
        // It is still not able to flush, and looks at what the switch has.
        edge.controller().startEngine();
        Await.until("it tries", () -> !edge.steps(node).isEmpty());
        edge.controller().stopEngine();
        edge.controller().southbound().loseFlushes(false);
        edge.controller().startEngine();
        Await.until("the switch is connected", () -> edge.isConnected(node));
        edge.awaitApplied();
        // The agent may have come after the flows.
        Await.until("the flows that named them are gone", () -> owed().isEmpty());
        edge.awaitSync();
    }

    @Test
    void aSwitchThatIsStartedAgainOwesNothing() {
        final int vrf = edge.vrf("acme");
        connect(vrf);
        edge.controller().southbound().loseFlushes(true);
        edge.client().delete(Documents.path("acme"));
        Await.until("the flush is on its way", () -> edge.controller().southbound().isFlushed(edge.switchId(node)));
        edge.controller().stopEngine();
        edge.controller().southbound().loseFlushes(false);
        node.ovs().killSwitch();
        node.ovs().up();
        edge.controller().startEngine();
        Await.until("the switch is connected", () -> edge.isConnected(node));
        edge.awaitApplied();
        assertThat(owed()).isEmpty();
        assertThat(isTracked(vrf)).isFalse();
        edge.awaitSync();
    }
}
