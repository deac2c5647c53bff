// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.opendaylight.mdsal.eos.binding.api.Entity;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipCandidateRegistration;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipListenerRegistration;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipService;
import org.opendaylight.mdsal.eos.common.api.CandidateAlreadyRegisteredException;

/**
 * Has the controller elected for an entity that nothing else uses, has it resign, and rests for a while, again and
 * again. OpenDaylight's elections answer by actors, which a heavy load can end for good; then no switch that connects
 * is served, and nothing says so. For one thread.
 */
final class ElectionProbe implements AutoCloseable {
    static final Duration REST = Duration.ofSeconds(20);
    static final String TYPE = "io.penstock.election-probe";

    private static final Entity ENTITY = new Entity(TYPE, "probe");

    private final EntityOwnershipService service;
    private final Ticker ticker;
    private final EntityOwnershipListenerRegistration listening;
    /** As the elections said last, on their threads. */
    private volatile boolean isOwner;
    private @Nullable EntityOwnershipCandidateRegistration candidate;
    private boolean resigns;
    private long answered;

    ElectionProbe(final EntityOwnershipService service, final Ticker ticker) {
        this.service = requireNonNull(service);
        this.ticker = requireNonNull(ticker);
        answered = ticker.read();
        listening = service.registerListener(TYPE, change -> isOwner = change.getState().isOwner());
    }

    /** Goes on, and tells how long ago the last round was over; while the elections answer, that is not long ago. */
    Duration silence() {
        final long now = ticker.read();
        final EntityOwnershipCandidateRegistration standing = candidate;
        if (standing != null && isOwner) {
            candidate = null;
            resigns = true;
            standing.close();
        } else if (standing == null && !isOwner) {
            if (resigns) {
                resigns = false;
                answered = now;
            }
            if (now - answered >= REST.toNanos()) {
                stand();
            }
        }
        return Duration.ofNanos(now - answered);
    }

    private void stand() {
        try {
            candidate = service.registerCandidate(ENTITY);
        } catch (CandidateAlreadyRegisteredException e) {
            throw new IllegalStateException("something else is a candidate for " + ENTITY, e);
        }
    }

    @Override
    public void close() {
        listening.close();
        if (candidate != null) {
            candidate.close();
        }
    }
}
