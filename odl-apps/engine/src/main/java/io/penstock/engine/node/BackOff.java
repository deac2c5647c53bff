// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.Failures;
import io.penstock.configuration.Desired;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats steps that fail, each time after twice the pause. For the tasks of one node. */
final class BackOff implements Step {
    static final Duration FIRST = Duration.ofMillis(500);
    static final Duration LAST = Duration.ofSeconds(15);

    private static final Logger LOG = LoggerFactory.getLogger(BackOff.class);

    private final String node;
    private final Step inner;
    private final Runnable forget;
    private Duration pause = FIRST;

    /**
     * Has failed nothing yet.
     *
     * @param forget called after a failure, which leaves the state of the node unknown
     */
    BackOff(final String node, final Step inner, final Runnable forget) {
        this.node = requireNonNull(node);
        this.inner = requireNonNull(inner);
        this.forget = requireNonNull(forget);
    }

    @Override
    public CompletableFuture<Outcome> to(final Desired state) {
        return Failures.caught(() -> inner.to(state)).handle((outcome, error) -> {
            if (error != null) {
                return Outcome.notYet(failed(error));
            }
            if (outcome.isDone()) {
                pause = FIRST;
            }
            return outcome;
        });
    }

    /** Takes a failure of something else that was asked of the node. Returns the pause before the steps repeat. */
    Duration failed(final Throwable error) {
        final Duration now = pause;
        final Throwable cause = Failures.cause(error);
        // The tasks of a node that is removed end like this, and are not repeated.
        if (!(cause instanceof CancellationException)) {
            LOG.warn("Node {}: will try again in {} ms: {}", node, now.toMillis(), cause.toString());
        }
        LOG.debug("Node {}", node, error);
        forget.run();
        pause = now.multipliedBy(2).compareTo(LAST) > 0 ? LAST : now.multipliedBy(2);
        return now;
    }
}
