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
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

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

    /**
     * Looks at the subnets with trouble.
     *
     * @param isServed whether a tenant has a server
     */
    void look(final Predicate<String> isServed, final Function<String, Scope> scopes,
            final Function<String, LeaseTable> leases) {
        empty.keep(each -> isServed.test(each.tenant()) && scopes.apply(each.tenant()).hasPools(each.prefix()));
        for (final Subnet each : empty.lasting()) {
            if (scopes.apply(each.tenant()).hasFree(each.prefix(), leases.apply(each.tenant())) && empty.ends(each)) {
                events.accept(new DhcpPoolEvent(each.tenant(), each.prefix().toString(), false));
            }
        }
    }
}
