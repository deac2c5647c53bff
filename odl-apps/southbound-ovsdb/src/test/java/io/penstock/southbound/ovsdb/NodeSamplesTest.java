// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.NodeProtocol;
import io.penstock.testkit.NodeProtocol.Sample;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The samples of all that the programs of a node write are read; their tests see that the programs write these. */
class NodeSamplesTest {
    private static final NodeProtocol PROTOCOL = NodeProtocol.DEFINED;
    private static final String ASKER = "3f0c6d1e-8f8e-4d6a-9d52-0a4f5b6c7d8e";
    /** What the engine reads: see SampleTraceTest there. */
    private static final Set<String> OF_OTHERS = Set.of("trace-report/usual", "trace-report/failed");

    private static final Map<String, Object> EXPECTED = Map.ofEntries(
        entry("node/usual", "edge1"),
        entry("vhost-dir/usual", "/run/penstock/edge1/vhost"),
        entry("ports/usual", List.of(new AnnouncedPort("acc0", NodeKeys.ROLE_ACCESS, NodeKeys.TYPE_SYSTEM, ""),
            new AnnouncedPort("up0", NodeKeys.ROLE_UPLINK, NodeKeys.TYPE_SYSTEM, ""))),
        entry("ports/full", List.of(
            new AnnouncedPort("acc0", NodeKeys.ROLE_ACCESS, NodeKeys.TYPE_DPDK, "net_null0", 2, List.of(1)),
            new AnnouncedPort("up0", NodeKeys.ROLE_UPLINK, NodeKeys.TYPE_DPDK, "0000:03:00.0", 1, List.of(0)),
            new AnnouncedPort("svc0", NodeKeys.ROLE_SERVICE, NodeKeys.TYPE_SYSTEM, ""))),
        entry("accepted-faults/usual", Set.of()),
        entry("accepted-faults/full", SwitchFaults.names()),
        entry("protocol/usual", new SpokenProtocol(NodeKeys.VERSION, OptionalInt.empty())),
        entry("functions-protocol/usual", new SpokenProtocol(0, OptionalInt.of(NodeKeys.VERSION))),
        entry("sessions-set/usual", new ZoneReport(OptionalLong.of(50_000), OptionalLong.empty(), "")),
        entry("sessions-count/usual", new ZoneReport(OptionalLong.empty(), OptionalLong.of(7), "")),
        entry("dns-state/usual", resolver(NodeKeys.RESOLVER_OK)),
        entry("dns-state/starting", resolver("starting")),
        entry("dns-state/failed", resolver("order: domain: is not a domain name")),
        entry("dns-silent/usual", silent("192.0.2.53")),
        entry("dns-silent/several", silent("192.0.2.53", "2001:db8::53")),
        entry("cache-done/usual", ASKER),
        entry("orders-done/usual", Optional.of(new OrdersReport(true, new TreeMap<>(), new TreeMap<>(), 0))),
        entry("orders-done/full", Optional.of(new OrdersReport(true,
            new TreeMap<>(Map.of(2, "the resolver starts", 9, "the limit of sessions is not set")),
            new TreeMap<>(Map.of(3, "order: domain: is not a domain name")), 0))),
        entry("floods/usual", Set.of("acc0/100")),
        entry("floods/several", Set.of("acc0/100", "acc1/0")),
        entry("functions-found/usual", List.of("fw1")),
        entry("functions-found/several", List.of("fw1", "old2")),
        entry("node-functions/usual", Optional.of(new NodeFunctions(Set.of(0, 1),
            Map.of("forwarder", new NodeFunctions.Entry(true, false, false))))),
        entry("node-functions/full", Optional.of(new NodeFunctions(Set.of(0, 1, 2, 3),
            Map.of("packet-divert-ct", new NodeFunctions.Entry(true, false, true),
                "packet-filter", new NodeFunctions.Entry(true, false, false),
                "router-vm", new NodeFunctions.Entry(false, true, false))))),
        entry("function-state/usual", Map.of("fw1-in", "running")),
        entry("function-state/starting", Map.of("fw1-in", "starting")),
        entry("function-state/waiting", Map.of("fw1-in", "waiting")),
        entry("function-state/failed", Map.of("fw1-in", "failed: its process ended; next try in 1 s")),
        entry("function-state/refused", Map.of("fw1-in",
            "refused: function: the catalogue has no function none; it has none")));

