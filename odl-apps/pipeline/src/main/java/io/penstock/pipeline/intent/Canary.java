// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.intent.NetworkFunction.Instance;
import java.util.List;

/**
 * A new version of a function, which some of its instances run and which is judged against the others.
 *
 * @param version name of the attempt
 * @param instances names of those that run it
 * @param sharePercent of new connections, 1..50, for all of them together while it is judged
 * @param seconds how long it is measured
 * @param leastPackets so many have to be sent into it before drops are compared, and before it is judged good
 */
public record Canary(String version, List<String> instances, int sharePercent, int seconds, Tolerance tolerance,
        long leastPackets) {
    public Canary {
        instances = List.copyOf(instances);
    }

    /**
     * How much worse it may be.
     *
     * @param lossPoints percent points of probes that are lost
     * @param latencyPercent what its median round trip may be of that of the others
     * @param dropPoints percent points of packets that go in and do not come out
     */
    public record Tolerance(int lossPoints, int latencyPercent, int dropPoints) { }

    /** Whether an instance runs the new version. */
    public boolean has(final Instance instance) {
        return instances.contains(instance.name());
    }
}
