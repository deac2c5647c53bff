// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.engine.api.Operations.PacketInCount;
import io.penstock.engine.api.Operations.Progress;
import io.penstock.engine.canary.CanaryEvent;
import io.penstock.engine.canary.CanaryService;
import io.penstock.engine.config.ConfigurationStore;
import io.penstock.engine.config.DatastoreException;
import io.penstock.engine.config.Desired;
import io.penstock.engine.config.NodeRegistration;
import io.penstock.engine.config.Stored;
import io.penstock.engine.dhcp.DhcpService;
import io.penstock.engine.error.RoutingErrors;
import io.penstock.engine.health.HealthService;
import io.penstock.engine.ipv6.Ipv6Services;
import io.penstock.engine.link.FrameOutlet;
import io.penstock.engine.link.Links;
import io.penstock.engine.link.PacketInCounts;
import io.penstock.engine.neighbour.NeighbourResolver;
import io.penstock.engine.neighbour.Recall;
import io.penstock.engine.node.BridgeTranslator;
import io.penstock.engine.node.FormerSwitches;
import io.penstock.engine.node.NodeWorker;
import io.penstock.engine.node.PortStates;
import io.penstock.engine.node.RepairEvent;
import io.penstock.engine.pool.PoolEvent;
import io.penstock.engine.pool.PoolWatch;
import io.penstock.engine.subscriber.CutBlocks;
import io.penstock.engine.subscriber.Subscribers;
import io.penstock.engine.task.TaskThread;
import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.ConnectionListener;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.PortListener;
import io.penstock.southbound.openflow.PortStatus;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.openflow.TrackedConnections;
import io.penstock.southbound.ovsdb.NodeSession;
import io.penstock.southbound.ovsdb.OvsdbListener;
import io.penstock.southbound.ovsdb.OvsdbServer;
import io.penstock.southbound.ovsdb.PortState;
import io.penstock.southbound.ovsdb.RefusedPeer;
import java.io.UncheckedIOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ties configuration, nodes and switches together. One thread hands out ids and tells the workers; callbacks from
 * elsewhere only mark work.
 */
public final class Engine implements AutoCloseable, OvsdbListener, ConnectionListener, PortListener {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final Duration GATEWAY_REFRESH = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration TICK = Duration.ofSeconds(1);
    /** Until a controller is elected for a switch, and a connection of before is served or is not. */
    private static final Duration ELECTION = Duration.ofSeconds(1);
    private static final Duration ANNOUNCEMENT_PAUSE = Duration.ofMillis(50);
    private static final Duration AUDIT = Duration.ofMinutes(1);
    private static final Duration IDLE_POLL = Duration.ofMinutes(10);
    private static final int SECRET_BYTES = 32;
    /** How often leases are looked at that end by themselves. */
    private static final Duration LEASE = Duration.ofSeconds(15);
    /** How long an acknowledgement waits for the flows of its lease: a client asks again after four seconds. */
    private static final Duration LEASE_FLOWS = Duration.ofSeconds(1);

    private final ConfigurationStore store;
    private final OpenFlowSouthbound southbound;
    private final BridgeTranslator bridges;
    private final AllocationWriter writer;
    private final SteadyClock clock;
    private final PoolWatch pools;
    private final Consumer<PoolEvent> poolEvents;
    private final NeighbourResolver resolver;
    private final Recall recall;
    private final Ipv6Services ipv6;
    private final Subscribers subscribers;
    private final DhcpService dhcp;
    private final RoutingErrors routingErrors;
    private final PacketInCounts packetIns = new PacketInCounts();
    private final HealthService health;
    private final CanaryService canaries;
    private final Consumer<CanaryEvent> canaryEvents;
    private final Consumer<RepairEvent> repairEvents;
    private final Duration comparing;
    private final FormerSwitches former;
    private final OvsdbServer ovsdb;
    private final NodeAdmission admission;
    private final Map<String, NodeWorker> workers = new ConcurrentHashMap<>();
    private final Map<String, NodeSession> sessions = new ConcurrentHashMap<>();
    /** Nodes whose announcement has changed and is to be looked at, by name. */
    private final Map<String, NodeSession> announced = new ConcurrentHashMap<>();
    private final List<OpenFlowSouthbound.Registration> registrations = new ArrayList<>();
    /** How often the configuration was said to have changed; {@link Desired#revision} says how far we are. */
    private final AtomicLong wanted = new AtomicLong();
    private final AtomicBoolean marked = new AtomicBoolean();
    private final TaskThread thread = new TaskThread("penstock-engine");
    private final Overdue overdue = new Overdue(Ticker.systemTicker());
    private final Retry retry;
    private final Retry registration;
    /** Why no change can be taken over. A configuration that fails is no reason: the next change may repair it. */
    private volatile Optional<String> trouble = Optional.empty();
    @SuppressWarnings("NullAway.Init") // by start(), which registers the listeners after that
    private volatile Desired desired;

