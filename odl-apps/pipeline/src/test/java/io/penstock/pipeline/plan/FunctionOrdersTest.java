// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.Scheduling;
import io.penstock.pipeline.intent.NetworkFunction.Start;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.intent.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Instances that a node starts by itself. */
class FunctionOrdersTest {
    private static final Start FORWARDER = new Start("forwarder", Optional.of(2), Optional.of(Scheduling.LOW));

    @Test
    void orderIsAtThePortOnTheTenantSideAlone() {
        final NodePlan plan = plan(Optional.of(FORWARDER));

        assertThat(orders(plan)).isEqualTo(Map.of("fw-in", FORWARDER));
        assertThat(orders(plan(Optional.empty()))).isEmpty();
    }

    @Test
    void orderChangesNothingElse() {
        final NodePlan by = plan(Optional.empty());
        final NodePlan with = plan(Optional.of(FORWARDER));

        assertThat(with.flows()).isEqualTo(by.flows());
        assertThat(with.meters()).isEqualTo(by.meters());
        assertThat(with.orders()).isEqualTo(by.orders());
        assertThat(with.bridge().ports()).hasSameSizeAs(by.bridge().ports());
    }

    @Test
    void noTenantIsPlannedAgainForIt() {
        final Planner planner = new Planner();
        final Snapshot before = network(Optional.of(FORWARDER));
        final Allocations allocations = Allocator.allocate(before, Allocations.none());
        final NodePlan first = planner.planAgain(before, allocations, Set.of(), Set.of(), "edge1");
        final NodePlan second = planner.planAgain(ordering(before, Optional.of(FORWARDER.with(Optional.empty(),
            Optional.of(3)))), allocations, Set.of(), Set.of(), "edge1");

        assertThat(second.bridge()).isNotEqualTo(first.bridge());
        assertThat(second.nodeFlows()).isEqualTo(first.nodeFlows());
        first.tenantFlows().forEach((vrf, flows) -> assertThat(second.tenantFlows().get(vrf)).isSameAs(flows));
    }

    @Test
    void instanceMayHaveAnotherVersionAndCore() {
        assertThat(FORWARDER.with(Optional.of("forwarder-2"), Optional.empty()))
            .isEqualTo(new Start("forwarder-2", Optional.of(2), Optional.of(Scheduling.LOW)));
        assertThat(FORWARDER.with(Optional.empty(), Optional.of(3)))
            .isEqualTo(new Start("forwarder", Optional.of(3), Optional.of(Scheduling.LOW)));
    }

    private static NodePlan plan(final Optional<Start> start) {
        return Fixtures.plan(network(start));
    }

    private static Snapshot network(final Optional<Start> start) {
        return ordering(Fixtures.network(Fixtures.rich()), start);
    }

    private static Snapshot ordering(final Snapshot plain, final Optional<Start> start) {
        return plain.withFunctions(List.of(new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, true, false,
            List.of(new Instance("fw", State.IN_SERVICE, 1, start)), new NetworkFunction.Tagged(),
            Optional.empty(), Optional.empty()),
            plain.functions().get("tap")));
    }

    /** By port. */
    private static Map<String, Start> orders(final NodePlan plan) {
        return plan.bridge().ports().stream().filter(port -> port.order().isPresent())
            .collect(Collectors.toMap(BridgePlan.Port::name, port -> port.order().orElseThrow()));
    }
}
