// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Neighbour discovery (RFC 4861) on attachments: learns neighbours, answers for the gateways, and takes to the
 * controller what hosts ask a router or a DHCPv6 server. It has tables of its own, so that other IPv6 packets meet no
 * match on a hop limit, or on a whole address that has no prefix tree, which would make a cached flow of each. What is
 * not for a gateway is bridged.
 * Sample flows: golden/dual-stack.flows, tables nd_learn to nd_answer.
 */
public final class NdStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.ACCESS_GUARD, Table.ACCESS_LEARN, Table.ND_GUARD,
        Table.ND_LEARN, Table.ND_REPLY, Table.ND_ANSWER, Table.L2_LOOKUP, Table.IPV6_REQUEST);
    private static final FieldMatch GROUP_SOURCE =
        new FieldMatch(MatchField.ETH_SRC, 0x010000000000L, 0x010000000000L);
    private static final int DHCP_SERVER_PORT = 547;
    /** MAC address of All_DHCP_Relay_Agents_and_Servers, ff02::1:2 (RFC 8415, section 7.1; RFC 2464, section 7). */
    private static final Mac DHCP_SERVERS_MAC = new Mac(0x333300010002L);
    private static final FieldMatch SOURCE_OPTION =
        FieldMatch.of(MatchField.ND_OPTIONS_TYPE, NdReplies.SOURCE_OPTION);
    private static final FieldMatch TARGET_OPTION =
        FieldMatch.of(MatchField.ND_OPTIONS_TYPE, NdReplies.TARGET_OPTION);
    private static final FieldMatch NO_OPTION = FieldMatch.of(MatchField.ND_OPTIONS_TYPE, NdReplies.NO_OPTION);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        for (final int type : NdReplies.RESOLUTION) {
            sink.flow(Table.ACCESS_GUARD, Priority.FIRST, "neighbour discovery").icmp6(type).go(Table.ND_GUARD);
            sink.flow(Table.ACCESS_LEARN, Priority.GUARD, "neighbour discovery").icmp6(type).go(Table.ND_LEARN);
        }
        sink.flow(Table.ND_GUARD, Priority.MISS, "the VRF has no IPv6 there").go(Table.ND_LEARN);
        sink.flow(Table.ND_LEARN, Priority.FIRST, "source is a group address").when(GROUP_SOURCE).drop();
        sink.flow(Table.ND_LEARN, Priority.MISS, "the VRF has no IPv6 there").go(Table.L2_LOOKUP);
        sink.flow(Table.ND_REPLY, Priority.LOW, "neighbour discovery to the gateway, learned")
            .when(MatchField.ETH_DST, Constants.GATEWAY_MAC).drop();
        sink.flow(Table.ND_REPLY, Priority.MISS, "neighbour discovery between hosts").go(Table.L2_LOOKUP);
        sink.flow(Table.ND_ANSWER, Priority.MISS, "no advertisement").drop();
        sink.flow(Table.IPV6_REQUEST, Priority.MISS, "no IPv6").drop();
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        if (!view.hasIpv6()) {
            return;
        }
        for (final TenantView.Domain domain : view.domains()) {
            if (domain.hasIpv6()) {
                learn(node, view, domain, sink);
                Stream.concat(Stream.of(Constants.GATEWAY_LINK_LOCAL),
                    domain.subnets6().stream().map(Ipv6Side.Subnet::gateway))
                    .forEach(gateway -> reply(view, domain, gateway, sink));
                requests(view, domain, sink);
            }
        }
        NdReplies.answers(sink, view.isVrf(), "of a gateway", Constants.GATEWAY_MAC);
        sink.flow(Table.IPV6_REQUEST, Priority.NORMAL, "router solicitation or DHCPv6 request").when(view.isVrf())
            .then(view.meter(TenantMeter.HOST_CONFIGURATION), new Action.Controller(Constants.WHOLE_PACKET)).end();
    }

    private static void learn(final NodeView node, final TenantView view, final TenantView.Domain domain,
            final FlowSink sink) {
        final List<FieldMatch> here = here(view, domain);
        final int most = view.learnedHosts();
        final List<Action> host = domain.isBridged() ? List.of(Replies.learnHost(view.vrf(), most)) : List.of();
        for (final Ipv6Side.Subnet subnet : domain.subnets6()) {
            final String label = "learn neighbours of " + subnet.prefix();
            final List<Action> asker = new ArrayList<>(host);
            asker.add(NdReplies.learnAsker(view.vrf(), most));
            NdReplies.message(sink.flow(Table.ND_LEARN, Priority.HIGH, label).when(here), NdReplies.SOLICITATION)
                .when(MatchField.IPV6_SRC, subnet.prefix()).when(SOURCE_OPTION).then(asker).go(Table.ND_REPLY);
            final List<Action> target = new ArrayList<>(host);
            target.add(NdReplies.learnTarget(view.vrf(), most));
            NdReplies.message(sink.flow(Table.ND_LEARN, Priority.HIGH, label).when(here), NdReplies.ADVERTISEMENT)
                .when(MatchField.ND_TARGET, subnet.prefix()).when(TARGET_OPTION).then(target)
                .go(Table.ND_REPLY);
        }
        sink.flow(Table.ND_LEARN, Priority.NORMAL, "no neighbour to learn").when(here).ipv6()
            .when(MatchField.IP_TTL, NdReplies.HOP_LIMIT).then(host).go(Table.ND_REPLY);
        sink.flow(Table.ND_LEARN, Priority.LOW, "neighbour discovery from another link").when(here).drop();
        if (domain.isBridged()) {
            for (final Tenant.Attachment attachment : domain.attachments()) {
                sink.flow(Table.ACCESS_LEARN, Priority.LOW, "learn IPv6 hosts on " + attachment.name())
                    .when(Register.IN_ATTACHMENT.is(Register.place(node.port(attachment.port()), attachment.vlan())))
                    .ipv6().then(host).go(Table.L2_LOOKUP);
            }
        }
    }

    private static void reply(final TenantView view, final TenantView.Domain domain, final Ipv6 gateway,
            final FlowSink sink) {
        final List<FieldMatch> here = here(view, domain);
        final FieldMatch asked = FieldMatch.of(MatchField.ND_TARGET, gateway);
        final String claims = "neighbour discovery claims the gateway " + gateway;
        sink.flow(Table.ND_LEARN, Priority.GUARD, claims).when(here).icmp6(NdReplies.SOLICITATION)
            .when(FieldMatch.of(MatchField.IPV6_SRC, gateway)).drop();
        sink.flow(Table.ND_LEARN, Priority.GUARD, claims).when(here).icmp6(NdReplies.ADVERTISEMENT).when(asked)
            .drop();
        sink.flow(Table.ACCESS_LEARN, Priority.HIGH, "packet from the address of the gateway " + gateway).when(here)
            .ipv6().when(FieldMatch.of(MatchField.IPV6_SRC, gateway)).drop();
        final String label = "solicitation for the gateway " + gateway;
        NdReplies.message(sink.flow(Table.ND_REPLY, Priority.HIGH, label + ", duplicate address detection").when(here),
            NdReplies.SOLICITATION).when(asked).when(FieldMatch.of(MatchField.IPV6_SRC, Ipv6.UNSPECIFIED))
            .then(NdReplies.defend()).go(Table.ND_ANSWER);
        NdReplies.message(sink.flow(Table.ND_REPLY, Priority.NORMAL, label).when(here), NdReplies.SOLICITATION)
            .when(asked, SOURCE_OPTION).then(NdReplies.answer(true)).go(Table.ND_ANSWER);
        NdReplies.message(sink.flow(Table.ND_REPLY, Priority.NORMAL, label + ", without an option").when(here),
            NdReplies.SOLICITATION).when(asked, NO_OPTION).then(NdReplies.answer(false)).go(Table.ND_ANSWER);
    }

    /** What only a router or server has to hear goes to the controller, and not to other hosts. */
    private static void requests(final TenantView view, final TenantView.Domain domain, final FlowSink sink) {
        sink.flow(Table.L2_LOOKUP, Priority.HIGH, "router solicitation").when(here(view, domain))
            .icmp6(NdReplies.ROUTER_SOLICITATION).go(Table.IPV6_REQUEST);
        sink.flow(Table.L2_LOOKUP, Priority.HIGH, "DHCPv6").when(here(view, domain))
            .when(MatchField.ETH_DST, DHCP_SERVERS_MAC).ipv6().when(MatchField.IP_PROTO, IpProtocol.UDP)
            .when(MatchField.UDP_DST, DHCP_SERVER_PORT).go(Table.IPV6_REQUEST);
    }

    private static List<FieldMatch> here(final TenantView view, final TenantView.Domain domain) {
        return List.of(view.isVrf(), Register.DOMAIN.is(domain.id()));
    }
}
