// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

/** What probes tell of instances of functions. Safe for all threads; never blocks. */
public interface ProbeResults {
    /**
     * Whether an instance may have packets: as far as probes tell, if it is probed, and if the switch can give it the
     * packets as it wants them.
     */
    boolean isHealthy(String node, String instance);

    /** What all probes through an instance have told; nothing of one that nobody probes. */
    Probed total(String node, String instance);
}
