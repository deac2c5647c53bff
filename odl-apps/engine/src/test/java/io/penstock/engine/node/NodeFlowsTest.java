// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.flow.MeterSpec.Unit;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.BridgePlan;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.OwedFlush;
import io.penstock.pipeline.plan.Quarantine;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.openflow.TrackedConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whose connections and sessions go with a change, and when meters come and go. */
class NodeFlowsTest {
    private static final SwitchId SWITCH = new SwitchId(1);
    private static final VrfId VRF = new VrfId(5);
    private static final FieldMatch IN_VRF = Register.VRF.is(VRF.number());
    private static final long ADDRESS = 0xcb007105L;

    private static final MeterSpec FIRST = new MeterSpec(TenantMeter.NEIGHBOUR.number(VRF), Unit.PACKETS, 50, 100);
    private static final MeterSpec FASTER = new MeterSpec(FIRST.id(), Unit.PACKETS, 51, 100);
    private static final MeterSpec SECOND = new MeterSpec(TenantMeter.OUT.number(VRF), Unit.KILOBITS, 9, 9);
    private static final MeterSpec THIRD = new MeterSpec(TenantMeter.IN.number(VRF), Unit.KILOBITS, 9, 9);

    private final RecordingSouthbound southbound = new RecordingSouthbound();
    /** What the agent of the node is told, and says to it; empty while nobody can be told. */
    private final List<CompletableFuture<Void>> told = new ArrayList<>();
    private boolean agentThere = true;
    private final AtomicLong now = new AtomicLong();
    private final NodeFlows flows = new NodeFlows(southbound, () -> {
        if (!agentThere) {
            return Optional.empty();
        }
        told.add(new CompletableFuture<>());
        return Optional.of(told.get(told.size() - 1));
    }, Tasks.inline(), this::forgetAgain, new Ticker() {
        @Override
        public long read() {
            return now.get();
        }
    });

