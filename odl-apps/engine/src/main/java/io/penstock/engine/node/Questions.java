// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.Failures;
import io.penstock.base.tasks.SerialTasks;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Questions to a switch, between the changes that are made to it. Each is answered, also when this is closed. */
final class Questions implements AutoCloseable {
    private final String node;
    private final SerialTasks tasks;
    private final BooleanSupplier connected;
    private final Set<CompletableFuture<?>> asked = ConcurrentHashMap.newKeySet();

    /**
     * Without questions.
     *
     * @param connected whether the switch is there; called by a task
     */
    Questions(final String node, final SerialTasks tasks, final BooleanSupplier connected) {
        this.node = requireNonNull(node);
        this.tasks = requireNonNull(tasks);
        this.connected = requireNonNull(connected);
    }

    /** Asks a question after the tasks that wait. Fails when the switch is not there. Safe for all threads. */
    <T> CompletableFuture<T> ask(final Supplier<CompletableFuture<T>> question) {
        final CompletableFuture<T> answer = new CompletableFuture<>();
        asked.add(answer);
        answer.whenComplete((done, failure) -> asked.removeIf(other -> other == answer));
        tasks.begin(() -> {
            if (!connected.getAsBoolean()) {
                notConnected(answer);
                return answer.handle((none, failure) -> none);
            }
            return Failures.caught(question).handle((value, error) -> error == null ? answer.complete(value)
                : answer.completeExceptionally(Failures.cause(error)));
        });
        // Tasks that are closed meanwhile have thrown the question away.
        if (tasks.isClosed()) {
            notConnected(answer);
        }
        return answer;
    }

    /** Answers all; the tasks have been closed. */
    @Override
    public void close() {
        asked.forEach(this::notConnected);
    }

    private void notConnected(final CompletableFuture<?> answer) {
        answer.completeExceptionally(new IllegalStateException("node " + node + " is not connected"));
    }
}
