// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.engine.Engine;
import io.penstock.engine.node.DriftReport;
import io.penstock.engine.node.NodeWorker;
import io.penstock.engine.node.Observation;
import io.penstock.engine.state.LiveNetwork;
import io.penstock.engine.state.TenantState;
import io.penstock.engine.trace.ChainTracer;
import io.penstock.operations.CapturePlace;
import io.penstock.operations.ControllerStatus;
import io.penstock.operations.DhcpCount;
import io.penstock.operations.FlowLine;
import io.penstock.operations.LearnedHost;
import io.penstock.operations.LeaseLine;
import io.penstock.operations.Limit;
import io.penstock.operations.Names;
import io.penstock.operations.NatPreview;
import io.penstock.operations.NatUsage;
import io.penstock.operations.NodeStatus;
import io.penstock.operations.Operations;
import io.penstock.operations.PoolChange;
import io.penstock.operations.PortLine;
import io.penstock.operations.Progress;
import io.penstock.operations.Resync;
import io.penstock.operations.Status;
import io.penstock.operations.Status.RefusedNode;
import io.penstock.operations.TenantStatus;
import io.penstock.operations.TraceQuestion;
import io.penstock.operations.TraceReport;
import io.penstock.operations.Verification;
import io.penstock.operations.WhyQuestion;
import io.penstock.operations.WhyReport;
import io.penstock.packets.link.DroppedPackets;
import io.penstock.packets.pool.Preview;
import io.penstock.packets.pool.Usage;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.ovsdb.NodeAnnouncement;
import io.penstock.southbound.ovsdb.NodeSession;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers operators from the engine's state and from the switches. */
final class EngineOperations implements Operations {
    private static final Logger LOG = LoggerFactory.getLogger(EngineOperations.class);
    /** Longer than the work on a node that may come first: orders, flows and a flush that are not answered in time. */
    private static final long PATIENCE_SECONDS = 100;

    private final Engine engine;
    private final String url;
    private final String version;
    private final Instant started;
    private final ChainTracer tracer;
    private final Diagnoses diagnoses;

    EngineOperations(final Engine engine, final String url, final String version) {
        this.engine = requireNonNull(engine);
        this.url = requireNonNull(url);
        this.version = requireNonNull(version);
        started = engine.clock().instant();
        tracer = new ChainTracer((node, instance) -> engine.health().isHealthy(node, instance));
        diagnoses = new Diagnoses(engine, tracer);
    }

    @Override
    public Status status() {
        final Desired desired = engine.desired();
        final Snapshot snapshot = desired.snapshot();
        final SortedMap<String, NodeWorker> workers = engine.workers();
        final AgentReports agents = AgentReports.ask(workers);
        final Map<String, Observation> observations = observe(workers);
        final List<NodeStatus> nodes = workers.entrySet().stream()
            .map(entry -> nodeStatus(entry.getKey(), entry.getValue(), observations.get(entry.getKey()),
                agents.found(entry.getKey()))).toList();
        final ChainReports chains = new ChainReports(desired, workers, observations, engine.health(),
            engine.canaries(), agents);
        final List<TenantStatus> tenants = snapshot.tenants().values().stream()
            .map(tenant -> tenantStatus(chains.live(), tenant, agents)).toList();
        final List<RefusedNode> refused = engine.refused().stream()
            .map(peer -> new RefusedNode(peer.name(), peer.address(), peer.reason())).toList();
        return new Status(nodes, refused, tenants, chains.chains(), chains.functions(), new ControllerStatus(url,
            version, Duration.between(started, engine.clock().instant()).toSeconds(), engine.icmpErrors(),
            engine.packetIns()));
    }

    @Override
    public Names names() {
        final Snapshot snapshot = engine.desired().snapshot();
        return new Names(new TreeSet<>(snapshot.nodes().keySet()), new TreeSet<>(snapshot.tenants().keySet()),
            new TreeSet<>(snapshot.functions().keySet()));
    }

    @Override
    public List<TenantStatus> tenants(final Optional<String> tenant) {
        final Desired desired = known(tenant);
        final SortedMap<String, NodeWorker> workers = engine.workers();
        final LiveNetwork live = new LiveNetwork(desired, workers, engine.health());
        final List<Tenant> chosen = tenant.map(name -> List.of(requireNonNull(desired.snapshot().tenants().get(name))))
            .orElseGet(() -> List.copyOf(desired.snapshot().tenants().values()));
        if (tenant.isPresent()) {
            workers.keySet().retainAll(chosen.get(0).nodes());
        }
        final AgentReports agents = AgentReports.ask(workers);
        return chosen.stream().map(each -> tenantStatus(live, each, agents)).toList();
    }

