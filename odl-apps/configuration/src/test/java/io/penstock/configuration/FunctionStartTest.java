// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.Link;
import io.penstock.pipeline.intent.NetworkFunction.Routed;
import io.penstock.pipeline.intent.NetworkFunction.Scheduling;
import io.penstock.pipeline.intent.NetworkFunction.Start;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a node has to start, and what a router has, from the configuration as RESTCONF takes it. */
class FunctionStartTest {
    @Test
    void functionWithoutAListOfInstancesIsStartedUnderItsName() throws Exception {
        assertThat(function("'start': {'function': 'forwarder', 'core': 2, 'scheduling': 'normal'}").instances())
            .containsExactly(new Instance("fw", State.IN_SERVICE, 1, Optional.of(new Start("forwarder",
                Optional.of(2), Optional.of(Scheduling.NORMAL)))));
    }

    @Test
    void instanceMayHaveACoreAndAFunctionOfItsOwn() throws Exception {
        final NetworkFunction read = function("""
            'start': {'function': 'forwarder', 'core': 2},
            'instance': [{'name': 'b', 'core': 3}, {'name': 'a', 'function': 'forwarder-2', 'weight': 2}, {'name': 'c'}]
            """);
        // Two with the same core: allowed.
        assertThat(read.instances()).containsExactly(new Instance("b", State.IN_SERVICE, 1, order("forwarder", 3)),
            new Instance("a", State.IN_SERVICE, 2, order("forwarder-2", 2)),
            new Instance("c", State.IN_SERVICE, 1, order("forwarder", 2)));
    }

    @Test
    void withoutStartItIsStartedByHand() throws Exception {
        assertThat(function("'instance': [{'name': 'a', 'state': 'draining', 'weight': 7}]").instances())
            .containsExactly(new Instance("a", State.DRAINING, 7));
        assertThat(function("'shared': false").instances()).containsExactly(new Instance("fw", State.IN_SERVICE, 1));
    }

    @Test
    void whatAnInstanceHasInsteadOfStartNeedsOne() {
        for (final String leaf : List.of("'core': 1", "'function': 'forwarder'")) {
            assertThatThrownBy(() -> function("'instance': [{'name': 'a', " + leaf + "}]"))
                .isInstanceOf(UnreadableException.class).hasMessage("function fw: instance a / "
                    + leaf.split("'")[1]
                    + ": needs start of the function, without which instances are started by hand");
        }
    }

    @Test
    void startNeedsAFunction() {
        assertThatThrownBy(() -> function("'start': {'core': 1}")).isInstanceOf(UnreadableException.class)
            .hasMessage("function fw: start / function: is missing");
    }

    @Test
    void theModelTakesNamesOfTheCatalogueOnly() throws Exception {
        assertThat(function("'start': {'function': 'a23456789-123456'}").single().start().orElseThrow().function())
            .hasSize(16);
        for (final String bad : List.of("", "Forwarder", "1st", "-a", "a_b", "a/../b", "a b", "a2345678901234567")) {
            assertThatThrownBy(() -> function("'start': {'function': '" + bad + "'}")).as(bad)
                .hasMessageContaining("does not match regular expression");
            assertThatThrownBy(() -> function("'start': {'function': 'a'}, 'instance': [{'name': 'i', 'function': '"
                + bad + "'}]")).as(bad).hasMessageContaining("does not match regular expression");
        }
        for (final String bad : List.of("'core': -1", "'core': 65536", "'scheduling': 'high'")) {
            assertThatThrownBy(() -> function("'start': {'function': 'a', " + bad + "}")).as(bad)
                .isNotInstanceOf(UnreadableException.class);
        }
    }

    @Test
    void aRouterHasItsLinksUnlessOthersAreGiven() throws Exception {
        assertThat(function("'shared': false").routed()).isEmpty();
        assertThat(function("'routed': {}").routed()).contains(Routed.DEFAULT);
        assertThat(function("'routed': {'outside': {'address': '192.0.2.7', 'mac': '52:54:00:00:00:01'}}").routed())
            .contains(new Routed(Routed.DEFAULT.inside(), new Link(Ipv4.parse("192.0.2.7"),
                Ipv4.parse("169.254.82.1"), new Mac(0x5254_0000_0001L))));
    }

    private static Optional<Start> order(final String function, final int core) {
        return Optional.of(new Start(function, Optional.of(core), Optional.empty()));
    }

    private static NetworkFunction function(final String content) throws Exception {
        return NetworkReaderTest.reader().read(Optional.of(NetworkReaderTest.parse("""
            {"penstock:network": {"function": [{"name": "fw", "node": "pe1", %s}]}}"""
            .formatted(content.replace('\'', '"')))), Optional.empty()).functions().get("fw");
    }
}
