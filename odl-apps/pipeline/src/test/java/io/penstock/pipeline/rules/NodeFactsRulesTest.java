// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.Start;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a node has said that it has not is refused, and nothing else. */
class NodeFactsRulesTest {
    private static final Map<String, NodeFacts> FACTS = Map.of("edge1", new NodeFacts(
        new TreeSet<>(List.of(0, 1)), new TreeMap<>(Map.of(
            "forwarder", new NodeFacts.Entry(true, false, false), "router-vm", new NodeFacts.Entry(false, true, false),
            "divert", new NodeFacts.Entry(true, false, true))), true));

    @Test
    void whatTheNodeHasIsAccepted() {
        assertThat(check(single(true, start("forwarder", 1)))).isEmpty();
        assertThat(check(single(true, start("forwarder", null)))).isEmpty();
        assertThat(check(router(false, "router-vm"))).isEmpty();
        assertThat(check(single(true, null))).isEmpty();
    }

    @Test
    void nameCoreAndSharingAreRefused() {
        assertThat(check(single(true, start("filter", 7)))).extracting(Violation::toString).containsExactly(
            "function fw: start / function: the catalogue of node edge1 has no function 'filter'; it has divert, "
                + "forwarder, router-vm",
            "function fw: start / core: node edge1 has no core 7; it has 0, 1");
        assertThat(check(router(true, "router-vm"))).extracting(Violation::toString).contains(
            "function fw: shared: is true, but function 'router-vm' of the catalogue of node edge1 is for one tenant; "
                + "set it to false");
        assertThat(check(single(false, start("router-vm", 0)))).singleElement().hasToString(
            "function fw: routed: is missing, but function 'router-vm' of the catalogue of node edge1 is a router; "
                + "add routed");
        assertThat(check(router(false, "forwarder"))).singleElement().hasToString(
            "function fw: routed: is configured, but function 'forwarder' of the catalogue of node edge1 is not a "
                + "router; remove routed");
    }

    @Test
    void whatTheCatalogueHasKnowsNoServiceHeader() {
        final NetworkFunction plain = single(true, start("forwarder", 1));
        final NetworkFunction headed = plain.with(new NetworkFunction.Nsh());
        assertThat(check(headed)).singleElement().hasToString("function fw: nsh: is set, but function 'forwarder' of "
            + "the catalogue of node edge1 does not support the network service header; remove nsh");
        assertThat(validate(network(headed), network(plain), FACTS)).extracting(Violation::leaf).containsExactly("nsh");
        assertThat(check(single(true, null).with(new NetworkFunction.Nsh()))).isEmpty();
    }

    /** One that is there stays, and gets no packets: the node must be able to say that its switch is another one. */
    @Test
    void aServiceHeaderIsRefusedWhereItEndsTheSwitch() {
        final Map<String, NodeFacts> facts = Map.of("edge1", new NodeFacts(new TreeSet<>(), new TreeMap<>(), false));
        final NetworkFunction plain = single(true, null);
        final NetworkFunction headed = plain.with(new NetworkFunction.Nsh());
        assertThat(validate(network(headed), network(plain), facts)).singleElement().hasToString("function fw: nsh: is "
            + "set, but a packet with the header can end the switch of node edge1; use another node "
            + "(docs/node-profile.md)");
        assertThat(validate(network(headed), network(headed), facts)).isEmpty();
        assertThat(validate(network(plain), Snapshot.empty(), facts)).isEmpty();
    }

    @Test
    void aSecondOutputIsNeededWhereThereIsOneAndRefusedWhereThereIsNone() {
        assertThat(check(single(true, start("divert", null)).with(new NetworkFunction.TwoOutputs()))).isEmpty();
        assertThat(check(single(true, start("divert", null)))).singleElement().hasToString(
            "function fw: second-output: is false, but function 'divert' of "
                + "the catalogue of node edge1 has two outputs; set it to true");
        assertThat(check(single(true, start("forwarder", null)).with(new NetworkFunction.TwoOutputs()))).singleElement()
            .hasToString("function fw: second-output: is true, but function 'forwarder' of the catalogue of node edge1 "
                + "has one output; set it to false");
    }

