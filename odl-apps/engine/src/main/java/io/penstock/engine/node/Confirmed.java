// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.operations.Progress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The state that a switch has confirmed, and the questions that wait for one. Changed by the tasks of the node, but for
 * {@link #concerns}, {@link #await} and {@link #close}; safe to read for all threads.
 */
final class Confirmed implements AutoCloseable {
    private final Waiters waiters = new Waiters();
    private final BooleanSupplier online;
    private final Supplier<CompletableFuture<Void>> inForce;
    private volatile @Nullable Desired latest;
    /** Revision of the newest state that may differ for this node. */
    private volatile long concerned;

    /**
     * No state yet.
     *
     * @param online whether the switch can be used
     * @param inForce done when packets go the ways of the latest state, for which questions wait too
     */
    Confirmed(final BooleanSupplier online, final Supplier<CompletableFuture<Void>> inForce) {
        this.online = requireNonNull(online);
        this.inForce = requireNonNull(inForce);
    }

    /** A state with this revision may differ for the node. */
    void concerns(final long revision) {
        concerned = revision;
    }

    /** The switch has all of this state. */
    void set(final Desired state) {
        latest = state;
        answer();
    }

    /** It is not known any more what the switch has. */
    void forget() {
        latest = null;
    }

    /** Whether the latest is this state, or differs in the revision alone. */
    boolean isLike(final Desired state) {
        final Desired now = latest;
        return now != null && state.sameAs(now);
    }

    /** Whether a state is known and older than this revision. */
    boolean isBefore(final long revision) {
        final Desired now = latest;
        return now != null && now.revision() < revision;
    }

    /** Whether the switch has this state, or one that does not differ for the node, or a later one. */
    boolean has(final Desired state) {
        final Desired now = latest;
        return now != null && now.revision() >= Math.min(concerned, state.revision());
    }

    /** Answered when a state of this revision is in force, when the switch is gone, or at the limit. */
    CompletableFuture<Progress> await(final long revision, final Duration limit) {
        return waiters.add(revision, limit);
    }

    /** No state is confirmed from now on. */
    @Override
    public void close() {
        waiters.notConnected();
    }

    /** Answers the questions that need not wait any longer. */
    void answer() {
        final Desired now = latest;
        if (!online.getAsBoolean()) {
            waiters.notConnected();
        } else if (now != null) {
            waiters.applied(now.revision(), inForce.get());
        }
    }
}
