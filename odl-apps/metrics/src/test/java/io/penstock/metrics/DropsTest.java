// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeCounts;
import io.penstock.engine.node.NodeCounts.Count;
import io.penstock.metrics.Drops.Drop;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How readings of a node add up. */
class DropsTest {
    private static final String NODE = "edge1";
    private static final String TENANT = "acme";
    private static final Drop LIMIT = new Drop(NODE, TENANT, "limit out");

    private final Snapshot network = Fixtures.network(Fixtures.tenant(TENANT, 100));
    private final Desired desired = new Desired(0, Snapshot.empty(), Allocations.none())
        .next(network, Allocator.allocate(network, Allocations.none()));
    private final NodePlan plan = Fixtures.plan(network);
    private final VrfId vrf = desired.allocations().tenants().get(TENANT).vrf(NODE).orElseThrow();
    private final Drops drops = new Drops();
    private NodeCounts last = NodeCounts.NONE;

    /** The flow that drops packets of foreign sources, and its reason. */
    private Map.Entry<FlowSpec.Key, String> guard() {
        return plan.flows().entrySet().stream().filter(each -> each.getValue().label().startsWith("source")
            && Cookie.is(each.getValue().flow().cookie(), Cookie.Kind.TENANT))
            .map(each -> Map.entry(each.getKey(), each.getValue().label())).findFirst().orElseThrow();
    }

    private void read(final Map<FlowSpec.Key, Long> flows, final Map<TenantMeter, Long> limited) {
        final NodeCounts now = new NodeCounts(Map.of(vrf, new Count(0, 0, limited)), new Count(0, 0, Map.of()),
            Map.of(), flows);
        drops.counted(NODE, last, now, Optional.of(plan), desired);
        last = now;
    }

    private long sum() {
        return drops.all(Set.of(TENANT)).values().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void flowsAndMetersAreCountedForTheirTenantByReason() {
        read(Map.of(), Map.of());
        read(Map.of(guard().getKey(), 5L), Map.of(TenantMeter.OUT, 7L));
        assertThat(drops.all(Set.of(TENANT))).containsExactlyInAnyOrderEntriesOf(
            Map.of(new Drop(NODE, TENANT, guard().getValue()), 5L, LIMIT, 7L));
    }

    @Test
    void whatWasDroppedBeforeTheFirstReadingIsOfNoKnownTime() {
        read(Map.of(guard().getKey(), 5L), Map.of(TenantMeter.OUT, 7L));
        assertThat(drops.all(Set.of(TENANT))).isEmpty();
        read(Map.of(guard().getKey(), 6L), Map.of(TenantMeter.OUT, 7L));
        assertThat(sum()).isEqualTo(1);
    }

    @Test
    void aCounterThatBeginsAgainIsAddedToTheSum() {
        read(Map.of(), Map.of());
        read(Map.of(guard().getKey(), 5L), Map.of(TenantMeter.OUT, 9L));
        read(Map.of(guard().getKey(), 2L), Map.of(TenantMeter.OUT, 4L));
        assertThat(drops.all(Set.of(TENANT))).containsEntry(LIMIT, 13L);
        assertThat(sum()).isEqualTo(13 + 7);
    }

    @Test
    void aFlowThatIsPlannedNoMoreIsCountedForAllTenants() {
        read(Map.of(), Map.of());
        final NodeCounts now = new NodeCounts(Map.of(), new Count(0, 0, Map.of()), Map.of(),
            Map.of(guard().getKey(), 3L));
        drops.counted(NODE, last, now, Optional.empty(), desired);
        assertThat(drops.all(Set.of())).containsExactly(
            Map.entry(new Drop(NODE, Drops.SHARED, "a flow that is planned no more"), 3L));
    }

    @Test
    void aTenantThatIsGoneHasNoSum() {
        read(Map.of(), Map.of());
        read(Map.of(guard().getKey(), 5L), Map.of());
        assertThat(drops.all(Set.of())).isEmpty();
        assertThat(drops.all(Set.of(TENANT))).as("one of the same name begins anew").isEmpty();
    }

    @Test
    void anEngineThatBeginsCountsFromZero() {
        read(Map.of(), Map.of());
        read(Map.of(guard().getKey(), 5L), Map.of());
        drops.clear();
        assertThat(sum()).isZero();
    }
}
