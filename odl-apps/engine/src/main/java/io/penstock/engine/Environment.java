// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HexFormat;

/**
 * What an engine takes from the machine.
 *
 * @param steady the time of leases, port blocks and drains
 * @param wall the time that people are told
 * @param ticker measures pauses
 * @param random of which secrets are made
 */
public record Environment(SteadyClock steady, Clock wall, Ticker ticker, SecureRandom random) {
    private static final int SECRET_BYTES = 32;

    public Environment {
        requireNonNull(steady);
        requireNonNull(wall);
        requireNonNull(ticker);
        requireNonNull(random);
    }

    /** That of the machine. */
    public static Environment of(final SteadyClock steady) {
        return new Environment(steady, Clock.systemUTC(), Ticker.systemTicker(), new SecureRandom());
    }

    /** A new secret, as text. */
    String secret() {
        final byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }
}
