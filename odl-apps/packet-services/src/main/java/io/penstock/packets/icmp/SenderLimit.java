// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.icmp;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * How many errors one sender gets: a token bucket for each of the last ones (RFC 1812, section 4.3.2.8; RFC 4443,
 * section 2.4, f). The meters of the switch bound what all together cause. Safe for all threads.
 *
 * @param <S> what tells senders apart
 */
final class SenderLimit<S> {
    /** Errors that one sender gets at once, which is more than traceroute asks of a hop. */
    static final int BURST = 20;
    /** Errors a second. */
    static final int RATE = 10;

    private static final int REMEMBERED = 10_000;
    private static final long NANOS = TimeUnit.SECONDS.toNanos(1) / RATE;

    private final Ticker ticker;
    /** A bucket is full again after that time, and need not be remembered. */
    private final Cache<S, Bucket> buckets;

    SenderLimit(final Ticker ticker) {
        this.ticker = requireNonNull(ticker);
        buckets = CacheBuilder.newBuilder().ticker(ticker).maximumSize(REMEMBERED)
            .expireAfterAccess(BURST * NANOS, TimeUnit.NANOSECONDS).build();
    }

    private static final class Bucket {
        private long fullAt;

        Bucket(final long now) {
            fullAt = now;
        }

        synchronized boolean take(final long now) {
            final long from = Math.max(fullAt, now);
            if (from - now > (BURST - 1) * NANOS) {
                return false;
            }
            fullAt = from + NANOS;
            return true;
        }
    }

    /** Whether a sender may have one more. */
    boolean take(final S sender) {
        final long now = ticker.read();
        try {
            return buckets.get(sender, () -> new Bucket(now)).take(now);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
