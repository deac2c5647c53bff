// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BridgeSpecTest {
    @Test
    void nothingIsListedTwice() {
        refused("port name a", () -> Specs.bridge(List.of(Specs.system("a", 1), Specs.system("a", 2))));
        refused("OpenFlow port 1 ", () -> Specs.bridge(List.of(Specs.system("a", 1), Specs.system("b", 1))));
        refused("br-penstock is taken", () -> Specs.bridge(List.of(Specs.system("br-penstock", 1))));
        final ZoneSpec zone = new ZoneSpec(1, Map.of(), Map.of());
        refused("zone 1 ", () -> Specs.zones(List.of(zone, zone)));
    }

    @Test
    void valuesTheDatabaseWouldRefuseAreRefusedHere() {
        refused("65280", () -> Specs.system("a", 65280));
        refused("bad port name", () -> Specs.system("a-name-too-long-", 1));
        refused("zone 65536", () -> new ZoneSpec(65536, Map.of(), Map.of()));
        refused("tcp_forever", () -> new ZoneSpec(1, Map.of("tcp_forever", 1), Map.of()));
        refused(NodeKeys.DNS_STATE, () -> new ZoneSpec(1, Map.of(), Map.of(NodeKeys.DNS_STATE, "ok")));
        refused("rate limit 99", () -> spec(99, Map.of()));
        refused("table x has more than 3 prefixes", () -> new TableSpec("x", Set.of("a", "b", "c", "d")));
        refused("table 255", () -> spec(0, Map.of(255, new TableSpec("x", Set.of()))));
    }

    private static BridgeSpec spec(final int rate, final Map<Integer, TableSpec> tables) {
        return new BridgeSpec("b", 1, Set.of("tcp:127.0.0.1:6653"), rate, List.of(), tables, Map.of(), List.of());
    }

    private static void refused(final String message, final Runnable construction) {
        assertThatThrownBy(construction::run).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(message);
    }
}
