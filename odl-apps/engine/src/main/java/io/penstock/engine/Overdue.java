// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import java.time.Duration;
import java.util.Optional;

/**
 * Tells that work hangs: it has begun, and has not ended for two minutes. The largest configuration takes some seconds.
 * One thread begins and ends; {@link #reason} is safe for all threads.
 */
final class Overdue {
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Ticker ticker;
    private volatile Optional<Long> begun = Optional.empty();

    Overdue(final Ticker ticker) {
        this.ticker = requireNonNull(ticker);
    }

    /** Does the work. */
    void watch(final Runnable work) {
        begun = Optional.of(ticker.read());
        try {
            work.run();
        } finally {
            begun = Optional.empty();
        }
    }

    /** Why no change is carried out; empty while none is overdue. */
    Optional<String> reason() {
        return begun.map(since -> Duration.ofNanos(ticker.read() - since)).filter(time -> time.compareTo(LIMIT) > 0)
            .map(time -> "the engine has not ended the work on a change for " + time.toSeconds()
                + " s; save a thread dump of the controller, and start it again");
    }
}
