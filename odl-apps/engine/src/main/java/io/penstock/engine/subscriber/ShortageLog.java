// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.subscriber;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;

/**
 * Warns that public addresses are used up, once in a while for each prefix; the rest goes to debug. Whoever got no
 * block asks again with each packet. For one thread.
 */
final class ShortageLog {
    static final Duration SILENCE = Duration.ofMinutes(10);

    private final Logger log;
    private final Clock clock;
    private final Map<Prefix, Instant> warned = new HashMap<>();

    ShortageLog(final Logger log, final Clock clock) {
        this.log = requireNonNull(log);
        this.clock = requireNonNull(clock);
    }

    /** Warns, and returns whether it has not been said for a while. */
    boolean warn(final String tenant, final Prefix outside, final long subscriber) {
        final Instant now = clock.instant();
        warned.values().removeIf(time -> !now.isBefore(time.plus(SILENCE)));
        final boolean first = warned.putIfAbsent(outside, now) == null;
        if (first) {
            log.warn("Tenant {}: no free port block of {} for subscriber {} and possibly others", tenant, outside,
                Ipv4.text(subscriber));
        } else {
            log.debug("Tenant {}: no free port block of {} for subscriber {}", tenant, outside, Ipv4.text(subscriber));
        }
        return first;
    }
}
