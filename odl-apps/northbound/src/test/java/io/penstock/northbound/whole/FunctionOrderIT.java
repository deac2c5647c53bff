// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Functions are ordered from a node by its database, and what is reported there is shown. The test plays the part of
 * the node's agent.
 */
@OnEdge
class FunctionOrderIT {
    private static final String FUNCTION = Documents.NETWORK + "/function=fw";
    private static final String ORDER = NodeKeys.FUNCTION;

    private final Edge edge;
    private final DummyNode node;

    FunctionOrderIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeEach
    void reset() {
        edge.reset();
    }

    @Test
    void ordersFollowTheConfiguration() {
        function("'start': {'function': 'none-such', 'core': 2, 'scheduling': 'low'},"
            + " 'instance': [{'name': 'fw1'}, {'name': 'fw2', 'core': 3, 'function': 'none-such-2'}]");
        awaitOrder("fw1", "{'function': 'none-such', 'core': 2, 'scheduling': 'low'}");
        awaitOrder("fw2", "{'function': 'none-such-2', 'core': 3, 'scheduling': 'low'}");
        assertThat(ids("fw1-out")).doesNotContain(ORDER);
        node.ovs().vsctl("set", "Interface", "fw2-in", "external_ids:owner=ann");

        edge.client().patch(FUNCTION + "/instance=fw2", "{'penstock:instance': [{'name': 'fw2', 'core': 4}]}");
        awaitOrder("fw2", "{'function': 'none-such-2', 'core': 4, 'scheduling': 'low'}");
        assertThat(ids("fw2-in")).contains("owner=ann");

        // A change by hand is repaired by a resync.
        node.ovs().vsctl("remove", "Interface", "fw1-in", "external_ids", ORDER);
        edge.client().call("resync", "{}");
        awaitOrder("fw1", "{'function': 'none-such', 'core': 2, 'scheduling': 'low'}");

        function("'instance': [{'name': 'fw1'}, {'name': 'fw2'}]");
        Await.until("the orders are gone", () -> !ids("fw1-in").contains(ORDER + "=") && !ids("fw2-in")
            .contains(ORDER + "="));
        assertThat(ids("fw2-in")).contains("owner=ann");
        assertThat(edge.instance("fw", "fw1").has("process")).isFalse();
    }

    @Test
    void reportsAreShown() {
        function("'start': {'function': 'none-such'}");
        awaitOrder("fw", "{'function': 'none-such'}");
        assertThat(edge.instance("fw", "fw").get("process").getAsString()).isEqualTo("not reported");
        assertThat(found()).isEmpty();

        node.ovs().vsctl("set", "Interface", "fw-in",
            "external_ids:" + NodeKeys.FUNCTION_STATE + "=\"refused: function: none\"", "--", "set", "Bridge",
            NodeKeys.BRIDGE, "external_ids:" + NodeKeys.FUNCTIONS_FOUND + "=\"old2,old1\"");
        assertThat(edge.instance("fw", "fw").get("process").getAsString()).isEqualTo("refused: function: none");
        assertThat(found()).containsExactly("old1", "old2");
        node.ovs().vsctl("remove", "Bridge", NodeKeys.BRIDGE, "external_ids", NodeKeys.FUNCTIONS_FOUND);
        assertThat(found()).isEmpty();
    }

    private void function(final String leaves) {
        edge.client().put(FUNCTION, Documents.list("function", List.of("{'name': 'fw', 'node': '" + node.name()
            + "', " + leaves + "}")));
    }

    private List<String> found() {
        final JsonObject status = edge.node(node);
        final JsonArray names = status.has("found-function") ? status.getAsJsonArray("found-function")
            : new JsonArray();
        return StreamSupport.stream(names.spliterator(), false).map(JsonElement::getAsString).sorted().toList();
    }

    private void awaitOrder(final String instance, final String wanted) {
        final String text = JsonParser.parseString(wanted).toString().replace("\"", "\\\"");
        Await.until("order of " + instance, () -> ids(instance + "-in").contains(ORDER + "=\"" + text + "\""));
    }

    private String ids(final String port) {
        return node.ovs().vsctl("--if-exists", "get", "Interface", port, "external_ids");
    }
}
