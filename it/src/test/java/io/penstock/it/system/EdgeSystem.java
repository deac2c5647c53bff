// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.testkit.Await;
import io.penstock.testkit.Namespace;
import io.penstock.testkit.Shell;
import io.penstock.testkit.StatusReader;
import io.penstock.testkit.TestRun;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A controller and two nodes, each with hosts, a transit network and a server of its own. Not for several threads. */
final class EdgeSystem extends StatusReader implements TestRun.Closing {
    /**
     * Within this time traffic continues after a failure that the system notices by itself. It takes half a second,
     * which {@code ./penstock bench chain} measures. The bound is for a busy machine, and is less than all that would
     * hide a failure that was not noticed: a retry, a reconnect, or the aging of a neighbour.
     */
    static final Duration FAILOVER = Duration.ofSeconds(10);
    private static final String TREE = "penstock-state:state";
    private static final Duration RECOVERY = Duration.ofMinutes(3);

    private final List<TestRun> runs;
    private final Map<Integer, Door> doors = new HashMap<>();
    private final Namespace space;
    private final ControllerUnderTest controller;
    private final EdgeNode first;
    private final EdgeNode second;
    /** Whether nodes may be down, or switches have other flows than planned. */
    private boolean isDistrusted = true;

    private EdgeSystem(final List<TestRun> runs) {
        this.runs = runs;
        space = runs.get(0).namespace("ctl");
        controller = new ControllerUnderTest(runs.get(0), space);
        final Shell side = Shell.PLAIN.entering(space);
        first = begin(runs.get(1), side, Intent.FIRST_PREFIX);
        second = begin(runs.get(2), side, Intent.SECOND_PREFIX);
    }

    private EdgeNode begin(final TestRun run, final Shell side, final String publicPrefix) {
        return new EdgeNode(run, side, controller.authority().node(run.name()), publicPrefix);
    }

    /** Starts it, with nothing configured but the nodes. */
    static EdgeSystem start() {
        final List<TestRun> runs = List.of(new TestRun(), new TestRun(), new TestRun());
        try {
            return new EdgeSystem(runs);
        } catch (AssertionError | UncheckedIOException e) {
            TestRun.closeInReverse(runs);
            throw e;
        }
    }

    ControllerUnderTest controller() {
        return controller;
    }

    RestconfClient restconf() {
        return controller.restconf();
    }

    @Override
    protected JsonObject call(final String rpc, final String input) {
        return restconf().call(rpc, input);
    }

    /** A way to a port of the controller for others than nodes, by TLS with the certificate of the first node. */
    Door door(final int port) {
        return doors.computeIfAbsent(port, each -> new Door(runs.get(0), space, ControllerUnderTest.ADDRESS, each,
            controller.authority().ofNode(first.name())));
    }

    EdgeNode first() {
        return first;
    }

    EdgeNode second() {
        return second;
    }

    List<EdgeNode> nodes() {
        return List.of(first, second);
    }

    /** Deletes nodes that have announced themselves beside the two. They must have ended. */
    void removeOtherNodes() {
        final Set<String> own = nodes().stream().map(EdgeNode::name).collect(Collectors.toSet());
        list(restconf().read(Intent.NETWORK).getAsJsonObject("penstock:network"), "node").map(EdgeSystem::name)
            .filter(name -> !own.contains(name)).forEach(name -> restconf().delete(Intent.NETWORK + "/node=" + name));
    }

    /** Has the next reset mend all that a test may have broken and not mended, because it failed. */
    void distrust() {
        isDistrusted = true;
    }

    /**
     * Back to two nodes that know their uplinks and pools, and serve nobody. Tests mend what they break by hand: only
     * after one that failed, and at first, the switches are read for that, which takes seconds.
     */
    void reset() {
        if (isDistrusted) {
            nodes().forEach(EdgeNode::up);
        }
        Await.until("both nodes have announced themselves", () -> nodes().stream()
            .allMatch(node -> restconf().has(Intent.NETWORK + "/node=" + node.name())));
        final JsonObject network = restconf().read(Intent.NETWORK).getAsJsonObject("penstock:network");
        restconf().put(Intent.NETWORK, Intent.base(network.get("node").toString(), nodes()));
        restconf().put(Intent.ACLS, Intent.baseLists());
        // What waits for nodes does so for those alone that are connected.
        Await.until("both nodes are connected", RECOVERY, () -> states("node").filter(node ->
            isTrue(node, "connected") && isTrue(node, "database-connected")).count(), count -> count == nodes().size());
        if (isDistrusted) {
            restconf().call("resync", "{}");
            awaitSync();
            isDistrusted = false;
        }
        awaitApplied();
        awaitKnown();
    }

    /**
     * Resets it, and looks whether a class has left both switches as planned.
     *
     * @throws AssertionError if the controller has to repair one; a test that changed flows by hand mends them
     */
    void leaveClean() {
        reset();
        final Map<String, Long> before = repairs();
        awaitSync();
        assertThat(repairs()).as("repairs of what this class has left").isEqualTo(before);
    }

