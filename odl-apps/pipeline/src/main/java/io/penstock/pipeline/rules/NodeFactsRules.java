// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.Start;
import io.penstock.pipeline.intent.Snapshot;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The rules for instances that nodes have to start, where it is known what a node has. An instance whose order was the
 * same before is not looked at: what a node has lost since must not keep the rest from being changed.
 */
final class NodeFactsRules {
    private final Snapshot before;
    private final Map<String, NodeFacts> facts;
    private final Set<Violation> found = new LinkedHashSet<>();

    NodeFactsRules(final Snapshot before, final Map<String, NodeFacts> facts) {
        this.before = before;
        this.facts = facts;
    }

    List<Violation> violations(final Snapshot snapshot) {
        for (final NetworkFunction function : snapshot.functions().values()) {
            final NodeFacts known = facts.get(function.node());
            if (known != null) {
                if (function.nsh() && !known.serviceHeader() && !isSame(function)) {
                    add(function, "nsh", "is set, but a packet with the header can end the switch of node "
                        + function.node() + "; use another node (docs/node-profile.md)");
                }
                function.instances().stream().filter(instance -> isNew(function, instance))
                    .forEach(instance -> instance.start().ifPresent(start -> check(function, instance, start, known)));
            }
        }
        return List.copyOf(found);
    }

    private boolean isSame(final NetworkFunction function) {
        final NetworkFunction old = before.functions().get(function.name());
        return old != null && old.nsh() && old.node().equals(function.node());
    }

    private boolean isNew(final NetworkFunction function, final Instance instance) {
        final NetworkFunction old = before.functions().get(function.name());
        return old == null || !old.node().equals(function.node()) || old.shared() != function.shared()
            || !old.mode().getClass().equals(function.mode().getClass())
            || old.instances().stream().noneMatch(each -> each.name().equals(instance.name())
                && each.start().equals(instance.start()));
    }

    private void check(final NetworkFunction function, final Instance instance, final Start start,
            final NodeFacts known) {
        final NodeFacts.Entry entry = known.catalogue().get(start.function());
        if (entry == null) {
            add(function, leaf(function, instance, "function", Start::function), "the catalogue of node "
                + function.node() + " has no function '" + start.function() + "'; it has "
                + (known.catalogue().isEmpty() ? "none" : String.join(", ", known.catalogue().keySet())));
        } else {
            check(function, start.function(), entry);
        }
        start.core().filter(core -> !known.cores().contains(core)).ifPresent(core -> add(function,
            leaf(function, instance, "core", Start::core), "node " + function.node() + " has no core " + core
                + "; it has " + known.cores().stream().map(String::valueOf).collect(Collectors.joining(", "))));
    }

    private void check(final NetworkFunction function, final String name, final NodeFacts.Entry entry) {
        final String it = "function '" + name + "' of the catalogue of node " + function.node();
        if (function.shared() && !entry.shared()) {
            add(function, "shared", "is true, but " + it + " is for one tenant; set it to false");
        }
        if (function.nsh()) {
            add(function, "nsh", "is set, but " + it + " does not support the network service header; remove nsh");
        }
        if (function.routed().isPresent() && !entry.routed()) {
            add(function, "routed", "is configured, but " + it + " is not a router; remove routed");
        } else if (function.routed().isEmpty() && entry.routed()) {
            add(function, "routed", "is missing, but " + it + " is a router; add routed");
        }
        if (function.twoOutputs() && !entry.twoOutputs()) {
            add(function, "second-output", "is true, but " + it + " has one output; set it to false");
        } else if (!function.twoOutputs() && entry.twoOutputs()) {
            add(function, "second-output", "is false, but " + it + " has two outputs; set it to true");
        }
    }

    /** Where a value of an instance's order is configured: what all instances have alike is that of the function. */
    private static String leaf(final NetworkFunction function, final Instance instance, final String name,
            final Function<Start, Object> value) {
        final Set<Optional<Object>> values = function.instances().stream()
            .map(each -> each.start().map(value)).collect(Collectors.toSet());
        final boolean common = !function.spread() || function.instances().size() > 1 && values.size() == 1;
        return (common ? "start" : "instance " + instance.name()) + " / " + name;
    }

    private void add(final NetworkFunction function, final String leaf, final String rule) {
        found.add(new Violation("function " + function.name(), leaf, rule));
    }
}
