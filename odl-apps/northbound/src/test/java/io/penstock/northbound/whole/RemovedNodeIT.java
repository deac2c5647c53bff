// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import io.penstock.testkit.TestRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that is removed forwards nothing, and its id is not that of the next one. */
@Tag("safety")
class RemovedNodeIT {
    @TempDir
    private Path directory;

    @Test
    void itsSwitchIsEmptiedAndTheNextNodeHasAnotherId() {
        try (ControllerInProcess controller = new ControllerInProcess(directory); TestRun run = new TestRun();
                TestRun other = new TestRun()) {
            final DataClient client = controller.client();
            final DummyNode node = new DummyNode(run, controller.ovsdbPort());
            Await.until("the node is there", () -> client.has(Documents.NETWORK + "/node=" + node.name()));
            client.add("tenant", "{'name': 'acme', 'attachment': [{'name': 'lan', 'node': '" + node.name()
                + "', 'port': 'acc0', 'vlan': 100}], 'subnet': [{'name': 'lan', 'prefix': '10.0.0.0/24', 'gateway': "
                + "'10.0.0.1'}]}");
            awaitSync(client);
            assertThat(node.isClassified(100)).isTrue();
            final int id = id(client, node);
            // While it is away; it is emptied when it is back.
            final String target = node.ovs().vsctl("get-controller", Constants.BRIDGE).strip();
            node.ovs().vsctl("set-controller", Constants.BRIDGE, "tcp:127.0.0.1:9");
            Await.until("its switch is away", () -> Edge.list(client.call("verify", "{}"), "node")
                .noneMatch(each -> each.get("connected").getAsBoolean()));
            client.put(Documents.NETWORK, "{'penstock:network': {}}");
            assertThat(node.isClassified(100)).isTrue();
            node.ovs().vsctl("set-controller", Constants.BRIDGE, target);
            Await.until("it forwards nothing", () -> node.flows().isEmpty());
            final DummyNode next = new DummyNode(other, controller.ovsdbPort());
            Await.until("the next node is there", () -> client.has(Documents.NETWORK + "/node=" + next.name()));
            Await.until("it has an id", () -> client.read("penstock-allocation:allocations").toString()
                .contains(next.name()));
            assertThat(id(client, next)).isGreaterThan(id);
        }
    }

    @Test
    void aConnectedOneIsEmptiedAtOnce() {
        try (ControllerInProcess controller = new ControllerInProcess(directory); TestRun run = new TestRun()) {
            final DataClient client = controller.client();
            final DummyNode node = new DummyNode(run, controller.ovsdbPort());
            awaitSync(client);
            assertThat(node.flows()).isNotEmpty();
            client.put(Documents.NETWORK, "{'penstock:network': {}}");
            Await.until("it forwards nothing", () -> node.flows().isEmpty());
        }
    }

    private static void awaitSync(final DataClient client) {
        Await.until("the node is as planned",
            () -> Edge.list(client.call("verify", "{}"), "node").anyMatch(Edge::isClean));
        assertThat(client.call("wait-applied", Edge.PATIENTLY).get("applied").getAsBoolean()).isTrue();
    }

    private static int id(final DataClient client, final DummyNode node) {
        final JsonObject stored = client.read("penstock-allocation:allocations");
        return Edge.list(stored.getAsJsonObject("penstock-allocation:allocations"), "node")
            .filter(each -> each.get("name").getAsString().equals(node.name())).findFirst().orElseThrow()
            .get("id").getAsInt();
    }
}
