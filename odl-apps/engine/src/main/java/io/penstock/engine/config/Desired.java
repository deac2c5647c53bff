// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import java.util.Optional;

/**
 * A checked configuration together with what was handed out for it.
 *
 * @param revision counts the times that the configuration was read; everything that was committed before revision
 *     {@code n} was asked for is in the one with that revision and in all later ones
 */
public record Desired(long revision, Snapshot snapshot, Allocations allocations) {
    public Desired {
        requireNonNull(snapshot);
        requireNonNull(allocations);
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

    /** Whether a tenant has an attachment at the node whose bridge has an OpenFlow datapath id. */
    public boolean isOn(final long datapathId, final Tenant tenant) {
        return node(datapathId)
            .filter(name -> tenant.attachments().stream().anyMatch(at -> at.node().equals(name))).isPresent();
    }

    /** The tenant of a node that has a VRF. */
    public Optional<Tenant> tenant(final String node, final int vrf) {
        return snapshot.tenantsOn(node).stream().filter(tenant -> {
            final Allocations.TenantAllocation given = allocations.tenants().get(tenant.name());
            return given != null && given.vrf() == vrf;
        }).findFirst();
    }
}