    @Test
    void leafIsThatOfTheInstanceThatDiffers() {
        assertThat(check(spread(start("forwarder", 0), start("forwarder", 9)))).extracting(Violation::leaf)
            .containsExactly("instance fw2 / core");
        assertThat(check(spread(start("filter", 0), start("router-vm", 0)))).extracting(Violation::leaf)
            .containsExactly("instance fw1 / function", "shared", "routed");
        assertThat(check(spread(start("filter", 9), start("filter", 9)))).extracting(Violation::leaf)
            .containsExactly("start / function", "start / core");
    }

    @Test
    void nothingIsRefusedWhileNothingIsKnown() {
        final Snapshot snapshot = network(single(true, start("filter", 7)));
        assertThat(Validator.validate(snapshot, Allocations.none())).isEmpty();
        assertThat(validate(snapshot, Snapshot.empty(), Map.of("edge2", FACTS.get("edge1")))).isEmpty();
        assertThat(validate(network(single(true, start("filter", null))), Snapshot.empty(),
            Map.of("edge1", new NodeFacts(new TreeSet<>(List.of(0)), new TreeMap<>(), true)))).singleElement()
            .extracting(Violation::rule).asString().endsWith("it has none");
    }

    @Test
    void whatWasThereBeforeMayStay() {
        final NetworkFunction old = spread(start("filter", 9), start("forwarder", 0));
        assertThat(validate(network(old), network(old), FACTS)).isEmpty();
        final List<Instance> drained = List.of(new Instance("fw1", State.DRAINING, 1, old.instances().get(0).start()),
            old.instances().get(1));
        assertThat(validate(network(function(true, true, drained)), network(old), FACTS)).isEmpty();
        // Only the instance that is ordered otherwise is looked at.
        assertThat(validate(network(spread(start("filter", 9), start("forwarder", 8))), network(old), FACTS))
            .extracting(Violation::leaf).containsExactly("instance fw2 / core");
        assertThat(validate(network(router(true, "router-vm")), network(router(false, "router-vm")), FACTS))
            .extracting(Violation::rule).anyMatch(rule -> rule.contains("is for one tenant"));
        assertThat(validate(network(single(false, start("router-vm", null))), network(router(false, "router-vm")),
            FACTS)).extracting(Violation::leaf).containsExactly("routed");
    }

    private static List<Violation> check(final NetworkFunction function) {
        return validate(network(function), Snapshot.empty(), FACTS);
    }

    private static List<Violation> validate(final Snapshot snapshot, final Snapshot before,
            final Map<String, NodeFacts> facts) {
        return new Validator().validateAgain(snapshot, before, Allocations.none(), facts);
    }

    private static Snapshot network(final NetworkFunction function) {
        return Snapshot.of(List.copyOf(Fixtures.network().nodes().values()), Backbone.NONE, List.of(),
            List.of(function), List.of(), List.of(), List.of());
    }

    private static Start start(final String function, final Integer core) {
        return new Start(function, Optional.ofNullable(core), Optional.empty());
    }

    private static NetworkFunction single(final boolean shared, final Start start) {
        return function(shared, false, List.of(new Instance("fw", State.IN_SERVICE, 1, Optional.ofNullable(start))));
    }

    private static NetworkFunction router(final boolean shared, final String name) {
        return single(shared, start(name, null)).with(NetworkFunction.Routed.DEFAULT);
    }

    private static NetworkFunction spread(final Start... starts) {
        return function(true, true, IntStream.range(0, starts.length).mapToObj(i -> new Instance("fw" + (i + 1),
            State.IN_SERVICE, 1, Optional.of(starts[i]))).toList());
    }

    private static NetworkFunction function(final boolean shared, final boolean spread,
            final List<Instance> instances) {
        return new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, shared, spread, instances,
            new NetworkFunction.Tagged(), Optional.empty(), Optional.empty());
    }
}
