// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

/**
 * A limit of what a tenant may send, which a meter of a switch keeps, and what it has counted since it was made.
 *
 * @param tenant empty for a limit of all tenants of the node together
 * @param meter what is limited
 * @param unit {@code packets} or {@code kilobits}, of 1000 bits
 * @param rate units a second
 * @param burst units that may come at once after a silence
 */
public record Limit(String node, String tenant, String meter, String unit, long rate, long burst, long passedPackets,
        long droppedPackets, long droppedBytes) { }
