// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import java.security.SecureRandom;
import java.time.Clock;

/**
 * What an engine takes from the machine.
 *
 * @param steady the time of leases, port blocks and drains
 * @param wall the time that people are told
 * @param ticker measures pauses
 * @param random of which secrets are made
 * @param end ends the controller, for its supervisor to start it again; called once, must not block
 */
public record Environment(SteadyClock steady, Clock wall, Ticker ticker, SecureRandom random, Runnable end) {
    public Environment {
        requireNonNull(steady);
        requireNonNull(wall);
        requireNonNull(ticker);
        requireNonNull(random);
        requireNonNull(end);
    }

    /** That of the machine. */
    public static Environment of(final SteadyClock steady, final Runnable end) {
        return new Environment(steady, Clock.systemUTC(), Ticker.systemTicker(), new SecureRandom(), end);
    }
}
