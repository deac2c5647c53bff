// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/**
 * A node.
 *
 * @param openVswitch version of Open vSwitch, empty when the node is not connected
 * @param dpdk version of DPDK, empty when the switch runs without it
 * @param foundFunctions names of functions that run there and that no port names, as the node says; sorted
 * @param repairs how often the switch was repaired since the controller started
 * @param lastRepair when that was last, ISO 8601 in UTC; empty if never
 * @param lastCompared when all flows had last been compared without being asked for, likewise
 * @param warning why it may not do all that is configured, and what to do; empty if there is nothing to say
 */
public record NodeStatus(String name, boolean connected, String datapath, String openVswitch, String dpdk,
        FlowCounts flows, List<String> foundFunctions, long repairs, String lastRepair, String lastCompared,
        String warning) { }