    @Override
    public CompletableFuture<TraceReport> chainTrace(final TraceQuestion question) {
        return tracer.trace(engine.desired(), engine.workers(), question);
    }

    @Override
    public WhyReport why(final WhyQuestion question) {
        return diagnoses.why(question);
    }

    @Override
    public NatUsage natUsage() {
        return Usage.of(engine.desired().snapshot(), engine.desired().allocations(), engine.pools());
    }

    @Override
    public NatPreview natPreview(final PoolChange change) {
        final Desired desired = engine.desired();
        final Map<String, List<FlowSpec>> flows = new TreeMap<>();
        observe(engine.workers()).forEach((node, seen) -> flows.put(node,
            seen.dump().flows().stream().map(InstalledFlow::flow).toList()));
        return Preview.of(desired, change, flows);
    }

    @Override
    public List<Verification> verify(final Optional<String> node) {
        final SortedMap<String, NodeWorker> chosen = choose(node);
        final Map<String, Observation> observations = observe(chosen);
        return chosen.entrySet().stream()
            .map(each -> Comparisons.of(each.getKey(), each.getValue(), observations.get(each.getKey()))).toList();
    }

    @Override
    public List<Resync> resync(final Optional<String> node) {
        final Map<String, CompletableFuture<FlowChanges>> running = new TreeMap<>();
        final SortedMap<String, NodeWorker> chosen = choose(node);
        if (node.isEmpty()) {
            // One that is away must not keep the others from being mended; it is mended when it comes back.
            chosen.values().removeIf(worker -> !worker.isOnline());
        }
        chosen.forEach((name, worker) -> running.put(name, worker.resync()));
        final List<Resync> done = new ArrayList<>();
        running.forEach((name, future) -> {
            final FlowChanges changes = join(future);
            done.add(new Resync(name, changes.add().size(),
                changes.remove().size() + changes.removeForeign().size()));
        });
        return done;
    }

    @Override
    public List<FlowLine> flows(final Optional<String> node, final Optional<String> tenant, final boolean dropsOnly) {
        final Desired desired = known(tenant);
        final SortedMap<String, NodeWorker> chosen = choose(node);
        final List<FlowLine> lines = new ArrayList<>();
        if (tenant.isPresent()) {
            final TenantReadings readings = only(chosen, desired, tenant.orElseThrow());
            ask(chosen, (name, worker) -> readings.flows(name, worker, !dropsOnly)).forEach((name, flows) -> {
                final Map<FlowSpec.Key, PlannedFlow> planned = new HashMap<>();
                requireNonNull(chosen.get(name)).plan().ifPresent(plan -> plan.tenantFlows()
                    .getOrDefault(readings.vrf(name), List.of()).forEach(flow -> planned.put(flow.flow().key(), flow)));
                final DroppedPackets dropped = new DroppedPackets(engine.dropped(), desired.allocations(), name, flows);
                flows.forEach(flow -> lines.add(line(name, planned.get(flow.flow().key()), desired, flow, dropped)));
            });
        } else {
            observe(chosen).forEach((name, seen) -> {
                final Map<FlowSpec.Key, PlannedFlow> planned = seen.plan().flows();
                final DroppedPackets dropped =
                    new DroppedPackets(engine.dropped(), desired.allocations(), name, seen.dump().flows());
                seen.dump().flows().forEach(flow ->
                    lines.add(line(name, planned.get(flow.flow().key()), desired, flow, dropped)));
            });
        }
        return dropsOnly ? lines.stream().filter(FlowLine::drop).toList() : lines;
    }

    @Override
    public List<LearnedHost> learnedHosts(final String tenant) {
        final Desired desired = known(Optional.of(tenant));
        final SortedMap<String, NodeWorker> chosen = engine.workers();
        final TenantReadings readings = only(chosen, desired, tenant);
        return ask(chosen, readings::hosts).entrySet().stream().flatMap(each -> LearnedHosts.of(desired, each.getKey(),
            requireNonNull(desired.snapshot().tenants().get(tenant)), each.getValue()).stream()).toList();
    }

