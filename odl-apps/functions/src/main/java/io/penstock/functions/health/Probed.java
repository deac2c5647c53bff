// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

import static java.util.Objects.requireNonNull;

/**
 * What all probes through an instance have told since it was first probed.
 *
 * @param lost probes without an answer within a second
 * @param failures how often it was healthy and then was not
 * @param roundTrips of the probes that were answered in time
 */
public record Probed(long lost, long failures, RoundTrips roundTrips) {
    /** Nothing. */
    public static final Probed NOTHING = new Probed(0, 0, RoundTrips.NONE);

    public Probed {
        requireNonNull(roundTrips);
    }

    /** What came after what was told before; everything when that is not among it, for it was counted anew. */
    public Probed since(final Probed before) {
        return lost < before.lost || failures < before.failures || roundTrips.count() < before.roundTrips.count() ? this
            : new Probed(lost - before.lost, failures - before.failures, roundTrips.minus(before.roundTrips));
    }

    /** This and what others told. */
    public Probed plus(final Probed others) {
        return new Probed(lost + others.lost, failures + others.failures, roundTrips.plus(others.roundTrips));
    }

    /** Probes that were answered or lost. */
    public long probes() {
        return lost + roundTrips.count();
    }
}
