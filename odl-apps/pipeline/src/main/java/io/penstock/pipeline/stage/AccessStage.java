// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Attachments: which VRF a frame belongs to, learning of hosts, ARP for the gateways, bridging inside a broadcast
 * domain, and the way out. Sample flows: golden/base.flows and golden/two-tenants.flows, tables
 * classify to l2_forward and egress.
 */
public final class AccessStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.CLASSIFY, Table.ACCESS_LEARN, Table.ARP_REPLY,
        Table.L2_LOOKUP, Table.L2_FORWARD, Table.EGRESS);
    private static final FieldMatch GROUP_SOURCE =
        new FieldMatch(MatchField.ETH_SRC, 0x010000000000L, 0x010000000000L);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        for (final Node.Port port : node.node().ports()) {
            if (port.role() == Node.Role.ACCESS) {
                sink.flow(Table.CLASSIFY, Priority.LOW, "unknown VLAN on " + port.name())
                    .when(MatchField.IN_PORT, node.port(port.name())).drop();
            }
        }
        sink.flow(Table.CLASSIFY, Priority.MISS, "unknown port").drop();
        Unreadable.drop(sink, Table.CLASSIFY);

        sink.flow(Table.ACCESS_LEARN, Priority.HIGH, "source is a group address").when(GROUP_SOURCE).drop();
        sink.flow(Table.ACCESS_LEARN, Priority.LOW, "ARP").arp().go(Table.ARP_REPLY);
        sink.flow(Table.ACCESS_LEARN, Priority.MISS, "not ARP").go(Table.L2_LOOKUP);

        sink.flow(Table.ARP_REPLY, Priority.MISS, "ARP between hosts").go(Table.L2_LOOKUP);

        sink.flow(Table.L2_LOOKUP, Priority.NORMAL, "to the gateway")
            .when(MatchField.ETH_DST, Constants.GATEWAY_MAC).ipv4().go(Table.GATEWAY);
        sink.flow(Table.L2_LOOKUP, Priority.NORMAL, "ARP answer to the gateway, learned")
            .when(MatchField.ETH_DST, Constants.GATEWAY_MAC).arp().drop();
        sink.flow(Table.L2_LOOKUP, Priority.LOW, "frame for the gateway that is not IPv4, IPv6 or ARP")
            .when(MatchField.ETH_DST, Constants.GATEWAY_MAC).drop();
        sink.flow(Table.L2_LOOKUP, Priority.MISS, "to a host")
            .then(new Action.Resubmit(Table.L2_HOSTS)).go(Table.L2_FORWARD);

        sink.flow(Table.L2_FORWARD, Priority.HIGH, "host found")
            .when(Register.FOUND.is(1)).go(Table.EGRESS);
        sink.flow(Table.L2_FORWARD, Priority.MISS, "no other attachment in the broadcast domain").drop();
        sink.flow(Table.EGRESS, Priority.MISS, "no such attachment").drop();
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        for (final TenantView.Domain domain : view.domains()) {
            for (final Tenant.Attachment attachment : domain.attachments()) {
                classify(node, view, domain, attachment, sink);
                Egress.plan(sink, node.port(attachment.port()), attachment.vlan(), "to " + attachment.name());
                if (domain.isBridged()) {
                    bridge(node, view, domain, attachment, sink);
                }
            }
            for (final Tenant.Subnet subnet : domain.subnets()) {
                gatewayArp(view, domain, subnet, sink);
            }
        }
    }

    private static void classify(final NodeView node, final TenantView view, final TenantView.Domain domain,
            final Tenant.Attachment attachment, final FlowSink sink) {
        final String label = "from " + attachment.name();
        final int port = node.port(attachment.port());
        final List<FieldMatch> from =
            List.of(FieldMatch.of(MatchField.IN_PORT, port), FieldMatch.of(MatchField.VLAN_VID, attachment.vlan()));
        final List<Action> origin = List.of(new Action.PopVlan(), Register.VRF.load(view.vrf().number()),
            Register.DOMAIN.load(domain.id()), Register.IN_ATTACHMENT.load(Register.place(port, attachment.vlan())));
        final Table next = attachment.trusted() ? Table.ACCESS_LEARN : Table.ACCESS_GUARD;
        sink.flow(Table.CLASSIFY, Priority.NORMAL, label).when(from).then(origin).go(next);
        // Each of these may cost an upcall, whatever is limited later: ADR 21.
        final Action limit = view.meter(TenantMeter.SLOW_PATH);
        sink.flow(Table.CLASSIFY, Priority.HIGH, "ARP " + label).when(from).arp()
            .then(limit).then(origin).then(Replies.lookAgain(EtherType.ARP)).go(next);
        sink.flow(Table.CLASSIFY, Priority.HIGH, "broadcast " + label).when(from)
            .when(MatchField.ETH_DST, Constants.BROADCAST_MAC).ipv4()
            .then(limit).then(origin).then(Replies.lookAgain(EtherType.IPV4)).go(next);
        if (node.flooding().contains(attachment.place())) {
            // Before all flows that look at addresses, which would be in the cached flow: ADR 52.
            for (final int type : List.of(EtherType.ARP, EtherType.IPV4, EtherType.IPV6)) {
                sink.flow(Table.CLASSIFY, Priority.GUARD, "flood " + label).when(from)
                    .when(MatchField.ETH_TYPE, type).then(limit).then(origin).then(Replies.lookAgain(type)).go(next);
            }
            sink.flow(Table.CLASSIFY, Priority.BEFORE_HIGH, "flood " + label + ", neither IP nor ARP").when(from)
                .drop();
        }
        if (domain.hasIpv6()) {
            for (final int type : NdReplies.RESOLUTION) {
                sink.flow(Table.CLASSIFY, Priority.HIGH, "neighbour discovery " + label).when(from).icmp6(type)
                    .then(limit).then(origin).then(Replies.lookAgain(EtherType.IPV6)).go(next);
            }
        }
    }

    private static void bridge(final NodeView node, final TenantView view, final TenantView.Domain domain,
            final Tenant.Attachment attachment, final FlowSink sink) {
        final long place = Register.place(node.port(attachment.port()), attachment.vlan());
        final FieldMatch from = Register.IN_ATTACHMENT.is(place);
        sink.flow(Table.ACCESS_LEARN, Priority.LOW, "learn hosts on " + attachment.name())
            .when(from).ipv4().then(Replies.learnHost(view.vrf(), view.learnedHosts())).go(Table.L2_LOOKUP);
        final List<Action> flood = new ArrayList<>();
        for (final Tenant.Attachment other : domain.attachments()) {
            if (!other.equals(attachment)) {
                final int port = node.port(other.port());
                flood.add(new Action.PushVlan());
                flood.add(new Action.SetField(MatchField.VLAN_VID, other.vlan()));
                flood.add(other.port().equals(attachment.port())
                    ? new Action.OutputInPort() : new Action.Output(port));
                flood.add(new Action.PopVlan());
            }
        }
        // The customer's own switch flooded it: the host has the frame already.
        sink.flow(Table.L2_FORWARD, Priority.GUARD, "host is at the attachment that the frame came from")
            .when(from, Register.OUT_ATTACHMENT.is(place)).drop();
        sink.flow(Table.L2_FORWARD, Priority.NORMAL, "flood from " + attachment.name())
            .when(from).then(flood).end();
    }

    private static void gatewayArp(final TenantView view, final TenantView.Domain domain,
            final Tenant.Subnet subnet, final FlowSink sink) {
        final List<Action> learn = new ArrayList<>();
        learn.add(Replies.learnNeighbour(view.vrf(), view.learnedHosts()));
        if (domain.isBridged()) {
            learn.add(Replies.learnHost(view.vrf(), view.learnedHosts()));
        }
        sink.flow(Table.ACCESS_LEARN, Priority.HIGH, "ARP claims the gateway of " + subnet.name())
            .when(view.isVrf()).arp().when(MatchField.ARP_SPA, subnet.gateway()).drop();
        sink.flow(Table.ACCESS_LEARN, Priority.HIGH, "packet from the address of the gateway of " + subnet.name())
            .when(view.isVrf()).ipv4().when(MatchField.IP_SRC, subnet.gateway()).drop();
        sink.flow(Table.ACCESS_LEARN, Priority.NORMAL, "learn neighbours of " + subnet.name())
            .when(view.isVrf(), Register.DOMAIN.is(domain.id())).arp()
            .when(MatchField.ARP_SPA, subnet.prefix()).then(learn).go(Table.ARP_REPLY);
        sink.flow(Table.ARP_REPLY, Priority.NORMAL, "ARP for the gateway of " + subnet.name())
            .when(view.isVrf(), Register.DOMAIN.is(domain.id())).arp()
            .when(MatchField.ARP_OP, Replies.ARP_REQUEST).when(MatchField.ARP_TPA, subnet.gateway())
            .then(Replies.arp(Constants.GATEWAY_MAC, subnet.gateway())).then(Replies.backToSender())
            .go(Table.EGRESS);
    }
}
