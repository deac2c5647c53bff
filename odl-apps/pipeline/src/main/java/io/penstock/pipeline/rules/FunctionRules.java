// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Routed;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The rules for functions, chains and access lists. */
final class FunctionRules {
    private final Snapshot snapshot;
    private final List<Violation> violations = new ArrayList<>();

    FunctionRules(final Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    List<Violation> validate() {
        checkFunctionsAndChains();
        checkAcls();
        return violations;
    }

    private void checkFunctionsAndChains() {
        final Map<String, String> owners = new HashMap<>();
        final Map<String, Set<String>> portsOf = new HashMap<>();
        for (final NetworkFunction function : snapshot.functions().values()) {
            final String entry = "function " + function.name();
            final Node node = snapshot.nodes().get(function.node());
            if (node == null) {
                add(entry, "node", Validator.unknown("node", function.node(), snapshot.nodes()));
            }
            if (function.mirror() && function.spread()) {
                add(entry, "instance",
                    "a mirror receives all packets, so it has no instances; remove instance or mirror");
            }
            if (function.mirror() && function.health().isPresent()) {
                add(entry, "health-check",
                    "a mirror returns no packets, so no probe can pass; remove health-check or mirror");
            }
            if (function.twoOutputs() && function.spread()) {
                add(entry, "instance", "a function with second-output has one instance, of its own name");
            }
            function.routed().ifPresent(routed -> checkRouter(entry, function, routed));
            violations.addAll(CanaryRules.validate(function));
            for (final NetworkFunction.Instance instance : function.instances()) {
                final String leaf = function.spread() ? "instance " + instance.name() + " / name" : "name";
                final String other = owners.putIfAbsent(instance.name(), function.name());
                final List<String> ports = function.ports(instance);
                if (other != null) {
                    add(entry, leaf, "function " + other + " has the ports " + String.join(" and ", ports));
                }
                if (node != null && ports.stream().anyMatch(portsOf.computeIfAbsent(node.name(), name ->
                        node.ports().stream().map(Node.Port::name).collect(Collectors.toSet()))::contains)) {
                    add(entry, leaf, "node " + node.name() + " has a port of the name "
                        + String.join(" or ", ports));
                }
            }
        }
        for (final Chain chain : snapshot.chains().values()) {
            checkChain(chain);
        }
    }

    private void checkRouter(final String entry, final NetworkFunction function, final Routed routed) {
        if (function.shared()) {
            add(entry, "shared", "has to be false: the links of a router have no 802.1Q tags, so it serves one tenant");
        }
        final Map<Ipv4, String> leaves = new HashMap<>();
        routed.links().forEach((side, link) -> {
            checkAddress(entry, side + " / address", link.address(), leaves);
            checkAddress(entry, side + " / gateway", link.gateway(), leaves);
            if (!link.mac().isHost()) {
                add(entry, side + " / mac", link.mac() + " is not a unicast address");
            }
            if (link.mac().equals(Constants.CHAIN_INSIDE_MAC) || link.mac().equals(Constants.CHAIN_OUTSIDE_MAC)) {
                add(entry, side + " / mac", link.mac() + " is a MAC address of the switch");
            }
        });
    }

    private void checkAddress(final String entry, final String leaf, final Ipv4 address,
            final Map<Ipv4, String> leaves) {
        final String other = leaves.putIfAbsent(address, leaf);
        if (other != null) {
            add(entry, leaf, address + " is " + other);
        }
        if (address.equals(Constants.PROBE_INSIDE) || address.equals(Constants.PROBE_OUTSIDE)) {
            add(entry, leaf, address + " is reserved for probes");
        }
    }

    private void checkChain(final Chain chain) {
        final String entry = "chain " + chain.name();
        if (isTooLong(entry, "function", chain.functions())) {
            return;
        }
        if (chain.all().stream().distinct().count() != chain.all().size()) {
            add(entry, "function", "a function may occur only once in a chain and its branch");
        }
        final Map<String, String> nodes = new HashMap<>();
        checkKnown(entry, "function", chain.functions(), nodes);
        chain.branch().ifPresent(branch -> {
            final NetworkFunction at = snapshot.functions().get(branch.at());
            if (!chain.functions().contains(branch.at())) {
                add(entry, "branch / at", "function " + branch.at() + " is not in the chain");
            } else if (at != null && !at.twoOutputs()) {
                add(entry, "branch / at", "function " + branch.at() + " has no second-output");
            }
            if (!isTooLong(entry, "branch / function", chain.alongBranch())) {
                checkKnown(entry, "branch / function", branch.functions(), nodes);
            }
        });
        if (nodes.size() > 1) {
            add(entry, "function", "the functions of a chain have to be on one node; these are on " + nodes.keySet());
        }
    }

    private boolean isTooLong(final String entry, final String leaf, final List<String> functions) {
        final boolean tooLong = functions.size() > Constants.MOST_CHAINED;
        if (tooLong) {
            add(entry, leaf, functions.size() + " functions are more than " + Constants.MOST_CHAINED);
        }
        return tooLong;
    }

    private void checkKnown(final String entry, final String leaf, final List<String> functions,
            final Map<String, String> nodes) {
        for (final String name : functions) {
            final NetworkFunction function = snapshot.functions().get(name);
            if (function == null) {
                add(entry, leaf, Validator.unknown("function", name, snapshot.functions()));
            } else {
                nodes.put(function.node(), name);
            }
        }
    }

    private void checkAcls() {
        for (final Acl acl : snapshot.acls().values()) {
            final String list = "acl " + acl.name();
            if (acl.entries().size() > Priority.ACL_ENTRIES) {
                add(list, "aces", "more than " + Priority.ACL_ENTRIES + " entries");
                continue;
            }
            for (final Acl.Entry entry : acl.entries()) {
                for (final String leaf : entry.inexpressible()) {
                    add(list, "ace " + entry.name() + " / " + leaf, "the data plane cannot express it");
                }
            }
        }
    }

    private void add(final String entry, final String leaf, final String rule) {
        if (violations.size() < Violation.MOST) {
            violations.add(new Violation(entry, leaf, rule));
        }
    }
}
