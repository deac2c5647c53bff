// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * All that a node's database should say about its bridge. Whatever else is found in the columns named here is drift
 * and is put right; other columns and other bridges are left alone.
 *
 * @param bridgeName name of the bridge and of its local port
 * @param datapathId OpenFlow datapath id, all 64 bits
 * @param controllerTargets OpenFlow controllers, such as {@code tcp:127.0.0.1:6653}; at least one, and no others
 * @param controllerRateLimit packets a second the switch may send to the controller, at least 100; 0 for no limit
 * @param ports every port but the local one; ports of this bridge not listed are removed
 * @param tables OpenFlow tables 0 to 254; a table left out has no name
 * @param orders what the agent of the node finds in the bridge's external_ids, by key; other keys are left alone
 * @param zones conntrack zones of the userspace datapath; zones not listed lose what they have
 * @param keptZones zones that are left alone if they are not listed
 */
public record BridgeSpec(String bridgeName, long datapathId, Set<String> controllerTargets, int controllerRateLimit,
        List<PortSpec> ports, Map<Integer, TableSpec> tables, Map<String, String> orders,
        List<ZoneSpec> zones, Set<Integer> keptZones) {
    private static final int MIN_RATE_LIMIT = 100;
    private static final int MAX_TABLE = 254;

    /** Checks ranges and that nothing is listed twice. */
    public BridgeSpec {
        controllerTargets = Set.copyOf(controllerTargets);
        ports = List.copyOf(ports);
        tables = Map.copyOf(tables);
        orders = Map.copyOf(orders);
        zones = List.copyOf(zones);
        keptZones = Set.copyOf(keptZones);
        require(!bridgeName.isBlank(), "the bridge has no name");
        require(!controllerTargets.isEmpty() && controllerTargets.stream().noneMatch(String::isBlank),
            "bridge " + bridgeName + " has no controller target");
        require(controllerRateLimit == 0 || controllerRateLimit >= MIN_RATE_LIMIT,
            "controller rate limit " + controllerRateLimit + " is neither 0 nor at least 100");
        final Set<String> names = new HashSet<>(Set.of(bridgeName));
        final Set<Integer> numbers = new HashSet<>();
        for (final PortSpec port : ports) {
            require(names.add(port.name()), "port name " + port.name() + " is taken");
            require(numbers.add(port.ofport()), "OpenFlow port " + port.ofport() + " is taken: " + port.name());
        }
        for (final int table : tables.keySet()) {
            require(table >= 0 && table <= MAX_TABLE, "OpenFlow table " + table + " is not in 0..254");
        }
        final Set<Integer> seen = new HashSet<>();
        for (final ZoneSpec zone : zones) {
            require(seen.add(zone.zone()), "conntrack zone " + zone.zone() + " is listed twice");
        }
    }

    /** A bridge of which no zones are left alone. */
    public BridgeSpec(final String bridgeName, final long datapathId, final Set<String> controllerTargets,
            final int controllerRateLimit, final List<PortSpec> ports, final Map<Integer, TableSpec> tables,
            final Map<String, String> orders, final List<ZoneSpec> zones) {
        this(bridgeName, datapathId, controllerTargets, controllerRateLimit, ports, tables, orders, zones,
            Set.of());
    }

    /** Whether nothing but the zones differs, if anything does. */
    boolean differsInZonesOnly(final BridgeSpec other) {
        return bridgeName.equals(other.bridgeName) && datapathId == other.datapathId
            && controllerTargets.equals(other.controllerTargets)
            && controllerRateLimit == other.controllerRateLimit && ports.equals(other.ports)
            && tables.equals(other.tables) && orders.equals(other.orders)
            && keptZones.equals(other.keptZones);
    }

    private static void require(final boolean condition, final String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
