// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

/** How labels of flows begin by which the packets of functions are counted. The name of a port is behind each. */
public final class HopLabels {
    /** Into a function, by flows of tenants; where its connections are spread, no instance is known there. */
    public static final String HOP = "chain hop to ";
    /** Into an instance of those over which connections are spread. */
    public static final String INSTANCE = "to ";
    /** Out of an instance, probes included. */
    public static final String FROM = "from ";
    /** Probes out of an instance. */
    public static final String PROBE = "probe from ";

    private HopLabels() {
        // Only constants.
    }
}
