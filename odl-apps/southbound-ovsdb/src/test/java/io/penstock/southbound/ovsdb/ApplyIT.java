// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static io.penstock.southbound.ovsdb.Specs.ordered;
import static io.penstock.southbound.ovsdb.Specs.system;
import static io.penstock.southbound.ovsdb.Specs.vhost;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A real database, and where it matters a real switch. */
@Timeout(720)
class ApplyIT extends ConnectedNode {
    private static final String ORDER = "{\"domain\":\"é\\\"\"}";

    private final BridgeSpec spec =
        Specs.bridge(List.of(system("acc0", 1), system("up0", 2), vhost("fw-in", 10, "/nowhere")));

    @Test
    void databaseGetsTheWholeBridgeAndASecondApplyWritesNothing() throws Exception {
        assertThat(apply(spec).changes()).isPositive();

        assertThat(node.vsctl("list-br")).isEqualTo("br-penstock");
        assertThat(node.vsctl("list-ports", "br-penstock").lines()).containsExactlyInAnyOrder("acc0", "up0", "fw-in");
        assertThat(node.vsctl("get", "Bridge", "br-penstock", "datapath_type", "fail_mode", "protocols",
            "other_config").lines()).containsExactly("netdev", "secure", "[OpenFlow13]",
            "{datapath-id=\"0050534e00000007\", disable-in-band=\"true\"}");
        assertThat(node.vsctl("get-controller", "br-penstock")).isEqualTo("tcp:127.0.0.1:6653");
        assertThat(node.vsctl("get", "Interface", "fw-in", "type", "options", "ofport_request").lines())
            .containsExactly("dpdkvhostuserclient", "{vhost-server-path=\"/nowhere/fw-in.sock\"}", "10");
        assertThat(node.vsctl("list-zone-tp", "netdev").lines()).containsExactlyInAnyOrder(
            "Zone:7, Timeout Policies: udp_first=30 udp_multiple=60",
            "Zone:8, Timeout Policies: udp_first=30 udp_multiple=60",
            "Zone:9, Timeout Policies: tcp_established=7440");

        final long size = Files.size(node.database());
        assertThat(apply(spec).changes()).isZero();
        // The switch is not running, so only this module writes; the database file is a log that grows with each write.
        assertThat(Files.size(node.database())).isEqualTo(size);
    }

    @Test
    void everythingIsOneTransaction() {
        apply(spec);

        final String log = node.log();
        assertThat(log.lines().filter(line -> line.contains("br-penstock")).count()).isPositive();
        assertThat(log.split("(?m)^record ")).filteredOn(entry -> entry.contains("acc0") || entry.contains("Zone")
            || entry.contains("br-penstock")).hasSize(1);
    }

    @Test
    void switchFollowsAndItsErrorsAreReportedByPort() {
        node.startDaemon();
        apply(spec);

        assertThat(listener.awaitPort("pe1", "acc0")).isEqualTo(new PortState("acc0", 1, true, ""));
        assertThat(listener.awaitPort("pe1", "up0").ofport()).isEqualTo(2);
        final PortState broken = listener.awaitPort("pe1", "fw-in");
        assertThat(broken.ofport()).isEqualTo(-1);
        assertThat(broken.linkUp()).isFalse();
        assertThat(broken.error()).contains("fw-in");
        assertThat(listener.states.get("pe1")).containsOnlyKeys("acc0", "up0", "fw-in");
        assertThat(node.appctl("dpif/show")).contains("br-penstock").contains("acc0 1/");
        assertThat(session.announcement().dpdkInitialized()).isFalse();
        node.vsctl("set", "Open_vSwitch", ".", "ovs_version=3.1.0");
        Await.until("version announced", () -> session.announcement().ovsVersion().equals("3.1.0"));
        Await.until("listener told", () -> listener.events.contains("~pe1"));

        node.appctl("netdev-dummy/set-admin-state", "acc0", "down");
        Await.until("acc0 down", () -> !listener.states.get("pe1").get("acc0").linkUp());
    }

