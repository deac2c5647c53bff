// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.pipeline.registry.Constants;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A peer is a node when the operator has configured its address, or where any node is believed. */
@Tag("hostile")
@OnEdge
@Tag("safety")
class StrangerIT {
    private static final int VLAN = 100;
    /** From which all nodes of these tests connect. */
    private static final String HERE = "127.0.0.1";
    private static final String ELSEWHERE = "192.0.2.77";

    private final Edge edge;
    private final DummyNode node;

    StrangerIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeEach
    void reset() {
        edge.reset();
        put(VLAN);
        edge.awaitSync();
    }

    @AfterEach
    void believeAny() {
        edge.controller().stopEngine();
        edge.controller().startEngine();
        edge.reset();
        edge.nodes().forEach(each -> configure(each, ""));
    }

    private void put(final int vlan) {
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(
            Documents.tenant("acme", node.name(), vlan, Documents.FIRST_POOL))));
    }

    private void configure(final DummyNode which, final String address) {
        final String path = Documents.NETWORK + "/node=" + which.name();
        final JsonObject entry = edge.client().read(path).getAsJsonArray("penstock:node").get(0).getAsJsonObject();
        entry.remove("address");
        if (!address.isEmpty()) {
            entry.addProperty("address", address);
        }
        edge.client().put(path, "{'penstock:node': [" + entry + "]}");
    }

    private List<JsonObject> refused() {
        return Edge.list(edge.client().call("status", "{}"), "refused-node").toList();
    }

    private void awaitRefused(final String reason) {
        Await.until("refused", () -> refused().stream().map(each -> each.get("name").getAsString() + " "
            + each.get("address").getAsString() + " " + each.get("reason").getAsString()).toList(),
            all -> all.stream().anyMatch(each -> each.startsWith(node.name() + " " + HERE + " ")
                && each.contains(reason)));
    }

    @Test
    void aNodeWithAnotherAddressIsNotBelieved() {
        configure(node, ELSEWHERE);
        awaitRefused("is configured with the address " + ELSEWHERE + ", not " + HERE);
        node.announce(",{\"name\":\"acc9\",\"role\":\"access\",\"type\":\"system\"}");
        put(VLAN + 1);
        edge.awaitApplied();
        assertThat(edge.client().read(Documents.NETWORK + "/node=" + node.name()).toString())
            .as("what it says is not stored").doesNotContain("acc9");
        assertThat(edge.node(edge.second()).get("connected").getAsBoolean()).isTrue();
        node.announce("");
        configure(node, HERE);
        Await.until("believed", () -> refused().isEmpty());
        edge.awaitSync();
    }

    @Test
    void theAddressStaysWhenTheNodeAnnouncesItselfAgain() {
        configure(node, HERE);
        node.announce(",{\"name\":\"acc9\",\"role\":\"access\",\"type\":\"system\"}");
        Await.until("the new port", () -> stored().contains("acc9"));
        assertThat(stored()).contains("\"address\":\"" + HERE + "\"");
        node.announce("");
        Await.until("the port is gone", () -> !stored().contains("acc9"));
        assertThat(refused()).isEmpty();
        edge.awaitSync();
    }

    private String stored() {
        return edge.client().read(Documents.NETWORK + "/node=" + node.name()).toString();
    }

    @Test
    void nodesThatAreNotConfiguredGetNothing() {
        configure(edge.second(), HERE);
        edge.controller().stopEngine();
        edge.controller().startStrictEngine();
        awaitRefused("has no address; configure " + HERE);
        edge.awaitState("acme", "active");
        edge.client().delete(Documents.path("acme"));
        edge.replaceNetwork(() -> Documents.base(edge.client().read(Documents.NETWORK)
            .getAsJsonObject("penstock:network").getAsJsonArray("node").asList().stream()
            .filter(each -> !each.toString().contains(node.name())).toList().toString(),
            List.of(edge.second().name())));
        awaitRefused("is not configured; add it with the address " + HERE);
        assertThat(edge.client().has(Documents.NETWORK + "/node=" + node.name())).isFalse();
        edge.client().add("node", "{'name': '%s', 'address': '%s'}".formatted(node.name(), HERE));
        Await.until("its ports are stored", () -> stored().contains(Documents.ACCESS));
        assertThat(refused()).isEmpty();
    }

    @Test
    void aNodeWithAFaultySwitchIsBelievedWhenItsProfileAcceptsTheFaults() {
        final String good = node.ovs().vsctl("get", "Open_vSwitch", ".", "ovs_version").strip();
        node.ovs().vsctl("set", "Open_vSwitch", ".", "ovs_version=3.1.0");
        awaitRefused("its Open vSwitch 3.1.0 has known faults: fragments of one tenant can reach another one");
        edge.client().put(Documents.NETWORK + "/node=" + node.name() + "/drop-reports",
            "{'penstock:drop-reports': true}");
        final String path = Documents.path("acme") + "/nat";
        edge.client().put(path, "{'penstock:nat': {'pool': '%s', 'alg': ['ftp']}}".formatted(Documents.FIRST_POOL));
        node.ovs().vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.ACCEPTED_FAULTS
            + "=\"fragments-end-switch,fragments-reach-others,ftp-ends-switch\"");
        Await.until("believed", () -> refused().isEmpty());
        Await.until("stored", this::stored, text -> text.contains("\"ftp-helper\":false"));
        assertThat(stored()).as("what the operator has configured").contains("\"drop-reports\":true");
        edge.awaitApplied();
        assertThat(node.flows()).isNotEmpty().noneMatch(flow -> flow.contains("alg=ftp"));
        assertThat(edge.node(node).get("warning").getAsString())
            .contains("it accepts faults of its Open vSwitch 3.1.0", "without: fragments, ftp");
        assertThat(edge.node(node).get("open-vswitch").getAsString()).isEqualTo("3.1.0");
        assertThat(edge.client().data("PUT", Documents.NETWORK + "/node=" + node.name() + "/ftp-helper",
            "{'penstock:ftp-helper': true}").messages()).contains("node " + node.name(), "ftp-helper", "must be false");
        node.ovs().vsctl("set", "Open_vSwitch", ".", "ovs_version=" + good, "--", "remove", "Open_vSwitch", ".",
            "external_ids", NodeKeys.ACCEPTED_FAULTS);
        Await.until("the helper is back", this::stored, text -> !text.contains("ftp-helper"));
        Await.until("flows", node::flows, flows -> flows.stream().anyMatch(flow -> flow.contains("alg=ftp")));
        assertThat(edge.node(node).has("warning")).isFalse();
        edge.client().delete(Documents.NETWORK + "/node=" + node.name() + "/drop-reports");
    }

    @Test
    void theDatapathIdOfANodeIsNotThatOfItsNumber() {
        final String id = node.ovs().vsctl("get", "Bridge", Constants.BRIDGE, "datapath_id").replace("\"", "");
        assertThat(id).doesNotStartWith("0050534e")
            .isEqualTo("%016x".formatted(edge.switchId(node).datapathId()));
    }
}
