// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks a snapshot as a whole, so that what is accepted can be carried out. Without state. */
public final class Validator {
    private final Snapshot snapshot;
    private final List<Violation> violations = new ArrayList<>();

    private Validator(final Snapshot snapshot) {
        this.snapshot = snapshot;
    }

    /**
     * All rules the snapshot breaks, none when it is good.
     *
     * @param allocations what was handed out so far
     */
    public static List<Violation> validate(final Snapshot snapshot, final Allocations allocations) {
        final Validator validator = new Validator(snapshot);
        validator.checkFunctionsAndChains();
        validator.checkAcls();
        validator.violations.addAll(new BackboneValidator(snapshot).validate());
        validator.violations.addAll(new TenantValidator(snapshot, allocations).validate());
        return List.copyOf(validator.violations);
    }

    private void checkFunctionsAndChains() {
        for (final NetworkFunction function : snapshot.functions().values()) {
            final String entry = "function " + function.name();
            final Node node = snapshot.nodes().get(function.node());
            if (node == null) {
                add(entry, "node", unknown("node", function.node(), snapshot.nodes()));
            } else if (node.ports().stream().anyMatch(port -> port.name().equals(function.insidePort())
                    || port.name().equals(function.outsidePort()))) {
                add(entry, "name", "node " + node.name() + " has a port of the name " + function.insidePort() + " or "
                    + function.outsidePort());
            }
        }
        for (final Chain chain : snapshot.chains().values()) {
            checkChain(chain);
        }
    }

    private void checkChain(final Chain chain) {
        final String entry = "chain " + chain.name();
        if (chain.functions().size() > Constants.RECIRCULATION_BUDGET) {
            add(entry, "function", chain.functions().size() + " functions are over the recirculation budget of "
                + Constants.RECIRCULATION_BUDGET);
        }
        if (chain.functions().stream().distinct().count() != chain.functions().size()) {
            add(entry, "function", "a function may stand in a chain only once");
        }
        final Map<String, String> nodes = new HashMap<>();
        for (final String name : chain.functions()) {
            final NetworkFunction function = snapshot.functions().get(name);
            if (function == null) {
                add(entry, "function", unknown("function", name, snapshot.functions()));
            } else {
                nodes.put(function.node(), name);
            }
        }
        if (nodes.size() > 1) {
            add(entry, "function", "its functions are on more than one node: " + nodes.keySet());
        }
    }

    private void checkAcls() {
        for (final Acl acl : snapshot.acls().values()) {
            final String list = "acl " + acl.name();
            if (acl.entries().size() >= Priority.ACL_ENTRIES) {
                add(list, "aces", "more than " + Priority.ACL_ENTRIES + " entries");
            }
            for (final Acl.Entry entry : acl.entries()) {
                for (final String leaf : entry.inexpressible()) {
                    add(list, "ace " + entry.name() + " / " + leaf, "the data plane cannot express it");
                }
            }
        }
    }

    private void add(final String entry, final String leaf, final String rule) {
        violations.add(new Violation(entry, leaf, rule));
    }

    /** A rule text for a name that leads nowhere. */
    static String unknown(final String kind, final String name, final Map<String, ?> known) {
        return "there is no " + kind + " '" + name + "'; known: "
            + (known.isEmpty() ? "none" : String.join(", ", known.keySet().stream().limit(10).toList()));
    }

    /** Why an address cannot be a router's own address in a subnet, if it cannot. */
    static Optional<String> notInside(final long address, final Prefix prefix) {
        if (!prefix.contains(address)) {
            return Optional.of(Ipv4.text(address) + " is outside its subnet " + prefix);
        }
        if (prefix.length() < 31 && (address == prefix.address() || address == prefix.end() - 1)) {
            return Optional.of(Ipv4.text(address) + " is the network or broadcast address of " + prefix);
        }
        return Optional.empty();
    }
}
