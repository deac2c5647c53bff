// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Puts off the first flows after a connection until the switch has told the ports of functions: the plan depends on
 * them, and without flows nothing is forwarded. For the tasks of one node.
 */
final class PortGrace implements Step {
    static final Duration POLL = Duration.ofMillis(50);

    private final NodePlanning planning;
    private final PortStates ports;
    private final BooleanSupplier first;
    private final String node;
    private final Step inner;

    /**
     * For a step that takes the newest plan.
     *
     * @param first whether the next flows are the first ones after a connection or a failure
     */
    PortGrace(final String node, final NodePlanning planning, final PortStates ports, final BooleanSupplier first,
            final Step inner) {
        this.node = requireNonNull(node);
        this.planning = requireNonNull(planning);
        this.ports = requireNonNull(ports);
        this.first = requireNonNull(first);
        this.inner = requireNonNull(inner);
    }

    @Override
    public CompletableFuture<Outcome> to(final Desired state) {
        if (first.getAsBoolean()) {
            if (!ports.areKnown(state.snapshot().functionPortsOn(node).values().stream().flatMap(List::stream)
                    .toList())) {
                return CompletableFuture.completedFuture(Outcome.notYet(POLL));
            }
            planning.plan(state);
        }
        return inner.to(state);
    }
}
