// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.rules.Validator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** What is remembered changes nothing: plans and differences are those that are made from nothing. */
class PlanAgainTest {
    private static final int NETWORKS = 12;
    private static final int DRAWN_NETWORKS = 100;
    private static final int STEPS = 40;
    private static final int CHANGES = 15;
    private static final List<Set<String>> DOWN = List.of(Set.of(), Set.of(), Set.of("fw"), Set.of("tap"));
    private static final List<Set<AccessPlace>> FLOODING = List.of(Set.of(), Set.of(),
        Set.of(new AccessPlace("acc0", 100), new AccessPlace("acc1", 101), new AccessPlace("acc1", 7)));

    @Test
    void plansAndDifferencesAreThoseFromNothing() {
        final int planned = IntStream.range(0, NETWORKS).map(this::change).sum();
        assertThat(planned).isGreaterThan(NETWORKS * STEPS / 2);
    }

    @Test
    @Tag("deep")
    @Tag("fuzz")
    void plansAndDifferencesOfDrawnNetworksToo(final TestReporter reporter) {
        final int first = new Random().nextInt();
        reporter.publishEntry("plans again", "seed %d".formatted(first));
        IntStream.range(0, DRAWN_NETWORKS).forEach(number -> {
            change(first + number);
            given(first + number);
        });
    }

    /** Number of plans that were made. */
    private int change(final int seed) {
        final Random random = new Random(seed);
        final RandomNetwork network = new RandomNetwork(seed, false);
        final Planner planner = new Planner();
        Allocations allocations = Allocations.none();
        Snapshot served = Snapshot.empty();
        NodePlan installed = Fixtures.plan(Fixtures.network());
        int planned = 0;
        for (int step = 0; step < STEPS; step++) {
            final Snapshot next = network.next();
            final Snapshot snapshot = step % 7 == 3 ? Fixtures.reporting(next) : next;
            if (!Validator.validate(snapshot, allocations).isEmpty()) {
                continue;
            }
            final Allocations whole = Allocator.allocate(snapshot, allocations);
            allocations = Allocator.allocate(snapshot, allocations, served);
            assertThat(allocations).as("what unchanged tenants keep").isEqualTo(whole);
            served = snapshot;
            final Set<String> down = DOWN.get(random.nextInt(DOWN.size()));
            final Set<AccessPlace> flooding = FLOODING.get(random.nextInt(FLOODING.size()));
            final NodePlan plan = planner.planAgain(snapshot, allocations, down, flooding, "edge1");
            assertThat(plan).isEqualTo(Planner.plan(snapshot, allocations, down, flooding, "edge1"));
            assertThat(plan.flows()).hasSize(plan.size());
            sameDifference(PlanDiff.between(plan, installed), PlanDiff.between(plan, installed.flowSpecs()));
            installed = plan;
            planned++;
        }
        return planned;
    }

    private static void sameDifference(final PlanDiff found, final PlanDiff whole) {
        same(found.missing(), whole.missing());
        same(found.excess(), whole.excess());
        same(found.wrong(), whole.wrong());
        assertThat(new HashSet<>(whole.proper()).containsAll(found.proper())).isTrue();
    }

    /** In any order, none twice. By sets: thousands of flows are compared a thousand times. */
    private static <T> void same(final Collection<T> found, final Collection<T> whole) {
        assertThat(found).hasSameSizeAs(whole);
        assertThat(new HashSet<>(found)).hasSameSizeAs(found).isEqualTo(new HashSet<>(whole));
    }

    @Test
    void whatPacketsGiveIsPlannedAsFromNothing() {
        IntStream.range(0, NETWORKS).forEach(this::given);
    }

    private void given(final int seed) {
        final RandomNetwork network = new RandomNetwork(seed, false);
        for (int step = 0; step < 20; step++) {
            network.next();
        }
        final Snapshot snapshot = network.next();
        if (!Validator.validate(snapshot, Allocations.none()).isEmpty()) {
            return;
        }
        final Random random = new Random(seed);
        final Planner planner = new Planner();
        Allocations given = Allocator.allocate(snapshot, Allocations.none());
        for (int change = 0; change < CHANGES; change++) {
            final NodePlan plan = planner.planAgain(snapshot, given, Set.of(), Set.of(), "edge1");
            assertThat(plan).isEqualTo(Planner.plan(snapshot, given, Set.of(), Set.of(), "edge1"));
            assertThat(planner.planAgain(snapshot, given, Set.of(), Set.of(), "edge1")).isSameAs(plan);
            given = given.withTenants(changed(given, random));
        }
    }

    /** Another address or VRF of some tenants, or an equal object. */
    private static Map<String, TenantAllocation> changed(final Allocations given, final Random random) {
        final Map<String, TenantAllocation> tenants = new HashMap<>(given.tenants());
        tenants.replaceAll((name, had) -> {
            final int kind = random.nextInt(12);
            final Ipv4 address = Ipv4.parse("100.100.0.0").plus(4L * had.id() + random.nextInt(4));
            final int other = had.id() < 2000 ? had.id() + 2000 : had.id() - 2000;
            return kind > 2 ? had : new TenantAllocation(kind == 1 ? other : had.id(),
                kind == 0 ? had.publicAddress().map(before -> address) : had.publicAddress(), had.blocks(),
                had.leases(), had.places(), had.vrfs());
        });
        return tenants;
    }

