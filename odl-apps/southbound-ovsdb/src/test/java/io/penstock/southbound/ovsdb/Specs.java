// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Specifications for tests. */
final class Specs {
    static final Map<String, Integer> SHORT = Map.of("udp_first", 30, "udp_multiple", 60);
    static final Map<String, Integer> LONG = Map.of("tcp_established", 7440);

    private Specs() {
        // Values only.
    }

    static PortSpec system(final String name, final int ofport) {
        return new PortSpec(name, OvsPortType.SYSTEM, ofport, Map.of());
    }

    static PortSpec vhost(final String name, final int ofport, final String directory) {
        return new PortSpec(name, OvsPortType.VHOST_USER_CLIENT, ofport,
            Map.of("vhost-server-path", directory + "/" + name + ".sock"));
    }

    /** A port with two receive queues, of which the first has a core. */
    static PortSpec queues(final String name, final int ofport, final String affinity) {
        return new PortSpec(name, OvsPortType.DPDK, ofport, Map.of("dpdk-devargs", "net_null0", "n_rxq", "2"),
            affinity.isEmpty() ? Map.of() : Map.of(PortSpec.QUEUE_AFFINITY, affinity), Map.of(), Optional.empty());
    }

    /** A port with a function behind it that the node has to run. */
    static PortSpec ordered(final String name, final int ofport, final String order) {
        return new PortSpec(name, OvsPortType.VHOST_USER_CLIENT, ofport,
            Map.of("vhost-server-path", "/run/ps/" + name + ".sock"), Map.of(), Map.of(NodeKeys.FUNCTION, order),
            Optional.empty());
    }

    static BridgeSpec bridge(final List<PortSpec> ports) {
        return new BridgeSpec(NodeKeys.BRIDGE, 0x0050534e_00000007L, Set.of("tcp:127.0.0.1:6653"), 1000, ports,
            Map.of(0, new TableSpec("classifier", Set.of()),
                30, new TableSpec("nat_egress", Set.of("nw_src", "ipv6_src"))),
            Map.of(NodeKeys.SESSION_FLOWS, "{\"vrf\":\"reg0\"}"),
            List.of(new ZoneSpec(7, SHORT, Map.of()), new ZoneSpec(8, SHORT, Map.of(NodeKeys.SESSIONS, "1000")),
                new ZoneSpec(9, LONG, Map.of())));
    }

    static BridgeSpec zones(final List<ZoneSpec> zones) {
        return zones(zones, Set.of());
    }

    static BridgeSpec zones(final List<ZoneSpec> zones, final Set<Integer> kept) {
        return new BridgeSpec(NodeKeys.BRIDGE, 7, Set.of("tcp:127.0.0.1:6653"), 0, List.of(), Map.of(), Map.of(),
            zones, kept);
    }
}
