// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.engine.SteadyClock;
import io.penstock.operations.LeaseLine;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Lease;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Tells leases to operators. */
final class Leases {
    private Leases() {
        // Only functions.
    }

    /** Leases of a tenant or of all, by tenant and address. */
    static List<LeaseLine> of(final Allocations allocations, final Optional<String> tenant,
            final SteadyClock clock) {
        return allocations.tenants().entrySet().stream().sorted(Map.Entry.comparingByKey())
            .filter(each -> tenant.isEmpty() || each.getKey().equals(tenant.orElseThrow()))
            .flatMap(each -> each.getValue().leases().stream().map(lease -> line(each.getKey(), lease, clock)))
            .toList();
    }

    /** One lease, its end by the wall clock. */
    static LeaseLine line(final String tenant, final Lease lease, final SteadyClock clock) {
        return new LeaseLine(tenant, lease.address().toString(), lease.state().name().toLowerCase(Locale.ROOT),
            lease.mac().toString(), lease.client(), lease.attachment(), lease.hostName(),
            clock.toWall(Instant.ofEpochSecond(lease.expires())).truncatedTo(ChronoUnit.SECONDS).toString());
    }
}
