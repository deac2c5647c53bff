// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.Fragment;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Guards of IPv6. From an attachment that is not trusted comes nothing to other attachments that only routers and
 * DHCPv6 servers send (RFC 6105, RFC 7113, RFC 7610), whether the VRF has IPv6 or not: kernels of hosts have it unless
 * told otherwise, and would take a host for their router. Where a VRF has IPv6, anti-spoofing too (BCP 38): only
 * packets from an address of its subnets, of what is routed there, or of the link, and neighbour discovery about such.
 * Sample flows: golden/dual-stack.flows, tables access_guard, nd_guard and l2_forward.
 */
public final class Guard6Stage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.ACCESS_GUARD, Table.ND_GUARD, Table.L2_FORWARD);
    private static final int DHCP_CLIENT_PORT = 546;
    private static final String NOT_SENDERS = "IPv6 source address is not the sender's";

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        for (final TenantView.Domain domain : view.domains()) {
            final List<Tenant.Attachment> guarded =
                domain.attachments().stream().filter(attachment -> !attachment.trusted()).toList();
            if (domain.hasIpv6() && !guarded.isEmpty()) {
                packets(view, domain, sink);
                discovery(view, domain, sink);
            }
            if (domain.isBridged()) {
                guarded.forEach(attachment -> rogue(node, attachment, sink));
            }
        }
    }

    private static void packets(final TenantView view, final TenantView.Domain domain, final FlowSink sink) {
        final List<Prefix6> sources = ofLink(domain);
        for (final Route6 route : view.tenant().ipv6().routes()) {
            if (domain.subnets6().stream().anyMatch(subnet -> subnet.prefix().contains(route.nextHop()))) {
                sources.add(route.prefix());
            }
        }
        for (final Prefix6 source : sources) {
            allow(view, domain, sink, Table.ACCESS_GUARD, "from " + source).ipv6()
                .when(MatchField.IPV6_SRC, source).go(Table.ACCESS_LEARN);
        }
        // These may come from :: (RFC 4861, section 4.1; RFC 3590).
        allow(view, domain, sink, Table.ACCESS_GUARD, "router solicitation").icmp6(NdReplies.ROUTER_SOLICITATION)
            .go(Table.ACCESS_LEARN);
        allow(view, domain, sink, Table.ACCESS_GUARD, "MLD report").icmp6(NdReplies.MLD_REPORT)
            .go(Table.ACCESS_LEARN);
        sink.flow(Table.ACCESS_GUARD, Priority.LOW, NOT_SENDERS).when(here(view, domain)).ipv6().drop();
    }

    private static void discovery(final TenantView view, final TenantView.Domain domain, final FlowSink sink) {
        NdReplies.message(allow(view, domain, sink, Table.ND_GUARD, "solicitation of a host without an address"),
            NdReplies.SOLICITATION).when(FieldMatch.of(MatchField.IPV6_SRC, Ipv6.UNSPECIFIED)).go(Table.ND_LEARN);
        for (final Prefix6 prefix : ofLink(domain)) {
            NdReplies.message(allow(view, domain, sink, Table.ND_GUARD, "solicitation from " + prefix),
                NdReplies.SOLICITATION).when(MatchField.IPV6_SRC, prefix).go(Table.ND_LEARN);
            NdReplies.message(allow(view, domain, sink, Table.ND_GUARD, "advertisement of " + prefix),
                NdReplies.ADVERTISEMENT).when(MatchField.ND_TARGET, prefix).go(Table.ND_LEARN);
        }
        sink.flow(Table.ND_GUARD, Priority.LOW, "neighbour discovery for an address that is not the sender's")
            .when(here(view, domain)).drop();
    }

    /**
     * Seen only where frames are bridged: nothing of this is routed. Open vSwitch shows the type behind hop-by-hop and
     * destination options, routing and authentication headers (parse_ipv6_ext_hdrs, lib/flow.c, 3.1); hosts look behind
     * no others.
     */
    private static void rogue(final NodeView node, final Tenant.Attachment attachment, final FlowSink sink) {
        final FieldMatch from =
            Register.IN_ATTACHMENT.is(Register.place(node.port(attachment.port()), attachment.vlan()));
        final String whose = " of a host on " + attachment.name();
        sink.flow(Table.L2_FORWARD, Priority.FIRST, "router advertisement" + whose).when(from)
            .icmp6(NdReplies.ROUTER_ADVERTISEMENT).drop();
        sink.flow(Table.L2_FORWARD, Priority.FIRST, "redirect" + whose).when(from).icmp6(NdReplies.REDIRECT).drop();
        // A piece shows no type, but these messages come from link-local addresses (RFC 4861, section 6.1.2 and 8.1).
        sink.flow(Table.L2_FORWARD, Priority.FIRST, "fragment from a link-local address" + whose).when(from).ipv6()
            .when(MatchField.IPV6_SRC, Prefix6.LINK_LOCAL).when(Fragment.YES.match()).drop();
        sink.flow(Table.L2_FORWARD, Priority.FIRST, "DHCPv6 answer" + whose).when(from).ipv6()
            .when(MatchField.IP_PROTO, IpProtocol.UDP).when(MatchField.UDP_DST, DHCP_CLIENT_PORT).drop();
    }

    private static List<Prefix6> ofLink(final TenantView.Domain domain) {
        final List<Prefix6> prefixes = new ArrayList<>(List.of(Prefix6.LINK_LOCAL));
        domain.subnets6().stream().map(Ipv6Side.Subnet::prefix).forEach(prefixes::add);
        return prefixes;
    }

    private static FlowSink.Draft allow(final TenantView view, final TenantView.Domain domain, final FlowSink sink,
            final Table table, final String label) {
        return sink.flow(table, Priority.NORMAL, label).when(here(view, domain));
    }

    private static List<FieldMatch> here(final TenantView view, final TenantView.Domain domain) {
        return List.of(view.isVrf(), Register.DOMAIN.is(domain.id()));
    }
}
