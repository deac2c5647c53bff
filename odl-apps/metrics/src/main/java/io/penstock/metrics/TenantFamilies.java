// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.state.TenantState;
import io.penstock.engine.state.TenantState.Kind;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** What is known of tenants. */
final class TenantFamilies {
    private static final String TENANT = "tenant";
    private static final String NODE = "node";

    private final Family statuses = Family.gauge("penstock_tenants",
        "Configured tenants by status.", "status");
    private final Family active = Family.gauge("penstock_tenant_active",
        "Whether packets of a tenant pass as configured.", TENANT);
    private final Family sessions = Family.gauge("penstock_tenant_sessions",
        "Tracked connections of a tenant on a node.", TENANT, NODE);
    private final Family leases = Family.gauge("penstock_tenant_bound_leases",
        "Bound leases of the DHCP server of a tenant.", TENANT);
    private final Family blocks = Family.gauge("penstock_tenant_port_blocks",
        "Port blocks that subscribers of a tenant have.", TENANT);
    private final Family dropped = Family.counter("penstock_dropped_packets",
        "Packets that flows and meters of a switch have dropped since this controller began to serve. The tenant is"
        + " empty for flows that tenants share.", NODE, TENANT, "reason");
    private final TenantLabels labels;

    TenantFamilies(final TenantLabels labels) {
        this.labels = requireNonNull(labels);
        for (final Kind kind : Kind.values()) {
            statuses.add(0, word(kind));
        }
    }

    private static String word(final Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    void add(final String name, final TenantState state) {
        final String label = labels.of(name);
        statuses.add(1, word(state.kind()));
        if (label.equals(name)) {
            active.add(state.kind() == Kind.ACTIVE, label);
        }
        state.nodes().forEach((node, on) -> on.sessions().ifPresent(count ->
            sessions.add(count, label, node)));
        leases.add(state.boundLeases(), label);
        blocks.add(state.portBlocks(), label);
    }

    void add(final Map<Drops.Drop, Long> drops) {
        drops.forEach((drop, packets) -> dropped.add(packets, drop.node(),
            drop.tenant().equals(Drops.SHARED) ? Drops.SHARED : labels.of(drop.tenant()), drop.reason()));
    }

    Stream<Family> all() {
        return Stream.of(statuses, active, sessions, leases, blocks, dropped);
    }
}
