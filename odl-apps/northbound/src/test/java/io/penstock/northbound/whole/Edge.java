// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import io.penstock.testkit.StatusReader;
import io.penstock.testkit.TestRun;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** A controller in this JVM and two nodes with dummy datapaths. Not for several threads. */
final class Edge extends StatusReader implements TestRun.Closing {
    /** MAC address of a host. */
    static final long HOST = 0x020000000005L;
    /** Input of {@code wait-applied} whose limit only a fault reaches. */
    static final String PATIENTLY = "{'timeout-milliseconds': 120000}";
    private static final Duration RECOVERY = Duration.ofMinutes(5);

    private final List<TestRun> runs = List.of(new TestRun(), new TestRun(), new TestRun());
    private final ControllerInProcess controller;
    private final DummyNode first;
    private final DummyNode second;

    /** Starts it, with nothing configured but the nodes. */
    Edge() {
        try {
            controller = runs.get(0).closing(new ControllerInProcess(runs.get(0).directory()));
            first = new DummyNode(runs.get(1), controller.ovsdbPort());
            second = new DummyNode(runs.get(2), controller.ovsdbPort());
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    ControllerInProcess controller() {
        return controller;
    }

    DataClient client() {
        return controller.client();
    }

    @Override
    protected JsonObject call(final String rpc, final String input) {
        return client().call(rpc, input);
    }

    DummyNode first() {
        return first;
    }

    DummyNode second() {
        return second;
    }

    List<DummyNode> nodes() {
        return List.of(first, second);
    }

    /** Back to two nodes that know their uplinks and pools, and have no tenant. */
    void reset() {
        // A test that stopped one may have failed before it started it again.
        nodes().forEach(node -> node.ovs().up());
        Await.until("both nodes have announced themselves", RECOVERY, () -> nodes().stream()
            .allMatch(node -> client().has(Documents.NETWORK + "/node=" + node.name())));
        replaceNetwork(() -> Documents.base(client().read(Documents.NETWORK).getAsJsonObject("penstock:network")
            .get("node").toString(), nodes().stream().map(DummyNode::name).toList()));
        client().put(Documents.ACLS, Documents.baseLists());
        Await.until("both nodes are connected", RECOVERY, this::verify, nodes -> nodes.size() == nodes().size()
            && nodes.stream().allMatch(node -> node.get("connected").getAsBoolean()));
        Await.until("both databases are connected", RECOVERY, () -> nodes().stream().map(this::node)
            .allMatch(node -> node.has("datapath") && !node.get("datapath").getAsString().isEmpty()));
        // A test that changed flows by hand may have failed before it repaired them.
        client().call("resync", "{}");
        awaitSync();
    }

    /** Puts another network in the place of the whole one, which is read again when a node has announced a port. */
    void replaceNetwork(final Supplier<String> network) {
        final DataClient.Answer answer = Await.until("no other change comes first",
            () -> client().data("PUT", Documents.NETWORK, network.get()),
            each -> !each.messages().equals(DataClient.OVERTAKEN));
        assertThat(answer.isGood()).as(answer.messages()).isTrue();
    }

    /** Waits until the switches have confirmed what was configured, and looks that {@code verify} finds nothing. */
    void awaitSync() {
        awaitApplied();
        assertThat(verify()).hasSize(nodes().size()).allMatch(Edge::isClean);
    }

    /** Waits until the switches have confirmed what was configured, as the controller says it. */
    void awaitApplied() {
        // The RPC does not wait for a switch that is not connected, as after a start of the engine.
        Await.until("it is applied", () -> client().call("wait-applied", PATIENTLY),
            answer -> answer.get("applied").getAsBoolean());
    }

    /** One node as {@code verify} sees it. */
    JsonObject verify(final DummyNode node) {
        return verify(node.name());
    }

    /** Whether the switch of a node is connected; not as long as a controller that has just started knows no node. */
    boolean isConnected(final DummyNode node) {
        return verify().stream().anyMatch(each -> name(each).equals(node.name())
            && each.get("connected").getAsBoolean());
    }

    /** What {@code status} says of a node. */
    JsonObject node(final DummyNode node) {
        return node(node.name());
    }

    /** The state of a tenant. */
    String state(final String tenant) {
        return tenant(tenant).orElseThrow().get("state").getAsString();
    }

    /** Waits until a tenant is in a state. */
    void awaitState(final String tenant, final String state) {
        Await.until(tenant + " is " + state, RECOVERY, () -> tenant(tenant),
            found -> found.map(each -> each.get("state").getAsString().equals(state)).orElse(false));
    }

    /** Sends a gratuitous ARP packet of {@link #HOST} into a VLAN of port {@code acc0} of a node. */
    void arp(final DummyNode node, final int vlan, final String address) {
        final JsonObject given = client().read("penstock-allocation:allocations")
            .getAsJsonObject("penstock-allocation:allocations");
        final int port = named(named(list(given, "node"), node.name()).stream()
            .flatMap(each -> list(each, "port")), Documents.ACCESS).orElseThrow().get("number").getAsInt();
        final String host = "%012x".formatted(HOST);
        final String ip = "%08x".formatted(Ipv4.parse(address).number());
        node.ovs().ofctl("packet-out", Constants.BRIDGE, "in_port=%d,packet=%s,actions=resubmit(,0)".formatted(port,
            "ffffffffffff" + host + "8100%04x".formatted(vlan) + "08060001080006040001" + host + ip + "000000000000"
                + ip + "00".repeat(18)));
    }

    /** The switch of a node. */
    SwitchId switchId(final DummyNode node) {
        final JsonObject given = client().read("penstock-allocation:allocations")
            .getAsJsonObject("penstock-allocation:allocations");
        return named(list(given, "node"), node.name())
            .map(each -> new SwitchId(Constants.datapathId(each.get("id").getAsInt(),
                given.get("switch-secret").getAsString()))).orElseThrow();
    }

    /** Changes and complete readings of the flows of a node since the last {@link #forgetSteps}, in their order. */
    List<String> steps(final DummyNode node) {
        return controller.southbound().steps(switchId(node));
    }

    /** Counts steps from now on. */
    void forgetSteps() {
        controller.southbound().clear();
    }

    /** Everything that was handed out, as it is stored, by whichever engine. */
    String allocations() {
        final JsonObject stored = client().read("penstock-allocation:allocations").deepCopy();
        stored.getAsJsonObject("penstock-allocation:allocations").remove("mastership");
        return stored.toString();
    }

    @Override
    public void close() {
        // Nodes first: the controller need not see them go.
        TestRun.closeInReverse(runs);
    }
}
