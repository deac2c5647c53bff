// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Link;
import io.penstock.pipeline.intent.NetworkFunction.Routed;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;

/**
 * Functions that are routers. On the link to each side the switch is a gateway: it answers ARP for its address, sends
 * what is to be routed to the router's MAC address, and takes IPv4 that the router sends to its own. There are no tags
 * on the links, since a router serves one tenant; behind it frames have the tag that those of other functions have.
 */
final class RoutedHop {
    private RoutedHop() {
        // Only functions.
    }

    /** What all frames from a router meet, if the function is one. */
    static void planNode(final NodeView node, final NetworkFunction function, final FlowSink sink) {
        if (function.routed().isEmpty()) {
            return;
        }
        final Routed routed = function.routed().orElseThrow();
        for (final Direction direction : Direction.values()) {
            final Link link = from(routed, direction);
            from(node, function, direction, sink, Priority.HIGH, "ARP for the gateway of "
                + side(function, direction)).arp().when(MatchField.ARP_OP, Replies.ARP_REQUEST)
                .when(MatchField.ARP_TPA, link.gateway())
                .then(Replies.arp(gateway(direction.other()), link.gateway())).then(new Action.OutputInPort()).end();
            if (function.health().isPresent()) {
                function.instances().forEach(instance -> {
                    final int port = node.port(direction.other().port(instance));
                    from(node, function, direction, sink, Priority.HIGH, HopLabels.PROBE
                        + direction.other().port(instance)).when(MatchField.IN_PORT, port).ipv4()
                        .when(MatchField.IP_PROTO, IpProtocol.ICMP).when(MatchField.IP_DST,
                            direction == Direction.TO_BACKBONE ? Constants.PROBE_OUTSIDE : Constants.PROBE_INSIDE)
                        .then(Probes.report(port)).end();
                });
            }
        }
    }

    /** What frames of a tenant from its router meet, which serves nobody else. */
    static void planTenant(final NodeView node, final TenantView view, final NetworkFunction function,
            final Direction direction, final FlowSink sink) {
        from(node, function, direction, sink, Priority.NORMAL, "routed by " + side(function, direction)).ipv4()
            .when(MatchField.ETH_DST, gateway(direction.other())).then(direction.addresses())
            .then(new Action.SetField(MatchField.VLAN_VID, view.vrf().number())).go(Table.CHAIN_RETURN);
    }

    /** Addresses a packet without a tag to a router. */
    static List<Action> into(final Routed routed, final Direction direction) {
        return List.of(new Action.SetField(MatchField.ETH_SRC, gateway(direction)),
            new Action.SetField(MatchField.ETH_DST, from(routed, direction.other()).mac()));
    }

    /** A frame that a router sends on, without a tag. */
    static ChainTrace.Frame sent(final Routed routed, final Direction direction, final String port) {
        return new ChainTrace.Frame(port, 0, from(routed, direction).mac(), gateway(direction.other()));
    }

    private static FlowSink.Draft from(final NodeView node, final NetworkFunction function, final Direction direction,
            final FlowSink sink, final int priority, final String label) {
        return sink.flow(Table.CHAIN_ROUTED, priority, label)
            .when(Register.FUNCTION.is(node.number(function)), Register.FROM_BACKBONE.is(direction.ordinal()))
            .when(MatchField.VLAN_VID, MatchField.UNTAGGED);
    }

    /** The link by which packets of a direction leave the router. */
    private static Link from(final Routed routed, final Direction direction) {
        return direction == Direction.TO_BACKBONE ? routed.outside() : routed.inside();
    }

    /** The MAC address of the switch on the link by which packets of a direction enter the router. */
    private static Mac gateway(final Direction direction) {
        return direction == Direction.TO_BACKBONE ? Constants.CHAIN_INSIDE_MAC : Constants.CHAIN_OUTSIDE_MAC;
    }

    private static String side(final NetworkFunction function, final Direction direction) {
        return function.name() + (direction == Direction.TO_BACKBONE ? "-out" : "-in");
    }
}
