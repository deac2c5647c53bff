// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.ErrorKind;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.List;
import java.util.Set;

/**
 * The router of a VRF: answers ping, refuses sources that are not inside, routes by longest prefix. Sample flows:
 * golden/two-tenants.flows, tables gateway and vrf_route.
 */
public final class VrfStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.GATEWAY, Table.GATEWAY_PING, Table.VRF_ROUTE, Table.CHAIN_OUT,
        Table.NEIGHBOUR_LOOKUP);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        NotForwarded.ttl(sink, Table.GATEWAY);
        sink.flow(Table.GATEWAY, Priority.MISS, "source is not inside the VRF").drop();
        sink.flow(Table.GATEWAY_PING, Priority.NORMAL, "ping to a gateway").ipv4()
            .when(MatchField.IP_PROTO, IpProtocol.ICMP).when(MatchField.ICMP_TYPE, Replies.ECHO_REQUEST)
            .then(Replies.echo(Constants.GATEWAY_MAC)).go(Table.EGRESS);
        sink.flow(Table.GATEWAY_PING, Priority.MISS, "no ping").drop();
        NotForwarded.tell(sink.flow(Table.VRF_ROUTE, Priority.MISS, "no route"), ErrorKind.NO_ROUTE);
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        final PathMtu mtu = new PathMtu(node, view);
        mtu.plan(sink);
        for (final Tenant.Subnet subnet : view.tenant().subnets()) {
            gateway(view, subnet, sink);
            sink.flow(Table.VRF_ROUTE, Priority.prefix(subnet.prefix().length()), "connected " + subnet.name())
                .when(view.isVrf()).ipv4().when(MatchField.IP_DST, subnet.prefix())
                .then(mtu.to(subnet))
                .then(forward(new Action.Move(MatchField.IP_DST.range(), Register.NEXT_HOP.range())))
                .go(Table.NEIGHBOUR_LOOKUP);
        }
        for (final Route route : view.tenant().routes()) {
            sink.flow(Table.VRF_ROUTE, Priority.prefix(route.prefix().length()), "route " + route.prefix())
                .when(view.isVrf()).ipv4().when(MatchField.IP_DST, route.prefix())
                .then(view.tenant().subnets().stream().filter(subnet -> subnet.prefix().contains(route.nextHop()))
                    .flatMap(subnet -> mtu.to(subnet).stream()).toList())
                .then(forward(Register.NEXT_HOP.load(route.nextHop().number()))).go(Table.NEIGHBOUR_LOOKUP);
        }
        for (final Prefix prefix : view.tenant().insidePrefixes()) {
            sink.flow(Table.GATEWAY, Priority.LOW, "from " + prefix)
                .when(view.isVrf()).ipv4().when(MatchField.IP_SRC, prefix).go(Table.VRF_ROUTE);
        }
        if (view.hasNat()) {
            sink.flow(Table.VRF_ROUTE, Priority.LOW, "to the backbone")
                .when(view.isVrf(), Register.FROM_BACKBONE.is(0)).ipv4()
                .then(view.limitOut()).then(mtu.toBackbone()).then(new Action.DecTtl())
                .go(view.behindRouting(IpFamily.IPV4));
        }
    }

    private static void gateway(final TenantView view, final Tenant.Subnet subnet, final FlowSink sink) {
        // A gateway answers a used-up TTL as well: the packet has arrived.
        sink.flow(Table.GATEWAY, Priority.GUARD, "ping to the gateway of " + subnet.name())
            .when(view.isVrf()).ipv4().when(MatchField.IP_DST, subnet.gateway())
            .when(MatchField.IP_PROTO, IpProtocol.ICMP).when(MatchField.ICMP_TYPE, Replies.ECHO_REQUEST)
            .then(view.meter(TenantMeter.SLOW_PATH)).then(Replies.lookAgain(EtherType.IPV4)).go(Table.GATEWAY_PING);
        // Above a used-up TTL as well; the services of a gateway are above this.
        NotForwarded.tell(sink.flow(Table.GATEWAY, Priority.prefix(32), "UDP to the gateway of " + subnet.name())
            .when(view.isVrf()).ipv4().when(MatchField.IP_DST, subnet.gateway())
            .when(MatchField.IP_PROTO, IpProtocol.UDP), ErrorKind.NO_PORT);
        sink.flow(Table.GATEWAY, Priority.NORMAL, "to the gateway of " + subnet.name() + ", not ping")
            .when(view.isVrf()).ipv4().when(MatchField.IP_DST, subnet.gateway()).drop();
    }

    private static List<Action> forward(final Action setNextHop) {
        return List.of(new Action.DecTtl(), setNextHop,
            new Action.SetField(MatchField.ETH_SRC, Constants.GATEWAY_MAC));
    }
}