    @Test
    void whatIsCountedOfPortsIsReadWhenAskedFor() {
        node.startDaemon();
        apply(spec);
        listener.awaitPort("pe1", "acc0");
        // Not of the bridge, so not told.
        node.vsctl("add-br", "other", "--", "set", "Bridge", "other", "datapath_type=dummy");
        final long before = counted("rx_packets");
        node.receiveUdp("acc0", 1007);
        node.receiveUdp("acc0", 1007);
        Await.until("the switch has written it", () -> counted("rx_packets") == before + 2);
        assertThat(counted("rx_bytes")).isPositive();
        final List<PortStatistics> all = session.portStatistics(Optional.empty()).join();
        assertThat(all).extracting(PortStatistics::name).containsExactly("acc0", "fw-in", "up0");
        assertThat(all.get(1).error()).contains("fw-in");
        assertThat(all.get(1).linkUp()).isFalse();
        assertThat(all.get(0).linkUp()).isTrue();
        assertThat(session.portStatistics(Optional.of("other")).join()).isEmpty();
        assertThat(Long.toString(all.get(0).linkResets())).isEqualTo(node.vsctl("get", "Interface", "acc0",
            "link_resets").strip());
    }

    private long counted(final String counter) {
        return session.portStatistics(Optional.of("acc0")).join().get(0).counters().getOrDefault(counter, 0L);
    }

    @Test
    void zoneTimeoutsReachTheConntracker() {
        node.startDaemon();
        apply(spec);
        listener.awaitPort("pe1", "acc0");
        node.applyTimeouts();
        node.ofctl("add-flow", "br-penstock", "in_port=1,udp,tp_dst=1007,actions=ct(commit,zone=7)");
        node.ofctl("add-flow", "br-penstock", "in_port=1,udp,tp_dst=1099,actions=ct(commit,zone=99)");

        node.receiveUdp("acc0", 1007);
        node.receiveUdp("acc0", 1099);

        assertThat(node.ofctl("--names", "dump-flows", "br-penstock")).contains("table=classifier");
        Await.until("both are tracked", () -> conntrack().contains("zone=7") && conntrack().contains("zone=99"));
        // 30 s of zone 7 are over then, the default 60 s of zone 99 are not.
        node.appctl("time/stop");
        node.appctl("time/warp", "40000");
        Await.until("timeout of zone 7", () -> !conntrack().contains("zone=7"));
        assertThat(conntrack()).contains("zone=99");
    }

    @Test
    void portsMoveSwapNumbersAndGo() {
        node.startDaemon();
        apply(spec);
        listener.awaitPort("pe1", "up0");

        apply(Specs.bridge(List.of(system("acc0", 2), system("up0", 1), system("new0", 3))));

        Await.until("numbers swapped: " + listener.states, () -> ofport("acc0") == 2 && ofport("up0") == 1
            && ofport("new0") == 3);
        assertThat(node.vsctl("list-ports", "br-penstock").lines()).doesNotContain("fw-in");
        Await.until("fw-in no longer reported", () -> listener.states.get("pe1").size() == 3);
    }

    @Test
    void manualDriftIsRepaired() {
        apply(spec);
        final String right = node.configuration();
        node.vsctl("set-fail-mode", "br-penstock", "standalone", "--", "set-controller", "br-penstock",
            "tcp:192.0.2.1:1", "tcp:192.0.2.2:2", "--", "del-port", "acc0", "--", "add-port", "br-penstock", "rogue",
            "--", "set", "Interface", "up0", "ofport_request=99", "type=internal", "--", "set", "Interface", "fw-in",
            "options:vhost-server-path=/wrong", "--", "clear", "Bridge", "br-penstock", "flow_tables", "--", "set",
            "Bridge", "br-penstock", "protocols=OpenFlow10", "other_config:datapath-id=1", "datapath_type=system");
        node.vsctl("del-zone-tp", "netdev", "zone=7");
        node.vsctl("add-zone-tp", "netdev", "zone=70", "icmp_first=1");
        assertThat(node.configuration()).isNotEqualTo(right);

        assertThat(apply(spec).changes()).isPositive();

        assertThat(node.configuration()).isEqualTo(right);
        assertThat(node.vsctl("list-zone-tp", "netdev").lines()).hasSize(3);
        assertThat(apply(spec).changes()).isZero();
    }

