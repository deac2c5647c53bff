// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.common.api.DataValidationFailedException;
import org.opendaylight.yangtools.concepts.Registration;
import org.opendaylight.yangtools.util.concurrent.FluentFutures;
import org.opendaylight.yangtools.yang.data.api.YangInstanceIdentifier;

/** How a node is brought to its plan when changes come fast, and when switch, database, store or engine fail. */
@OnEdge
@Tag("safety")
class WorkerIT {
    private static final int VLAN = 100;
    private static final int CHANGES = 20;
    private static final String APPLY = "apply";
    private static final String READ = "read";

    private final Edge edge;
    private final DummyNode node;

    WorkerIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeEach
    void reset() {
        edge.reset();
        edge.forgetSteps();
    }

    @AfterEach
    void release() {
        edge.controller().southbound().release();
        edge.controller().southbound().failNext(0);
    }

    private void put(final int vlan) {
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(
            Documents.tenant("acme", node.name(), vlan, Documents.FIRST_POOL))));
    }

    private JsonObject waitForOther() {
        return edge.client().call("wait-applied", Edge.PATIENTLY.replace("}", ", 'node': '" + edge.second().name()
            + "'}"));
    }

    @Test
    void changesDuringAChangeAreOneChange() {
        edge.controller().southbound().hold(edge.switchId(node));
        put(VLAN);
        Await.until("the first change is on its way", () -> !edge.steps(node).isEmpty());
        for (int change = 1; change <= CHANGES; change++) {
            put(VLAN + change);
        }
        // The engine has taken over what was committed before this.
        waitForOther();
        edge.controller().southbound().release();
        edge.awaitApplied();
        assertThat(edge.steps(node)).containsExactly(APPLY, APPLY);
        assertThat(node.isClassified(VLAN + CHANGES)).isTrue();
        assertThat(node.isClassified(VLAN)).isFalse();
    }

    @Test
    void aChangeCostsItsOwnFlowsAloneAndNoReading() {
        put(VLAN);
        edge.awaitApplied();
        edge.client().add("tenant", Documents.tenant("other", edge.second().name(), VLAN, Documents.SECOND_POOL));
        edge.awaitApplied();
        assertThat(edge.steps(node)).containsExactly(APPLY);
        assertThat(edge.steps(edge.second())).containsExactly(APPLY);
    }

    @Test
    void aChangeThatFailsIsTriedAgainFromWhatTheSwitchHas() {
        edge.controller().southbound().failNext(2);
        put(VLAN);
        Await.until("the change has succeeded", () -> Collections.frequency(edge.steps(node), APPLY) == 3);
        edge.awaitApplied();
        assertThat(edge.steps(node)).containsExactly(APPLY, READ, APPLY, READ, APPLY);
        assertThat(edge.state("acme")).isEqualTo("active");
        edge.awaitSync();
    }

    @Test
    void aNodeThatIsBusyHoldsNoOtherNodeUp() {
        edge.controller().southbound().hold(edge.switchId(node));
        put(VLAN);
        edge.client().add("tenant", Documents.tenant("other", edge.second().name(), VLAN, Documents.SECOND_POOL));
        final JsonObject answer = waitForOther();
        assertThat(answer.get("applied").getAsBoolean()).isTrue();
        assertThat(edge.second().isClassified(VLAN)).isTrue();
        assertThat(node.isClassified(VLAN)).isFalse();
    }

    @Test
    void aChangeWhileTheSwitchIsAwayArrivesWhenItIsBack() {
        put(VLAN);
        edge.awaitApplied();
        node.ovs().killSwitch();
        Await.until("the controller has noticed", () -> edge.state("acme").equals("waiting for node " + node.name()));
        put(VLAN + 1);
        edge.forgetSteps();
        node.ovs().up();
        edge.awaitState("acme", "active");
        assertThat(edge.steps(node)).startsWith(READ, APPLY);
        assertThat(node.isClassified(VLAN + 1)).isTrue();
        assertThat(node.isClassified(VLAN)).isFalse();
        edge.awaitSync();
    }

    @Test
    void aConnectionThatBreaksCostsAReadingAndNoChange() {
        put(VLAN);
        edge.awaitApplied();
        edge.forgetSteps();
        node.ovs().appctl("bridge/reconnect", Constants.BRIDGE);
        Await.until("the switch was read", () -> !edge.steps(node).isEmpty());
        edge.awaitState("acme", "active");
        assertThat(edge.steps(node)).startsWith(READ).doesNotContain(APPLY);
        edge.awaitSync();
    }

    @Test
    void aDatabaseThatComesBackGetsWhatWasConfiguredMeanwhile() {
        node.ovs().killDatabase();
        put(VLAN);
        node.ovs().up();
        Await.until("the database has the conntrack zone of the tenant", () -> edge.tenant("acme").stream()
            .anyMatch(tenant -> node.zones().contains(tenant.get("vrf").getAsInt())));
        edge.awaitState("acme", "active");
        edge.awaitSync();
    }

    @Test
    void aBridgeThatWasChangedByHandIsRepairedByAResync() {
        node.ovs().vsctl("set", "Bridge", Constants.BRIDGE, "fail_mode=standalone");
        edge.client().call("resync", "{'node': '" + node.name() + "'}");
        assertThat(node.ovs().vsctl("get", "Bridge", Constants.BRIDGE, "fail_mode")).isEqualTo("secure");
    }

    @Test
    void nothingReachesASwitchBeforeItIsStored() {
        final AtomicInteger refused = new AtomicInteger();
        try (Registration guard = edge.controller().guardAllocations((id, model, candidates) -> {
            refused.incrementAndGet();
            return FluentFutures.immediateFailedFluentFuture(new DataValidationFailedException(
                YangInstanceIdentifier.class, YangInstanceIdentifier.empty(), "the disk is full"));
        })) {
            put(VLAN);
            Await.until("storing was tried", () -> refused.get() > 0);
            assertThat(edge.client().call("wait-applied", "{'timeout-milliseconds': 500}").toString())
                .contains("not-yet");
            assertThat(edge.steps(node)).isEmpty();
            assertThat(edge.tenant("acme")).isEmpty();
            final DataClient.Answer answer = edge.client().data("PUT", Documents.path("other"),
                Documents.tenants(List.of("{'name': 'other'}")));
            assertThat(answer.isGood()).isFalse();
            assertThat(answer.messages()).contains("no engine carries it out", "cannot store the allocations",
                "the disk is full");
            assertThat(edge.controller().readiness()).contains("the disk is full");
        }
        // Tried again without anybody's doing.
        Await.until("the switch has the change", () -> edge.steps(node).contains(APPLY));
        edge.awaitSync();
        assertThat(edge.state("acme")).isEqualTo("active");
        assertThat(edge.controller().readiness()).isEmpty();
    }

    @Test
    void anotherEngineTakesOverAndChangesNothing() {
        put(VLAN);
        edge.awaitSync();
        final String allocations = edge.allocations();
        final List<String> flows = node.flows();
        edge.controller().stopEngine();
        edge.forgetSteps();
        edge.controller().startEngine();
        edge.awaitState("acme", "active");
        edge.awaitSync();
        assertThat(edge.allocations()).isEqualTo(allocations);
        assertThat(node.flows()).isEqualTo(flows);
        assertThat(edge.steps(node)).startsWith(READ).doesNotContain(APPLY);
    }
}
