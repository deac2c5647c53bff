// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.operations.Operations;
import java.util.Optional;
import java.util.function.Function;

/** Offers the console one implementation of the operations at a time, that of the engine while there is one. */
final class ConsoleOperations implements AutoCloseable {
    private final Function<Operations, Runnable> registry;
    private final Optional<Operations> otherwise;
    private Runnable withdraw = () -> { };

    /**
     * Offers what there is without an engine.
     *
     * @param registry registers an implementation; what it returns takes it away
     * @param otherwise offered while there is no engine
     */
    ConsoleOperations(final Function<Operations, Runnable> registry, final Optional<Operations> otherwise) {
        this.registry = requireNonNull(registry);
        this.otherwise = requireNonNull(otherwise);
        offer(otherwise);
    }

    /** Offers those of an engine, until what is returned is run. */
    Runnable offer(final Operations operations) {
        offer(Optional.of(operations));
        return () -> offer(otherwise);
    }

    /** Karaf's commands stay with the implementation that they found, so that one goes before the next comes. */
    private synchronized void offer(final Optional<Operations> next) {
        withdraw.run();
        withdraw = next.map(registry).orElse(() -> { });
    }

    @Override
    public void close() {
        offer(Optional.empty());
    }
}
