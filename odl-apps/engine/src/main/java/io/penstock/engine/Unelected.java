// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that OpenDaylight's elections have ended, without which no switch is served that connects: tells it after a
 * minute, and after five has the controller end, for only a start brings them back. A controller under heavy load may
 * take seconds for one. One thread looks; {@link #reason} is safe for all threads.
 */
final class Unelected {
    static final Duration TOLD = Duration.ofMinutes(1);
    static final Duration ENDED = Duration.ofMinutes(5);

    private static final Logger LOG = LoggerFactory.getLogger(Unelected.class);

    private final Supplier<Duration> silence;
    private final Runnable end;
    private volatile Optional<String> reason = Optional.empty();
    private boolean ends;

    /**
     * Has not looked yet.
     *
     * @param silence how long ago the elections answered
     * @param end ends the controller, for its supervisor to start it again
     */
    Unelected(final Supplier<Duration> silence, final Runnable end) {
        this.silence = requireNonNull(silence);
        this.end = requireNonNull(end);
    }

    /** Looks once more. */
    void look() {
        final Duration now = silence.get();
        final Optional<String> before = reason;
        reason = Optional.of(now).filter(time -> time.compareTo(TOLD) >= 0).map(time ->
            "OpenDaylight's entity ownership has not answered for " + time.toSeconds()
                + " s, so no switch is served that connects; the controller ends after " + ENDED.toSeconds()
                + " s, for its supervisor to start it again");
        if (before.isEmpty() && reason.isPresent()) {
            LOG.error("{}", reason.orElseThrow());
        } else if (before.isPresent() && reason.isEmpty()) {
            LOG.info("OpenDaylight's entity ownership answers again");
        }
        if (now.compareTo(ENDED) >= 0 && !ends) {
            ends = true;
            LOG.error("The controller ends: OpenDaylight's entity ownership has not answered for {} s",
                now.toSeconds());
            end.run();
        }
    }

    /** Why switches are not served; empty if they are. */
    Optional<String> reason() {
        return reason;
    }
}
