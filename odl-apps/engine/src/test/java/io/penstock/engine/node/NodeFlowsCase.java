// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import com.google.common.base.Ticker;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.BridgePlan;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Flows of a node, its switch and its agent, of which tests say what they answer. */
abstract class NodeFlowsCase {
    static final SwitchId SWITCH = new SwitchId(1);
    static final VrfId VRF = new VrfId(5);
    static final FieldMatch IN_VRF = Register.VRF.is(VRF.number());
    static final Ipv4 ADDRESS = Ipv4.parse("203.0.113.5");

    final RecordingSouthbound southbound = new RecordingSouthbound();
    /** What the agent of the node is told, and says to it; empty while no agent is connected. */
    final List<CompletableFuture<Void>> told = new ArrayList<>();
    boolean agentThere = true;
    final AtomicLong now = new AtomicLong();
    final NodeFlows flows = new NodeFlows(southbound, () -> {
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

    CompletableFuture<Void> forgetAgain() {
        return flows.forgetAgain(SWITCH);
    }

    static Set<TrackedConnections> zones(final int first, final int last) {
        return IntStream.rangeClosed(first, last).mapToObj(TrackedConnections::ofZone).collect(Collectors.toSet());
    }

    static List<PlannedFlow> translated(final Ipv4 address) {
        return List.of(new PlannedFlow(new FlowSpec(Table.NAT_TRANSLATE, Priority.NORMAL, List.of(IN_VRF),
            List.of(new Action.ConnTrack(true, Register.VRF.range(), Table.NAT_OUT_CHECK,
                Optional.of(new Action.Nat.Source(address)), Optional.empty())),
            Optional.empty(), Cookie.of(Cookie.Kind.TENANT, VRF), 0), "translate"));
    }

    static NodePlan plan(final List<PlannedFlow> tenant) {
        return plan(new TreeMap<>(Map.of(VRF, tenant)));
    }

    static NodePlan plan(final SortedMap<VrfId, List<PlannedFlow>> tenants) {
        return new NodePlan(new BridgePlan("br", 1, List.of(), Map.of(), Map.of()), List.of(), List.of(),
            tenants, new TreeMap<>(), new TreeMap<>());
    }
}
