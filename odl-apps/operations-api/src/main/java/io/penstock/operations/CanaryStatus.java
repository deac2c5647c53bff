// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/**
 * A new version of a function that some of its instances run, or ran.
 *
 * @param state waiting, judging, forward or back
 * @param configured whether the function names it now, so that new connections go by its state
 * @param secondsLeft until it may be judged good, while it is judged
 * @param reason for the state, in words
 * @param decided when it was judged, ISO 8601 in UTC; empty before
 * @param measuredSeconds how long it was measured
 */
public record CanaryStatus(String version, String state, boolean configured, long secondsLeft, String reason,
        String decided, long measuredSeconds, CanarySide old, CanarySide canary) {
    /**
     * What was measured of the old version, or of the new one.
     *
     * @param packetsIn packets of tenants that were sent into the instances
     * @param packetsOut packets that came out, without probes
     * @param droppedPercent of the packets that went in
     * @param probes those that were answered or lost
     * @param lost those without an answer within a second
     * @param medianMicros of the round trips; 0 when there was none
     * @param highMicros 99 of 100 took no longer; 0 when there was none
     */
    public record CanarySide(List<String> instances, long packetsIn, long packetsOut, double droppedPercent,
            long probes, long lost, double lossPercent, long medianMicros, long highMicros) { }
}
