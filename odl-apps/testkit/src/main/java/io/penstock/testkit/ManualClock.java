// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** A clock that stands until it is told that time has passed. */
public final class ManualClock extends Clock {
    private Instant now;

    /** Begins at a time. */
    public ManualClock(final Instant start) {
        now = start;
    }

    /** Goes on, or back. */
    public void pass(final long seconds) {
        now = now.plusSeconds(seconds);
    }

    /** Goes on by milliseconds. */
    public void passMillis(final long millis) {
        now = now.plusMillis(millis);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(final ZoneId zone) {
        return this;
    }

    @Override
    public Instant instant() {
        return now;
    }
}
