// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.Desired;
import io.penstock.configuration.grant.Transition;
import io.penstock.engine.node.FormerSwitches;
import io.penstock.engine.node.NodeWorker;
import io.penstock.engine.node.PortStates;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.southbound.openflow.ConnectionListener;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.PortListener;
import io.penstock.southbound.openflow.PortStatus;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.openflow.TrackedConnections;
import io.penstock.southbound.ovsdb.NodeAnnouncement;
import io.penstock.southbound.ovsdb.NodeSession;
import io.penstock.southbound.ovsdb.OvsdbListener;
import io.penstock.southbound.ovsdb.PortState;
import io.penstock.southbound.ovsdb.SwitchFaults;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes: a worker for each that is configured, and the connections of their databases and switches, which reach the
 * workers from here. Callbacks of the southbounds only hand work to the thread of the engine.
 */
final class Fleet implements OvsdbListener, ConnectionListener, PortListener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Fleet.class);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration ANNOUNCEMENT_PAUSE = Duration.ofMillis(50);

    private final Supplier<Desired> desired;
    private final OpenFlowSouthbound southbound;
    private final NodeAdmission admission;
    private final Predicate<NodeAnnouncement> register;
    private final Function<String, NodeWorker> maker;
    private final TaskThread thread;
    private final FormerSwitches former;
    private final Retry registration;
    private final Map<String, NodeWorker> workers = new ConcurrentHashMap<>();
    private final Map<String, NodeSession> sessions = new ConcurrentHashMap<>();
    /** Nodes whose announcement has changed and is to be looked at, by name. */
    private final Map<String, NodeSession> announced = new ConcurrentHashMap<>();

    /**
     * Without nodes.
     *
     * @param admission which databases are believed
     * @param register stores a node as it announced itself; false if that is worth another attempt
     * @param maker makes the worker of a node that was configured
     * @param thread that of the engine
     */
    Fleet(final Supplier<Desired> desired, final OpenFlowSouthbound southbound, final NodeAdmission admission,
            final Predicate<NodeAnnouncement> register, final Function<String, NodeWorker> maker,
            final TaskThread thread) {
        this.desired = requireNonNull(desired);
        this.southbound = requireNonNull(southbound);
        this.admission = requireNonNull(admission);
        this.register = requireNonNull(register);
        this.maker = requireNonNull(maker);
        this.thread = requireNonNull(thread);
        former = new FormerSwitches(southbound);
        registration = new Retry(thread, () -> thread.run(() -> sessions.values().forEach(this::register)), RETRY);
    }

    /** Workers of all configured nodes by name. Safe for all threads. */
    SortedMap<String, NodeWorker> workers() {
        return new TreeMap<>(workers);
    }

    /** The worker of a configured node. Safe for all threads. */
    Optional<NodeWorker> worker(final String node) {
        return Optional.ofNullable(workers.get(node));
    }

    /** The worker of the node whose bridge has an OpenFlow datapath id. Safe for all threads. */
    Optional<NodeWorker> worker(final SwitchId id) {
        return desired.get().node(id.datapathId()).flatMap(this::worker);
    }

    /** Announcements of the nodes whose databases are connected. Safe for all threads. */
    List<NodeAnnouncement> announcements() {
        return sessions.values().stream().map(NodeSession::announcement).toList();
    }

    /** Whether a switch may be used: the node's database has to name the controllers of now alone before. */
    boolean mayUse(final SwitchId id) {
        return desired.get().allocations().nodeOf(id.datapathId())
            .map(node -> worker(node).filter(NodeWorker::isFenced).isPresent()).orElse(true);
    }

    /** OpenFlow datapath id of a configured node. */
    SwitchId switchId(final String node) {
        return new SwitchId(desired.get().allocations().datapathId(node));
    }

    /** Makes the workers of nodes that were configured, and ends those of nodes that were removed. */
    void adjust(final Transition transition) {
        final Snapshot snapshot = transition.after().snapshot();
        if (snapshot.nodes().equals(transition.before().snapshot().nodes())) {
            return;
        }
        workers.entrySet().removeIf(entry -> {
            final boolean gone = !snapshot.nodes().containsKey(entry.getKey());
            if (gone) {
                entry.getValue().close();
            }
            return gone;
        });
        snapshot.nodes().keySet().stream().filter(name -> !workers.containsKey(name)).forEach(this::begin);
        former.empty(transition.after());
    }

    private void begin(final String node) {
        final NodeWorker worker = maker.apply(node);
        workers.put(node, worker);
        Optional.ofNullable(sessions.get(node)).ifPresent(worker::sessionOpened);
        if (southbound.connected().contains(switchId(node))) {
            worker.switchConnected();
        }
    }

    /** Has the nodes that a transition concerns brought to its end. */
    void wake(final Transition transition) {
        transition.nodes().forEach(node -> worker(node).ifPresent(worker ->
            worker.mark(transition.after().revision())));
    }

    /** Has the switch of a node forget connections. */
    void forget(final String node, final Set<TrackedConnections> connections) {
        requireNonNull(workers.get(node)).forgetConnections(connections);
    }

    @Override
    public Optional<String> refuses(final NodeAnnouncement announcement, final String address) {
        return admission.refuses(desired.get().snapshot(), announcement.name(), address)
            .or(() -> Optional.of(SwitchFaults.refusal(announcement)).filter(reason -> !reason.isEmpty()));
    }

    @Override
    public void nodeConnected(final NodeSession session) {
        final String name = session.announcement().name();
        sessions.put(name, session);
        thread.run(() -> {
            worker(name).ifPresent(worker -> worker.sessionOpened(session));
            register(session);
        });
    }

    @Override
    public void nodeDisconnected(final String name) {
        sessions.remove(name);
        thread.run(() -> worker(name).ifPresent(NodeWorker::sessionClosed));
    }

    @Override
    public void announcementChanged(final NodeSession session) {
        // A node may change it a thousand times a second: only the newest counts.
        if (announced.put(session.announcement().name(), session) == null) {
            thread.later(() -> {
                final NodeSession newest = requireNonNull(announced.remove(session.announcement().name()));
                register(newest);
                worker(newest.announcement().name()).ifPresent(worker -> worker.announcementChanged(newest));
            }, ANNOUNCEMENT_PAUSE);
        }
    }

    /** Stores what a node has announced, now or as soon as that is possible. */
    private void register(final NodeSession session) {
        try {
            if (!register.test(session.announcement())) {
                registration.later();
            }
        } catch (IllegalArgumentException e) {
            LOG.warn("Node {} is not stored as it announced itself: {}", session.announcement().name(), e.getMessage());
        }
    }

    @Override
    public void portStatesChanged(final String name, final Map<String, PortState> states) {
        final Map<String, String> errors = new HashMap<>();
        states.values().stream().filter(state -> !state.error().isEmpty())
            .forEach(state -> errors.put(state.name(), state.error()));
        errors.forEach((port, error) -> LOG.warn("Node {}: port {}: {}", name, port, error));
        thread.run(() -> worker(name).ifPresent(worker -> worker.portErrors(errors)));
    }

    @Override
    public void onConnected(final SwitchId connected) {
        thread.run(() -> worker(connected).ifPresentOrElse(NodeWorker::switchConnected,
            () -> former.empty(desired.get(), connected)));
    }

    @Override
    public void onDisconnected(final SwitchId disconnected) {
        thread.run(() -> worker(disconnected).ifPresent(NodeWorker::switchDisconnected));
    }

    @Override
    public void onPort(final SwitchId owner, final PortStatus port) {
        thread.run(() -> worker(owner).ifPresent(
            worker -> worker.portChanged(port.id(), new PortStates.Port(port.name(), port.linkUp()))));
    }

    @Override
    public void onPortRemoved(final SwitchId owner, final String portId) {
        thread.run(() -> worker(owner).ifPresent(worker -> worker.portChanged(portId, null)));
    }

    @Override
    public void close() {
        workers.values().forEach(NodeWorker::close);
    }
}
