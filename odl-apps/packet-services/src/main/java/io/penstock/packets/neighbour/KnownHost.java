// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.neighbour;

import io.penstock.configuration.Desired;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.VrfId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A host that the controller knows of without the switch.
 *
 * @param vrf of its tenant
 * @param attachment where it is; nothing when that is not known
 */
record KnownHost(VrfId vrf, Ipv4 address, Optional<String> attachment) {
    /** Of each tenant; further ones are found by the first packet to them. */
    static final int MOST_OF_TENANT = 4096;
    /** Of a prefix that is translated one to one. */
    private static final int MOST_OF_PREFIX = 256;

    /** Those of a node, by tenant: first routers of the tenant, then hosts with leases, then those that are named. */
    static List<List<KnownHost>> of(final Desired desired, final String node) {
        final List<List<KnownHost>> hosts = new ArrayList<>();
        for (final Tenant tenant : desired.snapshot().tenantsOn(node)) {
            final TenantAllocation given = desired.allocations().tenants().get(tenant.name());
            if (given != null) {
                given.vrf(node).ifPresent(vrf -> hosts.add(of(tenant, given, vrf)));
            }
        }
        return hosts;
    }

    private static List<KnownHost> of(final Tenant tenant, final TenantAllocation given, final VrfId vrf) {
        final Map<Ipv4, Optional<String>> found = new LinkedHashMap<>();
        tenant.routes().stream().map(Route::nextHop).forEach(router -> found.putIfAbsent(router, Optional.empty()));
        given.leases().stream().filter(Lease::isBound).forEach(lease -> found.putIfAbsent(lease.address(),
            Optional.of(lease.attachment()).filter(name -> !name.isEmpty())));
        tenant.nat().ifPresent(nat -> {
            nat.forwards().forEach(forward -> found.putIfAbsent(forward.address(), Optional.empty()));
            nat.oneToOne().forEach(pair -> all(pair.inside(), found));
        });
        tenant.services().dhcp().stream().flatMap(dhcp -> dhcp.subnets().stream())
            .flatMap(subnet -> subnet.reservations().stream()).map(Dhcp.Reservation::address)
            .forEach(address -> found.putIfAbsent(address, Optional.empty()));
        given.blocks().forEach(block -> found.putIfAbsent(block.subscriber(), Optional.empty()));
        return found.entrySet().stream().filter(host -> isLocal(tenant, host.getKey())).limit(MOST_OF_TENANT)
            .map(host -> new KnownHost(vrf, host.getKey(), host.getValue())).toList();
    }

    private static void all(final Prefix prefix, final Map<Ipv4, Optional<String>> found) {
        for (long index = 0; index < Math.min(prefix.size(), MOST_OF_PREFIX); index++) {
            found.putIfAbsent(prefix.address().plus(index), Optional.empty());
        }
    }

    /** Behind a router is none that answers. */
    private static boolean isLocal(final Tenant tenant, final Ipv4 address) {
        return tenant.subnets().stream()
            .anyMatch(subnet -> subnet.prefix().contains(address) && !subnet.gateway().equals(address));
    }
}
