// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Objects.requireNonNull;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One port wanted on the bridge, with exactly one interface of the same name.
 *
 * @param name name of port and interface, at most 15 characters as the kernel has it
 * @param type what the port is made of
 * @param ofport OpenFlow port number asked for, 1 to 65279
 * @param options column {@code options} of the interface, whole: other options found there are removed
 * @param settings of column {@code other_config}, by the names of {@link #SETTINGS}; a name left out is taken out
 * @param orders to the node, by the names of {@link #ORDERS}; a name left out is taken out of the database
 * @param mtu column {@code mtu_request} of the interface, at least 68; what is there stays when absent
 */
public record PortSpec(String name, OvsPortType type, int ofport, Map<String, String> options,
        Map<String, String> settings, Map<String, String> orders, Optional<Integer> mtu) {
    /** Keys of {@code external_ids} of an interface that are this side's; the node reads them and writes others. */
    static final Set<String> ORDERS = Set.of(NodeKeys.FUNCTION);

    /** Setting: the cores that poll receive queues, as in {@code 0:1,1:3}. */
    public static final String QUEUE_AFFINITY = "pmd-rxq-affinity";

    /** Keys of {@code other_config} of an interface that are this side's. */
    static final Set<String> SETTINGS = Set.of(QUEUE_AFFINITY);

    private static final int MAX_OFPORT = 65279;
    private static final int MAX_NAME = 15;

    /** Checks ranges and orders, and copies options and orders. */
    public PortSpec {
        requireNonNull(type, "type");
        options = Map.copyOf(options);
        settings = Map.copyOf(settings);
        orders = Map.copyOf(orders);
        if (name.isEmpty() || name.length() > MAX_NAME || name.contains("/") || name.isBlank()) {
            throw new IllegalArgumentException("bad port name \"" + name + "\": 1 to 15 characters, no slash");
        }
        if (ofport < 1 || ofport > MAX_OFPORT) {
            throw new IllegalArgumentException("port " + name + ": OpenFlow port " + ofport + " is not in 1..65279");
        }
        if (!ORDERS.containsAll(orders.keySet())) {
            throw new IllegalArgumentException("bad order to port " + name + ": known are " + ORDERS + ", not "
                + orders.keySet());
        }
        if (!SETTINGS.containsAll(settings.keySet())) {
            throw new IllegalArgumentException("bad setting of port " + name + ": known are " + SETTINGS + ", not "
                + settings.keySet());
        }
    }

    /** A port without settings and orders. */
    public PortSpec(final String name, final OvsPortType type, final int ofport, final Map<String, String> options) {
        this(name, type, ofport, options, Map.of(), Map.of(), Optional.empty());
    }
}
