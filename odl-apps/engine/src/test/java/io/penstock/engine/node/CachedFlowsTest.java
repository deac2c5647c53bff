// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When a node drops the flows that it has cached, and what waits for it. */
class CachedFlowsTest extends NodeFlowsCase {
    @Test
    void cachedFlowsAreDroppedWhenPacketsHaveAnotherWay() throws Exception {
        final List<PlannedFlow> chained = with(translated(ADDRESS), Table.CHAIN_OUT);
        flows.change(SWITCH, plan(new TreeMap<>()), plan(chained)).get();
        flows.change(SWITCH, plan(chained), plan(with(chained, Table.VRF_ROUTE))).get();
        assertThat(told).as("of a new tenant, and of flows that send no packet another way").isEmpty();
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
        flows.change(SWITCH, plan(translated(ADDRESS)), plan(translated(ADDRESS.plus(1)))).get();
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

    private static List<PlannedFlow> with(final List<PlannedFlow> flows, final Table table) {
        final List<PlannedFlow> more = new ArrayList<>(flows);
        more.add(new PlannedFlow(new FlowSpec(table, Priority.NORMAL, List.of(IN_VRF), List.of(),
            Optional.empty(), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "more"));
        return more;
    }
}