    @Test
    void eachSampleIsReadSomewhere() {
        assertThat(Stream.concat(EXPECTED.keySet().stream(), OF_OTHERS.stream()))
            .containsExactlyInAnyOrderElementsOf(PROTOCOL.writtenByNodes().keySet());
    }

    static Stream<String> samples() {
        return EXPECTED.keySet().stream().sorted();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void theSampleIsReadIntoItsValue(final String name) {
        final Sample sample = PROTOCOL.writtenByNodes().get(name);
        PROTOCOL.check(name, sample.value());
        assertThat(read(sample)).isEqualTo(EXPECTED.get(name));
    }

    private static Object read(final Sample sample) {
        final Map<String, String> ids = Map.of(sample.key(), sample.value());
        return switch (sample.key()) {
            case NodeKeys.NODE -> announcement(ids).name();
            case NodeKeys.PORTS -> announcement(Map.of(NodeKeys.NODE, "edge1", sample.key(), sample.value())).ports();
            case NodeKeys.VHOST_DIR ->
                announcement(Map.of(NodeKeys.NODE, "edge1", sample.key(), sample.value())).vhostDirectory();
            case NodeKeys.ACCEPTED_FAULTS ->
                announcement(Map.of(NodeKeys.NODE, "edge1", sample.key(), sample.value())).acceptedFaults();
            case NodeKeys.SESSIONS_SET, NodeKeys.SESSIONS_COUNT, NodeKeys.DNS_STATE, NodeKeys.DNS_SILENT ->
                ZoneReport.of(ids);
            // Compared with the order as it is: AgentExchangeIT.
            case NodeKeys.CACHE_DONE -> sample.value();
            case NodeKeys.ORDERS_DONE ->
                OrdersReport.of(sample.value(), Pattern.compile(ASKER + " ([0-9]{1,18})"), 7);
            case NodeKeys.PROTOCOL -> SpokenProtocol.of(row(ids).orElseThrow(), Optional.empty());
            case NodeKeys.FUNCTIONS_PROTOCOL -> SpokenProtocol.of(row(Map.of()).orElseThrow(), row(ids));
            case NodeKeys.FLOODS -> FloodsReader.read(row(ids));
            case NodeKeys.NODE_FUNCTIONS -> FunctionsReader.read(row(ids));
            case NodeKeys.FUNCTIONS_FOUND -> report(OvsTables.BRIDGE, NodeKeys.BRIDGE, ids).found();
            case NodeKeys.FUNCTION_STATE -> report(OvsTables.INTERFACE, "fw1-in", ids).functions();
            default -> throw new AssertionError(sample.key());
        };
    }

    private static NodeAnnouncement announcement(final Map<String, String> ids) {
        return AnnouncementReader.read(row(ids).orElseThrow());
    }

    private static Optional<TableRow> row(final Map<String, String> ids) {
        return Optional.of(new TableRow(new Ref("r"), Map.of("external_ids", ids)));
    }

    private static NodeReport report(final String table, final String name, final Map<String, String> ids) {
        final Ref ref = new Ref("r");
        return NodeReport.of(new DatabaseView(Map.of(table, Map.of(ref, new TableRow(ref, Map.of("name", name,
            "external_ids", ids))))), NodeKeys.BRIDGE);
    }

    private static ZoneReport silent(final String... upstreams) {
        return new ZoneReport(OptionalLong.empty(), OptionalLong.empty(), "", List.of(upstreams));
    }

    @Test
    void addressesThatAreNoneAreNotRead() {
        assertThat(Stream.of("", " ", "192.0.2.53,192.0.2.54", "192.0.2.53 \n", "x".repeat(50), "a ".repeat(9))
            .map(text -> ZoneReport.of(Map.of(NodeKeys.DNS_SILENT, text)))).allMatch(ZoneReport::isEmpty);
    }

    private static ZoneReport resolver(final String state) {
        return new ZoneReport(OptionalLong.empty(), OptionalLong.empty(), state);
    }
}
