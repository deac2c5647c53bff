// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Finds the tenants of a configuration for which nothing can be allocated, which is a bug, so that all others are
 * carried out. Such a tenant stays as it was carried out before. It has no attachments if it is new, or if its former
 * configuration does not fit to that of the others any more, as one that names a list that is gone.
 */
final class FaultyTenants {
    /** Where more tenants are at fault, it is no fault of tenants, and each costs a search. */
    private static final int MOST = 16;

    /**
     * A configuration that can be carried out.
     *
     * @param snapshot with the former configuration of tenants at fault
     * @param faults their faults by name
     * @param kept those of them that are as they were before
     */
    record Found(Snapshot snapshot, SortedMap<String, Throwable> faults, Set<String> kept) {
        /** Why tenants are not as configured, by name. */
        SortedMap<String, String> reasons() {
            final SortedMap<String, String> reasons = new TreeMap<>();
            faults.forEach((tenant, fault) -> reasons.put(tenant,
                "nothing can be allocated for its configuration, " + (kept.contains(tenant)
                    ? "what it had before stays: " : "and nothing of it is carried out: ") + fault));
            return reasons;
        }
    }

    private final Snapshot former;
    private final Consumer<Snapshot> attempt;
    private final SortedMap<String, Throwable> faults = new TreeMap<>();
    private Snapshot good;

    private FaultyTenants(final Snapshot wanted, final Set<String> differing, final Snapshot former,
            final Consumer<Snapshot> attempt) {
        this.former = former;
        this.attempt = attempt;
        good = wanted.withTenants(wanted.tenants().values().stream()
            .map(tenant -> differing.contains(tenant.name()) ? bare(tenant.name()) : tenant).toList());
    }

    /**
     * Finds them, with some attempts for each.
     *
     * @param wanted a configuration that failed
     * @param former the configuration that is carried out
     * @param attempt throws when something fails for a configuration; called many times
     * @param rules whether a configuration breaks none
     * @throws RuntimeException the failure, when it is not one of tenants that differ, or one of many
     */
    static Found find(final Snapshot wanted, final Snapshot former, final Consumer<Snapshot> attempt,
            final Predicate<Snapshot> rules) {
        final Set<String> differing = wanted.tenantsDifferingFrom(former);
        differing.retainAll(wanted.tenants().keySet());
        final FaultyTenants search = new FaultyTenants(wanted, differing, former, attempt);
        attempt.accept(search.good);
        search.add(differing.stream().sorted().map(wanted.tenants()::get).toList());
        final Set<String> kept = search.keepFormer(rules);
        return new Found(search.good, search.faults, kept);
    }

    private static Tenant bare(final String name) {
        return new Tenant(name, List.of(), List.of(), List.of(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Adds tenants as they are wanted: all at once, or in halves when that fails. */
    private void add(final List<Tenant> tenants) {
        final Optional<Throwable> fault = tenants.isEmpty() ? Optional.empty() : tried(tenants);
        if (fault.isPresent() && tenants.size() == 1) {
            faults.put(tenants.get(0).name(), fault.orElseThrow());
            if (faults.size() > MOST) {
                throw new IllegalStateException("nothing can be allocated for tenants " + faults.keySet()
                    + " and maybe more", fault.orElseThrow());
            }
        } else if (fault.isPresent()) {
            add(tenants.subList(0, tenants.size() / 2));
            add(tenants.subList(tenants.size() / 2, tenants.size()));
        }
    }

    /** Adds the former configuration of the tenants at fault where it fits. Names of those where it does. */
    private Set<String> keepFormer(final Predicate<Snapshot> rules) {
        final Set<String> kept = new TreeSet<>();
        for (final String name : faults.keySet()) {
            final Snapshot without = good;
            final Tenant known = former.tenants().get(name);
            // A former list or VLAN may be gone, or be another tenant's: to keep it could open what is to be shut.
            if (known != null && tried(List.of(known)).isEmpty()) {
                if (rules.test(good)) {
                    kept.add(name);
                } else {
                    good = without;
                }
            }
        }
        return kept;
    }

    /** Adds tenants, or finds out why that fails. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private Optional<Throwable> tried(final List<Tenant> tenants) {
        final Map<String, Tenant> more = new TreeMap<>(good.tenants());
        tenants.forEach(tenant -> more.put(tenant.name(), tenant));
        final Snapshot next = good.withTenants(List.copyOf(more.values()));
        try {
            attempt.accept(next);
            good = next;
            return Optional.empty();
        } catch (RuntimeException | StackOverflowError e) {
            return Optional.of(e);
        }
    }
}
