// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.canary.CanaryEvent;
import io.penstock.engine.node.RepairEvent;
import io.penstock.engine.pool.PoolEvent;
import io.penstock.engine.state.StateSink;
import java.util.function.Consumer;

/**
 * Receivers of what operators must know. They must not block, unless it is stated.
 *
 * @param pools thresholds and drains of public addresses
 * @param canaries verdicts on new versions of functions
 * @param repairs repairs of switches
 * @param states states of nodes, tenants, functions and pools; may block
 */
record EngineEvents(Consumer<PoolEvent> pools, Consumer<CanaryEvent> canaries, Consumer<RepairEvent> repairs,
        StateSink states) {
    EngineEvents {
        requireNonNull(pools);
        requireNonNull(canaries);
        requireNonNull(repairs);
        requireNonNull(states);
    }
}
