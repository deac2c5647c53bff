// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration.grant;

import io.penstock.configuration.Desired;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.VrfId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds tenants by the VRFs that nodes tell, in the state that is being proposed. A node can only name tenants of
 * its own. For the thread of the engine.
 */
public final class VrfLookup {
    private @Nullable Desired known;

    /** The tenant that has a VRF on the node of an OpenFlow datapath id. */
    public Optional<Tenant> tenant(final Snapshot snapshot, final Allocations allocations, final long datapathId,
            final VrfId vrf) {
        return allocations.nodeOf(datapathId).flatMap(node -> tenant(snapshot, allocations, node, vrf));
    }

    /** The tenant that has a VRF on a node. */
    @SuppressWarnings("ReferenceEquality") // an unchanged configuration is the same object
    public Optional<Tenant> tenant(final Snapshot snapshot, final Allocations allocations, final String node,
            final VrfId vrf) {
        Desired state = known;
        // Ids change with the configuration alone.
        if (state == null || state.snapshot() != snapshot) {
            state = new Desired(0, snapshot, allocations);
            known = state;
        }
        return state.tenant(node, vrf);
    }
}
