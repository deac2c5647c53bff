// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Backbone6;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * IPv6 in the backbone VRF: neighbour discovery and ping on the uplinks, routes to the transit gateways, and the way
 * to the prefixes of the tenants, from the world and from each other (see the hairpin of {@link BackboneStage}).
 * Sample flows: golden/dual-stack.flows, tables backbone_in, backbone_nd and backbone_route.
 */
public final class Backbone6Stage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.BACKBONE_IN, Table.BACKBONE_ND, Table.ND_ANSWER,
        Table.BACKBONE_ROUTE);
    private static final FieldMatch SOURCE_OPTION =
        FieldMatch.of(MatchField.ND_OPTIONS_TYPE, NdReplies.SOURCE_OPTION);

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
        for (final int type : NdReplies.RESOLUTION) {
            sink.flow(Table.BACKBONE_IN, Priority.FIRST, "neighbour discovery").icmp6(type).go(Table.BACKBONE_ND);
        }
        sink.flow(Table.BACKBONE_ND, Priority.MISS, "neighbour discovery for another node").drop();
        NdReplies.answers(sink, Register.VRF.is(VrfId.BACKBONE.number()), "of an uplink", node.backboneMac());
        NotForwarded.hopLimit(sink, Table.BACKBONE_IN);
        NotForwarded.scope(sink, Table.BACKBONE_ROUTE);
        final Backbone6 backbone = node.snapshot().backbone().ipv6();
        for (final Backbone6.Interface uplink : backbone.on(node.node().name())) {
            final long place = place(node, uplink);
            discovery(uplink, Register.IN_ATTACHMENT.is(place), sink);
            NdReplies.ping(sink.flow(Table.BACKBONE_IN, Priority.GUARD, "ping to the backbone address")
                .when(Register.IN_ATTACHMENT.is(place)), uplink.address())
                .then(NdReplies.echo(node.backboneMac())).go(Table.EGRESS);
            sink.flow(Table.BACKBONE_ROUTE, Priority.GUARD, "to the node's own backbone address").ipv6()
                .when(FieldMatch.of(MatchField.IPV6_DST, uplink.address())).drop();
            routeVia(node, uplink, sink, "connected on " + uplink.port(),
                new Hop(uplink.prefix(), NdReplies.nextHopIsDestination()));
        }
        for (final Route6 route : backbone.routes()) {
            backbone.on(node.node().name()).stream().filter(uplink -> uplink.prefix().contains(route.nextHop()))
                .findFirst().ifPresent(uplink -> routeVia(node, uplink, sink, "route " + route.prefix(),
                    new Hop(route.prefix(), NdReplies.nextHop(route.nextHop()))));
        }
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        for (final Prefix6 prefix : view.tenant().ipv6().insidePrefixes()) {
            sink.flow(Table.BACKBONE_IN, Priority.NORMAL, "to " + prefix).ipv6()
                .when(MatchField.IPV6_DST, prefix)
                .then(Crossing.toTenant(view)).go(Table.CHAIN_IN);
            sink.flow(Table.BACKBONE_ROUTE, Priority.GUARD, "hairpin to " + prefix).ipv6()
                .when(MatchField.IPV6_DST, prefix)
                .then(new Action.SetField(MatchField.ETH_DST, node.backboneMac()),
                    new Action.Resubmit(Table.BACKBONE_IN))
                .end();
        }
    }

    /** Answers for the backbone address and nothing else; routers may ask from their link-local address. */
    private static void discovery(final Backbone6.Interface uplink, final FieldMatch from, final FlowSink sink) {
        final Ipv6 address = uplink.address();
        final FieldMatch asked = FieldMatch.of(MatchField.ND_TARGET, address);
        final List<FieldMatch> inside = FieldMatch.in(MatchField.IPV6_SRC, uplink.prefix());
        final Action learnAsker = NdReplies.learnAsker(VrfId.BACKBONE, Quota.DEFAULT_LEARNED);
        final String claims = "neighbour discovery claims the backbone address";
        sink.flow(Table.BACKBONE_ND, Priority.GUARD, claims).when(from).icmp6(NdReplies.SOLICITATION)
            .when(FieldMatch.of(MatchField.IPV6_SRC, address)).drop();
        sink.flow(Table.BACKBONE_ND, Priority.GUARD, claims).when(from).icmp6(NdReplies.ADVERTISEMENT).when(asked)
            .drop();
        final String label = "solicitation for the backbone address";
        message(sink, Priority.HIGH, label + ", duplicate address detection", from, NdReplies.SOLICITATION).when(asked)
            .when(FieldMatch.of(MatchField.IPV6_SRC, Ipv6.UNSPECIFIED)).then(NdReplies.defend())
            .go(Table.ND_ANSWER);
        message(sink, Priority.HIGH, label + ", learned", from, NdReplies.SOLICITATION).when(asked, SOURCE_OPTION)
            .when(inside).then(learnAsker).then(NdReplies.answer(true)).go(Table.ND_ANSWER);
        message(sink, Priority.NORMAL, label, from, NdReplies.SOLICITATION).when(asked, SOURCE_OPTION)
            .when(MatchField.IPV6_SRC, Prefix6.LINK_LOCAL).then(NdReplies.answer(true)).go(Table.ND_ANSWER);
        message(sink, Priority.NORMAL, label + ", without an option", from, NdReplies.SOLICITATION).when(asked)
            .when(MatchField.ND_OPTIONS_TYPE, NdReplies.NO_OPTION).then(NdReplies.answer(false))
            .go(Table.ND_ANSWER);
        final String learn = "learn neighbours on " + uplink.port();
        message(sink, Priority.LOW, learn, from, NdReplies.SOLICITATION).when(SOURCE_OPTION).when(inside)
            .then(learnAsker).end();
        message(sink, Priority.LOW, learn, from, NdReplies.ADVERTISEMENT)
            .when(MatchField.ND_TARGET, uplink.prefix())
            .when(MatchField.ND_OPTIONS_TYPE, NdReplies.TARGET_OPTION)
            .then(NdReplies.learnTarget(VrfId.BACKBONE, Quota.DEFAULT_LEARNED)).end();
    }

    private static FlowSink.Draft message(final FlowSink sink, final int priority, final String label,
            final FieldMatch from, final int type) {
        return NdReplies.message(sink.flow(Table.BACKBONE_ND, priority, label).when(from), type);
    }

    private record Hop(Prefix6 prefix, List<Action> setNextHop) { }

    private static void routeVia(final NodeView node, final Backbone6.Interface uplink, final FlowSink sink,
            final String label, final Hop hop) {
        final List<Action> actions = new ArrayList<>(hop.setNextHop());
        actions.add(new Action.SetField(MatchField.ETH_SRC, node.backboneMac()));
        actions.add(Register.OUT_ATTACHMENT.load(place(node, uplink)));
        sink.flow(Table.BACKBONE_ROUTE, Priority.prefix(hop.prefix().length()), label).ipv6()
            .when(MatchField.IPV6_DST, hop.prefix()).then(actions).go(Table.BACKBONE_ACL);
    }

    private static long place(final NodeView node, final Backbone6.Interface uplink) {
        final Backbone.Interface link =
            node.snapshot().backbone().at(uplink.node(), uplink.port()).orElseThrow();
        return Register.place(node.port(uplink.port()), link.vlan());
    }
}
