// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static io.penstock.southbound.ovsdb.Specs.ordered;
import static io.penstock.southbound.ovsdb.Specs.queues;
import static io.penstock.southbound.ovsdb.Specs.system;
import static io.penstock.southbound.ovsdb.Specs.vhost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BridgePlannerTest {
    private final FakeDatabase database = new FakeDatabase();
    private final BridgeSpec spec = Specs.bridge(List.of(system("acc0", 1), vhost("fw-in", 10, "/run/ps")));

    @Test
    void emptyDatabaseGetsTheWholeBridge() {
        database.bringTo(spec);

        final TableRow bridge = database.view().named(OvsTables.BRIDGE, "br-penstock").orElseThrow();
        assertThat(bridge.columns()).containsEntry("datapath_type", "netdev")
            .containsEntry("fail_mode", Set.of("secure")).containsEntry("protocols", Set.of("OpenFlow13"))
            .containsEntry("other_config", Map.of("datapath-id", "0050534e00000007", "disable-in-band", "true"));
        assertThat(bridge.set("ports")).hasSize(3);
        assertThat(link("br-penstock").columns()).containsEntry("type", "internal");
        assertThat(link("acc0").columns()).containsEntry("type", "").containsEntry("ofport_request", Set.of(1L));
        assertThat(link("fw-in").columns()).containsEntry("type", "dpdkvhostuserclient")
            .containsEntry("options", Map.of("vhost-server-path", "/run/ps/fw-in.sock"));
        assertThat(only(OvsTables.CONTROLLER).columns()).containsEntry("target", "tcp:127.0.0.1:6653")
            .containsEntry("controller_rate_limit", Set.of(1000L)).containsEntry("inactivity_probe", Set.of(30_000L));
        assertThat(bridge.map("flow_tables").keySet()).isEqualTo(Set.of(0L, 30L));
        assertThat(only(OvsTables.DATAPATH).map("ct_zones").keySet()).isEqualTo(Set.of(7L, 8L, 9L));
    }

    @Test
    void zonesWithTheSameTimeoutsShareOnePolicy() {
        database.bringTo(spec);

        assertThat(database.view().rows(OvsTables.ZONE)).hasSize(3);
        assertThat(database.view().rows(OvsTables.TIMEOUT_POLICY)).hasSize(2);
    }

    @Test
    void secondPlanIsEmpty() {
        database.bringTo(spec);

        assertThat(database.bringTo(spec).changes()).isEmpty();
    }

    @Test
    void coresOfQueuesAreSettingsBesideThoseOfOthers() {
        database.bringTo(Specs.bridge(List.of(queues("up0", 2, "0:1"))));
        assertThat(link("up0").columns()).containsEntry("options", Map.of("dpdk-devargs", "net_null0", "n_rxq", "2"))
            .containsEntry("other_config", Map.of("pmd-rxq-affinity", "0:1"));
        database.drift(OvsTables.INTERFACE, "up0", "other_config", Map.of("pmd-rxq-affinity", "0:1", "lldp", "on"));

        assertThat(database.bringTo(Specs.bridge(List.of(queues("up0", 2, "0:1")))).changes()).isEmpty();
        database.bringTo(Specs.bridge(List.of(queues("up0", 2, "0:3,1:1"))));
        assertThat(link("up0").map("other_config")).isEqualTo(Map.of("pmd-rxq-affinity", "0:3,1:1", "lldp", "on"));
        database.bringTo(Specs.bridge(List.of(queues("up0", 2, ""))));
        assertThat(link("up0").map("other_config")).isEqualTo(Map.of("lldp", "on"));
    }

    @Test
    void settingOfAnotherNameIsRefused() {
        assertThatThrownBy(() -> new PortSpec("up0", OvsPortType.DPDK, 1, Map.of(), Map.of("lldp", "on"), Map.of(),
            Optional.empty())).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("pmd-rxq-affinity");
    }

    @Test
    void oneMorePortIsThreeChanges() {
        database.bringTo(spec);
        final List<PortSpec> ports = new ArrayList<>(spec.ports());
        ports.add(system("acc1", 2));

        assertThat(database.bringTo(Specs.bridge(ports)).changes()).extracting(RowChange::table)
            .containsExactly("Interface", "Port", "Bridge");
    }

    @Test
    void oneMoreZoneIsTwoChangesWhateverTheNumberOfZones() {
        final List<ZoneSpec> zones = new ArrayList<>();
        for (int zone = 1; zone <= 1000; zone++) {
            zones.add(new ZoneSpec(zone, Specs.SHORT, Map.of()));
        }
        database.bringTo(Specs.zones(zones));
        zones.add(new ZoneSpec(1001, Specs.SHORT, Map.of()));

        final List<RowChange> changes = database.bringTo(Specs.zones(zones)).changes();

        assertThat(changes).extracting(RowChange::table).containsExactly("CT_Zone", "Datapath");
        assertThat(((Map<?, ?>) ((RowChange.Mutate) changes.get(1)).add()).size()).isEqualTo(1);
    }

    @Test
    void zonesToBeKeptAreLeftAlone() {
        final ZoneSpec one = new ZoneSpec(1, Specs.SHORT, Map.of());
        final ZoneSpec two = new ZoneSpec(2, Specs.LONG, Map.of(NodeKeys.SESSIONS, "10"));
        database.bringTo(Specs.zones(List.of(one, two, new ZoneSpec(3, Specs.SHORT, Map.of()))));
        database.bringTo(Specs.zones(List.of(one), Set.of(2)));
        assertThat(rows().zone(3)).isEmpty();
        assertThat(row(2).map("external_ids")).isEqualTo(Map.of(NodeKeys.SESSIONS, "10"));
        database.bringTo(Specs.zones(List.of(one)));
        assertThat(rows().zone(1)).isPresent();
        assertThat(rows().zone(2)).isEmpty();
        assertThat(Specs.zones(List.of(one)).differsInZonesOnly(Specs.zones(List.of(one), Set.of(2)))).isFalse();
    }

    @Test
    void oneOrderOfThousandZonesIsOneChange() {
        final List<ZoneSpec> before = new ArrayList<>();
        for (int zone = 1; zone <= 1000; zone++) {
            before.add(new ZoneSpec(zone, Specs.SHORT, Map.of(NodeKeys.SESSIONS, "10", NodeKeys.DNS, "{}")));
        }
        database.bringTo(Specs.zones(before));
        final List<ZoneSpec> after = new ArrayList<>(before);
        after.set(499, new ZoneSpec(500, Specs.SHORT, Map.of(NodeKeys.SESSIONS, "10", NodeKeys.DNS, "{1}")));

        final List<RowChange> changes = ZonePlanner.planChange(rows(), before, after);

        assertThat(changes).containsExactly(new RowChange.Mutate(OvsTables.ZONE, row(500).ref(), "external_ids",
            Set.of(NodeKeys.DNS), Map.of(NodeKeys.DNS, "{1}")));
        assertThat(BridgePlanner.plan(database.view(), Specs.zones(after)).changes()).isEqualTo(changes);
    }

    @Test
    void whatTheAgentWroteStaysAndForeignOrdersGo() {
        final List<ZoneSpec> before = List.of(new ZoneSpec(7, Specs.SHORT, Map.of(NodeKeys.SESSIONS, "10")));
        final List<ZoneSpec> after = List.of(new ZoneSpec(7, Specs.LONG, Map.of(NodeKeys.DNS, "{}")));
        database.bringTo(Specs.zones(before));
        database.agentWrites(row(7).ref(), NodeKeys.SESSIONS_SET, "10");

        database.execute(ZonePlanner.planChange(rows(), before, after));

        assertThat(row(7).map("external_ids")).isEqualTo(Map.of(NodeKeys.DNS, "{}", NodeKeys.SESSIONS_SET, "10"));
        assertThat(ZoneRows.reports(database.view()).get(7).limit()).hasValue(10);
        assertThat(database.bringTo(Specs.zones(after)).changes()).isEmpty();

        database.agentWrites(row(7).ref(), NodeKeys.DNS, "{drift}");
        database.agentWrites(row(7).ref(), NodeKeys.SESSIONS, "1");
        database.bringTo(Specs.zones(after));
        assertThat(row(7).map("external_ids")).isEqualTo(Map.of(NodeKeys.DNS, "{}", NodeKeys.SESSIONS_SET, "10"));
    }

    @Test
    void reportsThatMakeNoSenseAreNone() {
        database.bringTo(spec);
        assertThat(ZoneRows.reports(database.view())).isEmpty();
        database.agentWrites(row(7).ref(), NodeKeys.SESSIONS_SET, "-1");
        database.agentWrites(row(7).ref(), NodeKeys.SESSIONS_COUNT, "9999999999999999999");
        database.agentWrites(row(8).ref(), NodeKeys.SESSIONS_COUNT, "0");
        database.agentWrites(row(8).ref(), NodeKeys.DNS_STATE, "ok");

        assertThat(ZoneRows.reports(database.view()))
            .isEqualTo(Map.of(8, new ZoneReport(OptionalLong.empty(), OptionalLong.of(0), "ok")));
    }

    @Test
    void driftIsPutRight() {
        database.bringTo(spec);
        final DatabaseView right = copy();
        database.drift(OvsTables.BRIDGE, "br-penstock", "fail_mode", Set.of("standalone"));
        database.drift(OvsTables.BRIDGE, "br-penstock", "controller", Set.of());
        database.drift(OvsTables.BRIDGE, "br-penstock", "flow_tables", Map.of());
        database.drift(OvsTables.BRIDGE, "br-penstock", "other_config", Map.of("datapath-id", "1", "mac-aging-time",
            "9"));
        database.drift(OvsTables.INTERFACE, "acc0", "ofport_request", Set.of(77L));
        database.drift(OvsTables.INTERFACE, "fw-in", "options", Map.of("vhost-server-path", "/elsewhere", "x", "y"));

        database.bringTo(spec);

        assertThat(database.bringTo(spec).changes()).isEmpty();
        assertThat(database.view().named(OvsTables.BRIDGE, "br-penstock").orElseThrow().map("other_config"))
            .isEqualTo(Map.of("datapath-id", "0050534e00000007", "disable-in-band", "true", "mac-aging-time", "9"));
        assertThat(link("acc0")).isEqualTo(right.named(OvsTables.INTERFACE, "acc0").orElseThrow());
        assertThat(link("fw-in")).isEqualTo(right.named(OvsTables.INTERFACE, "fw-in").orElseThrow());
        assertThat(database.view().rows(OvsTables.CONTROLLER)).hasSize(1);
    }

    @Test
    void portsOfCapturesAreLeftAlone() {
        final List<PortSpec> ports = new ArrayList<>(spec.ports());
        ports.add(system(NodeKeys.CAPTURE_PORT + "0", 90));
        database.bringTo(Specs.bridge(ports));

        assertThat(database.bringTo(spec).changes()).isEmpty();
    }

    @Test
    void portOnAnotherBridgeIsRefusedAndTheOthersGoOn() {
        database.addForeignBridge("br0", "acc0");

        final BridgePlan plan = database.bringTo(spec);

        assertThat(plan.refusedPorts()).isEqualTo(Map.of("acc0", "in use on bridge br0"));
        assertThat(database.view().named(OvsTables.PORT, "fw-in")).isPresent();
        assertThat(database.view().named(OvsTables.BRIDGE, "br0").orElseThrow().set("ports")).hasSize(1);
        assertThat(database.bringTo(spec).changes()).isEmpty();
    }

    @Test
    void databaseWithoutItsRootRowIsRefused() {
        assertThatThrownBy(() -> BridgePlanner.plan(new DatabaseView(Map.of()), spec))
            .isInstanceOf(OvsdbException.class).hasMessageContaining("never initialised");
    }

    /** Whatever came before, one plan reaches the specification, and nothing of the past is left. */
    @Test
    void anySequenceEndsAsFromScratch() {
        final Random random = new Random(5);
        for (int step = 0; step < 300; step++) {
            final BridgeSpec next = randomSpec(random);
            database.bringTo(next);
            final FakeDatabase fresh = new FakeDatabase();
            fresh.bringTo(next);
            assertThat(database.bringTo(next).changes()).as("step %s", step).isEmpty();
            fresh.view().tables().forEach((table, rows) -> {
                if (!Set.of(OvsTables.DATAPATH, OvsTables.TIMEOUT_POLICY).contains(table)) {
                    assertThat(database.view().rows(table)).as("%s, step", table).hasSameSizeAs(rows.values());
                }
            });
        }
    }

    /** Zones can be changed without a look at those that stay, and the result is the same. */
    @Test
    void anySequenceOfZonesEndsAsFromScratch() {
        final Random random = new Random(6);
        List<ZoneSpec> zones = List.of();
        database.bringTo(Specs.zones(zones));
        for (int step = 0; step < 300; step++) {
            final List<ZoneSpec> next = randomSpec(random).zones();
            final Optional<ZoneRows> known = ZoneRows.of(database.view());
            if (known.isPresent()) {
                final List<RowChange> changes = ZonePlanner.planChange(known.orElseThrow(), zones, next);
                final ZoneRows after = known.orElseThrow().after(changes, database.execute(changes));
                assertThat(after.zones()).as("step %s", step).isEqualTo(rows().zones());
                assertThat(after.policies().entrySet().containsAll(rows().policies().entrySet())).isTrue();
            }
            assertThat(database.bringTo(Specs.zones(next)).changes().isEmpty()).isEqualTo(known.isPresent()
                || next.isEmpty());
            zones = next;
        }
    }

    private static BridgeSpec randomSpec(final Random random) {
        final List<PortSpec> ports = new ArrayList<>();
        final List<ZoneSpec> zones = new ArrayList<>();
        final Map<Integer, TableSpec> tables = new HashMap<>();
        for (int i = 1; i < 6; i++) {
            if (random.nextBoolean()) {
                final PortSpec function = random.nextBoolean() ? vhost("p" + i, i + 10, "/d" + random.nextInt(2))
                    : ordered("p" + i, i + 10, "{" + random.nextInt(2) + "}");
                ports.add(random.nextBoolean() ? system("p" + i, i) : function);
            }
            if (random.nextBoolean()) {
                zones.add(new ZoneSpec(i, random.nextInt(3) == 0 ? Map.of()
                    : random.nextBoolean() ? Specs.SHORT : Specs.LONG, orders(random)));
            }
            if (random.nextBoolean()) {
                tables.put(i, new TableSpec("t" + random.nextInt(2), Set.of("f" + random.nextInt(2))));
            }
        }
        return new BridgeSpec(NodeKeys.BRIDGE, random.nextInt(2), random.nextBoolean()
            ? Set.of("tcp:127.0.0.1:" + random.nextInt(2)) : Set.of("tcp:127.0.0.1:1", "tcp:127.0.0.1:2"),
            random.nextInt(2) * 500, ports, tables,
            Map.of(NodeKeys.SESSION_FLOWS, "v" + random.nextInt(2)), zones);
    }

    private static Map<String, String> orders(final Random random) {
        final Map<String, String> orders = new HashMap<>();
        ZoneSpec.ORDERS.forEach(key -> orders.put(key, "v" + random.nextInt(2)));
        orders.keySet().removeIf(key -> random.nextBoolean());
        return orders;
    }

    private ZoneRows rows() {
        return ZoneRows.of(database.view()).orElseThrow();
    }

    private TableRow row(final int zone) {
        return database.view().row(OvsTables.ZONE, rows().zone(zone).orElseThrow()).orElseThrow();
    }

    private DatabaseView copy() {
        final Map<String, Map<Ref, TableRow>> result = new HashMap<>();
        database.view().tables().forEach((table, rows) -> result.put(table, Map.copyOf(rows)));
        return new DatabaseView(result);
    }

    private TableRow link(final String name) {
        return database.view().named(OvsTables.INTERFACE, name).orElseThrow();
    }

    private TableRow only(final String table) {
        assertThat(database.view().rows(table)).hasSize(1);
        return database.view().rows(table).iterator().next();
    }
}
