// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.ErrorKind;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;
import java.util.Set;

/**
 * The backbone VRF: ARP and ping on the uplinks, routes to the transit gateways. What a tenant sends to a public
 * address of this node never leaves it: it begins again as if it came from the backbone (hairpin, RFC 4787, section 6),
 * and may do what it could if it came from there.
 * Sample flows: golden/base.flows, tables backbone_in and backbone_route.
 */
public final class BackboneStage implements Stage {
    /** Label of flows that learn from ARP on an uplink, with the name of the port. */
    public static final String NEIGHBOURS = "learn neighbours on ";

    private static final Set<Table> TABLES = Set.of(Table.CLASSIFY, Table.BACKBONE_IN, Table.BACKBONE_ROUTE,
        Table.EGRESS);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public Cookie.Kind owner() {
        return Cookie.Kind.BACKBONE;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        for (final Node.Port port : node.node().ports()) {
            if (port.role() == Node.Role.UPLINK) {
                sink.flow(Table.CLASSIFY, Priority.LOW, "no backbone on this VLAN of " + port.name())
                    .when(MatchField.IN_PORT, node.port(port.name())).drop();
            }
        }
        for (final Backbone.Interface uplink : node.uplinks()) {
            planUplink(node, uplink, sink);
        }
        for (final Route route : node.snapshot().backbone().routes()) {
            node.uplinks().stream().filter(uplink -> uplink.prefix().contains(route.nextHop())).findFirst()
                .ifPresent(uplink -> routeVia(node, uplink, sink, "route " + route.prefix(), route.prefix(),
                    Register.NEXT_HOP.load(route.nextHop().number())));
        }
        for (final Pool pool : node.snapshot().pools().values()) {
            for (final Prefix prefix : pool.prefixes()) {
                sink.flow(Table.BACKBONE_IN, Priority.LOW, "public address of pool " + pool.name()
                    + " is not in use here").ipv4().when(MatchField.IP_DST, prefix).drop();
                hairpin(node, prefix, sink, "hairpin, pool " + pool.name());
            }
        }
        NotForwarded.ttl(sink, Table.BACKBONE_IN);
        sink.flow(Table.BACKBONE_IN, Priority.MISS, "from the backbone, destination not on this node").drop();
        NotForwarded.tell(sink.flow(Table.BACKBONE_ROUTE, Priority.MISS, "no backbone route"), ErrorKind.NO_ROUTE);
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        for (final Prefix prefix : view.publicPrefixes()) {
            sink.flow(Table.BACKBONE_IN, Priority.NORMAL, "ARP for the public address").arp()
                .when(MatchField.ARP_OP, Replies.ARP_REQUEST).when(MatchField.ARP_TPA, prefix)
                .then(prefix.isHost() ? Replies.arp(node.backboneMac(), prefix.address())
                    : Replies.arpForTarget(node.backboneMac()))
                .then(Replies.backToSender()).go(Table.EGRESS);
            final boolean pooled = node.snapshot().pools().values().stream().flatMap(pool -> pool.prefixes().stream())
                .anyMatch(pool -> pool.contains(prefix));
            if (!pooled) {
                hairpin(node, prefix, sink, "hairpin");
            }
        }
    }

    private static void hairpin(final NodeView node, final Prefix prefix, final FlowSink sink, final String label) {
        sink.flow(Table.BACKBONE_ROUTE, Priority.GUARD, label).ipv4().when(MatchField.IP_DST, prefix)
            .then(new Action.SetField(MatchField.ETH_DST, node.backboneMac()), Register.SESSION.load(0),
                Register.OPEN.load(0), new Action.ClearConnTrack(), new Action.Resubmit(Table.BACKBONE_IN))
            .end();
    }

    private static void planUplink(final NodeView node, final Backbone.Interface uplink, final FlowSink sink) {
        final int port = node.port(uplink.port());
        final Mac mac = node.backboneMac();
        final FieldMatch from = Register.IN_ATTACHMENT.is(Register.place(port, uplink.vlan()));
        final FlowSink.Draft classify = sink.flow(Table.CLASSIFY, Priority.NORMAL, "from uplink " + uplink.port())
            .when(MatchField.IN_PORT, port).when(MatchField.VLAN_VID, uplink.vlan());
        if (uplink.vlan() != 0) {
            classify.then(new Action.PopVlan());
        }
        classify.then(Register.VRF.load(VrfId.BACKBONE.number()),
            Register.IN_ATTACHMENT.load(Register.place(port, uplink.vlan()))).go(Table.BACKBONE_IN);

        final Action learn = Replies.learnNeighbour(VrfId.BACKBONE, Quota.DEFAULT_LEARNED);
        sink.flow(Table.BACKBONE_IN, Priority.HIGH, "ARP claims the backbone address").arp().when(from)
            .when(MatchField.ARP_SPA, uplink.address()).drop();
        sink.flow(Table.BACKBONE_IN, Priority.NORMAL, "ARP for the backbone address").arp().when(from)
            .when(MatchField.ARP_OP, Replies.ARP_REQUEST).when(MatchField.ARP_TPA, uplink.address())
            .when(MatchField.ARP_SPA, uplink.prefix())
            .then(learn).then(Replies.arp(mac, uplink.address())).then(Replies.backToSender()).go(Table.EGRESS);
        sink.flow(Table.BACKBONE_IN, Priority.LOW, NEIGHBOURS + uplink.port()).arp().when(from)
            .when(MatchField.ARP_SPA, uplink.prefix()).then(learn).end();
        sink.flow(Table.BACKBONE_IN, Priority.GUARD, "ping to the backbone address").when(from).ipv4()
            .when(MatchField.IP_DST, uplink.address()).when(MatchField.IP_PROTO, IpProtocol.ICMP)
            .when(MatchField.ICMP_TYPE, Replies.ECHO_REQUEST)
            .then(Replies.echo(mac)).go(Table.EGRESS);

        sink.flow(Table.BACKBONE_ROUTE, Priority.GUARD, "to the node's own backbone address").ipv4()
            .when(MatchField.IP_DST, uplink.address()).drop();
        routeVia(node, uplink, sink, "connected on " + uplink.port(), uplink.prefix(),
            new Action.Move(MatchField.IP_DST.range(), Register.NEXT_HOP.range()));
        Egress.plan(sink, port, uplink.vlan(), "to uplink " + uplink.port());
    }

    private static void routeVia(final NodeView node, final Backbone.Interface uplink, final FlowSink sink,
            final String label, final Prefix prefix, final Action setNextHop) {
        final List<Action> actions = List.of(setNextHop, new Action.SetField(MatchField.ETH_SRC, node.backboneMac()),
            Register.OUT_ATTACHMENT.load(Register.place(node.port(uplink.port()), uplink.vlan())));
        sink.flow(Table.BACKBONE_ROUTE, Priority.prefix(prefix.length()), label).ipv4()
            .when(MatchField.IP_DST, prefix).then(actions).go(Table.BACKBONE_ACL);
    }
}
