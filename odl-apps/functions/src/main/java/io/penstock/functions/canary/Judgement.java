// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.canary;

import io.penstock.pipeline.allocation.CanaryResult.Side;

/**
 * What is thought of a new version of a function.
 *
 * @param measuredSeconds how long it has been measured
 * @param secondsLeft until it may be judged good
 * @param reason in words
 * @param old what was measured of the instances of the old version
 * @param canary what was measured of those of the new one
 */
public record Judgement(Phase phase, int measuredSeconds, int secondsLeft, String reason, Side old, Side canary) {
    /** How far it is. */
    public enum Phase {
        /** Not all have answered probes, so nothing is measured. */
        WAITING,
        /** It is measured. */
        JUDGING,
        /** It gets all new connections. */
        FORWARD,
        /** It gets none. */
        BACK
    }

    /** Whether nothing will change it. */
    boolean isFinal() {
        return phase == Phase.FORWARD || phase == Phase.BACK;
    }
}