    /**
     * An engine that does nothing until it is started.
     *
     * @param ovsdb takes the databases of the nodes; started and closed with the engine
     * @param admission which of them are believed
     * @param clock the time of leases, port blocks and drains
     * @param poolEvents is told what happens to public addresses; must not block
     * @param canaryEvents is told what was found out about new versions of functions; must not block
     * @param repairEvents is told of repairs of switches; must not block
     * @param round in which all flows of a switch are compared with its plan and repaired; zero for never
     */
    public Engine(final ConfigurationStore store, final OpenFlowSouthbound southbound, final OvsdbServer ovsdb,
            final NodeAdmission admission, final BridgeTranslator bridges, final AllocationWriter writer,
            final SteadyClock clock, final Consumer<PoolEvent> poolEvents, final Consumer<CanaryEvent> canaryEvents,
            final Consumer<RepairEvent> repairEvents, final Duration round) {
        this.store = requireNonNull(store);
        this.southbound = requireNonNull(southbound);
        this.ovsdb = requireNonNull(ovsdb);
        this.admission = requireNonNull(admission);
        former = new FormerSwitches(southbound);
        this.bridges = requireNonNull(bridges);
        this.writer = requireNonNull(writer);
        this.clock = requireNonNull(clock);
        pools = new PoolWatch(clock);
        subscribers = new Subscribers(clock, this::mark);
        this.poolEvents = requireNonNull(poolEvents);
        this.canaryEvents = requireNonNull(canaryEvents);
        this.repairEvents = requireNonNull(repairEvents);
        comparing = round.dividedBy(NodeWorker.COMPARISON_STEPS);
        routingErrors = new RoutingErrors(this::desired, RoutingErrors.Outlet.of(southbound), Ticker.systemTicker());
        final FrameOutlet outlet = new FrameOutlet(southbound);
        final Links links = new Links(outlet, this::desired);
        resolver = new NeighbourResolver(links);
        ipv6 = new Ipv6Services(links, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()), RANDOM);
        recall = new Recall(resolver, this::neighbours, this::later);
        final FunctionNodes nodes = new FunctionNodes(workers, southbound, this::desired);
        health = new HealthService(outlet, this::desired, nodes, Ticker.systemTicker(),
            RANDOM.nextLong());
        canaries = new CanaryService(this::desired, nodes, health, Ticker.systemTicker(), Clock.systemUTC(),
            this::mark);
        retry = new Retry(thread, this::mark, RETRY);
        registration = new Retry(thread, () -> thread.run(() -> sessions.values().forEach(this::register)), RETRY);
        dhcp = new DhcpService(clock, this::mark,
            millis -> thread.later(this::mark, Duration.ofMillis(millis)), outlet);
    }

    /** Starts: takes over what was handed out before, then listens for nodes. */
    public void start(final String listenAddress, final int ovsdbPort) {
        final Allocations before = writer.read();
        // Stored with the first node, before a switch is told its id.
        desired = new Desired(0, Snapshot.empty(), before.secret().isEmpty() ? before.withSecret(newSecret()) : before);
        store.refuseDuring(writer::shortage);
        store.start(this::desired, () -> sessions.values().stream().map(NodeSession::announcement).toList(),
            () -> trouble.or(writer::shortage).or(overdue::reason), this::mark);
        registrations.add(southbound.listen((ConnectionListener) this));
        registrations.add(southbound.listen((PortListener) this));
        registrations.add(southbound.listen(packetIns.counting("next-hop", resolver::onPacketIn)));
        registrations.add(southbound.listen(packetIns.counting("next-hop-ipv6", ipv6::onNextHop)));
        registrations.add(southbound.listen(packetIns.counting("port-block", subscribers::onPacketIn)));
        registrations.add(southbound.listen(packetIns.counting("dhcp", dhcp::onPacketIn)));
        registrations.add(southbound.listen(packetIns.counting("dhcp-conflict", dhcp::onConflict)));
        registrations.add(southbound.listen(packetIns.counting("icmp-error", routingErrors::onPacketIn)));
        registrations.add(southbound.listen(packetIns.counting("ipv6-request", ipv6::onPacketIn)));
        registrations.add(southbound.listen(packetIns.counting("probe", health::onPacketIn)));
        ipv6.start();
        health.start();
        ovsdb.start(listenAddress, ovsdbPort, this);
        thread.every(AUDIT, AUDIT, () -> workers.values().forEach(NodeWorker::audit));
        if (!comparing.isZero()) {
            thread.every(comparing, comparing, () -> workers.values().forEach(NodeWorker::compareNext));
        }
        thread.every(LEASE, LEASE, this::mark);
        thread.every(Duration.ZERO, LEASE, writer::reserve);
        thread.every(LEASE, LEASE, clock::save);
        thread.every(IDLE_POLL, IDLE_POLL, this::countSubscribers);
        thread.every(TICK, TICK, canaries::tick);
        final Unserved unserved = new Unserved(node -> {
            southbound.elect(switchId(node));
            thread.later(() -> Optional.ofNullable(workers.get(node)).ifPresent(NodeWorker::reconnect), ELECTION);
        });
        thread.every(Unserved.PAUSE, Unserved.PAUSE, () -> unserved.look(workers.entrySet().stream()
            .filter(worker -> sessions.containsKey(worker.getKey()) && !worker.getValue().isOnline())
            .map(Map.Entry::getKey).collect(Collectors.toSet())));
        thread.every(TICK, GATEWAY_REFRESH, this::refreshGateways);
    }

    private static String newSecret() {
        final byte[] secret = new byte[SECRET_BYTES];
        RANDOM.nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    @Override
    public void close() {
        ovsdb.close();
        ipv6.close();
        health.close();
        registrations.forEach(OpenFlowSouthbound.Registration::close);
        store.stop("the engine has stopped");
        thread.close();
        workers.values().forEach(NodeWorker::close);
        writer.close();
    }

    /** The time of leases. */
    SteadyClock clock() {
        return clock;
    }

    /** What is configured and handed out. */
    Desired desired() {
        return desired;
    }

    /** What probes tell of instances of functions. */
    HealthService health() {
        return health;
    }

    /** What is thought of new versions of functions. */
    CanaryService canaries() {
        return canaries;
    }

    /** The DHCP servers. */
    DhcpService dhcp() {
        return dhcp;
    }

    /** What is known of public addresses over time. */
    PoolWatch pools() {
        return pools;
    }

    /** Packets of which a router may have to tell the sender, by what became of them. */
    SortedMap<String, Long> icmpErrors() {
        return routingErrors.counts();
    }

    /** What the services did with packets of the switches. */
    SortedMap<String, PacketInCount> packetIns() {
        return packetIns.all();
    }

    /** Workers of all configured nodes by name. */
    SortedMap<String, NodeWorker> workers() {
        return new TreeMap<>(workers);
    }

    /** Says that the configuration may have changed. */
    private void mark() {
        wanted.incrementAndGet();
        if (marked.compareAndSet(false, true)) {
            thread.run(() -> overdue.watch(this::work));
        }
    }

    /** For each of some workers, how far it is with what was committed before this call, at the latest at the limit. */
    SortedMap<String, CompletableFuture<Progress>> applied(final SortedMap<String, NodeWorker> chosen,
            final Duration limit) {
        mark();
        final long revision = wanted.get();
        final SortedMap<String, CompletableFuture<Progress>> waiting = new TreeMap<>();
        chosen.forEach((name, worker) -> waiting.put(name, worker.inForce(revision, limit)));
        return waiting;
    }

    @SuppressWarnings("ReferenceEquality") // whatever made no change handed on the object that it was given
    private void work() {
        marked.set(false);
        try {
            final long asked = wanted.get();
            final Stored stored = store.stored(desired.allocations());
            if (!stored.isValid() && desired.revision() == 0) {
                trouble = Optional.empty();
                // Nothing was carried out yet: the switches keep what they have, and everybody what was handed out.
                return;
            }
            final Snapshot snapshot = stored.isValid() ? stored.snapshot() : desired.snapshot();
            final long revision = stored.isValid() ? asked : desired.revision();
            Allocations allocations = desired.allocations();
            Map<String, Set<TrackedConnections>> cut = Map.of();
            if (snapshot != desired.snapshot()) {
                allocations = Allocator.allocate(snapshot, allocations);
                cut = CutBlocks.between(desired.allocations(), allocations, snapshot);
            }
            allocations = subscribers.change(snapshot, allocations);
            allocations = canaries.change(snapshot, dhcp.change(snapshot, allocations));
            // What could not be stored may have been forgotten meanwhile, such as a lease: then nothing else tells that
            // there is room again.
            if (snapshot != desired.snapshot() || allocations != desired.allocations() || trouble.isPresent()) {
                writer.write(snapshot, allocations);
                trouble = Optional.empty();
            }
            subscribers.written();
            final boolean otherNodes = !snapshot.nodes().equals(desired.snapshot().nodes());
            desired = new Desired(revision, snapshot, allocations);
            if (otherNodes) {
                ovsdb.reconsider();
            }
            adjustWorkers(snapshot);
            if (otherNodes) {
                former.empty(desired);
            }
            pools.look(desired).forEach(poolEvents);
            canaries.stored(desired).forEach(canaryEvents);
            cut.forEach((node, connections) -> requireNonNull(workers.get(node)).forgetConnections(connections));
            workers.values().forEach(NodeWorker::mark);
            dhcp.stored((node, answer) -> whenApplied(node, revision, answer));
        } catch (UncheckedIOException e) {
            LOG.error("Cannot store what is allocated, will try again in {} s", RETRY.toSeconds(), e);
            trouble = Optional.of("what is allocated cannot be stored: " + e.getMessage() + " ("
                + requireNonNull(e.getCause()).getMessage() + "); it is tried again every " + RETRY.toSeconds() + " s");
            retry.later();
        } catch (DatastoreException e) {
            LOG.error("The datastore does not read or store, will try again in {} s", RETRY.toSeconds(), e);
            trouble = Optional.of(e.getMessage() + "; it is tried again every " + RETRY.toSeconds() + " s");
            retry.later();
        } catch (IllegalStateException e) {
            LOG.error("Cannot carry out the configuration, will try again in {} s", RETRY.toSeconds(), e);
            retry.later();
        }
    }

    /** Runs something once a node has what was stored, or when that takes too long. */
    private void whenApplied(final SwitchId node, final long revision, final Runnable task) {
        worker(node).ifPresent(worker -> worker.applied(revision, LEASE_FLOWS).thenRun(task));
    }

    /** Finds out who is idle, in the time of the engine; the answers come from the workers. */
    private void countSubscribers() {
        if (subscribers.areToBeCounted(desired.allocations())) {
            workers.forEach((name, worker) -> worker.counters()
                .thenAccept(dump -> thread.run(() -> subscribers.count(name, dump))).exceptionally(e -> {
                    LOG.debug("Node {}: idle subscribers cannot be counted", name, e);
                    return null;
                }));
        }
    }

    private void adjustWorkers(final Snapshot snapshot) {
        workers.entrySet().removeIf(entry -> {
            final boolean gone = !snapshot.nodes().containsKey(entry.getKey());
            if (gone) {
                entry.getValue().close();
            }
            return gone;
        });
        for (final String name : snapshot.nodes().keySet()) {
            if (!workers.containsKey(name)) {
                final NodeWorker worker = new NodeWorker(name, this::desired, southbound, bridges,
                    instance -> health.isHealthy(name, instance), repairEvents, this::recall, Clock.systemUTC());
                workers.put(name, worker);
                Optional.ofNullable(sessions.get(name)).ifPresent(worker::sessionOpened);
                if (southbound.connected().contains(switchId(name))) {
                    worker.switchConnected();
                }
            }
        }
    }

    /** A switch was started and has its flows: what it had learned it has to learn again. */
    private void recall(final String node, final Duration sinceConnected) {
        thread.run(() -> {
            ipv6.refreshGateways(node);
            LOG.warn("Node {}: its switch had no flows, as after a restart; it has them {} ms after it connected. Its "
                + "connections, sessions and learned hosts are lost; {} known hosts are asked for", node,
                sinceConnected.toMillis(), recall.begin(node));
        });
    }

    private CompletableFuture<FlowDump> neighbours(final String node) {
        return desired.allocations().nodes().containsKey(node)
            ? southbound.readTable(switchId(node), Table.NEIGHBOURS.number())
            : CompletableFuture.failedFuture(new IllegalStateException("node " + node + " is gone"));
    }

    private void later(final Runnable task, final long millis) {
        thread.later(task, Duration.ofMillis(millis));
    }

    private void refreshGateways() {
        workers.forEach((name, worker) -> {
            if (worker.isOnline()) {
                resolver.refreshGateways(name);
                ipv6.refreshGateways(name);
            }
        });
    }

    /** Peers that say they are nodes and are not believed. */
    List<RefusedPeer> refused() {
        return ovsdb.refused();
    }

    @Override
    public Optional<String> refuses(final String name, final String address) {
        return admission.refuses(desired.snapshot(), name, address);
    }

    @Override
    public void nodeConnected(final NodeSession session) {
        final String name = session.announcement().name();
        sessions.put(name, session);
        thread.run(() -> {
            register(session);
            Optional.ofNullable(workers.get(name)).ifPresent(worker -> worker.sessionOpened(session));
        });
    }

    @Override
    public void nodeDisconnected(final String name) {
        sessions.remove(name);
        thread.run(() -> Optional.ofNullable(workers.get(name)).ifPresent(NodeWorker::sessionClosed));
    }

    @Override
    public void announcementChanged(final NodeSession session) {
        // A node may change it a thousand times a second: only the newest counts.
        if (announced.put(session.announcement().name(), session) == null) {
            thread.later(() -> {
                final NodeSession newest = requireNonNull(announced.remove(session.announcement().name()));
                register(newest);
                Optional.ofNullable(workers.get(newest.announcement().name()))
                    .ifPresent(worker -> worker.announcementChanged(newest));
            }, ANNOUNCEMENT_PAUSE);
        }
    }

    /** Stores what a node has announced, now or as soon as that is possible. */
    private void register(final NodeSession session) {
        try {
            if (writer.shortage().isPresent() || !store.register(NodeRegistration.of(session.announcement()))) {
                registration.later();
            }
        } catch (IllegalArgumentException e) {
            LOG.warn("Node {} is not stored as it announced itself: {}", session.announcement().name(), e.getMessage());
        }
    }

    @Override
    public void portStatesChanged(final String name, final Map<String, PortState> states) {
        states.values().stream().filter(state -> !state.error().isEmpty())
            .forEach(state -> LOG.warn("Node {}: port {}: {}", name, state.name(), state.error()));
    }

    @Override
    public void onConnected(final SwitchId connected) {
        thread.run(() -> worker(connected).ifPresentOrElse(NodeWorker::switchConnected,
            () -> former.empty(desired, connected)));
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

    private Optional<NodeWorker> worker(final SwitchId id) {
        return desired.node(id.datapathId()).map(workers::get);
    }

    private SwitchId switchId(final String node) {
        return new SwitchId(desired.allocations().datapathId(node));
    }
}
