// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.canary;

import io.penstock.functions.health.Probed;
import io.penstock.functions.health.RoundTrips;
import java.util.Map;
import java.util.TreeMap;

/** What instances count, as a test wants it. */
final class Counters {
    private final Map<String, Reading> readings = new TreeMap<>();

    Counters(final String... names) {
        for (final String name : names) {
            readings.put(name, new Reading(true, 0, 0, Probed.NOTHING));
        }
    }

    Map<String, Reading> readings() {
        return Map.copyOf(readings);
    }

    Counters pass(final String name, final long in, final long out) {
        readings.computeIfPresent(name, (key, had) -> new Reading(had.healthy(), had.packetsIn() + in,
            had.packetsOut() + out, had.probed()));
        return this;
    }

    Counters probe(final String name, final int answered, final int lost, final long micros) {
        readings.computeIfPresent(name, (key, had) -> new Reading(had.healthy(), had.packetsIn(), had.packetsOut(),
            had.probed().plus(new Probed(lost, 0, RoundTrips.of(answered, micros)))));
        return this;
    }

    Counters sick(final String name) {
        readings.computeIfPresent(name, (key, had) -> new Reading(false, had.packetsIn(), had.packetsOut(),
            had.probed().plus(new Probed(0, 1, RoundTrips.NONE))));
        return this;
    }

    Counters well(final String name) {
        readings.computeIfPresent(name, (key, had) -> new Reading(true, had.packetsIn(), had.packetsOut(),
            had.probed()));
        return this;
    }

    Counters reset(final String name) {
        readings.put(name, new Reading(true, 0, 0, Probed.NOTHING));
        return this;
    }
}
