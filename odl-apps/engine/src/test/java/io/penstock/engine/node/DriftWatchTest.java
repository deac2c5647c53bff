// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import io.penstock.events.RepairEvent;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.MeterCount;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is compared in a round, and when a switch is repaired. */
class DriftWatchTest {
    private static final SwitchId SWITCH = new SwitchId(1);
    private static final Instant NOON = Instant.parse("2026-11-25T12:00:00Z");

    private final RecordingSouthbound southbound = new RecordingSouthbound();
    private final List<RepairEvent> events = new ArrayList<>();
    private final List<CompletableFuture<Void>> dropped = new ArrayList<>();
    private final AtomicLong now = new AtomicLong();
    private final Ticker ticker = new Ticker() {
        @Override
        public long read() {
            return now.get();
        }
    };
    private final NodeFlows flows = new NodeFlows(southbound, () -> {
        dropped.add(CompletableFuture.completedFuture(null));
        return Optional.of(dropped.get(0));
    }, Tasks.inline(), () -> CompletableFuture.completedFuture(null), ticker);
    private final List<NodeCounts> counted = new ArrayList<>();
    private final RoundCounts counts = new RoundCounts(Optional::empty, Tasks.inline(), (before, after) -> {
        assertThat(before).isEqualTo(counted.isEmpty() ? NodeCounts.NONE : counted.get(counted.size() - 1));
        counted.add(after);
    });
    private final DriftWatch drift = new DriftWatch("edge1", southbound, flows, counts, Tasks.inline(), events::add,
        ticker, Clock.fixed(NOON, ZoneOffset.UTC));
    private final NodePlan plan = Fixtures.plan(Fixtures.network(Fixtures.guarded()));
    private final VrfId vrf = plan.vrfs().iterator().next();

    @BeforeEach
    void install() {
        southbound.installed = List.copyOf(plan.flows().values());
        plan.meters().forEach((id, meter) -> southbound.meters.put(id, Optional.of(meter)));
    }

    private void delete(final Predicate<PlannedFlow> which) {
        southbound.installed = plan.flows().values().stream().filter(which.negate()).toList();
    }

    private void deleteList() {
        delete(planned -> planned.flow().table() == Table.TENANT_ACL);
    }

    /** Steps of a round of which each asks for a repair, which is not made. */
    private int round() throws Exception {
        int due = 0;
        for (int step = 0; step < DriftWatch.STEPS; step++) {
            due += drift.next(SWITCH, plan).get() ? 1 : 0;
        }
        return due;
    }

    private void seconds(final long seconds) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void aRoundComparesEverythingAndChangesNothing() throws Exception {
        assertThat(round()).isZero();
        assertThat(drift.report().compared()).contains(NOON);
        assertThat(drift.report().lacking()).isEmpty();
        assertThat(southbound.steps).isEmpty();
    }

    @Test
    void aRoundCountsWhatWasDropped() throws Exception {
        assertThat(counted).isEmpty();
        round();
        assertThat(counted).hasSize(1);
        assertThat(counted.get(0).counts()).as("nothing was dropped").isEmpty();
        southbound.limited = List.of(new MeterCount(TenantMeter.OUT.number(vrf), 9, 900, 4, 400),
            new MeterCount(TenantMeter.IN.number(vrf), 9, 900, 0, 0));
        southbound.packets = 3;
        round();
        final NodeCounts.Count count = counted.get(1).of(vrf);
        assertThat(count.limited()).containsOnly(Map.entry(TenantMeter.OUT, 4L));
        final List<FlowSpec> drops = plan.flows().values().stream().map(PlannedFlow::flow).filter(FlowSpec::isDrop)
            .toList();
        final List<FlowSpec> ofTenant = drops.stream().filter(flow -> Cookie.is(flow.cookie(), Cookie.Kind.TENANT))
            .toList();
        assertThat(count.dropped()).isEqualTo(3L * ofTenant.size()).isPositive();
        assertThat(count.guarded()).isEqualTo(3 * ofTenant.stream().filter(flow -> flow.table() == Table.ACCESS_GUARD
            || flow.table() == Table.ACCESS_LEARN || flow.table() == Table.ND_GUARD).count()).isPositive()
            .isLessThan(count.dropped());
        assertThat(counted.get(1).shared().dropped())
            .isEqualTo(3L * (drops.size() - ofTenant.size())).isPositive();
        assertThat(counted.get(1).differing(counted.get(0))).containsExactly(vrf);
        round();
        assertThat(counted.get(2).differing(counted.get(1))).isEmpty();
    }

    @Test
    void aRoundCountsDifferencesAsVerifyDoes() throws Exception {
        deleteList();
        round();
        final int lost = (int) plan.flows().values().stream()
            .filter(planned -> planned.flow().table() == Table.TENANT_ACL).count();
        assertThat(drift.report().differences()).isEqualTo(new DriftReport.Differences(lost, 0, 0));
        drift.repair(SWITCH, plan).get();
        assertThat(drift.report().differences()).isEqualTo(new DriftReport.Differences(0, 0, 0));
    }

