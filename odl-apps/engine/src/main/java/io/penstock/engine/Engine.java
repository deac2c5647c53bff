// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.SerialTasks;
import io.penstock.base.tasks.SharedThreads;
import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.configuration.Desired;
import io.penstock.configuration.grant.Transition;
import io.penstock.engine.node.NodeCounts;
import io.penstock.engine.node.NodeEvents;
import io.penstock.engine.node.NodeWorker;
import io.penstock.engine.state.LiveNetwork;
import io.penstock.engine.state.StateService;
import io.penstock.engine.state.StateSink;
import io.penstock.engine.state.TrafficWatch;
import io.penstock.events.EventSink;
import io.penstock.events.RepairEvent;
import io.penstock.functions.canary.CanaryService;
import io.penstock.functions.health.HealthService;
import io.penstock.operations.ControllerStatus.PacketInCount;
import io.penstock.packets.dhcp.DhcpService;
import io.penstock.packets.icmp.RoutingErrors;
import io.penstock.packets.ipv6.Ipv6Services;
import io.penstock.packets.link.FrameOutlet;
import io.penstock.packets.link.LastDropped;
import io.penstock.packets.link.Links;
import io.penstock.packets.link.PacketRouter;
import io.penstock.packets.neighbour.NeighbourResolver;
import io.penstock.packets.neighbour.Recall;
import io.penstock.packets.pool.PoolWatch;
import io.penstock.packets.subscriber.Subscribers;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.ConnectionListener;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.PacketInListener;
import io.penstock.southbound.openflow.PortListener;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.ovsdb.RefusedPeer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the parts of the engine and lets them know each other: the configuration loop, the fleet of nodes, the services
 * for packets, and what looks after functions. Starts them, and has them do what is due from time to time.
 */