    @Test
    void anotherTranslationIsForgotten() throws Exception {
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS + 1))).get();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(VRF.natZone())));
        assertThat(southbound.removed()).contains(Cookie.of(Cookie.Kind.SESSION, VRF));
    }

    @Test
    void aTranslationThatEndedIsForgotten() throws Exception {
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(List.of())).get();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(VRF.natZone())));
        assertThat(southbound.removed()).contains(Cookie.of(Cookie.Kind.SESSION, VRF));
    }

    @Test
    void aTenantThatLeftIsForgotten() throws Exception {
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(new TreeMap<>())).get();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(VRF.natZone()),
            TrackedConnections.ofZone(VRF.chainZone())));
        assertThat(southbound.removed()).contains(Cookie.of(Cookie.Kind.SESSION, VRF),
            Cookie.of(Cookie.Kind.LEARNED, VRF), Cookie.of(Cookie.Kind.TENANT, VRF));
    }

    @Test
    void whatIsFoundOnTheSwitchCountsLikewise() throws Exception {
        southbound.installed = translated(ADDRESS);
        flows.reconcile(SWITCH, plan(List.of())).get();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(VRF.natZone())));
    }

    @Test
    void aTranslationThatStaysIsKept() throws Exception {
        final List<PlannedFlow> more = new ArrayList<>(translated(ADDRESS));
        more.add(new PlannedFlow(new FlowSpec(Table.VRF_ROUTE, 1, List.of(IN_VRF), List.of(),
            Optional.of(Table.TENANT_ACL), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "more"));
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(more)).get();
        flows.change(SWITCH, plan(more), plan(translated(ADDRESS))).get();
        assertThat(southbound.flushed).isEmpty();
        assertThat(southbound.removed()).isEmpty();
    }

    @Test
    void aServiceThatIsPublishedNoMoreLosesItsSessionsAlone() throws Exception {
        final List<PlannedFlow> more = new ArrayList<>(translated(ADDRESS));
        more.add(new PlannedFlow(new FlowSpec(Table.NAT_IN_CHECK, 1, List.of(IN_VRF), List.of(),
            Optional.of(Table.CHAIN_IN), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "port forward"));
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(more)).get();
        assertThat(southbound.removed()).isEmpty();
        flows.change(SWITCH, plan(more), plan(translated(ADDRESS))).get();
        assertThat(southbound.removed()).containsExactly(Cookie.of(Cookie.Kind.SESSION, VRF));
        assertThat(southbound.flushed).isEmpty();
    }

    @Test
    void cachedFlowsAreDroppedWhenPacketsHaveAnotherWay() throws Exception {
        final List<PlannedFlow> chained = with(translated(ADDRESS), Table.CHAIN_OUT);
        flows.change(SWITCH, plan(new TreeMap<>()), plan(chained)).get();
        flows.change(SWITCH, plan(chained), plan(with(chained, Table.VRF_ROUTE))).get();
        assertThat(told).as("of a new tenant, and of what leads nobody elsewhere").isEmpty();
        flows.change(SWITCH, plan(chained), plan(translated(ADDRESS))).get();
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(chained)).get();
        flows.change(SWITCH, plan(chained), plan(with(chained, Table.TENANT_ACL))).get();
        assertThat(told).hasSize(3);
    }

    @Test
    void cachedFlowsAreDroppedWhenAnAttachmentComesBack() throws Exception {
        final NodePlan attached = plan(with(translated(ADDRESS), Table.CLASSIFY));
        final NodePlan nobody = plan(new TreeMap<>());
        flows.change(SWITCH, nobody, attached).get();
        flows.change(SWITCH, attached, nobody).get();
        assertThat(told).as("of one that leaves, and not of one that is new").hasSize(1);
        told.get(0).complete(null);
        flows.change(SWITCH, nobody, attached).get();
        assertThat(told).hasSize(2);
        assertThat(flows.inForce()).as("in force without it").isCompleted();
        flows.change(SWITCH, attached, plan(translated(ADDRESS))).get();
        flows.change(SWITCH, plan(translated(ADDRESS)), attached).get();
        assertThat(told).hasSize(4);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLASSIFY", "BACKBONE_IN"})
    void anEntryIsClosedWhenCachedFlowsAreDropped(final Table entry) throws Exception {
        final NodePlan open = plan(with(translated(ADDRESS), entry));
        flows.change(SWITCH, plan(new TreeMap<>()), open).get();
        assertThat(flows.inForce()).isCompleted();
        flows.change(SWITCH, open, plan(new TreeMap<>())).get();
        assertThat(flows.inForce()).as("the drop is awaited").isNotDone();
        told.get(0).complete(null);
        assertThat(flows.inForce()).isCompleted();
    }

    @Test
    void whoeverCouldNotBeToldIsToldLater() throws Exception {
        final List<PlannedFlow> chained = with(translated(ADDRESS), Table.CHAIN_OUT);
        final List<PlannedFlow> routed = with(translated(ADDRESS), Table.VRF_ROUTE);
        agentThere = false;
        flows.change(SWITCH, plan(chained), plan(translated(ADDRESS))).get();
        agentThere = true;
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(routed)).get();
        assertThat(told).hasSize(1);
        assertThat(flows.inForce()).isNotDone();
        told.get(0).completeExceptionally(new IllegalStateException("the database is gone"));
        assertThat(flows.inForce()).isCompleted();
        flows.change(SWITCH, plan(routed), plan(translated(ADDRESS))).get();
        assertThat(told).hasSize(2);
        assertThat(flows.inForce()).as("the drop that failed is awaited again").isNotDone();
        told.get(1).complete(null);
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(routed)).get();
        assertThat(told).hasSize(2);
    }

    @Test
    void whatCachedFlowsCouldBeginAgainIsForgottenAfterThem() throws Exception {
        final Set<TrackedConnections> connections = Set.of(TrackedConnections.ofZone(VRF.natZone()),
            TrackedConnections.ofZone(VRF.chainZone()));
        flows.change(SWITCH, plan(with(translated(ADDRESS), Table.CLASSIFY)), plan(new TreeMap<>())).get();
        assertThat(southbound.flushed).containsExactly(connections);
        assertThat(southbound.unmarked).as("still owed").containsExactly(List.of());
        told.get(0).complete(null);
        assertThat(southbound.flushed).containsExactly(connections, connections);
        assertThat(southbound.unmarked.get(1)).hasSize(2);
        assertThat(flows.inForce()).isCompleted();
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS + 1))).get();
        assertThat(southbound.flushed).as("with nothing cached that leads elsewhere").hasSize(3);
    }

    @Test
    void itIsOwedUntilCachedFlowsAreDropped() throws Exception {
        agentThere = false;
        flows.change(SWITCH, plan(with(translated(ADDRESS), Table.CLASSIFY)), plan(new TreeMap<>())).get();
        assertThat(southbound.flushed).hasSize(1);
        agentThere = true;
        flows.change(SWITCH, plan(new TreeMap<>()), plan(new TreeMap<>())).get();
        told.get(0).completeExceptionally(new IllegalStateException("the agent is gone"));
        assertThat(southbound.flushed).hasSize(1);
        flows.change(SWITCH, plan(new TreeMap<>()), plan(new TreeMap<>())).get();
        told.get(1).complete(null);
        assertThat(southbound.flushed).hasSize(2);
        assertThat(southbound.unmarked.get(1)).hasSize(2);
    }

    private CompletableFuture<Void> forgetAgain() {
        return flows.forgetAgain(SWITCH);
    }

    private static List<PlannedFlow> with(final List<PlannedFlow> flows, final Table table) {
        final List<PlannedFlow> more = new ArrayList<>(flows);
        more.add(new PlannedFlow(new FlowSpec(table, Priority.NORMAL, List.of(IN_VRF), List.of(),
            Optional.empty(), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "more"));
        return more;
    }

    @Test
    void aSingleHostsTranslationIsNoReasonToForgetTheOthers() throws Exception {
        final List<PlannedFlow> more = new ArrayList<>(translated(ADDRESS));
        more.add(new PlannedFlow(new FlowSpec(Table.NAT_TRANSLATE, Priority.HIGH, List.of(IN_VRF),
            List.of(), Optional.of(Table.NAT_OUT_CHECK), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "fragment"));
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(more)).get();
        flows.change(SWITCH, plan(more), plan(translated(ADDRESS))).get();
        assertThat(southbound.flushed).isEmpty();
    }

    @Test
    void aNetworkThatIsSeenElsewhereNoMoreIsForgotten() throws Exception {
        final Tenant tenant = Fixtures.twice();
        final List<Tenant.Twice> seen = tenant.nat().orElseThrow().twice();
        final NodePlan before = seeing(seen);
        final Tenant.Twice first = seen.get(0);
        final Tenant.Twice second = new Tenant.Twice(Prefix.parse("10.99.2.0/24"), Prefix.parse("172.16.0.0/24"));
        for (final List<Tenant.Twice> after : List.of(List.<Tenant.Twice>of(), List.of(first),
                List.of(first, new Tenant.Twice(Prefix.parse("10.99.2.8/32"), seen.get(1).outside())),
                List.of(first, new Tenant.Twice(seen.get(1).seen(), Prefix.parse("172.16.0.8/32"))))) {
            southbound.flushed.clear();
            flows.change(SWITCH, before, seeing(after)).get();
            assertThat(southbound.flushed).as(after.toString())
                .containsExactly(Set.of(TrackedConnections.ofZone(2)));
        }
        southbound.flushed.clear();
        flows.change(SWITCH, seeing(List.of(first, second)), seeing(List.of(
            new Tenant.Twice(first.seen(), second.outside()), new Tenant.Twice(second.seen(), first.outside())))).get();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(2)));
        southbound.flushed.clear();
        flows.change(SWITCH, seeing(List.of(first)), before).get();
        assertThat(southbound.flushed).isEmpty();
    }

    private static NodePlan seeing(final List<Tenant.Twice> networks) {
        final Tenant tenant = Fixtures.twice();
        return Fixtures.plan(Fixtures.network(new Tenant(tenant.name(), tenant.attachments(), tenant.subnets(),
            tenant.routes(), tenant.nat().map(nat -> nat.with(networks)), Optional.empty(), Optional.empty())));
    }

    @Test
    void connectionsOfListsAreForgottenWhenTheyAreTrackedAndWhenNoMore() throws Exception {
        final NodePlan none = Fixtures.plan(Fixtures.network(Fixtures.guarded(Optional.of("office-out"),
            Optional.of("office-in"), false)));
        final NodePlan both = Fixtures.plan(Fixtures.network(Fixtures.guarded()));
        final NodePlan other = Fixtures.plan(Fixtures.network(Fixtures.guarded(Optional.of("web-only"),
            Optional.empty(), true)));
        final Set<TrackedConnections> zone = Set.of(TrackedConnections.ofZone(new VrfId(2).aclZone()));
        flows.change(SWITCH, none, both).get();
        assertThat(southbound.flushed).containsExactly(zone);
        flows.change(SWITCH, both, other).get();
        flows.change(SWITCH, other, both).get();
        assertThat(southbound.flushed).hasSize(1);
        flows.change(SWITCH, both, none).get();
        assertThat(southbound.flushed).containsExactly(zone, zone);
        assertThat(southbound.removed()).isEmpty();
        flows.change(SWITCH, both, Fixtures.plan(Fixtures.network())).get();
        assertThat(southbound.flushed.get(2)).containsExactlyInAnyOrder(TrackedConnections.ofZone(2),
            TrackedConnections.ofZone(new VrfId(2).aclZone()), TrackedConnections.ofZone(new VrfId(2).chainZone()));
    }

    @Test
    void aFunctionThatFailsIsNoReasonToForget() throws Exception {
        final Snapshot snapshot = Fixtures.network(Fixtures.twiceChained());
        final List<NodePlan> plans = Stream.of(Set.<String>of(), Set.of("tap"), Set.of("fw"))
            .map(down -> Fixtures.plan(snapshot, down)).toList();
        for (final NodePlan before : plans) {
            for (final NodePlan after : plans) {
                flows.change(SWITCH, before, after).get();
            }
        }
        assertThat(southbound.flushed).isEmpty();
    }

    @Test
    void whatCouldNotBeForgottenIsForgottenLater() throws Exception {
        southbound.failure = new IllegalStateException("cut off");
        assertThatThrownBy(() -> flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS + 1))).get())
            .isInstanceOf(ExecutionException.class).hasRootCauseMessage("cut off");
        southbound.failure = null;
        southbound.flushed.clear();
        southbound.installed = translated(ADDRESS + 1);
        assertThat(flows.reconcile(SWITCH, plan(translated(ADDRESS + 1))).get().size()).isZero();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(VRF.natZone())));
        flows.reconcile(SWITCH, plan(translated(ADDRESS + 1))).get();
        assertThat(southbound.flushed).hasSize(1);
    }

    @Test
    void portsThatMappingsTakeOverAreForgottenOnBothChanges() throws Exception {
        final List<PlannedFlow> more = new ArrayList<>(translated(ADDRESS));
        more.add(new PlannedFlow(new FlowSpec(Table.NAT_MAP_OTHER_PORT, 1, List.of(IN_VRF), List.of(),
            Optional.of(Table.NAT_MAP_FREE), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "mappings"));
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(more)).get();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(VRF.natZone())));
        flows.change(SWITCH, plan(more), plan(translated(ADDRESS))).get();
        assertThat(southbound.flushed).hasSize(2);
    }

    @Test
    void whatWasToldIsForgottenWithTheNextChangeEvenOfNothing() throws Exception {
        final Set<TrackedConnections> cut = Set.of(new TrackedConnections(VRF.natZone(), OptionalLong.of(ADDRESS)));
        flows.forget(cut);
        assertThat(southbound.flushed).isEmpty();
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS))).get();
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS))).get();
        assertThat(southbound.flushed).containsExactly(cut);
        assertThat(southbound.changes).extracting(FlowChanges::add)
            .containsExactly(List.of(new OwedFlush(VRF.natZone(), OptionalLong.of(ADDRESS)).flow()));
        assertThat(southbound.changes).allMatch(change -> change.size() == 1);
    }

    @Test
    void whatIsOwedComesWithTheChangeAndGoesWhenItIsDone() throws Exception {
        southbound.failure = new IllegalStateException("cut off");
        assertThatThrownBy(() -> flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS + 1))).get())
            .hasRootCauseMessage("cut off");
        final FlowSpec marker = new OwedFlush(VRF.natZone(), OptionalLong.empty()).flow();
        assertThat(southbound.changes).hasSize(1);
        assertThat(southbound.changes.get(0).add()).contains(marker).hasSize(2);
        assertThat(southbound.unmarked).containsExactly(List.of(marker.key()));
        southbound.failure = null;
        flows.change(SWITCH, plan(translated(ADDRESS + 1)), plan(translated(ADDRESS + 1))).get();
        assertThat(southbound.changes).as("the marker is there").hasSize(1);
        assertThat(southbound.unmarked).hasSize(2);
    }

    @Test
    void whatAnotherControllerOwedIsForgottenFirst() throws Exception {
        final List<OwedFlush> owed = List.of(new OwedFlush(77, OptionalLong.empty()),
            new OwedFlush(VRF.natZone(), OptionalLong.of(ADDRESS)));
        final List<PlannedFlow> there = new ArrayList<>(translated(ADDRESS));
        owed.forEach(each -> there.add(new PlannedFlow(each.flow(), "owed")));
        southbound.installed = there;
        assertThat(flows.observe(SWITCH, plan(translated(ADDRESS)), Duration.ofSeconds(1)).get()
            .diff().excess()).isEmpty();
        assertThat(flows.reconcile(SWITCH, plan(translated(ADDRESS))).get().size()).isZero();
        assertThat(southbound.changes).isEmpty();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(77),
            new TrackedConnections(VRF.natZone(), OptionalLong.of(ADDRESS))));
        assertThat(told).as("cached flows of that change").hasSize(1);
        told.get(0).complete(null);
        assertThat(southbound.unmarked.get(0)).as("still owed").isEmpty();
        assertThat(southbound.unmarked.get(1)).containsExactlyInAnyOrderElementsOf(
            owed.stream().map(each -> each.flow().key()).toList());
        assertThat(flows.owesFlushes()).isFalse();
    }

    @Test
    void aSwitchThatWasStartedAgainIsToldAnew() throws Exception {
        southbound.failure = new IllegalStateException("cut off");
        assertThatThrownBy(() -> flows.change(SWITCH, plan(translated(ADDRESS)), plan(List.of())).get())
            .hasRootCauseMessage("cut off");
        assertThatThrownBy(() -> flows.reconcile(SWITCH, plan(List.of())).get()).hasRootCauseMessage("cut off");
        assertThat(southbound.changes.get(1).add())
            .containsExactly(new OwedFlush(VRF.natZone(), OptionalLong.empty()).flow());
    }

    @Test
    void blocksThatNobodyToldOfAreForgottenByTheirFlows() throws Exception {
        final List<PlannedFlow> blocks = new ArrayList<>(translated(ADDRESS));
        blocks.add(new PlannedFlow(new FlowSpec(Table.NAT_TRANSLATE, Priority.HIGH, List.of(IN_VRF),
            List.of(new Action.ConnTrack(true, Register.VRF.range(), Table.NAT_OUT_CHECK, Optional.of(
                new Action.Nat.Source(ADDRESS + 7, Optional.of(new Action.Nat.Ports(1024, 2047)))), Optional.empty())),
            Optional.empty(), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "block 1 of 10.0.0.1"));
        southbound.installed = blocks;
        flows.reconcile(SWITCH, plan(translated(ADDRESS))).get();
        assertThat(southbound.flushed)
            .containsExactly(Set.of(new TrackedConnections(VRF.natZone(), OptionalLong.of(ADDRESS + 7))));
    }

    @Test
    void zonesThatTakeLongToForgetLetOtherChangesIn() throws Exception {
        southbound.forgotten = () -> {
            now.addAndGet(TimeUnit.MILLISECONDS.toNanos(600));
            return CompletableFuture.completedFuture(null);
        };
        flows.forget(zones(1, 20));
        flows.change(SWITCH, plan(List.of()), plan(translated(ADDRESS))).get();
        assertThat(southbound.flushed).extracting(Set::size).containsExactly(8, 8);
        assertThat(flows.owesFlushes()).isTrue();
        southbound.failure = new IllegalStateException("cut off");
        assertThatThrownBy(() -> flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS))).get())
            .hasRootCauseMessage("cut off");
        southbound.failure = null;
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS))).get();
        assertThat(southbound.flushed).extracting(Set::size).containsExactly(8, 8, 4, 4);
        assertThat(flows.owesFlushes()).isFalse();
        assertThat(southbound.flushed.stream().flatMap(Set::stream)).containsAll(zones(1, 20));
    }

    static Set<TrackedConnections> zones(final int first, final int last) {
        return IntStream.rangeClosed(first, last).mapToObj(TrackedConnections::ofZone).collect(Collectors.toSet());
    }

    @Test
    void metersComeBeforeFlowsAndGoAfterThem() throws Exception {
        flows.change(SWITCH, metered(List.of(), FIRST, SECOND), metered(translated(ADDRESS), FASTER, THIRD)).get();
        assertThat(southbound.steps).containsExactly("set [" + THIRD + ", " + FASTER + "]", "flows",
            "delete [" + SECOND.id() + "]");
    }

    @Test
    void metersOfATenantThatLeftGoAfterItsFlows() throws Exception {
        flows.change(SWITCH, metered(translated(ADDRESS), FIRST, SECOND), plan(new TreeMap<>())).get();
        assertThat(southbound.steps).containsExactly("flows", "delete [" + FIRST.id() + ", " + SECOND.id() + "]");
    }

    @Test
    void metersThatStayAreLeftAlone() throws Exception {
        final List<MeterSpec> same = List.of(FIRST, SECOND);
        flows.change(SWITCH, metered(List.of(), same), metered(List.of(), same)).get();
        flows.change(SWITCH, metered(List.of(), FIRST, SECOND), metered(List.of(), FIRST, SECOND)).get();
        assertThat(southbound.steps).isEmpty();
    }

    @Test
    void metersOfTheSwitchAreBroughtToThePlan() throws Exception {
        southbound.meters = new TreeMap<>(Map.of(FIRST.id(), Optional.of(FASTER), SECOND.id(), Optional.empty(),
            99, Optional.of(new MeterSpec(99, Unit.PACKETS, 1, 1)), -3, Optional.empty()));
        Arrays.stream(Meter.values()).forEach(meter ->
            southbound.meters.put(meter.number(), Optional.of(meter.spec())));
        flows.reconcile(SWITCH, metered(translated(ADDRESS), FIRST, SECOND, THIRD)).get();
        assertThat(southbound.steps).containsExactly("set [" + THIRD + ", " + FIRST + ", " + SECOND + "]", "flows",
            "delete [-3, 99]");
    }

    @Test
    void aSwitchThatWasNeverSeenGetsItsOwnMetersToo() throws Exception {
        flows.reconcile(SWITCH, plan(List.of())).get();
        assertThat(southbound.steps).containsExactly("set " + Arrays.stream(Meter.values()).map(Meter::spec).toList());
    }

    @Test
    void flowsThatFailLeaveTheMetersTheyNeed() {
        southbound.refusal = new IllegalStateException("refused");
        assertThatThrownBy(() -> flows.change(SWITCH, metered(translated(ADDRESS), FIRST), plan(new TreeMap<>())).get())
            .hasRootCauseMessage("refused");
        assertThat(southbound.steps).containsExactly("flows");
    }

    @Test
    void whatWasKeptForATenantGoesWithIt() throws Exception {
        final NodePlan plan = plan(new TreeMap<>());
        final NodePlan kept = new NodePlan(plan.bridge(), List.of(), List.of(), new TreeMap<>(), new TreeMap<>(),
            new TreeMap<>(), new TreeMap<>(Map.of("acme", new Quarantine(Quarantine.Flows.KEPT, Optional.of(VRF),
                new IllegalStateException("on purpose")))));
        flows.change(SWITCH, kept, plan).get();
        assertThat(southbound.removed()).contains(Cookie.of(Cookie.Kind.TENANT, VRF),
            Cookie.of(Cookie.Kind.LEARNED, VRF), Cookie.of(Cookie.Kind.SESSION, VRF));
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(VRF.natZone()),
            TrackedConnections.ofZone(VRF.aclZone()), TrackedConnections.ofZone(VRF.chainZone())));
    }

    private static NodePlan metered(final List<PlannedFlow> flows, final MeterSpec... meters) {
        return metered(flows, List.of(meters));
    }

    private static NodePlan metered(final List<PlannedFlow> flows, final List<MeterSpec> meters) {
        final NodePlan plan = plan(flows);
        return new NodePlan(plan.bridge(), plan.nodeFlows(), List.of(), plan.tenantFlows(),
            new TreeMap<>(Map.of(VRF, meters)), plan.orders());
    }

    private static List<PlannedFlow> translated(final long address) {
        return List.of(new PlannedFlow(new FlowSpec(Table.NAT_TRANSLATE, Priority.NORMAL, List.of(IN_VRF),
            List.of(new Action.ConnTrack(true, Register.VRF.range(), Table.NAT_OUT_CHECK,
                Optional.of(new Action.Nat.Source(address)), Optional.empty())),
            Optional.empty(), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "translate"));
    }

    private static NodePlan plan(final List<PlannedFlow> tenant) {
        return plan(new TreeMap<>(Map.of(VRF, tenant)));
    }

    private static NodePlan plan(final SortedMap<VrfId, List<PlannedFlow>> tenants) {
        return new NodePlan(new BridgePlan("br", 1, List.of(), Map.of(), Map.of()), List.of(), List.of(),
            tenants, new TreeMap<>(), new TreeMap<>());
    }
}
