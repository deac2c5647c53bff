// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.diagnosis.Facts.Limited;
import io.penstock.diagnosis.Facts.NodeFacts;
import io.penstock.pipeline.intent.Tenant;
import java.util.Map;
import java.util.Set;

/** Whether limits of the tenant drop packets now. */
final class LimitCheck implements Check {
    /** What each limit is about, by its name, and what to do. */
    private static final Map<String, String> MEANINGS = Map.of(
        "out", "packets to the backbone (quota bandwidth out)",
        "in", "packets from the backbone (quota bandwidth in)",
        "new-sessions", "packets that begin connections (quota new-sessions)",
        "fragments", "fragments to be tracked (quota fragments)",
        "slow-path", "ARP, neighbour discovery, pings of gateways and broadcasts",
        "host-configuration", "DHCP requests and router solicitations",
        "neighbour", "packets to hosts and next hops that do not answer ARP",
        "dns", "queries to the resolver",
        "error", "packets that need an ICMP error",
        "block-requests", "requests of subscribers for port blocks");

    /** Limits of packets that would not have been forwarded, or are sent again soon. */
    private static final Set<String> HARMLESS = Set.of("slow-path", "neighbour", "error");

    @Override
    public void look(final Subject subject, final Walk walk) {
        final Tenant tenant = subject.tenant();
        tenant.nodes().stream().sorted().forEach(name -> {
            final NodeFacts node = subject.facts().node(name);
            if (node.sessions().isPresent() && node.mostSessions().isPresent()
                    && node.sessions().orElseThrow() >= node.mostSessions().orElseThrow()) {
                walk.fails(Stage.QUOTA, Cause.SESSIONS_USED_UP, "Tenant " + tenant.name() + " has "
                    + node.sessions().orElseThrow() + " tracked connections on node " + name
                    + ", as many as its quota permits, so new connections are dropped.",
                    "Find the host with most connections, or raise the quota of sessions.");
            }
            node.limits().stream().filter(limit -> limit.recent() > 0).forEach(limit -> reached(tenant, name, limit,
                walk));
        });
    }

    private static void reached(final Tenant tenant, final String node, final Limited limit, final Walk walk) {
        final String text = "Tenant " + tenant.name() + " has reached its limit "
            + limit.meter() + " on node " + node + ", " + limit.rate() + " " + limit.unit() + "/s of "
            + MEANINGS.getOrDefault(limit.meter(), limit.meter()) + ": " + limit.recent() + " packets were dropped in "
            + "the last minutes.";
        final String remedy = "Find the host that sends them, or raise the limit in the quota of the tenant.";
        if (HARMLESS.contains(limit.meter())) {
            walk.notice(Stage.QUOTA, Cause.LIMIT_REACHED, text, remedy);
        } else {
            walk.fails(Stage.QUOTA, Cause.LIMIT_REACHED, text, remedy);
        }
    }
}
