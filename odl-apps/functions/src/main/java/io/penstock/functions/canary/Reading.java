// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.canary;

import static java.util.Objects.requireNonNull;

import io.penstock.functions.health.Probed;

/**
 * Counters of an instance, of which some may begin anew at any time.
 *
 * @param healthy whether it may have packets, as far as probes tell
 * @param packetsIn packets of tenants that were sent into it
 * @param packetsOut packets that came out of it, without probes
 */
record Reading(boolean healthy, long packetsIn, long packetsOut, Probed probed) {
    /** Nothing happened. */
    static final Reading NOTHING = new Reading(false, 0, 0, Probed.NOTHING);

    Reading {
        requireNonNull(probed);
    }

    /** Whether it answers probes. */
    boolean answers() {
        return healthy && probed.roundTrips().count() > 0;
    }

    /** What has happened since another reading of the same instance. */
    Reading since(final Reading before) {
        return new Reading(healthy, since(packetsIn, before.packetsIn), since(packetsOut, before.packetsOut),
            probed.since(before.probed));
    }

    private static long since(final long now, final long before) {
        return now < before ? now : now - before;
    }

    /** What has happened to two together; healthy as the other is. */
    Reading plus(final Reading other) {
        return new Reading(other.healthy, packetsIn + other.packetsIn, packetsOut + other.packetsOut,
            probed.plus(other.probed));
    }
}
