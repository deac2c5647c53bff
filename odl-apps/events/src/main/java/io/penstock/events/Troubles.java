// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

import static java.util.Objects.requireNonNull;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Troubles that last: each is to be told once when it begins and once when it has ended. A host that can cause and end
 * one as often as it likes causes two events in a while at most, for its end is no end until the while has passed. Safe
 * for all threads.
 *
 * @param <K> what a trouble is about; there are as many as are configured, not as many as hosts like
 */
public final class Troubles<K> {
    private final Clock clock;
    private final Duration least;
    private final Map<K, Trouble> lasting = new HashMap<>();

    private record Trouble(Instant since, boolean isOver) { }

    /**
     * None yet.
     *
     * @param least how long a trouble lasts at least
     */
    public Troubles(final Clock clock, final Duration least) {
        this.clock = requireNonNull(clock);
        this.least = requireNonNull(least);
    }

    /** Says that there is trouble; true if that is to be told. */
    public synchronized boolean begins(final K subject) {
        final Trouble known = lasting.get(subject);
        lasting.put(subject, new Trouble(known == null ? clock.instant() : known.since(), false));
        return known == null;
    }

    /** Says that there is none; true if there was, and that is to be told now. If not it is to be said again. */
    public synchronized boolean ends(final K subject) {
        final Trouble known = lasting.get(subject);
        if (known == null) {
            return false;
        }
        final Trouble over = new Trouble(known.since(), true);
        lasting.put(subject, over);
        return isDue(over) && lasting.remove(subject) != null;
    }

    /** Whether its end was said, too early to be told, and it has not begun again since. */
    public synchronized boolean isOver(final K subject) {
        final Trouble known = lasting.get(subject);
        return known != null && known.isOver();
    }

    /** Whether one has lasted long enough whose end was said before that. */
    public synchronized boolean areDue() {
        return lasting.values().stream().anyMatch(this::isDue);
    }

    private boolean isDue(final Trouble trouble) {
        return trouble.isOver() && !clock.instant().isBefore(trouble.since().plus(least));
    }

    /** Those that are not over, or not for long enough. */
    public synchronized Set<K> lasting() {
        return Set.copyOf(lasting.keySet());
    }

    /** Forgets what is not configured any more; that is no event. */
    public synchronized void keep(final Predicate<K> configured) {
        lasting.keySet().removeIf(configured.negate());
    }
}
