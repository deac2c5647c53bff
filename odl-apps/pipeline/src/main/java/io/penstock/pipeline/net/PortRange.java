// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.net;

/** TCP or UDP ports, both ends included. */
public record PortRange(int low, int high) {
    public PortRange {
        if (low < 0 || high < low || high > 0xffff) {
            throw new IllegalArgumentException("ports " + low + ".." + high);
        }
    }

    /** Whether a port is one of these. */
    public boolean contains(final int port) {
        return low <= port && port <= high;
    }
}
