// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.stage.NodeView;
import io.penstock.pipeline.stage.TenantView;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the agent of a node has to do for a tenant in one of its conntrack zones, beside what the switch can do by
 * itself.
 *
 * @param tenant name of the tenant; in the zone of its translations alone
 * @param sessions most connections in the zone
 * @param dns what the resolver of the node has to know of the tenant; in the zone of its translations alone
 */
public record TenantOrders(Optional<String> tenant, Optional<Integer> sessions, Optional<Resolver> dns) {

    /**
     * A tenant at the resolver.
     *
     * @param config records, upstreams and domain of the tenant
     * @param addresses by which queries of the tenant come, one for each subnet: those of IPv4 first
     * @param hosts names and addresses of hosts that have leases, or are reserved ones
     * @param reverse IPv4 prefixes of which the tenant's zone knows who has an address
     */
    public record Resolver(Dns config, List<String> addresses, List<Host> hosts, List<String> reverse) {
        public Resolver {
            addresses = List.copyOf(addresses);
            hosts = List.copyOf(hosts);
            reverse = List.copyOf(reverse);
        }
    }

    /** A host by its name in the tenant's domain. */
    public record Host(String name, String address) { }

    /** The orders for a tenant by conntrack zone. Connections are limited in each. */
    static SortedMap<Integer, TenantOrders> of(final NodeView node, final TenantView view) {
        final Optional<Node.Port> port = node.node().servicePort();
        final Optional<Integer> sessions = view.tenant().protection().quota().mostSessions();
        final SortedMap<Integer, TenantOrders> orders = new TreeMap<>();
        orders.put(view.vrf().natZone(), new TenantOrders(Optional.of(view.tenant().name()), sessions,
            view.tenant().services().dns().filter(dns -> port.isPresent()).map(dns -> resolver(node, view, dns))));
        if (view.tracksLists() || view.admitsIpv6Replies()) {
            orders.put(view.vrf().aclZone(), new TenantOrders(Optional.empty(), sessions, Optional.empty()));
        }
        if (!view.places().isEmpty()) {
            orders.put(view.vrf().chainZone(), new TenantOrders(Optional.empty(), sessions, Optional.empty()));
        }
        return orders;
    }

    private static Resolver resolver(final NodeView node, final TenantView view, final Dns own) {
        final Dns dns = !own.upstreams().isEmpty() ? own : own.withUpstreams(node.snapshot().backbone().resolvers()
            .stream().map(address -> new Dns.Upstream(address, false)).toList());
        final List<String> addresses = new ArrayList<>();
        final List<String> reverse = new ArrayList<>();
        for (final Tenant.Subnet subnet : view.tenant().subnets()) {
            addresses.add(view.vrf().resolverAddress(addresses.size()).toString());
            reverse.add(subnet.prefix().toString());
        }
        // IPv6 prefixes are global: others know more of their reverse zones than the tenant's leases tell.
        for (int index = 0; index < view.tenant().ipv6().subnets().size(); index++) {
            addresses.add(view.vrf().resolverAddress6(index).toString());
        }
        return new Resolver(dns, addresses, hosts(view), reverse);
    }

    /** Hosts with a lease, and reserved ones that have none: their addresses are theirs. */
    private static List<Host> hosts(final TenantView view) {
        final List<Host> hosts = new ArrayList<>();
        final Set<Ipv4> leased = new HashSet<>();
        for (final Lease lease : view.leases()) {
            leased.add(lease.address());
            if (!lease.hostName().isEmpty()) {
                hosts.add(new Host(lease.hostName(), lease.address().toString()));
            }
        }
        view.tenant().services().dhcp().map(Dhcp::subnets).orElse(List.of()).stream()
            .flatMap(subnet -> subnet.reservations().stream()).filter(each -> !leased.contains(each.address()))
            .forEach(each -> each.hostName().ifPresent(name -> hosts.add(new Host(name,
                each.address().toString()))));
        return hosts;
    }
}