    @Test
    void aMissingFlowOfEachTableAndEachMissingMeterAreFoundInOneRound() throws Exception {
        final Map<Table, PlannedFlow> one = new EnumMap<>(Table.class);
        plan.flows().values().forEach(planned -> one.put(planned.flow().table(), planned));
        for (final PlannedFlow gone : one.values()) {
            southbound.installed = plan.flows().values().stream().filter(planned -> !planned.equals(gone)).toList();
            assertThat(round()).as("%s", gone).isPositive();
            final Optional<VrfId> owner = Cookie.is(gone.flow().cookie(), Cookie.Kind.TENANT)
                ? Cookie.vrf(gone.flow().cookie()) : Optional.empty();
            assertThat(drift.report().lacking()).as("%s", gone).containsOnlyKeys(owner);
        }
        install();
        assertThat(round()).as("until the step with the last one is read again").isLessThan(DriftWatch.STEPS);
        for (final int gone : plan.meters().keySet()) {
            install();
            southbound.meters.remove(gone);
            assertThat(round()).isPositive();
        }
    }

    @Test
    void theReasonNamesTheTenantsFlowsOrThoseOfAll() throws Exception {
        delete(planned -> planned.flow().table() == Table.TENANT_ACL
            && Cookie.is(planned.flow().cookie(), Cookie.Kind.TENANT));
        round();
        assertThat(drift.report().reason("edge1", vrf).orElseThrow())
            .endsWith("of its flows are missing or wrong on node edge1");
        assertThat(drift.report().reason("edge1", new VrfId(vrf.number() + 1))).isEmpty();
        delete(planned -> Cookie.is(planned.flow().cookie(), Cookie.Kind.BACKBONE));
        round();
        assertThat(drift.report().reason("edge1", vrf).orElseThrow())
            .endsWith("flows of all tenants are missing or wrong on node edge1");
    }

    @Test
    void aRepairIsOneChangeIsToldAndDropsCachedFlows() throws Exception {
        deleteList();
        southbound.meters.remove(plan.meters().keySet().iterator().next());
        drift.repair(SWITCH, plan).get();
        assertThat(southbound.steps).hasSize(2).last().isEqualTo("flows");
        assertThat(southbound.steps.get(0)).startsWith("set ");
        final long lost = plan.flows().values().stream()
            .filter(planned -> planned.flow().table() == Table.TENANT_ACL).count();
        assertThat(southbound.changes.get(0).add()).hasSize((int) lost);
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.missing()).isEqualTo((int) lost + 1);
            assertThat(event.table()).isEqualTo("tenant_acl");
        });
        assertThat(dropped).hasSize(1);
        assertThat(drift.report().repairs()).isEqualTo(1);
        assertThat(drift.report().repaired()).contains(NOON);
        assertThat(drift.report().lacking()).isEmpty();
    }

    @Test
    void aSwitchThatIsAsPlannedWhenItIsReadIsNotRepaired() throws Exception {
        drift.repair(SWITCH, plan).get();
        assertThat(southbound.steps).isEmpty();
        assertThat(events).isEmpty();
        assertThat(drift.report().repairs()).isZero();
    }

    @Test
    void thePauseBetweenRepairsDoublesUpToAMinuteAndEndsAfterACleanRound() throws Exception {
        deleteList();
        for (final int pause : List.of(0, 1, 2, 4, 8, 16, 32, 60, 60)) {
            if (pause > 0) {
                seconds(pause - 1);
                assertThat(round()).as("before %d s", pause).isZero();
                seconds(1);
            }
            assertThat(round()).as("after %d s", pause).isPositive();
            drift.repair(SWITCH, plan).get();
        }
        install();
        round();
        deleteList();
        assertThat(round()).as("at once after a round without a difference").isPositive();
    }

    @Test
    void aRepairThatFailsHasToWaitToo() throws Exception {
        deleteList();
        southbound.refusal = new IllegalStateException("refused");
        assertThatThrownBy(() -> drift.repair(SWITCH, plan).get()).isInstanceOf(ExecutionException.class);
        assertThat(events).isEmpty();
        assertThat(round()).isZero();
        seconds(1);
        assertThat(round()).isPositive();
    }

    @Test
    void flowsThatStayForAMomentAreNoDifference() throws Exception {
        final NodePlan chained = Fixtures.plan(Fixtures.network(Fixtures.guardedChained()));
        assertThat(chained.vrfs()).isEqualTo(plan.vrfs());
        final FlowChanges change = flows.change(SWITCH, chained, plan).get();
        final Map<FlowSpec.Key, PlannedFlow> there = new HashMap<>(chained.flows());
        change.remove().forEach(there::remove);
        change.add().forEach(flow -> there.put(flow.key(), new PlannedFlow(flow, "")));
        southbound.installed = List.copyOf(there.values());
        assertThat(flows.lingers()).isTrue();
        assertThat(there).hasSizeGreaterThan(plan.size());
        assertThat(round()).isZero();
    }
}
