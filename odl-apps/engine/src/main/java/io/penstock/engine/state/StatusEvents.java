// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import io.penstock.engine.state.FunctionState.Instance;
import io.penstock.engine.state.StateSink.Changes;
import io.penstock.engine.state.StateSink.Entry;
import io.penstock.events.StatusEvent;
import io.penstock.events.StatusEvent.Kind;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Makes events of changes of the state. A status that ends by itself, and that of a subject that was not known before,
 * is no event. For one thread.
 */
final class StatusEvents {
    private final Clock clock;
    /** The last status of each subject that was worth an event, by its kind and name. */
    private final Map<String, String> last = new HashMap<>();

    StatusEvents(final Clock clock) {
        this.clock = clock;
    }

    /** The events of some changes, nodes first. */
    List<StatusEvent> of(final Changes changes) {
        final List<StatusEvent> events = new ArrayList<>();
        changes.nodes().forEach((name, now) -> look(events, Kind.NODE, name, now.map(Entry::state)
            .map(StatusEvents::text), now.map(Entry::state).map(NodeState::warning)));
        changes.functions().forEach((name, now) -> {
            look(events, Kind.FUNCTION, name, now.map(Entry::state).map(state -> switch (state.kind()) {
                case UP -> "up";
                case DOWN -> "down";
                case WAITING -> "";
            }), Optional.empty());
            forgetInstances(name, now.map(entry -> entry.state().instances()).orElse(List.of()));
            final Map<String, Instance> instances = new HashMap<>();
            now.filter(entry -> entry.state().kind() != FunctionState.Kind.WAITING)
                .ifPresent(entry -> entry.state().instances().forEach(each -> instances.put(each.name(), each)));
            instances.values().forEach(each -> look(events, Kind.INSTANCE, name + "/" + each.name(),
                Optional.of(each.portsUp() && each.answersProbes() ? "up" : "down"),
                Optional.of(!each.portsUp() ? "a port has no link" : each.answersProbes() ? ""
                    : "does not answer probes")));
        });
        changes.tenants().forEach((name, now) -> look(events, Kind.TENANT, name, now.map(Entry::state)
            .map(state -> switch (state.kind()) {
                case ACTIVE -> "active";
                case RESTRICTED, LACKING -> "degraded";
                case STOPPED -> "stopped";
                case FAILED -> "failed";
                // The first ends by itself, and the node has an event of its own.
                case INSTALLING, WAITING -> "";
            }), now.map(Entry::state).map(TenantState::reason)));
        return events;
    }

    /** Forgets the instances of a function but those that it has. */
    private void forgetInstances(final String function, final List<Instance> present) {
        final String prefix = key(Kind.INSTANCE, function + "/");
        final Set<String> kept = present.stream().map(each -> prefix + each.name()).collect(Collectors.toSet());
        last.keySet().removeIf(key -> key.startsWith(prefix) && !kept.contains(key));
    }

    private static String key(final Kind kind, final String name) {
        return kind.name().toLowerCase(Locale.ROOT) + " " + name;
    }

    private static String text(final NodeState state) {
        return !state.connected() ? "lost" : state.databaseConnected() ? "connected" : "database-lost";
    }

    /** Looks at a subject; its status is absent when it is gone, and empty when that is no event. */
    private void look(final List<StatusEvent> events, final Kind kind, final String name, final Optional<String> now,
            final Optional<String> reason) {
        final String key = key(kind, name);
        if (now.isEmpty()) {
            last.remove(key);
        } else if (!now.orElseThrow().isEmpty()) {
            final String before = last.put(key, now.orElseThrow());
            if (before != null && !before.equals(now.orElseThrow())) {
                events.add(new StatusEvent(kind, name, before, now.orElseThrow(), reason.orElse(""),
                    clock.instant()));
            }
        }
    }
}
