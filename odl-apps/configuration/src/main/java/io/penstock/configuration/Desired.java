// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.VrfId;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/** A checked configuration together with what was handed out for it. Does not change. Safe for all threads. */
public final class Desired {
    private final long revision;
    private final Snapshot snapshot;
    private final Allocations allocations;
    private final SortedMap<String, String> failed;
    /** Tenants by node and VRF id; those of a node are found when they are first needed. */
    private final Map<String, Map<VrfId, Tenant>> tenants;

    /**
     * A state.
     *
     * @param revision grows with each state; everything that was in one is in all later ones, unless it was changed
     */
    public Desired(final long revision, final Snapshot snapshot, final Allocations allocations) {
        this(revision, snapshot, allocations, Collections.emptySortedMap(), new ConcurrentHashMap<>());
    }

    private Desired(final long revision, final Snapshot snapshot, final Allocations allocations,
            final SortedMap<String, String> failed, final Map<String, Map<VrfId, Tenant>> tenants) {
        this.revision = revision;
        this.snapshot = requireNonNull(snapshot);
        this.allocations = requireNonNull(allocations);
        this.failed = Collections.unmodifiableSortedMap(new TreeMap<>(failed));
        this.tenants = tenants;
    }

    /** The state after this one, in which all tenants are as configured. */
    public Desired next(final Snapshot nextSnapshot, final Allocations nextAllocations) {
        return next(nextSnapshot, nextAllocations, Collections.emptySortedMap());
    }

    /**
     * The same.
     *
     * @param nextFailed tenants that are not as configured, with the reasons
     */
    @SuppressWarnings("ReferenceEquality") // an unchanged configuration is the same object
    public Desired next(final Snapshot nextSnapshot, final Allocations nextAllocations,
            final SortedMap<String, String> nextFailed) {
        // Ids change with the configuration alone.
        return new Desired(revision + 1, nextSnapshot, nextAllocations, nextFailed,
            nextSnapshot == snapshot ? tenants : new ConcurrentHashMap<>());
    }

    /** Grows with each state. */
    public long revision() {
        return revision;
    }

    /** The configuration, but for {@link #failed}. */
    public Snapshot snapshot() {
        return snapshot;
    }

    /** The things that were handed out for it. */
    public Allocations allocations() {
        return allocations;
    }

    /** Tenants of the snapshot that are not as they are configured but as they were before, with the reasons. */
    public SortedMap<String, String> failed() {
        return failed;
    }

    /** Whether nothing but the revision differs. */
    @SuppressWarnings("ReferenceEquality") // whatever made no change handed on the object that it was given
    public boolean sameAs(final Desired other) {
        return snapshot == other.snapshot && allocations == other.allocations && failed.equals(other.failed);
    }

    /** The name of the node whose bridge has an OpenFlow datapath id. */
    public Optional<String> node(final long datapathId) {
        return allocations.nodeOf(datapathId);
    }

    /** The tenant that has a VRF on a node. */
    public Optional<Tenant> tenant(final String node, final VrfId vrf) {
        return Optional.ofNullable(tenants.computeIfAbsent(node, this::index).get(vrf));
    }

    private Map<VrfId, Tenant> index(final String node) {
        final Map<VrfId, Tenant> index = new HashMap<>();
        for (final Tenant tenant : snapshot.tenantsOn(node)) {
            final Allocations.TenantAllocation given = allocations.tenants().get(tenant.name());
            if (given != null) {
                given.vrf(node).ifPresent(vrf -> index.put(vrf, tenant));
            }
        }
        return index;
    }

    @Override
    public String toString() {
        return "revision " + revision;
    }
}
