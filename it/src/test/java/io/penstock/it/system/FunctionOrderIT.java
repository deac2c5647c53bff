// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Functions are ordered from a node by its database, and what is reported there is shown. Where nothing else is said
 * the test plays the part of the node's agent.
 */
@OnSystem
class FunctionOrderIT {
    private static final String FUNCTION = Intent.NETWORK + "/function=fw";
    private static final String ORDER = "penstock-function";
    private static final Duration RUNNING = Duration.ofSeconds(60);

    private final EdgeSystem system;
    private final EdgeNode node;

    FunctionOrderIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    @Test
    void ordersFollowTheConfiguration() {
        function("'start': {'function': 'none-such', 'core': 2, 'scheduling': 'low'},"
            + " 'instance': [{'name': 'fw1'}, {'name': 'fw2', 'core': 3, 'function': 'none-such-2'}]");
        awaitOrder("fw1", "{'function': 'none-such', 'core': 2, 'scheduling': 'low'}");
        awaitOrder("fw2", "{'function': 'none-such-2', 'core': 3, 'scheduling': 'low'}");
        assertThat(ids("fw1-out")).doesNotContain(ORDER);
        node.ovs().vsctl("set", "Interface", "fw2-in", "external_ids:owner=ann");

        system.restconf().patch(FUNCTION + "/instance=fw2", "{'penstock:instance': [{'name': 'fw2', 'core': 4}]}");
        awaitOrder("fw2", "{'function': 'none-such-2', 'core': 4, 'scheduling': 'low'}");
        assertThat(ids("fw2-in")).contains("owner=ann");

        // Somebody else's hand in it is put right by a resync.
        node.ovs().vsctl("remove", "Interface", "fw1-in", "external_ids", ORDER);
        system.restconf().call("resync", "{}");
        awaitOrder("fw1", "{'function': 'none-such', 'core': 2, 'scheduling': 'low'}");

        function("'instance': [{'name': 'fw1'}, {'name': 'fw2'}]");
        Await.until("the orders are gone", () -> !ids("fw1-in").contains(ORDER + "=") && !ids("fw2-in")
            .contains(ORDER + "="));
        assertThat(ids("fw2-in")).contains("owner=ann");
        assertThat(system.instance("fw", "fw1").has("process")).isFalse();
    }

    @Test
    void reportsAreShown() {
        function("'start': {'function': 'none-such'}");
        awaitOrder("fw", "{'function': 'none-such'}");
        assertThat(system.instance("fw", "fw").get("process").getAsString()).isEqualTo("not reported");
        assertThat(found()).isEmpty();

        node.ovs().vsctl("set", "Interface", "fw-in",
            "external_ids:penstock-function-state=\"refused: function: none\"", "--", "set", "Bridge", "br-penstock",
            "external_ids:penstock-functions-found=\"old2,old1\"");
        assertThat(system.instance("fw", "fw").get("process").getAsString()).isEqualTo("refused: function: none");
        assertThat(found()).containsExactly("old1", "old2");
        node.ovs().vsctl("remove", "Bridge", "br-penstock", "external_ids", "penstock-functions-found");
        assertThat(found()).isEmpty();
    }

    @Test
    void whatTheNodeHasNotIsRefused() {
        function("'start': {'function': 'none-such'}");
        node.functions().startAgent();
        try {
            // What was configured before it was known stays, and does not keep the rest from being changed.
            Await.until("the node tells what it has", () -> ids("fw-in").contains("refused: function"));
            system.restconf().patch(FUNCTION, "{'penstock:function': [{'name': 'fw', 'fail-policy': 'open'}]}");
            Await.until("the controller knows what the node has",
                () -> !request("'start': {'function': 'none-such-2'}").isGood());
            assertRefused("'start': {'function': 'none-such-2'}", "function fw", "start / function",
                "has no function 'none-such-2'; it has forwarder, ");
            assertRefused("'start': {'function': 'forwarder', 'core': 4096}", "start / core", "has no core 4096");
            assertRefused("'start': {'function': 'router-vm'}", "function fw: shared: is true",
                "'router-vm' of the catalogue of node " + node.name() + " is for one tenant");
            assertThat(system.restconf().read(FUNCTION).toString()).contains("\"none-such\"");
            function("'start': {'function': 'forwarder', 'scheduling': 'low'}");
            Await.until("the function runs", RUNNING, () -> system.instance("fw", "fw").get("process").getAsString(),
                "running"::equals);
        } finally {
            system.restconf().delete(FUNCTION);
            Await.until("the function has ended", () -> !node.functions().has("fw"));
            node.stopFunctionsAgent();
            Await.until("nothing is known", () -> request("'start': {'function': 'none-such'}").isGood());
        }
    }

    private void assertRefused(final String leaves, final String... named) {
        final RestconfClient.Answer answer = request(leaves);
        assertThat(answer.isRefusal()).as(answer.body()).isTrue();
        assertThat(answer.messages()).contains(named);
    }

    private RestconfClient.Answer request(final String leaves) {
        return system.restconf().data("PUT", FUNCTION, Intent.list("function", List.of("{'name': 'fw', 'node': '"
            + node.name() + "', " + leaves + "}")));
    }

    private void function(final String leaves) {
        system.restconf().put(FUNCTION, Intent.list("function", List.of("{'name': 'fw', 'node': '" + node.name()
            + "', " + leaves + "}")));
    }

    private List<String> found() {
        final JsonObject status = system.node(node);
        final JsonArray names = status.has("found-function") ? status.getAsJsonArray("found-function")
            : new JsonArray();
        return StreamSupport.stream(names.spliterator(), false).map(JsonElement::getAsString).sorted().toList();
    }

    private void awaitOrder(final String instance, final String wanted) {
        final String text = JsonParser.parseString(wanted).toString().replace("\"", "\\\"");
        Await.until("order of " + instance, () -> ids(instance + "-in").contains(ORDER + "=\"" + text + "\""));
    }

    private String ids(final String port) {
        return node.externalIds(port);
    }
}
