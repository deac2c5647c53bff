// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What was handed out: node ids, OpenFlow port numbers, VRF ids, public addresses. Survives restarts.
 *
 * @param lastVrf the VRF id given out last, 0 at first
 * @param ports by node, then by port name
 * @param tenants by name; asked many times for each tenant, so it should be a map that answers at once
 */
public record Allocations(int lastVrf, SortedMap<String, Integer> nodes,
        SortedMap<String, SortedMap<String, Integer>> ports, Map<String, TenantAllocation> tenants) {
    /** What a tenant got; the public address is 0 without NAT. */
    public record TenantAllocation(int vrf, long publicAddress) { }

    /** Nothing handed out. */
    public static Allocations none() {
        return new Allocations(0, new TreeMap<>(), new TreeMap<>(), Map.of());
    }

    /** OpenFlow port number of a node's port. */
    public int port(final String node, final String port) {
        final Map<String, Integer> numbers = ports.get(node);
        if (numbers == null || !numbers.containsKey(port)) {
            throw new IllegalArgumentException("no number for port " + port + " of node " + node);
        }
        return numbers.get(port);
    }
}