public final class Engine implements NodeEvents, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final Duration GATEWAY_REFRESH = Duration.ofSeconds(10);
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final Duration AUDIT = Duration.ofMinutes(1);
    private static final Duration IDLE_POLL = Duration.ofMinutes(10);
    private static final String BLOCKS = "port-block";
    private static final String PROBES = "probe";
    /** How often leases are looked at that end by themselves. */
    private static final Duration LEASE = Duration.ofSeconds(15);
    /** How long an acknowledgement waits for the flows of its lease: a client asks again after four seconds. */
    private static final Duration LEASE_FLOWS = Duration.ofSeconds(1);
    /** Nodes are planned and compared on as many processors as there are. */
    private static final int NODE_THREADS = Math.max(2, Runtime.getRuntime().availableProcessors());

    private final ConfigurationStore store;
    private final AllocationWriter writer;
    private final Southbounds southbounds;
    private final OpenFlowSouthbound southbound;
    private final Environment environment;
    private final EventSink events;
    private final Duration comparing;
    private final TaskThread thread = new TaskThread("penstock-engine");
    private final SharedThreads nodeThreads = new SharedThreads("penstock-nodes", NODE_THREADS);
    private final Fleet fleet;
    private final ConfigurationLoop loop;
    private final ChangeProgress progress;
    private final PoolWatch pools;
    private final ResolverWatch resolvers;
    private final NeighbourResolver resolver;
    private final Recall recall;
    private final Ipv6Services ipv6;
    private final Subscribers subscribers;
    private final DhcpService dhcp;
    private final RoutingErrors routingErrors;
    private final LastDropped dropped;
    private final PacketRouter packets;
    private final HealthService health;
    private final CanaryService canaries;
    private final StateService state;
    private final TrafficWatch traffic;
    private final List<OpenFlowSouthbound.Registration> registrations = new ArrayList<>();
    private volatile EngineObserver observer = EngineObserver.NONE;
    private boolean closed;

    /**
     * An engine that does nothing until it is started.
     *
     * @param states takes the state of nodes, tenants, functions and pools; may block
     * @param round in which all flows of a switch are compared with its plan and repaired; zero for never
     */
    public Engine(final ConfigurationStore store, final AllocationWriter writer, final Southbounds southbounds,
            final Environment environment, final StateSink states, final EventSink events, final Duration round) {
        this.store = requireNonNull(store);
        this.writer = requireNonNull(writer);
        this.southbounds = requireNonNull(southbounds);
        this.environment = requireNonNull(environment);
        this.events = requireNonNull(events);
        southbound = southbounds.openFlow();
        comparing = round.dividedBy(NodeWorker.COMPARISON_STEPS);
        fleet = new Fleet(this::desired, southbound, southbounds.admission(), announcement ->
            writer.shortage().isEmpty() && store.register(announcement), this::worker, thread);
        final FrameOutlet outlet = new FrameOutlet(southbound);
        final Links links = new Links(outlet, this::desired);
        resolver = new NeighbourResolver(links);
        recall = new Recall(resolver, this::neighbours, (task, millis) ->
            thread.later(task, Duration.ofMillis(millis)));
        routingErrors = new RoutingErrors(this::desired, RoutingErrors.Outlet.of(southbound), environment.ticker());
        ipv6 = new Ipv6Services(links, () -> TimeUnit.NANOSECONDS.toMillis(environment.ticker().read()),
            environment.random());
        final FunctionNodes nodes = new FunctionNodes(fleet::worker, southbound, this::desired);
        health = new HealthService(outlet, this::desired, nodes, environment.ticker(),
            environment.random().nextLong());
        canaries = new CanaryService(this::desired, nodes, health, environment.ticker(), environment.wall(),
            this::mark, events::tell);
        resolvers = new ResolverWatch(this::desired, events::tell, thread);
        pools = new PoolWatch(environment.steady(), events::tell);
        subscribers = new Subscribers(environment.steady(), this::mark, events::tell);
        dhcp = new DhcpService(environment.steady(), this::mark,
            millis -> thread.later(this::mark, Duration.ofMillis(millis)), this::whenApplied, outlet, events::tell);
        state = new StateService(() -> new LiveNetwork(desired(), fleet.workers(), health), states, events::tell,
            environment.wall());
        traffic = new TrafficWatch(this::desired, events, environment.steady());
        dropped = new LastDropped(environment.wall());
        packets = new PacketRouter(dropped)
            .route(Table.NEIGHBOUR_FOUND, "next-hop", resolver::onPacketIn)
            .route(Table.NEIGHBOUR_FOUND, "next-hop-ipv6", ipv6::onNextHop)
            .route(Table.NAT_TRANSLATE, BLOCKS, subscribers::onPacketIn)
            .route(Table.NAT_OUT_CHECK, BLOCKS, subscribers::onPacketIn)
            .route(Table.DHCP_REQUEST, "dhcp", dhcp::onPacketIn)
            .route(Table.ACCESS_GUARD, "dhcp-conflict", dhcp::onConflict)
            .route(Table.ROUTING_ERROR, "icmp-error", routingErrors::onPacketIn)
            .route(Table.IPV6_REQUEST, "ipv6-request", ipv6::onPacketIn)
            .route(Table.CHAIN_RETURN, PROBES, health::onPacketIn)
            .route(Table.CHAIN_ROUTED, PROBES, health::onPacketIn);
        loop = new ConfigurationLoop(store::stored, writer::write,
            List.of(new IdGrantor(fleet::forget), subscribers, dhcp, canaries, pools), transition -> {
                if (!transition.before().snapshot().nodes().equals(transition.after().snapshot().nodes())) {
                    southbounds.databases().reconsider();
                }
                fleet.adjust(transition);
            }, this::wake, thread, new Overdue(environment.ticker()));
        progress = new ChangeProgress(loop, environment.ticker());
    }

    private void wake(final Transition transition) {
        fleet.wake(transition);
        progress.observe(transition, fleet::worker, observer);
        state.changed(transition);
    }

    private NodeWorker worker(final String name) {
        return new NodeWorker(name, this::desired, southbound, southbounds.bridges(),
            new SerialTasks("node " + name, nodeThreads), instance -> health.isHealthy(name, instance), this,
            environment.ticker(), environment.wall());
    }

    /**
     * Starts: takes over what was handed out before, then takes the nodes that are connected or will be.
     *
     * @param member name of the member of the cluster that has this engine
     */
    public void start(final String member) {
        final Allocations before = writer.claim(member, environment.wall().instant());
        // Stored with the first node, before a switch is told its id.
        loop.begin(before.secret().isEmpty() ? before.withSecret(environment.secret()) : before);
        state.start();
        store.refuseDuring(writer::shortage);
        store.impairedBy(loop::heldUp);
        store.start(this::desired, fleet::announcements, () -> loop.trouble().or(writer::shortage), loop::changed);
        southbound.lead(writer.mastership().epoch(), new OwnSwitches(() -> desired().allocations()),
            southbounds.shared() ? fleet::mayUse : id -> true);
        registrations.add(southbound.listen((ConnectionListener) fleet));
        registrations.add(southbound.listen((PortListener) fleet));
        registrations.add(southbound.listen((PacketInListener) packets));
        ipv6.start();
        health.start();
        // After the first pass, which has been ordered: no node is known before.
        thread.run(this::serveDatabases);
        startTimers();
    }

    private synchronized void serveDatabases() {
        if (!closed) {
            southbounds.databases().serve(fleet, writer.mastership().epoch());
        }
    }

    private void startTimers() {
        Rota.each(thread, fleet, AUDIT, (node, worker) -> worker.audit());
        Rota.each(thread, fleet, AUDIT, resolvers::look);
        if (!comparing.isZero()) {
            Rota.each(thread, fleet, comparing, (node, worker) -> worker.compareNext());
        }
        thread.every(LEASE, LEASE, this::mark);
        thread.every(Duration.ZERO, LEASE, writer::reserve);
        thread.every(LEASE, LEASE, environment.steady()::save);
        thread.every(IDLE_POLL, IDLE_POLL, this::countSubscribers);
        thread.every(TICK, TICK, canaries::tick);
        thread.every(TICK, GATEWAY_REFRESH, this::refreshGateways);
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        southbounds.databases().rest();
        ipv6.close();
        health.close();
        southbound.rest();
        registrations.forEach(OpenFlowSouthbound.Registration::close);
        store.stop("the engine has stopped");
        thread.close();
        fleet.close();
        nodeThreads.close();
        state.close();
    }

    /** Tells from now on how this engine fares. */
    public void observedBy(final EngineObserver told) {
        observer = requireNonNull(told);
    }

    /** The time of leases. */
    public SteadyClock clock() {
        return environment.steady();
    }

    /** The state that nodes are brought to. */
    public Desired desired() {
        return loop.desired();
    }

    /** Results of probes of instances of functions. */
    public HealthService health() {
        return health;
    }

    /** Judgements of new versions of functions. */
    public CanaryService canaries() {
        return canaries;
    }

    /** How far nodes are with what was committed. */
    public ChangeProgress progress() {
        return progress;
    }

    /** The DHCP servers. */
    public DhcpService dhcp() {
        return dhcp;
    }

    /** ARP requests. */
    public NeighbourResolver arp() {
        return resolver;
    }

    /** History of public addresses. */
    public PoolWatch pools() {
        return pools;
    }

    /** Packets of which a router may have to tell the sender, by their fate. */
    public SortedMap<String, Long> icmpErrors() {
        return routingErrors.counts();
    }

    /** The last packets that flows have dropped, of nodes that report drops. */
    public LastDropped dropped() {
        return dropped;
    }

    /** Packets from switches, by service and fate. */
    public SortedMap<String, PacketInCount> packetIns() {
        return packets.counts().all();
    }

    /** Workers of all configured nodes by name. */
    public SortedMap<String, NodeWorker> workers() {
        return fleet.workers();
    }

    /** Peers that say they are nodes and are not believed. */
    public List<RefusedPeer> refused() {
        return southbounds.databases().refused();
    }

    /** The tables from which packets reach a service. */
    public Set<Table> served() {
        return packets.tables();
    }

    private void mark() {
        loop.mark();
    }

    /** Whether the mastership of this engine is the stored one. Blocks while no member leads. */
    public boolean isMaster() {
        return store.isStored(writer.mastership());
    }

    /** Epoch of the mastership of this engine, once it was started. */
    public long epoch() {
        return writer.mastership().epoch();
    }

    /** Says that other members stand by than before. */
    public void controllersChanged() {
        fleet.workers().values().forEach(NodeWorker::audit);
    }

    /** Runs something once a node has a revision, or when that takes too long. */
    private void whenApplied(final SwitchId node, final long revision, final Runnable task) {
        fleet.worker(node).ifPresent(worker -> worker.applied(revision, LEASE_FLOWS).thenRun(task));
    }

    /** Finds out which subscribers are idle, in the time of the engine; the answers come from the workers. */
    private void countSubscribers() {
        if (subscribers.areToBeCounted(desired().allocations())) {
            fleet.workers().forEach((name, worker) -> worker.ask(OpenFlowSouthbound::readFlows)
                .thenAccept(dump -> thread.run(() -> subscribers.count(name, dump))).exceptionally(e -> {
                    LOG.debug("Node {}: idle subscribers cannot be counted", name, e);
                    return null;
                }));
        }
    }

    /** What it had learned it has to learn again. */
    @Override
    public void switchStarted(final String node, final Duration sinceConnected) {
        thread.run(() -> {
            ipv6.refreshGateways(node);
            LOG.warn("Node {}: its switch had no flows, as after a restart; it has them {} ms after it connected. Its "
                + "connections, sessions and learned hosts are lost; {} known hosts are asked for", node,
                sinceConnected.toMillis(), recall.begin(node));
        });
    }

    @Override
    public void repaired(final RepairEvent repair) {
        events.tell(repair);
        state.changed(repair.node());
    }

    @Override
    public void changed(final String node) {
        state.changed(node);
    }

    @Override
    public void counted(final String node, final NodeCounts before, final NodeCounts now) {
        traffic.look(node, before, now);
        observer.counted(node, before, now, fleet.worker(node).flatMap(NodeWorker::plan), desired());
        state.counted(node, now.differing(before).stream().flatMap(vrf -> desired().tenant(node, vrf).stream())
            .map(Tenant::name).collect(Collectors.toSet()));
    }

    @Override
    public void applied(final String node) {
        state.applied(node);
    }

    private CompletableFuture<FlowDump> neighbours(final String node) {
        return desired().allocations().nodes().containsKey(node)
            ? southbound.readTable(fleet.switchId(node), Table.NEIGHBOURS.number())
            : CompletableFuture.failedFuture(new IllegalStateException("node " + node + " is gone"));
    }

    private void refreshGateways() {
        fleet.workers().forEach((name, worker) -> {
            if (worker.isOnline()) {
                resolver.refreshGateways(name);
                ipv6.refreshGateways(name);
            }
        });
    }
}
