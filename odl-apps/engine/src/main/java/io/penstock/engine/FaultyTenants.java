// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Finds the tenants of a configuration for which nothing can be allocated, which is a bug, so that all others are
 * carried out. Such a tenant stays as it was carried out before; one that is new has no attachments.
 */
final class FaultyTenants {
    /**
     * A configuration that can be carried out.
     *
     * @param snapshot with the former configuration of tenants at fault
     * @param faults their faults by name
     */
    record Found(Snapshot snapshot, SortedMap<String, Throwable> faults) {
        /** Why tenants are not as configured, by name. */
        SortedMap<String, String> reasons() {
            final SortedMap<String, String> reasons = new TreeMap<>();
            faults.forEach((tenant, fault) -> reasons.put(tenant,
                "nothing can be allocated for its configuration, what it had before stays: " + fault));
            return reasons;
        }
    }

    private final Snapshot wanted;
    private final Snapshot former;
    private final Consumer<Snapshot> attempt;
    private final SortedMap<String, Throwable> faults = new TreeMap<>();
    private Snapshot good;

    private FaultyTenants(final Snapshot wanted, final Snapshot former, final Consumer<Snapshot> attempt) {
        this.wanted = wanted;
        this.former = former;
        this.attempt = attempt;
        good = wanted.withTenants(wanted.tenants().values().stream().map(tenant -> former(tenant.name())).toList());
    }

    /**
     * Finds them, with some attempts for each.
     *
     * @param wanted a configuration that failed
     * @param former the configuration that is carried out
     * @param attempt throws when something fails for a configuration; called many times
     * @throws RuntimeException the failure, when it is not one of tenants that differ
     */
    static Found find(final Snapshot wanted, final Snapshot former, final Consumer<Snapshot> attempt) {
        final FaultyTenants search = new FaultyTenants(wanted, former, attempt);
        attempt.accept(search.good);
        search.add(search.differing());
        return new Found(search.good, search.faults);
    }

    @SuppressWarnings("ReferenceEquality") // a tenant that did not change is the same object
    private List<Tenant> differing() {
        return wanted.tenants().values().stream().filter(tenant -> tenant != former.tenants().get(tenant.name()))
            .toList();
    }

    private Tenant former(final String name) {
        final Tenant known = former.tenants().get(name);
        return known == null ? new Tenant(name, List.of(), List.of(), List.of(), Optional.empty(), Optional.empty(),
            Optional.empty()) : known;
    }

    /** Adds tenants as they are wanted: all at once, or in halves when that fails. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private void add(final List<Tenant> tenants) {
        if (tenants.isEmpty()) {
            return;
        }
        final Map<String, Tenant> more = new TreeMap<>(good.tenants());
        tenants.forEach(tenant -> more.put(tenant.name(), tenant));
        final Snapshot next = good.withTenants(new ArrayList<>(more.values()));
        try {
            attempt.accept(next);
            good = next;
        } catch (RuntimeException | StackOverflowError e) {
            if (tenants.size() == 1) {
                faults.put(tenants.get(0).name(), e);
            } else {
                add(tenants.subList(0, tenants.size() / 2));
                add(tenants.subList(tenants.size() / 2, tenants.size()));
            }
        }
    }
}