    @Override
    public CapturePlace capturePlace(final String tenant, final Optional<String> attachment) {
        final Snapshot snapshot = known(Optional.of(tenant)).snapshot();
        return CapturePlaces.of(requireNonNull(snapshot.tenants().get(tenant)), attachment);
    }

    @Override
    public List<PortLine> portStatistics(final String node, final Optional<String> port) {
        final NodeSession session = requireNonNull(choose(Optional.of(node)).get(node)).session()
            .orElseThrow(() -> new IllegalArgumentException("node '" + node + "' is not connected"));
        final List<PortLine> lines = join(session.portStatistics(port)).stream().map(PortCounts::line).toList();
        port.filter(name -> lines.isEmpty()).ifPresent(name -> {
            throw new IllegalArgumentException("the switch of node '" + node + "' has no port '" + name + "'");
        });
        return lines;
    }

    /** Leaves the nodes of a tenant, which are to be asked for it. */
    private static TenantReadings only(final SortedMap<String, NodeWorker> chosen, final Desired desired,
            final String tenant) {
        final TenantReadings readings = new TenantReadings(desired, tenant);
        chosen.keySet().removeIf(name -> !readings.isOn(name));
        return readings;
    }

    @Override
    public List<Limit> limits(final Optional<String> node, final Optional<String> tenant) {
        final Desired desired = known(tenant);
        final SortedMap<String, NodeWorker> chosen = choose(node);
        tenant.ifPresent(name -> only(chosen, desired, name));
        return ask(chosen, (name, worker) -> worker.ask(OpenFlowSouthbound::readMeterCounts)).entrySet().stream()
            .flatMap(each -> requireNonNull(chosen.get(each.getKey())).plan().stream()
                .flatMap(plan -> Limits.of(each.getKey(), plan, vrf -> name(desired, each.getKey(), Optional.of(vrf)),
                    each.getValue())))
            .filter(limit -> tenant.isEmpty() || limit.tenant().equals(tenant.orElseThrow())).toList();
    }

    @Override
    public List<LeaseLine> leases(final Optional<String> tenant) {
        return Leases.of(known(tenant).allocations(), tenant, engine.clock());
    }

    @Override
    public List<DhcpCount> dhcpMessages(final Optional<String> tenant) {
        known(tenant);
        return engine.dhcp().counts().all().entrySet().stream()
            .filter(each -> tenant.isEmpty() || each.getKey().equals(tenant.orElseThrow()))
            .flatMap(each -> each.getValue().entrySet().stream()
                .map(count -> new DhcpCount(each.getKey(), count.getKey(), count.getValue()))).toList();
    }

    @Override
    public LeaseLine releaseLease(final String tenant, final String address) {
        known(Optional.of(tenant));
        return Leases.line(tenant, join(engine.dhcp().release(tenant, Ipv4.parse(address))), engine.clock());
    }

    /** What is there now; refuses a tenant that is not. */
    private Desired known(final Optional<String> tenant) {
        final Desired desired = engine.desired();
        tenant.filter(name -> !desired.snapshot().tenants().containsKey(name)).ifPresent(name -> {
            throw new IllegalArgumentException("there is no tenant '" + name + "'");
        });
        return desired;
    }

    @Override
    public CompletableFuture<SortedMap<String, Progress>> applied(final Optional<String> node, final Duration limit) {
        final SortedMap<String, CompletableFuture<Progress>> waiting = engine.progress().of(choose(node), limit);
        return CompletableFuture.allOf(waiting.values().toArray(CompletableFuture[]::new)).thenApply(done -> {
            final SortedMap<String, Progress> progress = new TreeMap<>();
            waiting.forEach((name, answer) -> progress.put(name, answer.join()));
            return progress;
        });
    }

    private SortedMap<String, NodeWorker> choose(final Optional<String> node) {
        final SortedMap<String, NodeWorker> workers = engine.workers();
        if (node.isEmpty()) {
            return workers;
        }
        final String name = node.orElseThrow();
        if (!workers.containsKey(name)) {
            throw new IllegalArgumentException("there is no node '" + name + "'; known: "
                + String.join(", ", workers.keySet()));
        }
        final SortedMap<String, NodeWorker> chosen = new TreeMap<>();
        chosen.put(name, workers.get(name));
        return chosen;
    }

    private static Map<String, Observation> observe(final SortedMap<String, NodeWorker> workers) {
        return ask(workers, (name, worker) -> worker.observe());
    }

