// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The IPv6 router of a VRF: answers ping, refuses sources that are not inside, routes by longest prefix. What leaves
 * the VRF passes its list and its chain like IPv4, and no translation. Sample flows: golden/dual-stack.flows, tables
 * gateway and vrf_route, and golden/base.flows, table chain_out.
 */
public final class Ipv6Stage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.L2_LOOKUP, Table.GATEWAY, Table.GATEWAY_PING, Table.VRF_ROUTE,
        Table.CHAIN_OUT);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.L2_LOOKUP, Priority.NORMAL, "IPv6 to the gateway")
            .when(MatchField.ETH_DST, Constants.GATEWAY_MAC).ipv6().go(Table.GATEWAY);
        NdReplies.echoRequest(sink.flow(Table.GATEWAY_PING, Priority.NORMAL, "ping to an IPv6 gateway"))
            .then(NdReplies.echo(Constants.GATEWAY_MAC)).go(Table.EGRESS);
        NotForwarded.hopLimit(sink, Table.GATEWAY);
        NotForwarded.scope(sink, Table.VRF_ROUTE);
        sink.flow(Table.CHAIN_OUT, Priority.LOW, "no chain, and IPv6 is not translated").ipv6()
            .then(Crossing.toBackbone()).go(Table.BACKBONE_ROUTE);
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        if (!view.hasIpv6()) {
            return;
        }
        final Ipv6Side side = view.tenant().ipv6();
        final PathMtu mtu = new PathMtu(node, view);
        ping(view, Constants.GATEWAY_LINK_LOCAL, sink);
        for (final Ipv6Side.Subnet subnet : side.subnets()) {
            ping(view, subnet.gateway(), sink);
            sink.flow(Table.GATEWAY, Priority.NORMAL, "to the gateway " + subnet.gateway() + ", not ping")
                .when(view.isVrf()).ipv6().when(FieldMatch.of(MatchField.IPV6_DST, subnet.gateway())).drop();
            sink.flow(Table.VRF_ROUTE, Priority.GUARD, "to the gateway " + subnet.gateway() + " from outside the VRF")
                .when(view.isVrf()).ipv6().when(FieldMatch.of(MatchField.IPV6_DST, subnet.gateway())).drop();
            route(view, "connected " + subnet.prefix(),
                new Way(subnet.prefix(), mtu.to(subnet), NdReplies.nextHopIsDestination()), sink);
        }
        for (final Route6 route : side.routes()) {
            final List<Action> look = side.subnets().stream()
                .filter(subnet -> subnet.prefix().contains(route.nextHop()))
                .flatMap(subnet -> mtu.to(subnet).stream()).toList();
            route(view, "route " + route.prefix(),
                new Way(route.prefix(), look, NdReplies.nextHop(route.nextHop())), sink);
        }
        for (final Prefix6 prefix : side.insidePrefixes()) {
            sink.flow(Table.GATEWAY, Priority.LOW, "from " + prefix)
                .when(view.isVrf()).ipv6().when(MatchField.IPV6_SRC, prefix).go(Table.VRF_ROUTE);
        }
        sink.flow(Table.VRF_ROUTE, Priority.LOW, "IPv6 to the backbone")
            .when(view.isVrf(), Register.FROM_BACKBONE.is(0)).ipv6().then(view.limitOut())
            .then(mtu.toBackbone()).then(new Action.DecTtl())
            .go(view.behindRouting(IpFamily.IPV6));
    }

    /** A gateway answers a used-up hop limit as well: the packet has arrived. */
    private static void ping(final TenantView view, final Ipv6 gateway, final FlowSink sink) {
        NdReplies.ping(sink.flow(Table.GATEWAY, Priority.GUARD, "ping to the gateway " + gateway).when(view.isVrf()),
            gateway).then(view.meter(TenantMeter.SLOW_PATH))
            .then(Replies.lookAgain(EtherType.IPV6)).go(Table.GATEWAY_PING);
    }

    /** Where a prefix is; the length is looked at while the packet is as its sender sent it. */
    private record Way(Prefix6 prefix, List<Action> lookAtLength, List<Action> setNextHop) { }

    private static void route(final TenantView view, final String label, final Way way, final FlowSink sink) {
        final List<Action> actions = new ArrayList<>(way.lookAtLength());
        actions.add(new Action.DecTtl());
        actions.addAll(way.setNextHop());
        actions.add(new Action.SetField(MatchField.ETH_SRC, Constants.GATEWAY_MAC));
        sink.flow(Table.VRF_ROUTE, Priority.prefix(way.prefix().length()), label).when(view.isVrf()).ipv6()
            .when(MatchField.IPV6_DST, way.prefix()).then(actions).go(Table.NEIGHBOUR_LOOKUP);
    }
}
