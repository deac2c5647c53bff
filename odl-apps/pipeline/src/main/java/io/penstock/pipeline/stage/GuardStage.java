// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Set;

/**
 * Anti-spoofing (BCP 38, and RFC 7513 for what DHCP has given): from an attachment that is not trusted come only
 * packets whose source address is the sender's. An address of a pool needs a lease, a reserved one its host; any other
 * address may be used where its subnet is, or the router that it is routed to. Sample flows: golden/services.flows,
 * table access_guard.
 */
public final class GuardStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.ACCESS_GUARD, Table.L2_FORWARD);
    private static final int DHCP_CLIENT_PORT = 68;
    private static final List<MatchField> SOURCES = List.of(MatchField.IP_SRC, MatchField.ARP_SPA);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.ACCESS_GUARD, Priority.MISS, "has no IPv4 address").go(Table.ACCESS_LEARN);
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        if (view.tenant().attachments().stream().allMatch(Tenant.Attachment::trusted)) {
            return;
        }
        for (final MatchField source : SOURCES) {
            sink.flow(Table.ACCESS_GUARD, Priority.LOW, "source address is not the sender's").when(view.isVrf())
                .when(family(source)).drop();
        }
        // Who has no address yet: RFC 5227, section 2.1.1.
        sink.flow(Table.ACCESS_GUARD, Priority.NORMAL, "ARP probe").when(view.isVrf()).arp()
            .when(MatchField.ARP_SPA, 0).go(Table.ACCESS_LEARN);
        for (final TenantView.Domain domain : view.domains()) {
            for (final Tenant.Subnet subnet : domain.subnets()) {
                allow(view, domain, subnet.prefix(), "from " + subnet.name(), sink);
                view.dhcp(subnet).ifPresent(served -> guard(node, view, domain, served, sink));
            }
            for (final Route route : view.tenant().routes()) {
                if (domain.subnets().stream().anyMatch(subnet -> subnet.prefix().contains(route.nextHop()))) {
                    allow(view, domain, route.prefix(), "from route " + route.prefix(), sink);
                }
            }
            if (domain.isBridged()) {
                rogueServers(node, domain, sink);
            }
        }
    }

    private static void allow(final TenantView view, final TenantView.Domain domain, final Prefix prefix,
            final String label, final FlowSink sink) {
        for (final MatchField source : SOURCES) {
            sink.flow(Table.ACCESS_GUARD, Priority.NORMAL, label)
                .when(view.isVrf(), Register.DOMAIN.is(domain.id())).when(family(source)).when(source, prefix)
                .go(Table.ACCESS_LEARN);
        }
    }

    /** What the DHCP server hands out belongs to who got it. */
    private static void guard(final NodeView node, final TenantView view, final TenantView.Domain domain,
            final Dhcp.Subnet served, final FlowSink sink) {
        for (final Range range : served.bound()) {
            for (final Prefix prefix : range.prefixes()) {
                for (final MatchField source : SOURCES) {
                    sink.flow(Table.ACCESS_GUARD, Priority.HIGH,
                        "address of a DHCP pool or reservation without a lease")
                        .when(view.isVrf()).when(family(source)).when(source, prefix).drop();
                }
            }
        }
        for (final Lease lease : view.leases()) {
            if (served.prefix().contains(lease.address())) {
                domain.attachments().stream().filter(at -> at.name().equals(lease.attachment())).findFirst()
                    .ifPresent(at -> bind(view, place(node, at), lease.mac(), lease.address(), "lease", sink));
            }
        }
        for (final Dhcp.Reservation reservation : served.reservations()) {
            reservation.mac().ifPresent(mac -> bind(view, Register.DOMAIN.is(domain.id()), mac,
                reservation.address(), "reservation", sink));
            domain.attachments().stream().filter(at -> reservation.attachment().filter(at.name()::equals).isPresent())
                .forEach(at -> bind(view, place(node, at), reservation.address(), sink));
        }
    }

    private static void bind(final TenantView view, final FieldMatch where, final Mac mac, final Ipv4 address,
            final String label, final FlowSink sink) {
        sink.flow(Table.ACCESS_GUARD, Priority.GUARD, label).when(view.isVrf(), where)
            .when(MatchField.ETH_SRC, mac).ipv4().when(MatchField.IP_SRC, address).go(Table.ACCESS_LEARN);
        sink.flow(Table.ACCESS_GUARD, Priority.GUARD, label).when(view.isVrf(), where)
            .when(MatchField.ETH_SRC, mac).arp().when(MatchField.ARP_SHA, mac).when(MatchField.ARP_SPA, address)
            .go(Table.ACCESS_LEARN);
    }

    /** Whoever is there: the operator knows the place, not the host. */
    private static void bind(final TenantView view, final FieldMatch place, final Ipv4 address, final FlowSink sink) {
        for (final MatchField source : SOURCES) {
            sink.flow(Table.ACCESS_GUARD, Priority.GUARD, "reservation of the attachment").when(view.isVrf(), place)
                .when(family(source)).when(source, address).go(Table.ACCESS_LEARN);
        }
    }

    /** Seen only where frames are bridged: nobody routes answers of a DHCP server to clients. */
    private static void rogueServers(final NodeView node, final TenantView.Domain domain, final FlowSink sink) {
        for (final Tenant.Attachment attachment : domain.attachments()) {
            if (!attachment.trusted()) {
                sink.flow(Table.L2_FORWARD, Priority.FIRST, "DHCP answer of a host on " + attachment.name())
                    .when(place(node, attachment)).ipv4().when(MatchField.IP_PROTO, IpProtocol.UDP)
                    .when(MatchField.UDP_DST, DHCP_CLIENT_PORT).drop();
            }
        }
    }

    private static FieldMatch place(final NodeView node, final Tenant.Attachment attachment) {
        return Register.IN_ATTACHMENT.is(Register.place(node.port(attachment.port()), attachment.vlan()));
    }

    private static FieldMatch family(final MatchField source) {
        return FieldMatch.of(MatchField.ETH_TYPE,
            source == MatchField.IP_SRC ? EtherType.IPV4
                : EtherType.ARP);
    }
}
