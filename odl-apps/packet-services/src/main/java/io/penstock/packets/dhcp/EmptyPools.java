// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.dhcp.LeaseTable;
import io.penstock.dhcp.Scope;
import io.penstock.events.DhcpPoolEvent;
import io.penstock.events.Troubles;
import io.penstock.pipeline.net.Prefix;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Subnets in which a client asked for an address and none was left. For one thread. */
final class EmptyPools {
    static final Duration LEAST = Duration.ofMinutes(10);

    private final Troubles<Subnet> empty;
    private final Consumer<DhcpPoolEvent> events;

    private record Subnet(String tenant, Prefix prefix) { }

    EmptyPools(final Clock clock, final Consumer<DhcpPoolEvent> events) {
        empty = new Troubles<>(clock, LEAST);
        this.events = requireNonNull(events);
    }

    /** A client got no address of a subnet. */
    void begins(final String tenant, final Prefix prefix) {
        if (empty.begins(new Subnet(tenant, prefix))) {
            events.accept(new DhcpPoolEvent(tenant, prefix.toString(), true));
        }
    }

    /** Forgets tenants that have no server any more. */
    void keep(final Predicate<String> isServed) {
        empty.keep(each -> isServed.test(each.tenant()));
    }

    /** Tenants with trouble. */
    Set<String> tenants() {
        return empty.lasting().stream().map(Subnet::tenant).collect(Collectors.toSet());
    }

    /** Looks at the subnets of a tenant that have trouble. */
    void look(final String tenant, final Scope scope, final LeaseTable leases) {
        empty.keep(each -> !each.tenant().equals(tenant) || scope.hasPools(each.prefix()));
        for (final Subnet each : empty.lasting()) {
            if (each.tenant().equals(tenant) && scope.hasFree(each.prefix(), leases) && empty.ends(each)) {
                events.accept(new DhcpPoolEvent(tenant, each.prefix().toString(), false));
            }
        }
    }
}