    private Map<String, Long> repairs() {
        return status("node").collect(Collectors.toMap(EdgeSystem::name, node -> node.get("repairs").getAsLong()));
    }

    /** Waits until {@code verify} finds nothing on either node, which nobody may help with. */
    void awaitSync() {
        awaitKnown();
        Await.until("both nodes are as planned", RECOVERY, this::verify, nodes ->
            nodes.size() == nodes().size() && nodes.stream().allMatch(EdgeSystem::isClean));
    }

    private static boolean isTrue(final JsonObject owner, final String leaf) {
        return owner.has(leaf) && owner.get(leaf).getAsBoolean();
    }

    /** The answer to a change does not wait for the engine, so verify may still speak of the plan before it. */
    private void awaitKnown() {
        Await.until("the engine knows the tenants that are configured", RECOVERY, () -> names(configuredTenants())
            .equals(names(states("tenant"))));
    }

    private Stream<JsonObject> configuredTenants() {
        return list(restconf().read(Intent.NETWORK).getAsJsonObject("penstock:network"), "tenant");
    }

    private static Set<String> names(final Stream<JsonObject> entries) {
        return entries.map(EdgeSystem::name).collect(Collectors.toSet());
    }

    /** Waits until the nodes have what was configured in force, as the controller says it. */
    void awaitApplied() {
        // The RPC does not wait for a switch that is not connected.
        Await.until("it is applied", RECOVERY,
            () -> restconf().call("wait-applied", "{'timeout-milliseconds': 180000}"),
            answer -> answer.get("applied").getAsBoolean());
    }

    /** None while the controller does not answer. */
    @Override
    public List<JsonObject> verify() {
        try {
            return super.verify();
        } catch (UncheckedIOException | AssertionError e) {
            return List.of();
        }
    }

    /** One node as {@code verify} sees it. */
    JsonObject verify(final EdgeNode node) {
        return verify(node.name());
    }

    /** What {@code status} says of a node. */
    JsonObject node(final EdgeNode node) {
        return node(node.name());
    }

    /** What {@code status} says of all tenants. */
    List<JsonObject> tenants() {
        return status("tenant").toList();
    }

    /** The state of a function. */
    String functionState(final String function) {
        return function(function).get("state").getAsString();
    }

    /** Waits until the nodes have what was configured before, and a tenant is in a state. */
    void awaitState(final String tenant, final String state) {
        // The tree follows the nodes: it may still speak of what was before.
        restconf().call("wait-applied", "{}");
        Await.until(tenant + " is " + state, RECOVERY, () -> restconf().state(TREE + "/tenant=" + tenant)
            .map(found -> words(list(found, "penstock-state:tenant").findFirst().orElseThrow())),
            found -> found.filter(state::equals).isPresent());
    }

    /** The state of a tenant in the words of {@code status}. */
    private static String words(final JsonObject tenant) {
        final String status = tenant.get("status").getAsString();
        return !tenant.has("reason") ? status
            : (status.equals("degraded") ? "active, " : "") + tenant.get("reason").getAsString();
    }

    /** Entries of a list of the state; reads no switch. */
    private Stream<JsonObject> states(final String list) {
        return restconf().state(TREE).stream().flatMap(state ->
            list(state.getAsJsonObject("penstock-state:state"), list));
    }

    /** Packets that the flows of a tenant with this label have met. There has to be such a flow. */
    long packets(final String tenant, final String label) {
        final List<JsonObject> flows = flows(tenant, label);
        assertThat(flows).as("flows of " + tenant + " for " + label).isNotEmpty();
        return sum(flows);
    }

    /** The same of flows that come and go with the health of a function: none has met no packet. */
    long packetsIfAny(final String tenant, final String label) {
        return sum(flows(tenant, label));
    }

    private List<JsonObject> flows(final String tenant, final String label) {
        return list(restconf().call("flows", "{'tenant': '" + tenant + "'}"), "flow")
            .filter(flow -> flow.get("label").getAsString().equals(label)).toList();
    }

    private static long sum(final List<JsonObject> flows) {
        return flows.stream().mapToLong(flow -> flow.get("packets").getAsLong()).sum();
    }

    /** Everything that was handed out, as it is stored. */
    String allocations() {
        return restconf().read("penstock-allocation:allocations").toString();
    }

    /** All that is configured, without a tenant that is changed meanwhile. */
    JsonObject storedWithout(final String changing) {
        final JsonObject network = restconf().read(Intent.NETWORK).getAsJsonObject("penstock:network");
        final JsonArray tenants = new JsonArray();
        for (final JsonElement tenant : network.getAsJsonArray("tenant")) {
            if (!name(tenant.getAsJsonObject()).equals(changing)) {
                tenants.add(tenant);
            }
        }
        network.add("tenant", tenants);
        final JsonObject stored = new JsonObject();
        stored.add("network", Sorted.byName(network));
        stored.add("acls", restconf().read(Intent.ACLS));
        return stored;
    }

    @Override
    public void close() {
        // Nodes first: their management cables end in the controller's namespace.
        TestRun.closeInReverse(runs);
    }
}
