// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The bridge of a node, in the words of the Open vSwitch database.
 *
 * @param tables its OpenFlow tables by number
 * @param zoneTimeouts conntrack timeouts in seconds by their name in CT_Timeout_Policy, the same for every zone
 */
public record BridgePlan(String name, long datapathId, List<Port> ports, Map<Integer, FlowTable> tables,
        Map<String, Integer> zoneTimeouts) {
    public BridgePlan {
        ports = List.copyOf(ports);
        tables = Map.copyOf(tables);
        zoneTimeouts = Map.copyOf(zoneTimeouts);
    }

    /**
     * An OpenFlow table.
     *
     * @param prefixes address fields of which the switch finds out how many bits it had to look at
     */
    public record FlowTable(String name, Set<String> prefixes) {
        public FlowTable {
            prefixes = Set.copyOf(prefixes);
        }
    }

    /** How a port is made. */
    public enum Type { SYSTEM, DPDK, VHOST_USER_CLIENT }

    /**
     * A port.
     *
     * @param number OpenFlow port number
     * @param detail DPDK device arguments, or path of the vhost-user socket, or empty
     * @param queues receive queues; those of a vhost-user port are as many as its peer has
     * @param order what the node has to start behind the port and the other one of the instance; at the port on the
     *     tenant side alone
     * @param mtu bytes of packets that it has to take, without their Ethernet header; as many as it does when absent
     */
    public record Port(String name, Type type, int number, String detail, Node.Queues queues,
        Optional<NetworkFunction.Start> order, Optional<Integer> mtu) { }
}
