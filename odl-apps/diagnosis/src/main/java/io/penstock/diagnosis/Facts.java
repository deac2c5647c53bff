// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import static java.util.Objects.requireNonNull;

import io.penstock.operations.LearnedHost;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.AccessPlace;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;

/**
 * What is known at one moment.
 *
 * @param tenant the tenant that the question is about
 * @param failed reason why the controller does not carry out its configuration
 * @param nodes the nodes of the tenant, by name
 * @param dhcp messages to its DHCP server that were not answered lately, by message and reason
 * @param trace what a switch does with the packet, as it says itself; absent if it was not asked
 */
public record Facts(Snapshot snapshot, Allocations allocations, Tenant tenant, Optional<String> failed,
        Map<String, NodeFacts> nodes, Map<String, Long> dhcp, Optional<Traced> trace) {
    public Facts {
        requireNonNull(failed);
        nodes = Map.copyOf(nodes);
        dhcp = Map.copyOf(dhcp);
        requireNonNull(trace);
    }

    /** The same with the word of the switch. */
    public Facts with(final Traced traced) {
        return new Facts(snapshot, allocations, tenant, failed, nodes, dhcp, Optional.of(traced));
    }

    /** The same without the word of the switch, where a next hop of a node does not answer ARP any more. */
    public Facts withSilent(final String name, final Ipv4 nextHop) {
        final Map<String, NodeFacts> changed = new HashMap<>(nodes);
        changed.computeIfPresent(name, (key, node) -> node.withSilent(nextHop.toString()));
        return new Facts(snapshot, allocations, tenant, failed, changed, dhcp, Optional.empty());
    }

    /** What was allocated for the tenant; absent just after it was committed. */
    Optional<TenantAllocation> given() {
        return Optional.ofNullable(allocations.tenants().get(tenant.name()));
    }

    /** The node, which is one of the tenant. */
    NodeFacts node(final String name) {
        return nodes.getOrDefault(name, NodeFacts.AWAY);
    }

    /**
     * What a switch does with a packet of the question that is only simulated.
     *
     * @param forwarded whether it goes out by any port
     * @param where as it is told in sentences, such as {@code leaves by port up0}
     */
    public record Traced(boolean forwarded, String where) { }

    /** Whether a node carries out what is configured for the tenant. */
    public enum Service {
        /** It does. */
        SERVING,
        /** It is not connected, and forwards packets as it was told before. */
        AWAY,
        /** It has not confirmed the newest configuration. */
        INSTALLING,
        /** It refuses flows of the tenant. */
        REFUSING,
        /** Some flows are missing or wrong. */
        DRIFTED
    }

    /**
     * What is known of one node.
     *
     * @param reason for a service other than {@code SERVING}; may be empty
     * @param ports ports that the switch has reported or could not open, by name
     * @param down names of instances of functions that do not work, with the reasons
     * @param hosts hosts of the tenant that the switch has learned
     * @param gateways next hops of the backbone that the switch knows the MAC addresses of, as text
     * @param drops flows that have dropped packets of the tenant, or frames that came by its ports
     * @param limits limits of the tenant that have dropped packets
     * @param sessions tracked connections of the tenant
     * @param mostSessions most of them, as the switch has it
     * @param resolver state of the tenant's resolver, {@code ok} or what is wrong; empty without one
     * @param silentUpstreams addresses that the resolver asked last without an answer
     * @param flooding places from which frames flood the slow path
     */
    public record NodeFacts(Service service, String reason, Map<String, PortFacts> ports, Map<String, String> down,
            List<LearnedHost> hosts, Set<String> gateways, List<Drops> drops, List<Limited> limits,
            OptionalLong sessions, OptionalLong mostSessions, String resolver, List<String> silentUpstreams,
            Set<AccessPlace> flooding) {
        /** Of a node that is not connected. */
        public static final NodeFacts AWAY = new NodeFacts(Service.AWAY, "", Map.of(), Map.of(), List.of(), Set.of(),
            List.of(), List.of(), OptionalLong.empty(), OptionalLong.empty(), "", List.of(), Set.of());

        public NodeFacts {
            requireNonNull(service);
            requireNonNull(reason);
            ports = Map.copyOf(ports);
            down = Map.copyOf(down);
            hosts = List.copyOf(hosts);
            gateways = Set.copyOf(gateways);
            drops = List.copyOf(drops);
            limits = List.copyOf(limits);
            silentUpstreams = List.copyOf(silentUpstreams);
            flooding = Set.copyOf(flooding);
        }

        private NodeFacts withSilent(final String nextHop) {
            final Set<String> others = new HashSet<>(gateways);
            others.remove(nextHop);
            return new NodeFacts(service, reason, ports, down, hosts, others, drops, limits, sessions, mostSessions,
                resolver, silentUpstreams, flooding);
        }

        /** Whether the switch was read while it had the newest configuration. */
        boolean isKnown() {
            return service != Service.AWAY && service != Service.INSTALLING;
        }
    }

    /**
     * A port of a switch.
     *
     * @param up whether it has a link
     * @param error reason why the switch could not open it; empty if it could
     * @param mtu longest packet that it takes, bytes of IP
     */
    public record PortFacts(boolean up, String error, OptionalInt mtu) { }

    /**
     * A flow that drops.
     *
     * @param table name of its table
     * @param label what it is for
     * @param packets since it was added
     * @param recent those of the last minutes
     * @param last the last one that was reported, in words
     */
    public record Drops(String table, String label, long packets, long recent, Optional<String> last) {
        public Drops {
            requireNonNull(last);
        }
    }

    /**
     * A limit that drops.
     *
     * @param meter name of the limit, as in the RPC {@code limits}
     * @param rate units a second
     * @param unit {@code packets} or {@code kilobits}
     * @param packets since it was made
     * @param recent those of the last minutes
     */
    public record Limited(String meter, long rate, String unit, long packets, long recent) { }
}
