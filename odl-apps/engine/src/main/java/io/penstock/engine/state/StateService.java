// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.Desired;
import io.penstock.configuration.grant.Transition;
import io.penstock.engine.state.StateSink.Changes;
import io.penstock.engine.state.StateSink.Entry;
import io.penstock.engine.state.TenantState.Kind;
import io.penstock.events.StatusEvent;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the state of the network, and tells what has changed, ten times a second at most. Looks at what was marked
 * alone. Marks are safe for all threads and never block; all else is done by one thread.
 */
public final class StateService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StateService.class);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final Supplier<LiveNetwork> network;
    private final StateSink sink;
    private final Clock clock;
    private final TaskThread thread = new TaskThread("penstock-state");
    private final Published<NodeState> nodes = new Published<>();
    private final Published<TenantState> tenants = new Published<>();
    private final Published<FunctionState> functions = new Published<>();
    private final Published<PoolState> pools = new Published<>();
    /** Tenants that wait for nodes, and may not when a node says something. */
    private final Set<String> installing = new HashSet<>();
    private final Consumer<StatusEvent> events;
    private final StatusEvents differences;
    private Marks marks = new Marks();
    /** Whether the states of an engine of before may still be there. For the thread. */
    private boolean toClear = true;

    /** Names of what has to be looked at. */
    private static final class Marks {
        private final Set<String> nodes = new HashSet<>();
        private final Set<String> applied = new HashSet<>();
        private final Set<String> tenants = new HashSet<>();
        private boolean all;
        private boolean addresses;
        private boolean any;
    }

    /** States of one kind as they were told the last time. */
    private final class Published<T extends Status<T>> {
        private final Map<String, Entry<T>> told = new HashMap<>();

        /** Of some names, what differs; empty for one that has no state. */
        Map<String, Optional<Entry<T>>> differing(final Set<String> names, final Function<String, Optional<T>> now) {
            final Map<String, Optional<Entry<T>>> changes = new HashMap<>();
            for (final String name : names) {
                final Entry<T> before = told.get(name);
                final Optional<T> state = now.apply(name);
                if (state.isPresent() && (before == null || !before.state().equals(state.orElseThrow()))) {
                    changes.put(name, Optional.of(new Entry<>(state.orElseThrow(),
                        before != null && before.state().isLike(state.orElseThrow()) ? before.since()
                            : clock.instant())));
                } else if (state.isEmpty() && before != null) {
                    changes.put(name, Optional.empty());
                }
            }
            return changes;
        }

        void told(final Map<String, Optional<Entry<T>>> changes) {
            changes.forEach((name, entry) -> entry.ifPresentOrElse(now -> told.put(name, now),
                () -> told.remove(name)));
        }

        Set<String> with(final Set<String> others) {
            final Set<String> names = new HashSet<>(told.keySet());
            names.addAll(others);
            return names;
        }
    }

    /**
     * Tells nothing until it is started.
     *
     * @param network the network as it is when this is called
     * @param events is told of changes of statuses; must not block
     */
    public StateService(final Supplier<LiveNetwork> network, final StateSink sink,
            final Consumer<StatusEvent> events, final Clock clock) {
        this.network = requireNonNull(network);
        this.sink = requireNonNull(sink);
        this.clock = requireNonNull(clock);
        this.events = requireNonNull(events);
        differences = new StatusEvents(clock);
    }

    /** Takes away what an engine of before has told, and begins. */
    public void start() {
        thread.run(this::look);
    }

    /** The desired state has changed. */
    public void changed(final Transition transition) {
        mark(to -> {
            to.all |= transition.isWide();
            to.addresses |= addressesMayDiffer(transition);
            to.applied.addAll(transition.nodes());
            to.tenants.addAll(transition.tenants());
        });
    }

    /** Something of a node has changed. */
    public void changed(final String node) {
        mark(to -> to.nodes.add(node));
    }

    /** What a node has counted of some tenants, and of all together, was read. */
    public void counted(final String node, final Set<String> tenantsOfNode) {
        mark(to -> {
            to.applied.add(node);
            to.tenants.addAll(tenantsOfNode);
        });
    }

    /** A node has confirmed a state, and nothing else of it has changed. */
    public void applied(final String node) {
        mark(to -> to.applied.add(node));
    }

    private static boolean addressesMayDiffer(final Transition transition) {
        return transition.tenants().stream().anyMatch(name -> !address(transition.before(), name)
            .equals(address(transition.after(), name)));
    }

    private static Optional<Ipv4> address(final Desired state, final String tenant) {
        return Optional.ofNullable(state.allocations().tenants().get(tenant))
            .flatMap(TenantAllocation::publicAddress);
    }

    private synchronized void mark(final Consumer<Marks> what) {
        what.accept(marks);
        if (!marks.any) {
            marks.any = true;
            thread.later(this::look, PAUSE);
        }
    }

    private synchronized Marks take() {
        final Marks taken = marks;
        marks = new Marks();
        return taken;
    }

    /** Marks that were taken and come to nothing are made up for by a look at all. */
    private void look() {
        attempt(() -> {
            if (toClear) {
                sink.clear();
                toClear = false;
            }
            look(take());
        });
    }

    private void look(final Marks marked) {
        final LiveNetwork now = network.get();
        final Snapshot snapshot = now.desired().snapshot();
        final Changes changes = new Changes(
            nodes.differing(marked.all ? nodes.with(snapshot.nodes().keySet()) : union(marked.nodes, marked.applied),
                name -> Optional.ofNullable(snapshot.nodes().get(name)).map(node -> now.node(name))),
            tenants.differing(tenants(marked, snapshot), name ->
                Optional.ofNullable(snapshot.tenants().get(name)).map(now::tenant)),
            functions.differing(functions(marked, snapshot), name ->
                Optional.ofNullable(snapshot.functions().get(name)).map(now::function)),
            marked.all || marked.addresses ? pools(now) : Map.of());
        if (!changes.isEmpty()) {
            sink.write(changes);
            nodes.told(changes.nodes());
            tenants.told(changes.tenants());
            changes.tenants().forEach((name, told) -> {
                if (told.filter(entry -> entry.state().kind() == Kind.INSTALLING).isPresent()) {
                    installing.add(name);
                } else {
                    installing.remove(name);
                }
            });
            functions.told(changes.functions());
            pools.told(changes.pools());
            differences.of(changes).forEach(events);
        }
    }

    private Map<String, Optional<Entry<PoolState>>> pools(final LiveNetwork now) {
        final Map<String, PoolState> states = now.pools();
        return pools.differing(pools.with(states.keySet()), name -> Optional.ofNullable(states.get(name)));
    }

    private Set<String> tenants(final Marks marked, final Snapshot snapshot) {
        if (marked.all) {
            return tenants.with(snapshot.tenants().keySet());
        }
        final Set<String> names = new HashSet<>(marked.tenants);
        marked.nodes.forEach(node -> snapshot.tenantsOn(node).stream().map(Tenant::name).forEach(names::add));
        if (!marked.applied.isEmpty()) {
            names.addAll(installing);
        }
        return names;
    }

    private Set<String> functions(final Marks marked, final Snapshot snapshot) {
        if (marked.all) {
            return functions.with(snapshot.functions().keySet());
        }
        final Set<String> names = new HashSet<>();
        marked.nodes.forEach(node -> snapshot.functionsOn(node).stream().map(NetworkFunction::name)
            .forEach(names::add));
        return names;
    }

    private static Set<String> union(final Set<String> one, final Set<String> other) {
        final Set<String> both = new HashSet<>(one);
        both.addAll(other);
        return both;
    }

    /** A datastore that does not take it is tried again, with all that differs then; so is any other failure. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private void attempt(final Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.warn("The state is not stored, will try again in {} s: {}", RETRY.toSeconds(), e.toString());
            LOG.debug("The state is not stored", e);
            thread.later(() -> mark(to -> {
                to.all = true;
                to.addresses = true;
            }), RETRY);
        }
    }

    /** Ends, and takes away what was told: it is true no longer. */
    @Override
    public void close() {
        if (thread.isClosed()) {
            return;
        }
        final CompletableFuture<Void> cleared = new CompletableFuture<>();
        thread.run(() -> {
            attempt(sink::clear);
            cleared.complete(null);
        });
        cleared.completeOnTimeout(null, RETRY.toSeconds(), TimeUnit.SECONDS).join();
        thread.close();
    }
}
