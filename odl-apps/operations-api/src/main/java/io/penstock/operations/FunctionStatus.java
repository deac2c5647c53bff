// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;
import java.util.Optional;

/**
 * A function and whether it works.
 *
 * @param instances in the order of the configuration; a function without a list of them is one, of its name
 * @param canaries new versions: that of now first, then those that were judged, the newest first
 */
public record FunctionStatus(String name, String state, List<InstanceStatus> instances, List<CanaryStatus> canaries) {
    /**
     * An instance of a function.
     *
     * @param process what the node says of the process that it has to run; {@code not reported} when it says nothing;
     *     empty of an instance that is started by hand
     * @param packetsIn how many packets were sent into it, both ways
     * @param packetsOut how many came out of it, its probes included
     * @param probes of instances that are probed
     */
    public record InstanceStatus(String name, String state, String process, long packetsIn, long packetsOut,
            Optional<ProbeStatus> probes) { }

    /**
     * What the last hundred probes through an instance told.
     *
     * @param sent how many there were, those under way left out
     * @param lost how many of them had no answer within a second
     * @param meanMicros of the round trips, through the controller both ways; 0 when there was none
     * @param mostMicros the longest one
     */
    public record ProbeStatus(int sent, int lost, long meanMicros, long mostMicros) { }
}
