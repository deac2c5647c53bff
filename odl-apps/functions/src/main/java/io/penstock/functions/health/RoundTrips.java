// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

import java.util.stream.LongStream;

/**
 * How many round trips took how long, by ranges of which none is wider than a sixteenth of its beginning, so that what
 * is told of them is within four percent, however many there are. Immutable.
 */
public final class RoundTrips {
    private static final int PARTS_BITS = 4;
    private static final int PARTS = 1 << PARTS_BITS;
    /** A probe that takes a second is lost; that is less than two to the power of this, in microseconds. */
    private static final int MOST_BITS = 21;
    /** How many ranges there are. */
    static final int RANGES = (MOST_BITS - PARTS_BITS + 1) * PARTS;

    /** There was none. */
    public static final RoundTrips NONE = new RoundTrips(new long[RANGES]);

    private final long[] counts;

    /** So many in each range. */
    RoundTrips(final long[] counts) {
        this.counts = counts.clone();
    }

    /** So many that took as long. */
    public static RoundTrips of(final int count, final long micros) {
        final long[] counts = new long[RANGES];
        counts[range(micros)] = count;
        return new RoundTrips(counts);
    }

    /** The range of a round trip; those that are too long are in the last one. */
    static int range(final long micros) {
        final long value = Math.min(Math.max(micros, 0), (1L << MOST_BITS) - 1);
        final int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(value) - PARTS_BITS - 1);
        return shift * PARTS + (int) (value >>> shift);
    }

    private static long middle(final int range) {
        final int shift = Math.max(0, range / PARTS - 1);
        return ((long) (range - shift * PARTS) << shift) + (1L << shift >>> 1);
    }

    /** These and others. */
    public RoundTrips plus(final RoundTrips others) {
        final long[] sums = counts.clone();
        for (int range = 0; range < RANGES; range++) {
            sums[range] += others.counts[range];
        }
        return new RoundTrips(sums);
    }

    /** Those that came after others, which are among these. */
    public RoundTrips minus(final RoundTrips before) {
        final long[] rest = counts.clone();
        for (int range = 0; range < RANGES; range++) {
            rest[range] -= before.counts[range];
        }
        return new RoundTrips(rest);
    }

    /** How many there are. */
    public long count() {
        return LongStream.of(counts).sum();
    }

    /**
     * How long so many of them took at most, in microseconds; 0 when there is none.
     *
     * @param percent 0..100
     */
    public long percentile(final int percent) {
        final long count = count();
        final long wanted = Math.max(1, (count * percent + 99) / 100);
        long seen = 0;
        for (int range = 0; range < RANGES; range++) {
            seen += counts[range];
            if (seen >= wanted) {
                return middle(range);
            }
        }
        return 0;
    }
}
