// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration.grant;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;

/**
 * Hands something out: ids, leases, blocks of ports, verdicts. It proposes; the engine stores all proposals of a pass
 * in one transaction, and then says so. A pass that fails is repeated, and the proposal of before forgotten. For the
 * thread of the engine.
 */
public interface Grantor {
    /** The things that it hands out, such as {@code leases}, for the log. */
    String name();

    /**
     * Proposes a change of what is handed out. It must not be told to others before it is stored.
     *
     * @param snapshot the configuration for which it is
     * @param before with the proposals of grantors before this one
     * @return {@code before} itself when nothing changes, tenants that did not change as the same objects
     */
    Allocations propose(Snapshot snapshot, Allocations before);

    /**
     * Says that the last proposal is stored, and that switches are about to be brought to it. Called after each pass in
     * which this grantor proposed, also when nothing changed.
     */
    void stored(Transition transition);

    /** Whether no state can do without its proposals. The proposals of others are left out while they fail. */
    default boolean isEssential() {
        return false;
    }
}
