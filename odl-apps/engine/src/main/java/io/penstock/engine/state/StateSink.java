// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Takes states that have changed. */
public interface StateSink {
    /** A state, and the time at which its status changed last. */
    record Entry<T>(T state, Instant since) { }

    /**
     * States by name, empty for those that are gone.
     *
     * @param nodes changed nodes
     * @param tenants changed tenants
     * @param functions changed functions
     * @param pools changed pools
     */
    record Changes(Map<String, Optional<Entry<NodeState>>> nodes, Map<String, Optional<Entry<TenantState>>> tenants,
            Map<String, Optional<Entry<FunctionState>>> functions, Map<String, Optional<Entry<PoolState>>> pools) {
        /** Whether there are none. */
        public boolean isEmpty() {
            return nodes.isEmpty() && tenants.isEmpty() && functions.isEmpty() && pools.isEmpty();
        }
    }

    /** Removes all states. */
    void clear();

    /**
     * Takes changes; may block for as long as the datastore does.
     *
     * @throws IllegalStateException when they are not taken, and then have to be told again
     */
    void write(Changes changes);
}
