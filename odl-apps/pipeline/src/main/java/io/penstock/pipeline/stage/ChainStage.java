// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Leads a tenant's traffic through its network functions, and the return traffic through the same ones in reverse.
 * Frames to a function carry the VRF id as 802.1Q tag, since addresses of tenants overlap; a frame that comes back is
 * known by its port and tag. Between the chain and the backbone stands {@link TwiceNat}.
 */
public final class ChainStage implements Stage {
    private static final String CLOSED = "chain is down, closed";

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        for (final NetworkFunction function : node.functions()) {
            for (final String port : List.of(function.insidePort(), function.outsidePort())) {
                sink.flow(Table.CLASSIFY, Priority.NORMAL, "from " + port)
                    .when(MatchField.IN_PORT, node.port(port)).go(Table.CHAIN_RETURN);
            }
        }
        sink.flow(Table.CHAIN_RETURN, Priority.MISS, "a function sent a tag it does not serve").drop();
        sink.flow(Table.CHAIN_IN, Priority.MISS, "no chain").go(Table.VRF_ROUTE);
        sink.flow(Table.CHAIN_OUT, Priority.MISS, "no chain").go(Table.NAT_MAP);
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        final BiFunction<Integer, String, FlowSink.Draft> fromBackbone =
            (priority, label) -> sink.flow(Table.CHAIN_IN, priority, label).when(view.isVrf())
                .then(view.limitIn());
        if (view.chain().isEmpty()) {
            TwiceNat.shut(view, fromBackbone, CLOSED);
            fromBackbone.apply(Priority.NORMAL, CLOSED).drop();
            sink.flow(Table.CHAIN_OUT, Priority.NORMAL, CLOSED).when(view.isVrf()).drop();
            return;
        }
        final List<NetworkFunction> functions = view.chain().orElseThrow();
        if (functions.isEmpty()) {
            TwiceNat.out(view, (priority, label) -> sink.flow(Table.CHAIN_OUT, priority, label).when(view.isVrf()),
                flow -> flow.go(Table.NAT_MAP));
            TwiceNat.in(view, fromBackbone, "", flow -> flow.go(inside(view)));
            if (view.hasListIn() || !view.limitIn().isEmpty()) {
                fromBackbone.apply(Priority.NORMAL, "no chain").go(inside(view));
            }
            return;
        }
        final NetworkFunction first = functions.get(0);
        final NetworkFunction last = functions.get(functions.size() - 1);
        sink.flow(Table.CHAIN_OUT, Priority.NORMAL, "chain hop to " + first.insidePort()).when(view.isVrf())
            .then(enter(node, view, first.insidePort(), Constants.CHAIN_INSIDE_MAC, Constants.CHAIN_OUTSIDE_MAC))
            .end();
        final List<Action> enterOutside =
            enter(node, view, last.outsidePort(), Constants.CHAIN_OUTSIDE_MAC, Constants.CHAIN_INSIDE_MAC);
        final String lastHop = "chain hop to " + last.outsidePort();
        fromBackbone.apply(Priority.NORMAL, lastHop).then(enterOutside).end();
        TwiceNat.in(view, fromBackbone, lastHop + ", ", flow -> flow.then(enterOutside).end());
        for (int hop = 0; hop + 1 < functions.size(); hop++) {
            final String outside = functions.get(hop).outsidePort();
            final String inside = functions.get(hop + 1).insidePort();
            passOn(node, view, sink, outside, inside);
            passOn(node, view, sink, inside, outside);
        }
        final BiFunction<Integer, String, FlowSink.Draft> toBackbone =
            (priority, label) -> returned(node, view, sink, last.outsidePort(), priority, label);
        toBackbone.apply(Priority.NORMAL, "to the backbone from " + last.outsidePort()).go(Table.NAT_MAP);
        if (view.hasIpv6()) {
            toBackbone.apply(Priority.HIGH, "IPv6 to the backbone from " + last.outsidePort()).ipv6()
                .then(Register.VRF.load(Constants.BACKBONE_VRF)).go(Table.BACKBONE_ROUTE);
        }
        TwiceNat.out(view, toBackbone, flow -> flow.go(Table.NAT_MAP));
        returned(node, view, sink, first.insidePort(), Priority.NORMAL, "to the tenant from " + first.insidePort())
            .then(Register.FROM_BACKBONE.load(1)).go(inside(view));
    }

    /** Where packets go that have left the chain towards the tenant. */
    private static Table inside(final TenantView view) {
        return view.hasListIn() ? Table.TENANT_ACL_IN : Table.VRF_ROUTE;
    }

    private static List<Action> enter(final NodeView node, final TenantView view, final String port,
            final long source, final long destination) {
        return List.of(new Action.SetField(MatchField.ETH_SRC, source),
            new Action.SetField(MatchField.ETH_DST, destination), new Action.PushVlan(),
            new Action.SetField(MatchField.VLAN_VID, view.vrf()), new Action.Output(node.port(port)));
    }

    private static void passOn(final NodeView node, final TenantView view, final FlowSink sink, final String from,
            final String to) {
        sink.flow(Table.CHAIN_RETURN, Priority.NORMAL, "chain hop to " + to)
            .when(MatchField.IN_PORT, node.port(from)).when(MatchField.VLAN_VID, view.vrf())
            .then(new Action.Output(node.port(to))).end();
    }

    private static FlowSink.Draft returned(final NodeView node, final TenantView view, final FlowSink sink,
            final String port, final int priority, final String label) {
        return sink.flow(Table.CHAIN_RETURN, priority, label)
            .when(MatchField.IN_PORT, node.port(port)).when(MatchField.VLAN_VID, view.vrf())
            .then(new Action.PopVlan(), Register.VRF.load(view.vrf()));
    }
}