    /** Asks all nodes at once; those that do not answer are left out. */
    private static <T> Map<String, T> ask(final SortedMap<String, NodeWorker> workers,
            final BiFunction<String, NodeWorker, CompletableFuture<T>> question) {
        final Map<String, CompletableFuture<T>> running = new TreeMap<>();
        workers.forEach((name, worker) -> running.put(name, question.apply(name, worker)));
        final Map<String, T> seen = new TreeMap<>();
        running.forEach((name, future) -> {
            try {
                seen.put(name, join(future));
            } catch (IllegalStateException e) {
                LOG.debug("Node {} was not read", name, e);
            }
        });
        return seen;
    }

    private static <T> T join(final CompletableFuture<T> future) {
        try {
            return future.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            final Throwable cause = requireNonNull(e.getCause());
            if (cause instanceof IllegalArgumentException) {
                throw new IllegalArgumentException(cause.getMessage(), e);
            }
            throw new IllegalStateException(cause instanceof TimeoutException
                ? "the node does not answer in time"
                : cause.getMessage(), e);
        }
    }

    private static NodeStatus nodeStatus(final String name, final NodeWorker worker, final @Nullable Observation seen,
            final List<String> foundFunctions) {
        final DriftReport drift = worker.drift();
        final Optional<NodeAnnouncement> announcement = worker.session().map(NodeSession::announcement);
        final String dpdk = announcement.filter(NodeAnnouncement::dpdkInitialized).map(NodeAnnouncement::dpdkVersion)
            .orElse("");
        return new NodeStatus(name, seen != null, worker.datapathType().orElse(""),
            announcement.map(NodeAnnouncement::ovsVersion).orElse(""), dpdk,
            Comparisons.counts(worker, seen), foundFunctions, drift.repairs(), time(drift.repaired()),
            time(drift.compared()), announcement.map(NodeAnnouncement::warning).orElse(""));
    }

    private static String time(final Optional<Instant> time) {
        return time.map(each -> each.truncatedTo(ChronoUnit.SECONDS).toString()).orElse("");
    }

    private static TenantStatus tenantStatus(final LiveNetwork live, final Tenant tenant, final AgentReports agents) {
        final TenantAllocation allocation = live.desired().allocations().tenants().get(tenant.name());
        final TenantState state = live.tenant(tenant);
        return new TenantStatus(tenant.name(), allocation == null ? 0 : vrf(tenant, allocation),
            tenant.attachments().stream().map(at -> at.node() + "/" + at.port() + "/" + at.vlan()).toList(),
            Optional.ofNullable(allocation).flatMap(TenantAllocation::publicAddress).map(Ipv4::toString).orElse(""),
            state.mappings().stream().map(each -> each.kind() + " " + each.inside() + " " + each.outside()).toList(),
            tenant.chain().orElse(""), state.text(),
            allocation == null ? List.of() : agents.of(allocation));
    }

    /** The number by which operators find flows and zones of a tenant: on its first node if it has several. */
    private static int vrf(final Tenant tenant, final TenantAllocation allocation) {
        return tenant.attachments().stream().findFirst().flatMap(first -> allocation.vrf(first.node()))
            .map(VrfId::number).orElse(allocation.id());
    }

    private static String name(final Desired desired, final String node, final Optional<VrfId> vrf) {
        return vrf.flatMap(known -> desired.tenant(node, known)).map(Tenant::name).orElse("");
    }

    private static FlowLine line(final String node, final @Nullable PlannedFlow planned,
            final Desired desired, final InstalledFlow installed, final DroppedPackets dropped) {
        final FlowSpec flow = installed.flow();
        final boolean session = Cookie.is(flow.cookie(), Cookie.Kind.SESSION);
        final boolean learned = session || Cookie.is(flow.cookie(), Cookie.Kind.LEARNED);
        final String label = planned != null ? planned.label()
            : session ? "session" : learned ? "learned"
            : Cookie.is(flow.cookie(), Cookie.Kind.OWED) ? "connections to forget" : "not planned";
        final boolean owned = learned || Cookie.is(flow.cookie(), Cookie.Kind.TENANT);
        return new FlowLine(node, flow.table().text(), label,
            owned ? name(desired, node, Cookie.vrf(flow.cookie())) : "",
            flow.isDrop(), installed.packets(), installed.bytes(), flow.toString(), dropped.of(flow));
    }
}
