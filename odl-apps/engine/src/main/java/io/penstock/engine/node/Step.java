// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.configuration.Desired;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * One of the steps that bring a node to the desired state. Steps are composed: one after the other, and one around
 * another that waits or repeats. For the tasks of one node, which go on when the stage is complete.
 */
@FunctionalInterface
interface Step {
    /** Brings its part of the node to a state, from whatever it is in. Fails when the node does not take it. */
    CompletableFuture<Outcome> to(Desired state);

    /** This step, and after it another one. */
    default Step then(final Step next) {
        return state -> to(state).thenCompose(first -> first.isDone() ? next.to(state)
            : CompletableFuture.completedFuture(first));
    }

    /**
     * How a step ended.
     *
     * @param isDone whether the part of the node is as desired
     * @param again when to take all steps again; empty if that is not needed before something changes
     */
    record Outcome(boolean isDone, Optional<Duration> again) {
        static final Outcome DONE = new Outcome(true, Optional.empty());

        /** The part is as desired, and something of it ends later. */
        static Outcome doneAndAgain(final Duration pause) {
            return new Outcome(true, Optional.of(pause));
        }

        /** The part is not as desired yet. */
        static Outcome notYet(final Duration pause) {
            return new Outcome(false, Optional.of(pause));
        }
    }
}
