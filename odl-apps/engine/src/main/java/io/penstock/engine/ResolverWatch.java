// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeWorker;
import io.penstock.events.ResolverEvent;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.southbound.ovsdb.ZoneReport;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at what the agents of nodes report of tenants' resolvers. One that is in trouble at two looks is dead: agents
 * restart resolvers at once, and those of changed orders start. No report is no trouble: the node may be lost, which
 * has an event of its own. For the thread of the engine.
 */
final class ResolverWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ResolverWatch.class);

    private final Supplier<Desired> desired;
    private final Consumer<ResolverEvent> events;
    private final TaskThread thread;
    private final Set<Place> suspected = new HashSet<>();
    private final Set<Place> dead = new HashSet<>();

    private record Place(String node, String tenant) { }

    /**
     * Has looked at nothing.
     *
     * @param events is told of resolvers that die and live; must not block
     * @param thread on which answers of nodes are looked at
     */
    ResolverWatch(final Supplier<Desired> desired, final Consumer<ResolverEvent> events, final TaskThread thread) {
        this.desired = requireNonNull(desired);
        this.events = requireNonNull(events);
        this.thread = requireNonNull(thread);
    }

    /** Asks a node, if it is to have resolvers. */
    void look(final String node, final NodeWorker worker) {
        if (tenants(node).isEmpty()) {
            take(node, Map.of());
        } else {
            worker.session().ifPresent(session -> session.report()
                .thenAccept(report -> thread.run(() -> take(node, report.zones()))).exceptionally(e -> {
                    LOG.debug("Node {}: its resolvers cannot be looked at", node, e);
                    return null;
                }));
        }
    }

    /** Tenants with a resolver on a node, by their zone. */
    private SortedMap<Integer, String> tenants(final String node) {
        final Desired now = desired.get();
        final SortedMap<Integer, String> tenants = new TreeMap<>();
        now.snapshot().tenantsOn(node).stream().filter(tenant -> tenant.services().dns().isPresent())
            .forEach(tenant -> Optional.ofNullable(now.allocations().tenants().get(tenant.name()))
                .flatMap(given -> given.vrf(node)).ifPresent(vrf -> tenants.put(vrf.natZone(), tenant.name())));
        return tenants;
    }

    /** Takes a report. */
    void take(final String node, final Map<Integer, ZoneReport> zones) {
        final SortedMap<Integer, String> tenants = tenants(node);
        tenants.forEach((zone, tenant) -> Optional.ofNullable(zones.get(zone)).map(ZoneReport::resolver)
            .filter(state -> !state.isEmpty()).ifPresent(state -> take(new Place(node, tenant), state)));
        forget(suspected, node, tenants);
        forget(dead, node, tenants);
    }

    private void take(final Place place, final String state) {
        if (state.equals(NodeKeys.RESOLVER_OK)) {
            suspected.remove(place);
            if (dead.remove(place)) {
                events.accept(new ResolverEvent(place.node(), place.tenant(), Optional.empty()));
            }
        } else if (!suspected.add(place) && dead.add(place)) {
            events.accept(new ResolverEvent(place.node(), place.tenant(), Optional.of(state)));
        }
    }

    private static void forget(final Set<Place> places, final String node, final SortedMap<Integer, String> tenants) {
        places.removeIf(place -> place.node().equals(node) && !tenants.containsValue(place.tenant()));
    }
}
