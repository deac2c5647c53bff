// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.VrfId;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A checked configuration together with what was handed out for it. Does not change. Safe for all threads. */
public final class Desired {
    private final long revision;
    private final Snapshot snapshot;
    private final Allocations allocations;
    /** Tenants by node and VRF id; made when it is first needed. */
    private volatile @Nullable Map<String, Map<VrfId, Tenant>> tenants;

    /**
     * A state.
     *
     * @param revision grows with each state; everything that was in one is in all later ones, unless it was changed
     */
    public Desired(final long revision, final Snapshot snapshot, final Allocations allocations) {
        this.revision = revision;
        this.snapshot = requireNonNull(snapshot);
        this.allocations = requireNonNull(allocations);
    }

    /** The state after this one. */
    @SuppressWarnings("ReferenceEquality") // an unchanged configuration is the same object
    public Desired next(final Snapshot nextSnapshot, final Allocations nextAllocations) {
        final Desired next = new Desired(revision + 1, nextSnapshot, nextAllocations);
        if (nextSnapshot == snapshot) {
            // Ids change with the configuration alone.
            next.tenants = tenants;
        }
        return next;
    }

    /** Grows with each state. */
    public long revision() {
        return revision;
    }

    /** The configuration. */
    public Snapshot snapshot() {
        return snapshot;
    }

    /** The things that were handed out for it. */
    public Allocations allocations() {
        return allocations;
    }

    /** Whether nothing but the revision differs. */
    @SuppressWarnings("ReferenceEquality") // whatever made no change handed on the object that it was given
    public boolean sameAs(final Desired other) {
        return snapshot == other.snapshot && allocations == other.allocations;
    }

    /** The name of the node whose bridge has an OpenFlow datapath id. */
    public Optional<String> node(final long datapathId) {
        return allocations.nodeOf(datapathId);
    }

    /** The tenant that has a VRF on a node. */
    public Optional<Tenant> tenant(final String node, final VrfId vrf) {
        Map<String, Map<VrfId, Tenant>> index = tenants;
        if (index == null) {
            index = index();
            tenants = index;
        }
        return Optional.ofNullable(index.getOrDefault(node, Map.of()).get(vrf));
    }

    private Map<String, Map<VrfId, Tenant>> index() {
        final Map<String, Map<VrfId, Tenant>> index = new HashMap<>();
        snapshot.tenants().values().forEach(tenant -> {
            final Allocations.TenantAllocation given = allocations.tenants().get(tenant.name());
            if (given != null) {
                tenant.nodes().forEach(node -> given.vrf(node).ifPresent(vrf ->
                    index.computeIfAbsent(node, name -> new HashMap<>()).put(vrf, tenant)));
            }
        });
        return index;
    }

    @Override
    public String toString() {
        return "revision " + revision;
    }
}
