// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The agent of a node says what the node has, and carries orders out. How orders follow the configuration is in
 * {@code FunctionOrderIT} of the engine.
 */
@OnSystem
class FunctionOrderIT {
    private static final String FUNCTION = Intent.NETWORK + "/function=fw";
    private static final Duration RUNNING = Await.PATIENCE;

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

    private String ids(final String port) {
        return node.externalIds(port);
    }
}
