// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.opendaylight.mdsal.eos.common.api.EntityOwnershipChangeState.LOCAL_OWNERSHIP_GRANTED;
import static org.opendaylight.mdsal.eos.common.api.EntityOwnershipChangeState.LOCAL_OWNERSHIP_LOST_NO_OWNER;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.opendaylight.mdsal.eos.binding.api.Entity;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipCandidateRegistration;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipChange;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipListener;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipListenerRegistration;
import org.opendaylight.mdsal.eos.binding.api.EntityOwnershipService;
import org.opendaylight.mdsal.eos.common.api.EntityOwnershipChangeState;
import org.opendaylight.mdsal.eos.common.api.EntityOwnershipState;

/** Elections of one candidate that answer at once, unless they are stopped. */
final class InstantElections implements EntityOwnershipService {
    private final Map<String, List<EntityOwnershipListener>> listeners = new TreeMap<>();
    private final List<Entity> candidates = new ArrayList<>();
    private final List<Runnable> waiting = new ArrayList<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private boolean grants = true;
    private boolean ends = true;

    void stop() {
        grants = false;
        ends = false;
    }

    void stopAtTheEnd() {
        ends = false;
    }

    /** Answers what was asked meanwhile. */
    void goOn() {
        grants = true;
        ends = true;
        List.copyOf(waiting).forEach(Runnable::run);
        waiting.clear();
    }

    int rounds() {
        return rounds.get();
    }

    boolean isEmpty() {
        return candidates.isEmpty() && listeners.values().stream().allMatch(List::isEmpty);
    }

    private void tell(final Entity entity, final EntityOwnershipChangeState state, final boolean now) {
        final Runnable telling = () -> listeners.getOrDefault(entity.getType(), List.of())
            .forEach(listener -> listener.ownershipChanged(new EntityOwnershipChange(entity, state)));
        if (now) {
            telling.run();
        } else {
            waiting.add(telling);
        }
    }

    @Override
    public EntityOwnershipCandidateRegistration registerCandidate(final Entity entity) {
        candidates.add(entity);
        tell(entity, LOCAL_OWNERSHIP_GRANTED, grants);
        return new EntityOwnershipCandidateRegistration() {
            @Override
            public Entity getInstance() {
                return entity;
            }

            @Override
            public void close() {
                if (candidates.remove(entity)) {
                    rounds.incrementAndGet();
                    tell(entity, LOCAL_OWNERSHIP_LOST_NO_OWNER, ends);
                }
            }
        };
    }

    @Override
    public EntityOwnershipListenerRegistration registerListener(final String type,
            final EntityOwnershipListener listener) {
        listeners.computeIfAbsent(type, each -> new ArrayList<>()).add(listener);
        return new EntityOwnershipListenerRegistration() {
            @Override
            public String getEntityType() {
                return type;
            }

            @Override
            public EntityOwnershipListener getInstance() {
                return listener;
            }

            @Override
            public void close() {
                listeners.getOrDefault(type, new ArrayList<>()).remove(listener);
            }
        };
    }

    @Override
    public Optional<EntityOwnershipState> getOwnershipState(final Entity entity) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isCandidateRegistered(final Entity entity) {
        return candidates.contains(entity);
    }
}
