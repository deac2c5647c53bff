// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import static java.util.Objects.requireNonNull;

import io.penstock.diagnosis.Facts.NodeFacts;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.stage.ChainTrace;
import io.penstock.pipeline.stage.ChainTrace.Reason;
import io.penstock.pipeline.stage.NodeView;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Whether the functions of the chain work. */
final class ChainCheck implements Check {
    @Override
    public void look(final Subject subject, final Walk walk) {
        if (!subject.tenant().hasChain()) {
            return;
        }
        final Optional<FiveTuple> packet = subject.packet().filter(each -> RouteCheck.leaves(subject, each));
        if (packet.isPresent()) {
            passed(subject, packet.orElseThrow(), walk);
        } else if (subject.packet().isEmpty()) {
            subject.facts().snapshot().functionsOf(subject.tenant()).stream().filter(function -> isDown(subject,
                function))
                .forEach(function -> down(subject, function, walk));
        }
    }

    private static void passed(final Subject subject, final FiveTuple packet, final Walk walk) {
        final Facts facts = subject.facts();
        final String name = subject.attachments().get(0).node();
        final @Nullable Node node = facts.snapshot().nodes().get(name);
        if (node == null || facts.given().isEmpty()) {
            return;
        }
        final NodeView view = new NodeView(facts.snapshot(), facts.allocations(), facts.node(name).down().keySet(),
            Set.of(), node);
        final ChainTrace trace;
        try {
            trace = ChainTrace.of(view, subject.tenant(), packet, Optional.empty());
        } catch (IllegalArgumentException e) {
            // An address that packets of a chain do not have; other checks name it.
            return;
        }
        final List<ChainTrace.Hop> hops = trace.outbound().hops();
        hops.forEach(hop -> {
            if (hop.reason() == Reason.STOPPED || hop.reason() == Reason.BYPASSED) {
                down(subject, requireNonNull(facts.snapshot().functions().get(hop.function())), walk);
            }
        });
        if (!trace.outbound().isStopped()) {
            walk.passes(Stage.CHAIN, hops.isEmpty() ? "The packet passes no function."
                : "The packet passes " + hops.stream().filter(hop -> hop.instance().isPresent())
                    .map(hop -> hop.function() + " (" + hop.instance().orElseThrow() + ")")
                    .collect(Collectors.joining(", ")) + " of chain " + trace.outbound().chain().orElse("") + ".");
        }
    }

    private static boolean isDown(final Subject subject, final NetworkFunction function) {
        final NodeFacts node = subject.facts().node(function.node());
        return node.isKnown() && function.instances().stream()
            .allMatch(instance -> node.down().containsKey(instance.name())
                || instance.state() == NetworkFunction.State.OUT_OF_SERVICE);
    }

    private static void down(final Subject subject, final NetworkFunction function, final Walk walk) {
        final NodeFacts node = subject.facts().node(function.node());
        final String reasons = function.instances().stream().filter(each -> node.down().containsKey(each.name()))
            .map(each -> each.name() + " " + node.down().get(each.name())).collect(Collectors.joining(", "));
        final String why = reasons.isEmpty() ? "no instance is in service" : reasons;
        if (function.failPolicy() == NetworkFunction.FailPolicy.CLOSED) {
            walk.fails(Stage.CHAIN, Cause.FUNCTION_DOWN, "Function " + function.name() + " is down (" + why
                + "), and its fail policy is closed, so packets of its chains are dropped.",
                "Start the function, or take it out of the chain.");
        } else {
            walk.notice(Stage.CHAIN, Cause.FUNCTION_BYPASSED, "Function " + function.name() + " is down (" + why
                + "), and packets bypass it, because its fail policy is open.", "Start the function.");
        }
    }
}
