// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.FunctionMeter;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.function.BiFunction;

/**
 * Leads a tenant's traffic through its network functions, and the return traffic through the same ones in reverse.
 * Frames to a function carry the VRF id as 802.1Q tag, since addresses of tenants overlap; a frame that comes back is
 * known by its port and tag. Between the chain and the backbone stands {@link TwiceNat}; which instance a frame goes
 * to, where a function has several, {@link SpreadStage} decides.
 */
public final class ChainStage implements Stage {
    private static final String CLOSED = "chain is down, closed";

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        for (final NetworkFunction function : node.functions()) {
            for (final Instance instance : function.instances()) {
                arrive(node, sink, function, instance.outsidePort(), Direction.TO_BACKBONE);
                arrive(node, sink, function, instance.insidePort(), Direction.TO_TENANT);
            }
        }
        sink.flow(Table.CHAIN_RETURN, Priority.MISS, "a function sent a tag it does not serve").drop();
        sink.flow(Table.CHAIN_IN, Priority.MISS, "no chain").go(Table.VRF_ROUTE);
        sink.flow(Table.CHAIN_OUT, Priority.MISS, "no chain").go(Table.NAT_MAP);
    }

    private static void arrive(final NodeView node, final FlowSink sink, final NetworkFunction function,
            final String port, final Direction direction) {
        sink.flow(Table.CLASSIFY, Priority.NORMAL, "from " + port).when(MatchField.IN_PORT, node.port(port))
            .then(Register.FUNCTION.load(node.number(function)), direction.load()).go(Table.CHAIN_RETURN);
        if (function.health().isPresent()) {
            sink.flow(Table.CHAIN_RETURN, Priority.GUARD, "probe from " + port)
                .when(MatchField.IN_PORT, node.port(port)).when(MatchField.VLAN_VID, Constants.PROBE_VLAN)
                .then(new Action.Meter(FunctionMeter.number(node.port(port))), new Action.PopVlan(),
                    new Action.Controller(Constants.PACKET_IN_BYTES)).end();
        }
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
        final Hops hops = new Hops(node, view);
        final NetworkFunction first = functions.get(0);
        final NetworkFunction last = functions.get(functions.size() - 1);
        hops.enter(sink.flow(Table.CHAIN_OUT, Priority.NORMAL, Hops.label(first, Direction.TO_BACKBONE))
            .when(view.isVrf()), first, Direction.TO_BACKBONE);
        final String lastHop = Hops.label(last, Direction.TO_TENANT);
        hops.enter(fromBackbone.apply(Priority.NORMAL, lastHop), last, Direction.TO_TENANT);
        TwiceNat.in(view, fromBackbone, lastHop + ", ",
            flow -> hops.enter(flow, last, Direction.TO_TENANT));
        for (int hop = 0; hop + 1 < functions.size(); hop++) {
            final NetworkFunction one = functions.get(hop);
            final NetworkFunction next = functions.get(hop + 1);
            hops.passOn(sink, one, next, Direction.TO_BACKBONE);
            hops.passOn(sink, next, one, Direction.TO_TENANT);
        }
        final BiFunction<Integer, String, FlowSink.Draft> toBackbone = (priority, label) ->
            hops.returned(sink, last, Direction.TO_BACKBONE, priority, label).then(hops.untag());
        toBackbone.apply(Priority.NORMAL, "to the backbone from " + last.name() + "-out").go(Table.NAT_MAP);
        if (view.hasIpv6()) {
            toBackbone.apply(Priority.HIGH, "IPv6 to the backbone from " + last.name() + "-out").ipv6()
                .then(Register.VRF.load(Constants.BACKBONE_VRF)).go(Table.BACKBONE_ROUTE);
        }
        TwiceNat.out(view, toBackbone, flow -> flow.go(Table.NAT_MAP));
        hops.returned(sink, first, Direction.TO_TENANT, Priority.NORMAL, "to the tenant from " + first.name() + "-in")
            .then(hops.untag()).go(inside(view));
    }

    /** Where packets go that have left the chain towards the tenant. */
    private static Table inside(final TenantView view) {
        return view.hasListIn() ? Table.TENANT_ACL_IN : Table.VRF_ROUTE;
    }

    /** Which way a packet goes through a chain. What goes to the tenant came from the backbone. */
    enum Direction {
        TO_BACKBONE, TO_TENANT;

        Action load() {
            return Register.FROM_BACKBONE.load(ordinal());
        }

        /** The MAC addresses of the side that a frame enters a function from. */
        List<Action> addresses() {
            final boolean out = this == TO_BACKBONE;
            return List.of(
                new Action.SetField(MatchField.ETH_SRC, out ? Constants.CHAIN_INSIDE_MAC : Constants.CHAIN_OUTSIDE_MAC),
                new Action.SetField(MatchField.ETH_DST, out ? Constants.CHAIN_OUTSIDE_MAC : Constants.CHAIN_INSIDE_MAC),
                new Action.PushVlan());
        }

        /** The port of an instance by which it enters. */
        String port(final Instance instance) {
            return this == TO_BACKBONE ? instance.insidePort() : instance.outsidePort();
        }
    }

    /** The steps of one tenant's chain. */
    private record Hops(NodeView node, TenantView view) {
        /** By such labels packets are counted. */
        static String label(final NetworkFunction to, final Direction direction) {
            return "chain hop to " + to.name() + (direction == Direction.TO_BACKBONE ? "-in" : "-out");
        }

        /** Finishes a flow for packets without a tag. */
        void enter(final FlowSink.Draft flow, final NetworkFunction function, final Direction direction) {
            if (function.spread()) {
                SpreadStage.enter(node, view, flow.then(direction.load()), function);
            } else {
                flow.then(direction.addresses()).then(new Action.SetField(MatchField.VLAN_VID, view.vrf()))
                    .then(new Action.Output(node.port(direction.port(function.single())))).end();
            }
        }

        /** From one function to the next; the frames have the tag. */
        void passOn(final FlowSink sink, final NetworkFunction from, final NetworkFunction to,
                final Direction direction) {
            final FlowSink.Draft flow = returned(sink, from, direction, Priority.NORMAL, label(to, direction));
            if (to.spread()) {
                SpreadStage.enter(node, view, flow.then(untag()), to);
            } else {
                flow.then(new Action.Output(node.port(direction.port(to.single())))).end();
            }
        }

        List<Action> untag() {
            return List.of(new Action.PopVlan(), Register.VRF.load(view.vrf()));
        }

        /** Frames that come back from a function. */
        FlowSink.Draft returned(final FlowSink sink, final NetworkFunction from, final Direction direction,
                final int priority, final String label) {
            return sink.flow(Table.CHAIN_RETURN, priority, label).when(MatchField.VLAN_VID, view.vrf())
                .when(Register.FUNCTION.is(node.number(from)), Register.FROM_BACKBONE.is(direction.ordinal()));
        }
    }
}
