// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Meter;
import io.penstock.testkit.Documents;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Flows that were changed by hand are reported, and repaired on demand. */
@Tag("hostile")
@OnEdge
class DriftIT {
    private static final int VLAN = 100;

    private final Edge edge;
    private final DummyNode node;
    private List<String> good;

    DriftIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeEach
    void reset() {
        edge.reset();
        edge.client().put(Documents.path("acme"),
            Documents.tenants(List.of(Documents.tenant("acme", node.name(), VLAN, Documents.FIRST_POOL))));
        edge.awaitApplied();
        good = node.flows();
    }

    @Test
    void aFlowThatWasDeletedIsMissing() {
        node.ovs().ofctl("--strict", "del-flows", Constants.BRIDGE, "table=classify,priority=0");
        final JsonObject found = edge.verify(node);
        assertThat(count(found, "missing")).isEqualTo(1);
        assertThat(count(found, "excess") + count(found, "wrong")).isZero();
        assertThat(count(found, "installed")).isEqualTo(count(found, "planned") - 1);
        assertThat(differences(found)).contains("missing").contains("classify");
        assertThat(Edge.isClean(edge.verify(edge.second()))).isTrue();
        repair(1, 0);
    }

    @Test
    void allFlowsMayBeDeleted() {
        node.ovs().ofctl("del-flows", Constants.BRIDGE);
        final JsonObject found = edge.verify(node);
        assertThat(count(found, "installed")).isZero();
        assertThat(count(found, "missing")).isEqualTo(count(found, "planned"));
        repair(count(found, "planned"), 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NORMAL", "goto_table:10", "push_vlan:0x8100,in_port"})
    void aFlowWithOtherActionsIsWrong(final String actions) {
        node.ovs().ofctl("--strict", "mod-flows", Constants.BRIDGE, "table=classify,priority=0,actions=" + actions);
        final JsonObject found = edge.verify(node);
        assertThat(count(found, "wrong")).isEqualTo(1);
        assertThat(count(found, "missing") + count(found, "excess")).isZero();
        assertThat(differences(found)).contains("wrong");
        edge.client().call("resync", "{}");
        isRepaired();
    }

    @Test
    void foreignFlowsAreExcess() {
        // Without our cookie, with a match we never write, with an action we cannot read, in a table we do not have.
        node.ovs().ofctl("add-flow", Constants.BRIDGE, "table=0,priority=5,tcp,tp_dst=9,actions=drop");
        node.ovs().ofctl("add-flow", Constants.BRIDGE, "table=0,priority=6,ipv6,actions=NORMAL");
        node.ovs().ofctl("add-flow", Constants.BRIDGE,
            "cookie=0x9e01030000000099,table=50,priority=7,ip,actions=dec_ttl,bundle(eth_src,0,hrw,ofport,members:1)");
        node.ovs().ofctl("add-flow", Constants.BRIDGE, "table=200,priority=8,actions=drop");
        final JsonObject found = edge.verify(node);
        assertThat(count(found, "excess")).as(found.toString()).isEqualTo(4);
        assertThat(count(found, "missing") + count(found, "wrong")).isZero();
        assertThat(differences(found)).contains("excess");
        repair(0, 4);
    }

    @Test
    void metersAreComparedToo() {
        final String before = meters();
        node.ovs().ofctl("mod-meter", Constants.BRIDGE,
            "meter=" + Meter.BACKBONE_NEIGHBOURS.number() + ",pktps,burst,band=type=drop,rate=1,burst_size=1");
        node.ovs().ofctl("add-meter", Constants.BRIDGE, "meter=99999,kbps,band=type=drop,rate=9");
        final JsonObject found = edge.verify(node);
        assertThat(List.of(count(found, "missing"), count(found, "excess"), count(found, "wrong")))
            .as(found.toString()).containsExactly(0, 1, 1);
        assertThat(differences(found)).contains("meter=99999", Meter.BACKBONE_NEIGHBOURS.spec().text());
        repair(0, 0);
        assertThat(meters()).isEqualTo(before);
    }

    private String meters() {
        // The first line has a transaction id.
        return node.ovs().ofctl("dump-meters", Constants.BRIDGE).lines().skip(1).sorted()
            .collect(Collectors.joining("\n"));
    }

    private void repair(final int added, final int removed) {
        final JsonObject repaired = edge.client().call("resync", "{'node': '" + node.name() + "'}")
            .getAsJsonArray("node").get(0).getAsJsonObject();
        assertThat(count(repaired, "added")).isEqualTo(added);
        assertThat(count(repaired, "removed")).isEqualTo(removed);
        isRepaired();
    }

    private void isRepaired() {
        assertThat(Edge.isClean(edge.verify(node))).isTrue();
        assertThat(node.flows()).isEqualTo(good);
    }

    private static int count(final JsonObject found, final String what) {
        return found.get(what).getAsInt();
    }

    private static String differences(final JsonObject found) {
        return found.get("difference").toString();
    }
}
