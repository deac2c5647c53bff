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
import java.util.function.Predicate;

/**
 * Finds the tenants of a configuration for which nothing can be allocated, which is a bug, so that all others are
 * carried out. Such a tenant stays as it was carried out before. One that is new has no attachments, and none has where
 * the former configuration of one does not fit to the new one of the others.
 */
final class FaultyTenants {
    /**
     * A configuration that can be carried out.
     *
     * @param snapshot with the former configuration of tenants at fault
     * @param faults their faults by name
     * @param fits whether their former configuration can be kept
     */
    record Found(Snapshot snapshot, SortedMap<String, Throwable> faults, boolean fits) {
        /** Why tenants are not as configured, by name. */
        SortedMap<String, String> reasons() {
            final SortedMap<String, String> reasons = new TreeMap<>();
            faults.forEach((tenant, fault) -> reasons.put(tenant,
                "nothing can be allocated for its configuration, " + (fits ? "what it had before stays: "
                    : "and what it had before breaks rules now, so nothing of it is carried out: ") + fault));
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
     * @param rules whether a configuration breaks none
     * @throws RuntimeException the failure, when it is not one of tenants that differ
     */
    static Found find(final Snapshot wanted, final Snapshot former, final Consumer<Snapshot> attempt,
            final Predicate<Snapshot> rules) {
        final FaultyTenants search = new FaultyTenants(wanted, former, attempt);
        attempt.accept(search.good);
        search.add(search.differing());
        if (rules.test(search.good)) {
            return new Found(search.good, search.faults, true);
        }
        // A former list or VLAN may be gone, or be another tenant's: to keep it could open what is to be shut.
        final Map<String, Tenant> tenants = new TreeMap<>(search.good.tenants());
        search.faults.keySet().forEach(name -> tenants.put(name, bare(name)));
        return new Found(search.good.withTenants(List.copyOf(tenants.values())), search.faults, false);
    }

    @SuppressWarnings("ReferenceEquality") // a tenant that did not change is the same object
    private List<Tenant> differing() {
        return wanted.tenants().values().stream().filter(tenant -> tenant != former.tenants().get(tenant.name()))
            .toList();
    }

    private Tenant former(final String name) {
        final Tenant known = former.tenants().get(name);
        return known == null ? bare(name) : known;
    }

    private static Tenant bare(final String name) {
        return new Tenant(name, List.of(), List.of(), List.of(), Optional.empty(), Optional.empty(), Optional.empty());
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
