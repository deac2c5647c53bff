// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** The machine's clock, which a test may set. Safe for all threads. */
final class JumpingClock extends Clock {
    private volatile Duration ahead = Duration.ZERO;

    /** Sets it; zero is right. */
    void set(final Duration wrong) {
        ahead = wrong;
    }

    @Override
    public Instant instant() {
        return Clock.systemUTC().instant().plus(ahead);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(final ZoneId zone) {
        throw new UnsupportedOperationException("UTC alone");
    }
}
