// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.diagnosis.Facts.Drops;
import io.penstock.diagnosis.Facts.NodeFacts;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Tenant;
import java.util.Comparator;
import java.util.List;

/** Whether the resolver works, and whether flows drop packets that no other check has explained. */
final class ServiceCheck implements Check {
    private static final String OK = "ok";
    /** Begins what the agent says of a resolver that works (agent_resolver.py). */
    private static final String LEFT_OUT = "names that are not valid in DNS";
    /** Begins the names of the tables that translate addresses. */
    private static final String TRANSLATION = "nat_";

    @Override
    public void look(final Subject subject, final Walk walk) {
        final Tenant tenant = subject.tenant();
        tenant.nodes().stream().sorted().forEach(name -> {
            final NodeFacts node = subject.facts().node(name);
            if (!node.isKnown()) {
                return;
            }
            tenant.services().dns().ifPresent(dns -> {
                resolver(tenant, name, node.resolver(), walk);
                upstreams(subject, dns, name, walk);
            });
            node.drops().stream().filter(drops -> drops.recent() > 0 && !isExplained(drops.label()))
                .sorted(Comparator.comparingLong(Drops::recent).reversed())
                .forEach(drops -> dropped(tenant, name, drops, walk));
        });
    }

    private static void dropped(final Tenant tenant, final String node, final Drops drops, final Walk walk) {
        final String text = "Node " + node + " drops packets of tenant " + tenant.name() + " in table " + drops.table()
            + ": " + drops.label() + " (" + drops.recent() + " packets in the last minutes, " + drops.packets()
            + " since the flow was added)" + drops.last().map(last -> "; the last one reported: " + last).orElse("")
            + ".";
        final String remedy = "Name the host and the destination in the question to learn more.";
        // A list or a route drops what it is meant to drop; a translation that is lacking is a fault.
        if (drops.table().startsWith(TRANSLATION)) {
            walk.fails(Stage.DROPS, Cause.DROPPED, text, remedy);
        } else {
            walk.notice(Stage.DROPS, Cause.DROPPED, text, remedy);
        }
    }

    private static boolean isExplained(final String label) {
        return label.startsWith(HostCheck.UNKNOWN_VLAN) || label.equals(HostCheck.FOREIGN)
            || label.equals(HostCheck.LEASELESS);
    }

    /** Hosts get no answer when none of them answers, and a late one when some do. */
    private static void upstreams(final Subject subject, final Dns dns, final String node, final Walk walk) {
        final List<String> all = dns.upstreams().isEmpty() ? subject.facts().snapshot().backbone().resolvers()
            : dns.upstreams().stream().map(Dns.Upstream::address).toList();
        final List<String> silent = subject.facts().node(node).silentUpstreams().stream().filter(all::contains)
            .toList();
        if (silent.isEmpty()) {
            return;
        }
        final String names = (silent.size() == 1 ? "Upstream " : "Upstreams ") + String.join(", ", silent)
            + " of the resolver of tenant " + subject.tenant().name() + " on node " + node
            + " did not answer when last asked, ";
        final boolean inside = dns.upstreams().stream().anyMatch(Dns.Upstream::inside);
        final String remedy = "Check the DNS servers " + String.join(", ", silent) + (inside
            ? ", which are inside the VRF of the tenant." : ", and the network of the node's dns device to them.");
        if (silent.size() >= all.size()) {
            walk.fails(Stage.NAMES, Cause.UPSTREAM_SILENT, names
                + "so hosts get no answers about names outside the domain of the tenant.", remedy);
        } else {
            walk.notice(Stage.NAMES, Cause.UPSTREAM_SILENT, names
                + "so some answers about names outside the domain of the tenant are late.", remedy);
        }
    }

    private static void resolver(final Tenant tenant, final String node, final String state, final Walk walk) {
        if (state.equals(OK)) {
            walk.passes(Stage.NAMES, "The resolver of tenant " + tenant.name() + " on node " + node + " answers.");
        } else if (state.startsWith(LEFT_OUT)) {
            walk.notice(Stage.NAMES, Cause.NAMES_LEFT_OUT, "The resolver of tenant " + tenant.name() + " on node "
                + node
                + " answers, but not for " + state + ".", "Give these hosts names of letters, digits and hyphens.");
        } else if (state.isEmpty()) {
            walk.unknown(Stage.NAMES, Cause.RESOLVER_FAILED, "The agent of node " + node
                + " has not reported on the resolver of tenant " + tenant.name() + ".", "Check the agent of the node.");
        } else {
            walk.fails(Stage.NAMES, Cause.RESOLVER_FAILED, "The resolver of tenant " + tenant.name() + " on node "
                + node + " does not work: " + state + ".", "Check the upstream resolvers of the tenant, and the log "
                + "of the agent.");
        }
    }
}
