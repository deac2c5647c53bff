// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.Quarantine.Flows;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tenant that cannot be planned is none for the others. */
@Tag("safety")
class QuarantineTest {
    private static final String NODE = "edge1";

    private final Tenant good = Fixtures.tenant("good", 100);
    private final Tenant bad = Fixtures.tenant("bad", 101);
    private final Snapshot whole = Fixtures.network(good, bad);
    private final Allocations allocations = Allocator.allocate(whole, Allocations.none());
    private final VrfId badVrf = new VrfId(allocations.tenants().get("bad").id());
    private final VrfId goodVrf = new VrfId(allocations.tenants().get("good").id());
    private final Planner planner = new Planner();

    /** Its port is none of the node, which the validator refuses and no stage expects. */
    private static Tenant faulty() {
        return new Tenant("bad", List.of(new Tenant.Attachment("lan", NODE, "none", 101)),
            Fixtures.tenant("bad", 101).subnets(), List.of(), Fixtures.fromPool(), Optional.empty(), Optional.empty());
    }

    private NodePlan plan(final Tenant... tenants) {
        return planner.planAgain(whole.withTenants(List.of(tenants)), allocations, Set.of(), Set.of(), NODE);
    }

    private static Map<Integer, Optional<MeterSpec>> meters(final NodePlan plan) {
        return plan.meters().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> Optional.of(entry.getValue())));
    }

    @Test
    void itsFlowsOfBeforeStayAndTheOthersArePlanned() {
        final NodePlan before = plan(good, bad);
        final NodePlan now = plan(Fixtures.tenant("good", 200), faulty());
        assertThat(now.quarantined().get("bad").flows()).isEqualTo(Flows.PLANNED);
        assertThat(now.quarantined().get("bad").reason()).startsWith("the tenant cannot be planned, its flows of before"
            + " stay: java.lang.");
        assertThat(now.tenantFlows().get(badVrf)).isSameAs(before.tenantFlows().get(badVrf));
        assertThat(now.tenantMeters().get(badVrf)).isSameAs(before.tenantMeters().get(badVrf));
        assertThat(now.orders().get(badVrf.natZone())).isEqualTo(before.orders().get(badVrf.natZone()));
        assertThat(now.tenantFlows().get(goodVrf)).isNotEqualTo(before.tenantFlows().get(goodVrf));
        assertThat(plan(good, faulty()).quarantined()).containsOnlyKeys("bad");
        final NodePlan repaired = plan(good, bad);
        assertThat(repaired.quarantined()).isEmpty();
        assertThat(repaired).isEqualTo(before);
    }

    @Test
    void afterAStartWhatTheSwitchHasIsLeftAlone() {
        final NodePlan before = Planner.plan(whole, allocations, Set.of(), NODE);
        final NodePlan now = plan(good, faulty());
        assertThat(now.quarantined().get("bad").flows()).isEqualTo(Flows.KEPT);
        assertThat(now.tenantFlows()).containsOnlyKeys(goodVrf);
        assertThat(now.vrfs()).containsExactlyInAnyOrder(goodVrf, badVrf);
        assertThat(PlanDiff.between(now, before.flowSpecs()).isEmpty()).isTrue();
        final MeterDiff meters = MeterDiff.between(now, meters(before));
        assertThat(meters.toSet()).isEmpty();
        assertThat(meters.excess()).isEmpty();
        assertThat(now.keptZones()).containsExactlyInAnyOrder(badVrf.natZone(), badVrf.aclZone(), badVrf.chainZone());
        assertThat(plan(Fixtures.tenant("good", 200), faulty()).quarantined().get("bad").flows()).isEqualTo(Flows.KEPT);
        // Once it is removed, all of it is excess.
        final NodePlan gone = plan(good);
        assertThat(gone.vrfs()).containsExactly(goodVrf);
        assertThat(PlanDiff.between(gone, before.flowSpecs()).excess())
            .hasSize(before.tenantFlows().get(badVrf).size());
        assertThat(MeterDiff.between(gone, meters(before)).excess()).hasSize(before.tenantMeters().get(badVrf).size());
    }

    @Test
    void whatBelongsToAnotherTenantNowIsNotKept() {
        plan(good, bad);
        final NodePlan now = plan(Fixtures.tenant("good", 101), faulty());
        assertThat(now.quarantined().get("bad").flows()).isEqualTo(Flows.NONE);
        assertThat(now.tenantFlows()).containsOnlyKeys(goodVrf);
        assertThat(now.vrfs()).containsExactly(goodVrf);
        assertThat(now.flows()).hasSize(now.size());
        // It has nothing in the switch any more, so there is nothing to be left alone.
        assertThat(plan(good, faulty()).quarantined().get("bad").flows()).isEqualTo(Flows.NONE);
    }

    @Test
    void withoutAnAllocationItHasNoFlows() {
        final Allocations none = Allocator.allocate(whole.withTenants(List.of(good)), Allocations.none());
        final NodePlan plan = planner.planAgain(whole, none, Set.of(), Set.of(), NODE);
        assertThat(plan.quarantined().get("bad").vrf()).isEmpty();
        assertThat(plan.tenantFlows()).hasSize(1);
        assertThat(plan.orders()).hasSize(1);
    }

    @Test
    void aPlanFromNothingFailsWithTheReason() {
        assertThatThrownBy(() -> Planner.plan(whole.withTenants(List.of(good, faulty())), allocations, Set.of(), NODE))
            .isInstanceOf(IllegalStateException.class).hasMessageStartingWith("bad: the tenant cannot be planned");
    }
}
