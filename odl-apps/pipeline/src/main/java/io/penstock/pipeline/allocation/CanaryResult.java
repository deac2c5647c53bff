// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import java.util.List;
import java.util.Optional;

/**
 * What was found out about a new version of a function.
 *
 * @param version name of the attempt
 * @param reason in words
 * @param decided seconds since 1970
 * @param measuredSeconds for how long it was measured
 * @param old what was measured of the instances of the old version
 * @param canary what was measured of those of the new one
 */
public record CanaryResult(String version, Verdict verdict, String reason, long decided, int measuredSeconds,
        Side old, Side canary) {
    /** How many of a function are kept. */
    public static final int KEPT = 8;

    private static final double PERCENT = 100;

    /** What an instance of a function is meant to do: as configured, but those that lose get no new connections. */
    public static State state(final NetworkFunction function, final Instance instance,
            final Optional<Verdict> verdict) {
        final boolean loses = verdict.isPresent() && function.canary().isPresent()
            && function.canary().orElseThrow().has(instance) == (verdict.orElseThrow() == Verdict.BACK);
        return loses && instance.state() == State.IN_SERVICE ? State.DRAINING : instance.state();
    }

    /** What becomes of the new version. */
    public enum Verdict {
        /** It gets all new connections. */
        FORWARD,
        /** It gets none. */
        BACK
    }

    /**
     * What was measured of some instances together.
     *
     * @param instances their names
     * @param packetsIn packets of tenants that were sent into them
     * @param packetsOut packets that came out of them, without probes
     */
    public record Side(List<String> instances, long packetsIn, long packetsOut, Probes probes) {
        /** Nothing was measured. */
        public static final Side NONE = new Side(List.of(), 0, 0, new Probes(0, 0, 0, 0));

        public Side {
            instances = List.copyOf(instances);
        }

        /** Percent of the packets that went in and did not come out. */
        public double droppedPercent() {
            // A function may send more than it gets, such as resets of connections.
            return packetsIn == 0 ? 0 : PERCENT * Math.max(0, packetsIn - packetsOut) / packetsIn;
        }
    }

    /**
     * What became of probes through instances.
     *
     * @param sent those that were answered or lost
     * @param lost those without an answer within a second
     * @param medianMicros of round trips; 0 when there was none
     * @param highMicros 99 of 100 took no longer; 0 when there was none
     */
    public record Probes(long sent, long lost, long medianMicros, long highMicros) {
        /** How many were answered. */
        public long answered() {
            return sent - lost;
        }

        /** Percent that were lost. */
        public double lossPercent() {
            return sent == 0 ? 0 : PERCENT * lost / sent;
        }
    }
}
