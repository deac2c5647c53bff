// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Flows and meters that another program changes are repaired without being asked for. */
@OnEdge
class RepairIT {
    private static final int VLAN = 100;
    /** In which all tables are compared; a minute where it is not for tests. */
    private static final Duration ROUND = Duration.ofMillis(1_200);
    private static final String EVENT = "flow-repair-event";
    private static final String LISTS = "'egress-acl': '%s'".formatted(Documents.LIST);

    private final Edge edge;
    private final DummyNode node;
    private List<String> good;
    private String meters;

    RepairIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeAll
    static void compareOften(final Edge edge) {
        edge.controller().stopEngine();
        edge.controller().startEngine(ROUND);
    }

    @AfterAll
    static void compareSeldom(final Edge edge) {
        edge.controller().stopEngine();
        edge.controller().startEngine();
    }

    @BeforeEach
    void reset() {
        edge.reset();
        put(VLAN);
        edge.awaitSync();
        good = node.flows();
        meters = meters();
        // Repairs of the test before are over, and so is the pause after them.
        awaitRounds(2);
    }

    private void put(final int vlan) {
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(
            Documents.tenant("acme", node.name(), vlan, Documents.FIRST_POOL, LISTS))));
    }

    private void awaitRounds(final int rounds) {
        for (int round = 0; round < rounds; round++) {
            final String before = compared();
            Await.until("another round", () -> !compared().equals(before));
        }
    }

    private String compared() {
        final JsonObject status = edge.node(node);
        return status.has("last-compared") ? status.get("last-compared").getAsString() : "";
    }

    private long repairs() {
        return edge.node(node).get("repairs").getAsLong();
    }

    private String meters() {
        // The first line has a transaction id.
        return node.ovs().ofctl("dump-meters", Constants.BRIDGE).lines().skip(1).sorted()
            .collect(Collectors.joining("\n"));
    }

    private void awaitRepaired(final DataClient.Events stream, final int missing, final int excess, final int wrong,
            final String table) {
        Await.until("the switch is as before", () -> node.flows().equals(good) && meters().equals(meters));
        Await.until("it is told", () -> !stream.events().isEmpty());
        final JsonObject event = stream.events().get(0);
        assertThat(List.of(event.get("missing").getAsInt(), event.get("excess").getAsInt(),
            event.get("wrong").getAsInt())).as(event.toString()).containsExactly(missing, excess, wrong);
        assertThat(event.get("node").getAsString()).isEqualTo(node.name());
        assertThat(event.get("table").getAsString()).isEqualTo(table);
        assertThat(event.get("label").getAsString()).isNotEmpty();
        assertThat(edge.node(node).get("last-repair").getAsString()).isNotEmpty();
        assertThat(Edge.isClean(edge.verify(node))).isTrue();
        edge.awaitState("acme", "active");
    }

    @Test
    void flowsOfAListThatWereDeletedComeBack() {
        final int deleted = (int) good.stream()
            .filter(flow -> flow.startsWith("table=" + Table.TENANT_ACL.number() + " "))
            .count();
        assertThat(deleted).isPositive();
        final long before = repairs();
        try (DataClient.Events stream = edge.client().listen(EVENT)) {
            node.ovs().ofctl("del-flows", Constants.BRIDGE, "table=tenant_acl");
            awaitRepaired(stream, deleted, 0, 0, "tenant_acl");
            assertThat(repairs()).isEqualTo(before + 1);
        }
    }

    @Test
    void aFlowWithOtherActionsGetsItsOwn() {
        try (DataClient.Events stream = edge.client().listen(EVENT)) {
            node.ovs().ofctl("--strict", "mod-flows", Constants.BRIDGE, "table=classify,priority=0,actions=NORMAL");
            awaitRepaired(stream, 0, 0, 1, "classify");
        }
    }

    @Test
    void aForeignFlowGoes() {
        try (DataClient.Events stream = edge.client().listen(EVENT)) {
            node.ovs().ofctl("add-flow", Constants.BRIDGE, "table=tenant_acl,priority=65535,ip,actions=NORMAL");
            awaitRepaired(stream, 0, 1, 0, "tenant_acl");
        }
    }

    @Test
    void aFlowInATableThatIsNotOursGoes() {
        try (DataClient.Events stream = edge.client().listen(EVENT)) {
            node.ovs().ofctl("add-flow", Constants.BRIDGE, "table=253,priority=8,actions=drop");
            awaitRepaired(stream, 0, 1, 0, "253");
        }
    }

    @Test
    void aMeterThatWasDeletedComesBackWithTheFlowsThatNameIt() {
        final int meter = TenantMeter.SLOW_PATH.number(new VrfId(edge.vrf("acme")));
        final int naming = (int) good.stream().filter(flow -> flow.matches(".*meter:" + meter + "\\b.*")).count();
        assertThat(naming).isPositive();
        try (DataClient.Events stream = edge.client().listen(EVENT)) {
            node.ovs().ofctl("del-meter", Constants.BRIDGE, "meter=" + meter);
            Await.until("the switch is as before", () -> node.flows().equals(good) && meters().equals(meters));
            assertThat(stream.events().get(0).get("missing").getAsInt()).isEqualTo(naming + 1);
        }
    }

    @Test
    void aMeterWithAnotherRateGetsItsOwn() {
        try (DataClient.Events stream = edge.client().listen(EVENT)) {
            node.ovs().ofctl("mod-meter", Constants.BRIDGE, "meter=" + Meter.BACKBONE_NEIGHBOURS.number()
                + ",pktps,burst,band=type=drop,rate=1,burst_size=1");
            awaitRepaired(stream, 0, 0, 1, "meter");
        }
    }

    @Test
    void whatTheSwitchOrTheAgentOfTheNodeAddsIsNoDifference() {
        final long before = repairs();
        final String learned = "cookie=0x%x,table=%s,priority=9,reg0=0x%x,actions=drop";
        for (final String table : List.of("nat_open", "l2_hosts")) {
            node.ovs().ofctl("add-flow", Constants.BRIDGE, learned.formatted(
                Cookie.of(Cookie.Kind.LEARNED, edge.vrf("acme")), table, edge.vrf("acme")));
        }
        awaitRounds(2);
        assertThat(node.flowsOf(edge.vrf("acme")).stream().filter(flow -> flow.contains("priority=9,"))).hasSize(2);
        assertThat(repairs()).isEqualTo(before);
    }

    @Test
    void changesOfTheConfigurationAreNoDifference() {
        final long before = repairs();
        final String compared = compared();
        int change = 0;
        while (compared().equals(compared) || change < 20) {
            put(VLAN + ++change % 5);
        }
        edge.awaitSync();
        assertThat(repairs()).isEqualTo(before);
    }

    @Test
    void flowsAreRepairedWhileTheConfigurationChanges() {
        try (DataClient.Events stream = edge.client().listen(EVENT)) {
            for (int change = 1; stream.events().size() < 2; change++) {
                node.ovs().ofctl("del-flows", Constants.BRIDGE, "table=tenant_acl");
                put(VLAN + change % 5);
            }
        }
        put(VLAN);
        edge.awaitApplied();
        assertIsAsBefore();
    }

    @Test
    void aLoopOfDeletionsIsSeen() {
        deleteUntilRepaired(2);
        assertIsAsBefore();
    }

    /** On a machine with time for a deletion in each round: else they are not a loop. */
    @Tag("deep")
    @Tag("flood")
    @Test
    void aLoopOfDeletionsBoundsTheRepairs() {
        final long before = repairs();
        final long begun = System.nanoTime();
        deleteUntilRepaired(3);
        final long repairs = repairs() - before;
        // The pauses between them are 1, 2, 4 ... seconds.
        assertThat(Duration.ofNanos(System.nanoTime() - begun).toSeconds())
            .isGreaterThanOrEqualTo(LongStream.range(0, repairs - 1).map(pause -> 1L << pause).sum());
        assertIsAsBefore();
    }

    private void deleteUntilRepaired(final int times) {
        final long before = repairs();
        final String reason = Await.until("the state tells", () -> {
            node.ovs().ofctl("del-flows", Constants.BRIDGE, "table=tenant_acl");
            return edge.state("acme");
        }, state -> !state.equals("active") && repairs() - before >= times);
        assertThat(reason).contains("of its flows are missing or wrong on node " + node.name());
    }

    private void assertIsAsBefore() {
        Await.until("the switch is as before", () -> node.flows().equals(good));
        edge.awaitState("acme", "active");
    }
}
