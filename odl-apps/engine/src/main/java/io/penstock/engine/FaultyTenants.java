// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Finds the tenants of a configuration for which nothing can be allocated, which is a bug, so that all others are
 * carried out. Such a tenant keeps what was handed out to it. It stays as it was carried out before; after a start,
 * when that is not known, it is as it is configured if it was given all that this takes. It has no attachments if it is
 * new, or if neither configuration fits to that of the others, as one that names a list that is gone.
 */
final class FaultyTenants {
    /** Where more tenants are at fault, it is no fault of tenants, and each costs a search. */
    private static final int MOST = 16;

    /**
     * A configuration that can be carried out.
     *
     * @param snapshot with the configuration of tenants at fault that is carried out
     * @param faults their faults by name
     * @param kept those of them of which something is carried out
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

    private final Snapshot wanted;
    private final Snapshot former;
    private final Function<Snapshot, Allocations> attempt;
    private final SortedMap<String, Throwable> faults = new TreeMap<>();
    private Snapshot good;
    /** Those of the good configuration. */
    private Allocations allocations;

    private FaultyTenants(final Snapshot wanted, final Set<String> differing, final Snapshot former,
            final Function<Snapshot, Allocations> attempt) {
        this.wanted = wanted;
        this.former = former;
        this.attempt = attempt;
        // Holdings of tenants that are not looked at yet are in use.
        good = wanted.with(differing.stream().map(FaultyTenants::bare).toList(), Set.of()).freezing(differing);
        allocations = attempt.apply(good);
    }

    /**
     * Finds them, with some attempts for each.
     *
     * @param wanted a configuration that failed
     * @param former the configuration that is carried out; empty after a start
     * @param given names of the tenants to which something was handed out
     * @param attempt the allocations for a configuration; throws when something fails; called many times
     * @param rules whether a configuration breaks none
     * @throws RuntimeException the failure, when it is not one of tenants that differ, or one of many
     */
    static Found find(final Snapshot wanted, final Snapshot former, final Set<String> given,
            final Function<Snapshot, Allocations> attempt, final Predicate<Snapshot> rules) {
        final Set<String> differing = new HashSet<>(wanted.tenantsDifferingFrom(former));
        differing.addAll(former.frozen());
        differing.retainAll(wanted.tenants().keySet());
        final FaultyTenants search = new FaultyTenants(wanted, differing, former, attempt);
        search.add(differing.stream().sorted().map(wanted.tenants()::get).toList());
        final Set<String> kept = search.keep(given, rules);
        return new Found(search.good, search.faults, kept);
    }

    private static Tenant bare(final String name) {
        return new Tenant(name, List.of(), List.of(), List.of(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Adds tenants as they are wanted: all at once, or in halves when that fails. */
    private void add(final List<Tenant> tenants) {
        final Optional<Throwable> fault = tenants.isEmpty() ? Optional.empty() : tried(with(tenants, false));
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

    /** Adds a configuration of the tenants at fault that fits. Names of those that have one. */
    private Set<String> keep(final Set<String> given, final Predicate<Snapshot> rules) {
        final Set<String> kept = new TreeSet<>();
        for (final String name : faults.keySet()) {
            final Tenant known = former.tenants().get(name);
            final Tenant now = requireNonNull(wanted.tenants().get(name));
            // A former list or VLAN may be gone, or be another tenant's: to keep it could open what is to be shut.
            if (known == null ? given.contains(name) && fits(now, true, rules) : !known.attachments().isEmpty()
                    && (fits(known, former.frozen().contains(name), rules) || fits(known, true, rules))) {
                kept.add(name);
            }
        }
        return kept;
    }

    private boolean fits(final Tenant tenant, final boolean frozen, final Predicate<Snapshot> rules) {
        final Snapshot without = good;
        final Allocations before = allocations;
        if (tried(with(List.of(tenant), frozen)).isEmpty()) {
            if (rules.test(good) && Allocator.suffices(good, allocations, tenant)) {
                return true;
            }
            good = without;
            allocations = before;
        }
        return false;
    }

    private Snapshot with(final List<Tenant> tenants, final boolean frozen) {
        final Set<String> names = new HashSet<>(good.frozen());
        if (!frozen) {
            tenants.forEach(tenant -> names.remove(tenant.name()));
        }
        return good.with(tenants, Set.of()).freezing(names);
    }

    /** Takes a configuration, or finds out why that fails. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private Optional<Throwable> tried(final Snapshot next) {
        try {
            allocations = attempt.apply(next);
            good = next;
            return Optional.empty();
        } catch (RuntimeException | StackOverflowError e) {
            return Optional.of(e);
        }
    }
}
