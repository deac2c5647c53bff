// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

/** Writes the flows of some tables. Without state, so any thread may call it. */
public interface Stage {
    /** Flows that the node has whoever its tenants are. */
    default void planNode(final NodeView node, final FlowSink sink) {
        // Not every stage has some.
    }

    /** Flows of one tenant. */
    default void planTenant(final NodeView node, final TenantView tenant, final FlowSink sink) {
        // Not every stage has some.
    }
}
