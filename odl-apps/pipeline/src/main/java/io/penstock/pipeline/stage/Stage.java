// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import java.util.Locale;
import java.util.Set;

/** Writes flows of some tables. Without state, so any thread may call it. */
public interface Stage {
    /** Name in documents and messages. */
    default String name() {
        return getClass().getSimpleName().replace("Stage", "").toLowerCase(Locale.ROOT);
    }

    /** The tables that it writes; others may write them too. */
    Set<Table> tables();

    /** Owner of the flows that the node has whoever its tenants are. Those of a tenant are the tenant's. */
    default Cookie.Kind owner() {
        return Cookie.Kind.NODE;
    }

    /** Flows that the node has whoever its tenants are. */
    default void planNode(final NodeView node, final FlowSink sink) {
        // Not every stage has some.
    }

    /** Flows of one tenant. */
    default void planTenant(final NodeView node, final TenantView tenant, final FlowSink sink) {
        // Not every stage has some.
    }
}
