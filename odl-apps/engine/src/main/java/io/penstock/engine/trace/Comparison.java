// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.trace;

import io.penstock.engine.trace.TraceAnswer.Leg;
import io.penstock.operations.TraceReport.Verdict;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.ChainTrace.Hop;
import io.penstock.pipeline.stage.ChainTrace.Reason;
import io.penstock.pipeline.stage.ChainTrace.Way;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Holds what a switch does against a planned way. */
record Comparison(Verdict verdict, String reason) {
    static final Comparison SAME = new Comparison(Verdict.AGREES, "");

    /** Where packets may well end that a chain never sees: who sent them, access lists, routes. */
    private static final Set<Table> BEFORE_CHAINS = Set.of(Table.ACCESS_GUARD, Table.ND_GUARD, Table.GATEWAY,
        Table.VRF_ROUTE, Table.TENANT_ACL, Table.TENANT_ACL_REPLY, Table.ROUTING_ERROR);
    /** Tables of which packets meet one when they have left a chain. */
    private static final Set<Table> BACKBONE = Set.of(Table.NAT_MAP, Table.BACKBONE_ROUTE);
    private static final Set<Table> TENANT = Set.of(Table.TENANT_ACL_IN, Table.VRF_ROUTE);

    /**
     * A packet that begins at the tenant.
     *
     * @param functions all ports of functions
     */
    static Comparison outbound(final Way way, final List<Leg> legs, final Set<String> functions) {
        final Leg first = legs.get(0);
        if (!first.tables().contains(Table.CHAIN_OUT)) {
            final String where = "a packet from " + first.from() + " ends in table " + last(first)
                + ", before any chain";
            return first.last().filter(BEFORE_CHAINS::contains).isPresent()
                ? new Comparison(Verdict.NOT_CHECKED, where) : new Comparison(Verdict.DIFFERS, where);
        }
        if (way.isStopped() && way.hops().size() > 1) {
            final List<Set<String>> outputs = outputs(way);
            return compare(outputs.subList(0, outputs.size() - 1), legs, functions, Set.of());
        }
        if (way.isStopped()) {
            return first.to().isEmpty() && first.last().filter(Table.CHAIN_OUT::equals).isPresent() ? SAME
                : differs(first, "drops it");
        }
        return compare(outputs(way), legs, functions, BACKBONE);
    }

    /** An answer that begins behind its first function. */
    static Comparison inbound(final Way way, final List<Leg> legs, final Set<String> functions) {
        final List<Set<String>> outputs = outputs(way);
        return compare(outputs.subList(1, outputs.size()), legs, functions, TENANT);
    }

    /** To which ports of functions a packet goes from where it begins, and from each function that it passes. */
    private static List<Set<String>> outputs(final Way way) {
        final List<Set<String>> outputs = new ArrayList<>(List.of(new TreeSet<>()));
        for (final Hop hop : way.hops()) {
            if (!hop.portTo().isEmpty()) {
                outputs.get(outputs.size() - 1).add(hop.portTo());
            }
            if (hop.reason() != Reason.COPY && hop.reason() != Reason.BYPASSED) {
                outputs.add(new TreeSet<>());
            }
        }
        return outputs;
    }

    private static Comparison compare(final List<Set<String>> planned, final List<Leg> legs,
            final Set<String> functions, final Set<Table> exits) {
        for (int index = 0; index < planned.size(); index++) {
            if (index == legs.size()) {
                return unseen(planned.get(index - 1));
            }
            final boolean last = index == planned.size() - 1;
            final Set<String> ports = planned.get(index);
            final String text = ports.isEmpty() ? "" : "sends it to " + String.join(" and ", ports);
            final Leg leg = legs.get(index);
            final Set<String> seen = leg.to().stream()
                .filter(port -> !last || exits.isEmpty() || functions.contains(port)).collect(Collectors.toSet());
            final String end = exits.isEmpty() ? "drops it" : "leads it out of the chain";
            if (!seen.equals(ports)) {
                return differs(leg, last ? end : text);
            }
            if (last && !exits.isEmpty() && leg.tables().stream().noneMatch(exits::contains)) {
                return differs(leg, end);
            }
        }
        return SAME;
    }

    /** What comes back from functions that nobody can be asked about: see {@link TraceOrder}. */
    static Comparison unseen(final Set<String> ports) {
        return new Comparison(Verdict.NOT_CHECKED, "the switch cannot trace a packet that returns in a network "
            + "service header, so the path was not checked behind " + String.join(" and ", ports));
    }

    private static Comparison differs(final Leg leg, final String plan) {
        return new Comparison(Verdict.DIFFERS, "a packet from " + leg.from() + " "
            + (leg.to().isEmpty() ? "goes to no port" : "goes to " + String.join(" and ", leg.to()))
            + ", its last table is " + last(leg) + "; the plan " + plan);
    }

    private static String last(final Leg leg) {
        return leg.last().map(Table::text).orElse("(none)");
    }
}