    @Test
    void bridgeOfSomebodyElseIsLeftAlone() {
        node.vsctl("add-br", "br0", "--", "add-port", "br0", "acc0");

        final ApplyResult result = apply(spec);

        assertThat(result.refusedPorts()).isEqualTo(Map.of("acc0", "in use on bridge br0"));
        assertThat(node.vsctl("list-ports", "br0")).isEqualTo("acc0");
        assertThat(node.vsctl("list-ports", "br-penstock").lines()).containsExactlyInAnyOrder("up0", "fw-in");
        node.vsctl("del-br", "br0");
        assertThat(apply(spec).refusedPorts()).isEmpty();
        assertThat(node.vsctl("list-ports", "br-penstock").lines()).contains("acc0");
    }

    @Test
    void anotherWriterAtTheSameTimeIsOutlasted() throws Exception {
        apply(spec);
        final CompletableFuture<Void> intruder = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 40; i++) {
                node.vsctl("--if-exists", "del-port", "br-penstock", i % 2 == 0 ? "acc0" : "up0", "--", "--may-exist",
                    "add-port", "br-penstock", "rogue" + i);
            }
        });
        final List<CompletableFuture<ApplyResult>> results = new ArrayList<>();
        while (!intruder.isDone()) {
            results.add(session.apply(spec));
            results.get(results.size() - 1).get(3, TimeUnit.MINUTES);
        }
        intruder.join();

        apply(spec);
        assertThat(node.vsctl("list-ports", "br-penstock").lines()).containsExactlyInAnyOrder("acc0", "up0", "fw-in");
        assertThat(apply(spec).changes()).isZero();
    }

    @Test
    void appliesOfOneSessionRunInTheirOrder() {
        final List<CompletableFuture<ApplyResult>> all = new ArrayList<>();
        for (int i = 1; i <= 20; i++) {
            all.add(session.apply(Specs.bridge(List.of(system("p" + i, i)))));
        }
        all.forEach(CompletableFuture::join);

        assertThat(node.vsctl("list-ports", "br-penstock")).isEqualTo("p20");
    }

    @Test
    void thousandZonesAreOnePolicyAndOneMoreIsTwoChanges() {
        final List<ZoneSpec> zones = new ArrayList<>();
        for (int zone = 1; zone <= 1000; zone++) {
            zones.add(new ZoneSpec(zone, Specs.SHORT, Map.of()));
        }
        apply(Specs.zones(zones));
        zones.add(new ZoneSpec(1001, Specs.SHORT, Map.of()));

        assertThat(apply(Specs.zones(zones)).changes()).isEqualTo(2);
        assertThat(apply(Specs.zones(zones)).changes()).isZero();
        assertThat(node.vsctl("list-zone-tp", "netdev").lines()).hasSize(1001);
        assertThat(node.vsctl("--format=csv", "--no-headings", "list", "CT_Timeout_Policy").lines()).hasSize(1);
    }

    @Test
    void zonesAloneAreChangedByWhatDiffers() {
        final BridgeSpec none = Specs.zones(List.of());
        final BridgeSpec two = Specs.zones(List.of(zone(1), zone(2)));
        final BridgeSpec others = Specs.zones(List.of(zone(2), zone(3), new ZoneSpec(4, Specs.LONG, Map.of())));
        apply(none);
        assertThat(change(none, two).changes()).isPositive();
        // Two zones, a policy, and the column they are in.
        assertThat(change(two, others).changes()).isEqualTo(4);
        assertThat(change(others, two).changes()).isEqualTo(2);
        assertThat(apply(two).changes()).isZero();
        // The database collects policies that nobody uses; the next change has to notice.
        change(two, none);
        change(none, others);
        assertThat(apply(others).changes()).isZero();
        assertThat(node.vsctl("list-zone-tp", "netdev").lines()).hasSize(3);
    }

    @Test
    void zonesThatWentWithTheirDatapathComeBackWithTheNextChange() {
        final BridgeSpec two = Specs.zones(List.of(zone(1), zone(2)));
        final BridgeSpec three = Specs.zones(List.of(zone(1), zone(2), zone(3)));
        apply(two);
        change(two, three);
        change(three, two);
        node.vsctl("clear", "Open_vSwitch", ".", "datapaths");
        change(two, three);
        assertThat(apply(three).changes()).isZero();
    }

    @Test
    void ordersReachTheRowsOfTheirZonesAndReportsComeBack() throws Exception {
        final BridgeSpec first = Specs.zones(List.of(order(1, "10"), order(2, "20"), zone(3)));
        apply(first);
        final String one = zoneRow(1);
        assertThat(node.vsctl("get", "CT_Zone", one, "external_ids")).isEqualTo("{" + NodeKeys.DNS + "=\""
            + ORDER.replace("\\", "\\\\").replace("\"", "\\\"") + "\", " + NodeKeys.SESSIONS + "=\"10\"}");
        assertThat(reports()).isEmpty();
        node.vsctl("set", "CT_Zone", one, "external_ids:" + NodeKeys.SESSIONS_SET + "=10",
            "external_ids:" + NodeKeys.SESSIONS_COUNT + "=7",
            "external_ids:" + NodeKeys.DNS_STATE + "=\"not \\\"ok\\\"\"");

        final BridgeSpec second = Specs.zones(List.of(order(1, "11"), order(2, "20"), zone(3)));
        assertThat(change(first, second).changes()).isEqualTo(1);

        assertThat(zoneRow(1)).isEqualTo(one);
        assertThat(node.vsctl("get", "CT_Zone", one, "external_ids:" + NodeKeys.SESSIONS)).isEqualTo("\"11\"");
        assertThat(reports()).isEqualTo(Map.of(1, new ZoneReport(OptionalLong.of(10), OptionalLong.of(7),
            "not \"ok\"")));
        // One by one; nothing was written of the second, and the last is not there.
        assertThat(Stream.of(1, 2, 4711).map(zone -> session.report(zone).orTimeout(3, TimeUnit.MINUTES).join()))
            .containsExactly(Optional.of(reports().get(1)), Optional.empty(), Optional.empty());
        assertThat(apply(second).changes()).isZero();
    }

    @Test
    void ordersOfManyZonesAreChangedOneByOne() throws Exception {
        final List<ZoneSpec> zones = new ArrayList<>();
        for (int zone = 1; zone <= 1000; zone++) {
            zones.add(order(zone, "10"));
        }
        BridgeSpec now = Specs.zones(zones);
        apply(now);
        // A new zone, whose row this side knows from the answer alone, and then its order.
        for (final ZoneSpec next : List.of(order(1001, "1"), order(1001, "2"), order(500, "3"))) {
            zones.removeIf(zone -> zone.zone() == next.zone());
            zones.add(next);
            final BridgeSpec then = Specs.zones(zones);
            final long size = Files.size(node.database());
            assertThat(change(now, then).changes()).isEqualTo(next.orders().containsValue("1") ? 2 : 1);
            // A record of the database's log: what changed, and not the other zones.
            assertThat(Files.size(node.database()) - size).isLessThan(1000);
            now = then;
        }
        assertThat(apply(now).changes()).isZero();
        // A row that somebody else has replaced is found.
        node.vsctl("remove", "Datapath", node.vsctl("get", "Open_vSwitch", ".", "datapaths:netdev"), "ct_zones", "500");
        zones.removeIf(zone -> zone.zone() == 500);
        zones.add(order(500, "4"));
        assertThat(change(now, Specs.zones(zones)).changes()).isPositive();
        assertThat(apply(Specs.zones(zones)).changes()).isZero();
    }

    private Map<Integer, ZoneReport> reports() {
        return session.report().orTimeout(3, TimeUnit.MINUTES).join().zones();
    }

    @Test
    void orderOfAPortIsOneKeyOfItsRowAndReportsComeBack() throws Exception {
        final BridgeSpec first = Specs.bridge(List.of(system("acc0", 1), ordered("fw-in", 10, ORDER)));
        final BridgeSpec second = Specs.bridge(List.of(system("acc0", 1), ordered("fw-in", 10, "{}")));
        final BridgeSpec none = Specs.bridge(List.of(system("acc0", 1), vhost("fw-in", 10, "/run/ps")));
        apply(first);
        assertThat(node.vsctl("get", "Interface", "fw-in", "external_ids")).isEqualTo("{" + NodeKeys.FUNCTION + "=\""
            + ORDER.replace("\\", "\\\\").replace("\"", "\\\"") + "\"}");
        node.vsctl("set", "Interface", "fw-in",
            "external_ids:" + NodeKeys.FUNCTION_STATE + "=\"failed: x; next try in 4 s\"",
            "external_ids:owner=ann", "--", "set", "Bridge", "br-penstock",
            "external_ids:" + NodeKeys.FUNCTIONS_FOUND + "=\"old2,old1\"");
        assertThat(session.report().get(3, TimeUnit.MINUTES)).isEqualTo(new NodeReport(Map.of(),
            Map.of("fw-in", "failed: x; next try in 4 s"), List.of("old1", "old2")));

        final long size = Files.size(node.database());
        assertThat(apply(first).changes()).isZero();
        assertThat(Files.size(node.database())).isEqualTo(size);
        assertThat(change(first, second).changes()).isEqualTo(1);
        assertThat(node.vsctl("get", "Interface", "fw-in", "external_ids")).isEqualTo(
            "{owner=ann, " + NodeKeys.FUNCTION + "=\"{}\", "
                + NodeKeys.FUNCTION_STATE + "=\"failed: x; next try in 4 s\"}");
        assertThat(change(second, none).changes()).isEqualTo(1);
        assertThat(node.vsctl("get", "Interface", "fw-in", "external_ids")).isEqualTo(
            "{owner=ann, " + NodeKeys.FUNCTION_STATE + "=\"failed: x; next try in 4 s\"}");
        assertThat(node.vsctl("get", "Bridge", "br-penstock", "external_ids"))
            .isEqualTo("{" + NodeKeys.FUNCTIONS_FOUND + "=\"old2,old1\", "
                + NodeKeys.SESSION_FLOWS + "=\"{\\\"vrf\\\":\\\"reg0\\\"}\"}");
    }

    private String zoneRow(final int zone) {
        return node.vsctl("get", "Datapath", node.vsctl("get", "Open_vSwitch", ".", "datapaths:netdev"),
            "ct_zones:" + zone);
    }

    private static ZoneSpec order(final int number, final String sessions) {
        return new ZoneSpec(number, Specs.SHORT, Map.of(NodeKeys.SESSIONS, sessions,
            NodeKeys.DNS, ORDER));
    }

    private static ZoneSpec zone(final int number) {
        return new ZoneSpec(number, Specs.SHORT, Map.of());
    }

    @Test
    void switchMayBeDownAndRestart() {
        apply(spec);
        Await.until("port known, not set up", () -> ofport("acc0") == -1);
        node.startDaemon();
        assertThat(listener.awaitPort("pe1", "acc0").ofport()).isEqualTo(1);

        node.killDaemon();
        assertThat(apply(Specs.bridge(List.of(system("acc0", 5)))).changes()).isPositive();
        node.startDaemon();

        Await.until("new number after the restart", () -> ofport("acc0") == 5);
        assertThat(listener.events).startsWith("+pe1").doesNotContain("-pe1");
    }

    @Test
    void databaseMayRestart() {
        apply(spec);
        node.killServer();
        Await.until("disconnected", () -> listener.events.contains("-pe1"));
        assertThat(session.apply(spec)).isCompletedExceptionally();
        node.startServer();

        session = listener.awaitNode("pe1");
        assertThat(apply(spec).changes()).isZero();
        assertThat(listener.events).containsExactly("+pe1", "-pe1", "+pe1");
    }

    private String conntrack() {
        return node.appctl("dpctl/dump-conntrack");
    }

    private int ofport(final String port) {
        final PortState state = listener.states.getOrDefault("pe1", Map.of()).get(port);
        return state == null ? 0 : state.ofport();
    }

    private ApplyResult change(final BridgeSpec before, final BridgeSpec after) {
        return session.change(before, after).orTimeout(3, TimeUnit.MINUTES).join();
    }

    private ApplyResult apply(final BridgeSpec wanted) {
        return session.apply(wanted).orTimeout(3, TimeUnit.MINUTES).join();
    }
}
