// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.OwedFlush;
import io.penstock.pipeline.plan.Quarantine;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.TrackedConnections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whose connections and sessions go with a change. */
class NodeFlowsTest extends NodeFlowsCase {
    @Test
    void anotherTranslationIsForgotten() throws Exception {
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS.plus(1)))).get();
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
        assertThatThrownBy(() -> flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS.plus(1))))
            .get())
            .isInstanceOf(ExecutionException.class).hasRootCauseMessage("cut off");
        southbound.failure = null;
        southbound.flushed.clear();
        southbound.installed = translated(ADDRESS.plus(1));
        assertThat(flows.reconcile(SWITCH, plan(translated(ADDRESS.plus(1)))).get().size()).isZero();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(VRF.natZone())));
        flows.reconcile(SWITCH, plan(translated(ADDRESS.plus(1)))).get();
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
        final Set<TrackedConnections> cut = Set.of(new TrackedConnections(VRF.natZone(), Optional.of(ADDRESS)));
        flows.forget(cut);
        assertThat(southbound.flushed).isEmpty();
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS))).get();
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS))).get();
        assertThat(southbound.flushed).containsExactly(cut);
        assertThat(southbound.changes).extracting(FlowChanges::add)
            .containsExactly(List.of(new OwedFlush(VRF.natZone(), Optional.of(ADDRESS)).flow()));
        assertThat(southbound.changes).allMatch(change -> change.size() == 1);
    }

    @Test
    void whatIsOwedComesWithTheChangeAndGoesWhenItIsDone() throws Exception {
        southbound.failure = new IllegalStateException("cut off");
        assertThatThrownBy(() -> flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS.plus(1))))
            .get())
            .hasRootCauseMessage("cut off");
        final FlowSpec marker = new OwedFlush(VRF.natZone(), Optional.empty()).flow();
        assertThat(southbound.changes).hasSize(1);
        assertThat(southbound.changes.get(0).add()).contains(marker).hasSize(2);
        assertThat(southbound.unmarked).containsExactly(List.of(marker.key()));
        southbound.failure = null;
        flows.change(SWITCH, plan(translated(ADDRESS.plus(1))), plan(translated(ADDRESS.plus(1)))).get();
        assertThat(southbound.changes).as("the marker is there").hasSize(1);
        assertThat(southbound.unmarked).hasSize(2);
    }

    @Test
    void whatAnotherControllerOwedIsForgottenFirst() throws Exception {
        final List<OwedFlush> owed = List.of(new OwedFlush(77, Optional.empty()),
            new OwedFlush(VRF.natZone(), Optional.of(ADDRESS)));
        final List<PlannedFlow> there = new ArrayList<>(translated(ADDRESS));
        owed.forEach(each -> there.add(new PlannedFlow(each.flow(), "owed")));
        southbound.installed = there;
        assertThat(flows.observe(SWITCH, plan(translated(ADDRESS)), Duration.ofSeconds(1)).get()
            .diff().excess()).isEmpty();
        assertThat(flows.reconcile(SWITCH, plan(translated(ADDRESS))).get().size()).isZero();
        assertThat(southbound.changes).isEmpty();
        assertThat(southbound.flushed).containsExactly(Set.of(TrackedConnections.ofZone(77),
            new TrackedConnections(VRF.natZone(), Optional.of(ADDRESS))));
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
            .containsExactly(new OwedFlush(VRF.natZone(), Optional.empty()).flow());
    }

    @Test
    void blocksThatNobodyToldOfAreForgottenByTheirFlows() throws Exception {
        final List<PlannedFlow> blocks = new ArrayList<>(translated(ADDRESS));
        blocks.add(new PlannedFlow(new FlowSpec(Table.NAT_TRANSLATE, Priority.HIGH, List.of(IN_VRF),
            List.of(new Action.ConnTrack(true, Register.VRF.range(), Table.NAT_OUT_CHECK, Optional.of(
                new Action.Nat.Source(ADDRESS.plus(7), Optional.of(new Action.Nat.Ports(1024, 2047)))),
                Optional.empty())),
            Optional.empty(), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "block 1 of 10.0.0.1"));
        southbound.installed = blocks;
        flows.reconcile(SWITCH, plan(translated(ADDRESS))).get();
        assertThat(southbound.flushed)
            .containsExactly(Set.of(new TrackedConnections(VRF.natZone(), Optional.of(ADDRESS.plus(7)))));
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
}
