// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One conntrack zone, which is a tenant: its timeouts, for the switch, and what the agent of the node has to do for it.
 *
 * @param zone conntrack zone, 0 to 65535
 * @param timeouts seconds, from 0, by the names of table {@code CT_Timeout_Policy}; a name left out keeps the
 *     default of the datapath
 * @param orders to the agent, by the names of {@link #ORDERS}; a name left out is taken out of the database
 */
public record ZoneSpec(int zone, Map<String, Integer> timeouts, Map<String, String> orders) {
    /** Keys of {@code external_ids} of a zone that are this side's; the agent reads them and writes others. */
    static final Set<String> ORDERS = Set.of(NodeKeys.TENANT, NodeKeys.SESSIONS, NodeKeys.DNS);

    /** The names Open vSwitch 3.1 knows; one it does not know would make the node refuse the whole transaction. */
    private static final Set<String> NAMES = Set.of("tcp_syn_sent", "tcp_syn_recv", "tcp_established", "tcp_fin_wait",
        "tcp_close_wait", "tcp_last_ack", "tcp_time_wait", "tcp_close", "tcp_syn_sent2", "tcp_retransmit", "tcp_unack",
        "udp_first", "udp_single", "udp_multiple", "icmp_first", "icmp_reply");
    private static final int MAX_ZONE = 65535;

    /** Checks zone, names and seconds. */
    public ZoneSpec {
        timeouts = Map.copyOf(timeouts);
        orders = Map.copyOf(orders);
        if (zone < 0 || zone > MAX_ZONE) {
            throw new IllegalArgumentException("conntrack zone " + zone + " is not in 0..65535");
        }
        timeouts.forEach((name, seconds) -> {
            if (!NAMES.contains(name) || seconds < 0) {
                throw new IllegalArgumentException("bad timeout of zone " + zone + ": " + name + "=" + seconds);
            }
        });
        if (!ORDERS.containsAll(orders.keySet())) {
            throw new IllegalArgumentException("bad order to zone " + zone + ": known are " + ORDERS + ", not "
                + orders.keySet());
        }
    }

    /** What the agent carries out and confirms: all but the name of the tenant, which is for records alone. */
    public Map<String, String> confirmedOrders() {
        return orders.entrySet().stream().filter(order -> !order.getKey().equals(NodeKeys.TENANT))
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