    @Test
    void onlyATenantThatChangedIsPlannedAgain() {
        final Planner planner = new Planner();
        final Snapshot before = Fixtures.network(Fixtures.tenants(3));
        final Allocations allocations = Allocator.allocate(before, Allocations.none());
        final NodePlan first = planner.planAgain(before, allocations, Set.of(), Set.of(), "edge1");
        final List<Tenant> tenants = new ArrayList<>(before.tenants().values());
        tenants.set(1, Fixtures.tenant("t001", 999));
        final Snapshot after = before.withTenants(tenants);
        final NodePlan second =
            planner.planAgain(after, Allocator.allocate(after, allocations), Set.of(), Set.of(), "edge1");
        assertThat(second.nodeFlows()).isSameAs(first.nodeFlows());
        first.tenantFlows().forEach((vrf, flows) -> {
            if (vrf.number() == allocations.tenants().get("t001").id()) {
                assertThat(second.tenantFlows().get(vrf)).isNotEqualTo(flows);
            } else {
                assertThat(second.tenantFlows().get(vrf)).isSameAs(flows);
            }
        });
    }

    @Test
    void aTenantThatFloodsIsPlannedAgainAndNoOther() {
        final Planner planner = new Planner();
        final Snapshot snapshot = Fixtures.network(Fixtures.tenants(3));
        final Allocations allocations = Allocator.allocate(snapshot, Allocations.none());
        final NodePlan quiet = planner.planAgain(snapshot, allocations, Set.of(), Set.of(), "edge1");
        final AccessPlace place = snapshot.tenants().get("t001").attachments().get(0).place();
        final NodePlan flood = planner.planAgain(snapshot, allocations, Set.of(), Set.of(place), "edge1");
        assertThat(flood.nodeFlows()).isSameAs(quiet.nodeFlows());
        final int vrf = allocations.tenants().get("t001").id();
        quiet.tenantFlows().forEach((each, flows) -> {
            if (each.number() == vrf) {
                assertThat(flood.tenantFlows().get(each)).hasSize(flows.size() + 4);
            } else {
                assertThat(flood.tenantFlows().get(each)).isSameAs(flows);
            }
        });
        assertThat(planner.planAgain(snapshot, allocations, Set.of(), Set.of(), "edge1")).isEqualTo(quiet);
    }

    @Test
    void anInstanceThatChangesChangesNoTenant() {
        final Planner planner = new Planner();
        final Snapshot before = Chained.spread();
        final Allocations allocations = Allocator.allocate(before, Allocations.none());
        final NodePlan first = planner.planAgain(before, allocations, Set.of(), Set.of(), "edge1");
        final NodePlan failed = planner.planAgain(before, allocations, Set.of("fw2"), Set.of(), "edge1");
        final NetworkFunction fw = before.functions().get("fw");
        final Snapshot fewer = before.withFunctions(List.of(before.functions().get("tap"), fw.spread(
            fw.instances().get(0), fw.instances().get(2))));
        final NodePlan scaled =
            planner.planAgain(fewer, Allocator.allocate(fewer, allocations), Set.of(), Set.of(), "edge1");
        for (final NodePlan plan : List.of(failed, scaled)) {
            assertThat(plan.nodeFlows()).isNotEqualTo(first.nodeFlows());
            first.tenantFlows().forEach((vrf, flows) -> assertThat(plan.tenantFlows().get(vrf)).isSameAs(flows));
        }
    }

    @Test
    void whatTheSwitchLearnedStaysAsLongAsItsVrf() {
        final NodePlan plan = Fixtures.plan(Fixtures.network(Fixtures.tenants(1)));
        final int vrf = plan.vrfs().iterator().next().number();
        final List<FlowSpec> installed = new ArrayList<>(plan.flowSpecs());
        installed.add(learned(Table.NEIGHBOURS, Cookie.Kind.LEARNED, vrf, vrf));
        installed.add(learned(Table.NAT_SESSIONS, Cookie.Kind.SESSION, vrf, vrf));
        installed.add(learned(Table.NAT_OPEN, Cookie.Kind.LEARNED, vrf, vrf));
        assertThat(PlanDiff.between(plan, installed).isEmpty()).isTrue();

        final List<FlowSpec> others = List.of(
            learned(Table.NEIGHBOURS, Cookie.Kind.LEARNED, vrf + 1, vrf + 1),
            learned(Table.NAT_SESSIONS, Cookie.Kind.SESSION, vrf + 1, vrf + 1),
            learned(Table.NAT_OUT, Cookie.Kind.SESSION, vrf, vrf));
        installed.addAll(others);
        assertThat(PlanDiff.between(plan, installed).excess()).containsExactlyInAnyOrderElementsOf(others);
    }

    private static FlowSpec learned(final Table table, final Cookie.Kind kind, final int owner, final int vrf) {
        return new FlowSpec(table, 7, List.of(Register.VRF.is(vrf), FieldMatch.of(MatchField.ETH_TYPE, 0x0800)),
            List.of(), Optional.empty(), Cookie.of(kind, owner), 60);
    }
}
