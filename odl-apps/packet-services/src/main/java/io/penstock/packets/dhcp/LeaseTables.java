// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.dhcp;

import io.penstock.dhcp.LeaseTable;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Lease;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The lease tables of the tenants, made from what is stored when they are first asked for, and again whenever that is
 * not what the table was written as: after a change that was not stored, and after one that somebody else made. For the
 * thread of the engine.
 */
final class LeaseTables {
    private record Entry(List<Lease> stored, LeaseTable table) { }

    private final Map<String, Entry> entries = new HashMap<>();

    /** The table of a tenant, which has these leases stored. */
    LeaseTable of(final String tenant, final List<Lease> stored) {
        final Entry entry = entries.get(tenant);
        if (entry != null && entry.stored() == stored) {
            return entry.table();
        }
        final LeaseTable table = new LeaseTable(stored);
        entries.put(tenant, new Entry(stored, table));
        return table;
    }

    /** Puts what has changed into the allocations; the same object when nothing has. */
    Allocations written(final Allocations before) {
        Map<String, TenantAllocation> tenants = null;
        for (final Map.Entry<String, Entry> each : entries.entrySet()) {
            final TenantAllocation had = before.tenants().get(each.getKey());
            if (had != null && each.getValue().table().changed() && each.getValue().stored() == had.leases()) {
                tenants = tenants == null ? new HashMap<>(before.tenants()) : tenants;
                final TenantAllocation now = had.withLeases(each.getValue().table().toList());
                tenants.put(each.getKey(), now);
                // Should that not be stored after all, what is stored is another list, and the table is made anew.
                each.getValue().table().stored();
                each.setValue(new Entry(now.leases(), each.getValue().table()));
            }
        }
        entries.keySet().removeIf(name -> !before.tenants().containsKey(name));
        return tenants == null ? before : before.withTenants(tenants);
    }
}
