// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.diagnosis.Diagnosis;
import io.penstock.diagnosis.Facts;
import io.penstock.diagnosis.Facts.Drops;
import io.penstock.diagnosis.Facts.Limited;
import io.penstock.diagnosis.Facts.NodeFacts;
import io.penstock.diagnosis.Facts.PortFacts;
import io.penstock.diagnosis.Facts.Service;
import io.penstock.diagnosis.Facts.Traced;
import io.penstock.diagnosis.Probe;
import io.penstock.diagnosis.Unheard;
import io.penstock.engine.Engine;
import io.penstock.engine.node.NodeCounts;
import io.penstock.engine.node.NodeWorker;
import io.penstock.engine.trace.ChainTracer;
import io.penstock.functions.health.HealthService;
import io.penstock.operations.LearnedHost;
import io.penstock.operations.Limit;
import io.penstock.operations.WhyQuestion;
import io.penstock.operations.WhyReport;
import io.penstock.packets.link.DroppedPackets;
import io.penstock.packets.link.LastDropped;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.Quarantine;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.BackboneStage;
import io.penstock.pipeline.stage.ChainTrace.Frame;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.MeterCount;
import io.penstock.southbound.ovsdb.PortStatistics;
import io.penstock.southbound.ovsdb.ZoneReport;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gathers what is known of a tenant, and has it explained why its packets do not pass. Safe for all threads. */
final class Diagnoses {
    private static final Logger LOG = LoggerFactory.getLogger(Diagnoses.class);
    /** How long the nodes may take to answer, all at once. A node that takes longer counts as not connected. */
    private static final Duration ANSWER = Duration.ofMillis(700);
    /** How long hosts have to answer ARP before the nodes are asked again. */
    private static final Duration ARP = Duration.ofMillis(300);
    /** How old a message to the DHCP server may be. */
    private static final Duration LATELY = Duration.ofMinutes(2);

    /** How long a switch may take to trace a packet, and how long the rest may have taken before it is asked. */
    private static final Duration TRACE = Duration.ofMillis(600);

    /** How long a learned next hop has to answer ARP; a switch counts what its cache handles twice a second. */
    private static final Duration NEXT_HOP = Duration.ofMillis(800);
    private static final Duration POLL = Duration.ofMillis(100);
    /** How long the rest may have taken before a next hop is asked. */
    private static final Duration NEXT_HOPS = Duration.ofMillis(900);

    private final Engine engine;
    private final ChainTracer tracer;

    Diagnoses(final Engine engine, final ChainTracer tracer) {
        this.engine = requireNonNull(engine);
        this.tracer = requireNonNull(tracer);
    }

    /**
     * Answers a question. Asks the nodes of the tenant, and waits for them.
     *
     * @throws IllegalArgumentException when a leaf of the question will not do; the message begins with its name
     */
    WhyReport why(final WhyQuestion question) {
        final long begun = System.nanoTime();
        final Facts facts = facts(question);
        final Set<Unheard> unheard = Diagnosis.unheard(facts, question);
        if (unheard.isEmpty()) {
            return answer(facts, question, begun);
        }
        // Nothing is learned of a host that sends nothing and is not asked.
        unheard.forEach(each -> facts.nodes().keySet().forEach(node ->
            engine.arp().ask(node, facts.tenant().name(), each.address(), each.outside())));
        CompletableFuture.runAsync(() -> { }, CompletableFuture.delayedExecutor(ARP.toMillis(), TimeUnit.MILLISECONDS))
            .join();
        return answer(facts(question), question, begun);
    }

    /** With the word of the switch, if there is time left to ask it. */
    private WhyReport answer(final Facts facts, final WhyQuestion question, final long begun) {
        final Facts traced = Diagnosis.probe(facts, question)
            .filter(probe -> System.nanoTime() - begun < TRACE.toNanos()).flatMap(probe -> traced(facts, probe))
            .map(facts::with).orElse(facts);
        return Diagnosis.of(silent(traced, Diagnosis.nextHops(traced, question), begun).orElse(traced), question);
    }

    /** The facts with a next hop that was learned and does not answer ARP any more; nothing if all answer. */
    private Optional<Facts> silent(final Facts facts, final Set<Ipv4> nextHops, final long begun) {
        return nextHops.stream().flatMap(hop -> facts.nodes().keySet().stream()
            .filter(node -> facts.snapshot().backbone().on(node).stream()
                .anyMatch(uplink -> uplink.prefix().contains(hop)))
            .filter(node -> System.nanoTime() - begun < NEXT_HOPS.toNanos() && !answers(node, hop))
            .map(node -> facts.withSilent(node, hop))).findFirst();
    }

    /**
     * Whether a next hop answers ARP now. Another neighbour that speaks at the same moment is taken for it, so that one
     * that is alive is never called silent.
     */
    private boolean answers(final String node, final Ipv4 hop) {
        final long before = heard(node);
        engine.arp().ask(node, "", hop, /* outside= */ true);
        final long asked = System.nanoTime();
        long now = before;
        while (now == before && System.nanoTime() - asked < NEXT_HOP.toNanos()) {
            CompletableFuture.runAsync(() -> { }, CompletableFuture.delayedExecutor(POLL.toMillis(),
                TimeUnit.MILLISECONDS)).join();
            now = heard(node);
        }
        return now != before;
    }

    /** ARP packets from which a switch has learned neighbours on its uplinks; another number each time if not known. */
    private long heard(final String node) {
        final NodeWorker worker = engine.workers().get(node);
        if (worker == null || worker.plan().isEmpty()) {
            return -System.nanoTime();
        }
        final Set<FlowSpec.Key> learning = worker.plan().orElseThrow().nodeFlows().stream()
            .filter(each -> each.label().startsWith(BackboneStage.NEIGHBOURS)).map(each -> each.flow().key())
            .collect(Collectors.toSet());
        return worker.ask((southbound, id) -> southbound.readTable(id, Table.BACKBONE_IN,
                Cookie.of(Cookie.Kind.BACKBONE, 0)))
            .thenApply(dump -> dump.flows().stream().filter(each -> learning.contains(each.flow().key()))
                .mapToLong(InstalledFlow::packets).sum())
            .exceptionally(error -> -System.nanoTime())
            .completeOnTimeout(-System.nanoTime(), ANSWER.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    private Optional<Traced> traced(final Facts facts, final Probe probe) {
        final Desired desired = engine.desired();
        final String node = probe.at().node();
        final Frame first = new Frame(probe.at().port(), probe.at().vlan(), probe.mac(), Constants.GATEWAY_MAC);
        try {
            return Optional.ofNullable(engine.workers().get(node)).filter(worker -> worker.hasApplied(desired))
                .flatMap(worker -> tracer.end(desired, worker, facts.tenant(), node, probe.packet(), first, TRACE)
                    .completeOnTimeout(Optional.empty(), TRACE.toMillis(), TimeUnit.MILLISECONDS).join())
                .map(end -> new Traced(!end.ports().isEmpty(), end.ports().isEmpty()
                    ? "is dropped in table " + end.table().text()
                    : "leaves by port " + String.join(", ", end.ports())));
        } catch (IllegalArgumentException | CompletionException e) {
            LOG.debug("The switch of node {} was not asked about {}", node, probe, e);
            return Optional.empty();
        }
    }

    private Facts facts(final WhyQuestion question) {
        final Desired desired = engine.desired();
        final Tenant tenant = Optional.ofNullable(desired.snapshot().tenants().get(question.tenant()))
            .orElseThrow(() -> new IllegalArgumentException("tenant: there is no tenant '" + question.tenant() + "'"));
        final Map<String, CompletableFuture<NodeFacts>> asked = new TreeMap<>();
        tenant.nodes().forEach(name -> Optional.ofNullable(engine.workers().get(name))
            .filter(NodeWorker::isOnline).ifPresent(worker -> asked.put(name, new OfNode(desired, tenant, name, worker,
                engine.health(), engine.dropped()).ask())));
        final Map<String, NodeFacts> nodes = new HashMap<>();
        asked.forEach((name, answer) -> nodes.put(name, answer.completeOnTimeout(NodeFacts.AWAY, ANSWER.toMillis(),
            TimeUnit.MILLISECONDS).exceptionally(error -> {
                LOG.debug("Node {} was not read", name, error);
                return NodeFacts.AWAY;
            }).join()));
        return new Facts(desired.snapshot(), desired.allocations(), tenant,
            Optional.ofNullable(desired.failed().get(tenant.name())), nodes,
            engine.dhcp().counts().unanswered(tenant.name(), engine.clock().instant().minus(LATELY)), Optional.empty());
    }

    /** What is known of one tenant on one node that is connected. */
    private record OfNode(Desired desired, Tenant tenant, String name, NodeWorker worker, HealthService health,
            LastDropped dropped) {
        CompletableFuture<NodeFacts> ask() {
            final TenantReadings readings = new TenantReadings(desired, tenant.name());
            if (!readings.isOn(name)) {
                return CompletableFuture.completedFuture(facts(Service.INSTALLING, "", List.of(), List.of(), Set.of(),
                    List.of(), Optional.empty(), List.of()));
            }
            final VrfId vrf = readings.vrf(name);
            final CompletableFuture<List<InstalledFlow>> own = readings.flows(name, worker, /* learned= */ false);
            final CompletableFuture<List<InstalledFlow>> hosts = readings.hosts(name, worker);
            final CompletableFuture<List<InstalledFlow>> shared = worker.ask((southbound, id) ->
                southbound.readTable(id, Table.CLASSIFY, Cookie.of(Cookie.Kind.NODE, 0))
                    .thenApply(dump -> dump.flows()));
            final CompletableFuture<List<InstalledFlow>> gateways = worker.ask((southbound, id) ->
                southbound.readTable(id, Table.NEIGHBOURS, Cookie.of(Cookie.Kind.LEARNED, VrfId.BACKBONE))
                    .thenApply(dump -> dump.flows()));
            final CompletableFuture<List<MeterCount>> meters = worker.ask((southbound, id) ->
                southbound.readMeterCounts(id, worker.plan().map(plan -> own(vrf, plan)).orElse(Set.of())));
            final CompletableFuture<List<PortStatistics>> ports = worker.session()
                .map(session -> session.portStatistics(Optional.empty()))
                .orElse(CompletableFuture.completedFuture(List.of()));
            final CompletableFuture<Optional<ZoneReport>> report = worker.session()
                .map(session -> session.report(vrf.natZone()))
                .orElse(CompletableFuture.completedFuture(Optional.empty()));
            return CompletableFuture.allOf(own, hosts, shared, gateways, meters, ports, report).thenApply(done ->
                facts(service(vrf), reason(vrf), ports.join(), LearnedHosts.of(desired, name, tenant, hosts.join()),
                    LearnedHosts.nextHops(gateways.join()), drops(vrf, own.join(), shared.join()),
                    report.join(), limits(vrf, meters.join())));
        }

        private NodeFacts facts(final Service service, final String reason, final List<PortStatistics> ports,
                final List<LearnedHost> hosts, final Set<String> gateways, final List<Drops> drops,
                final Optional<ZoneReport> zone, final List<Limited> limits) {
            return new NodeFacts(service, reason, ports(ports), down(), hosts, gateways, drops, limits,
                zone.map(ZoneReport::connections).orElse(OptionalLong.empty()),
                zone.map(ZoneReport::limit).orElse(OptionalLong.empty()),
                zone.map(ZoneReport::resolver).orElse(""),
                zone.map(ZoneReport::silentUpstreams).orElse(List.of()), tenant.attachments().stream()
                    .filter(at -> at.node().equals(name)).map(Tenant.Attachment::place).filter(worker::isFlooding)
                    .collect(Collectors.toSet()));
        }

        private Service service(final VrfId vrf) {
            return !worker.hasApplied(desired) ? Service.INSTALLING : quarantine().isPresent() ? Service.REFUSING
                : worker.drift().reason(name, vrf).isPresent() ? Service.DRIFTED : Service.SERVING;
        }

        private String reason(final VrfId vrf) {
            return quarantine().map(Quarantine::reason).or(() -> worker.drift().reason(name, vrf)).orElse("");
        }

        private Optional<Quarantine> quarantine() {
            return worker.plan().map(plan -> plan.quarantined().get(tenant.name()));
        }

        private Map<String, PortFacts> ports(final List<PortStatistics> counted) {
            final Map<String, OptionalInt> mtus = counted.stream().collect(Collectors.toMap(PortStatistics::name,
                port ->
                port.mtu().isPresent() ? OptionalInt.of((int) port.mtu().orElseThrow()) : OptionalInt.empty()));
            return worker.ports().stream().collect(Collectors.toMap(port -> port.name(), port -> new PortFacts(
                port.linkUp(), port.error(), mtus.getOrDefault(port.name(), OptionalInt.empty()))));
        }

        /** Instances of functions that do not work, and why. */
        private Map<String, String> down() {
            final Map<String, String> down = new HashMap<>();
            desired.snapshot().functionsOn(name).forEach(function -> {
                for (final Instance instance : function.instances()) {
                    if (!worker.isUp(function.ports(instance))) {
                        down.put(instance.name(), "has no link");
                    } else if (!health.isCarried(name, instance.name())) {
                        down.put(instance.name(), "wants a service header, which can end the switch of the node");
                    } else if (!health.isHealthy(name, instance.name())) {
                        down.put(instance.name(), "does not answer probes");
                    }
                }
            });
            return down;
        }

        private List<Drops> drops(final VrfId vrf, final List<InstalledFlow> own, final List<InstalledFlow> shared) {
            final Map<FlowSpec.Key, String> labels = new HashMap<>();
            worker.plan().ifPresent(plan -> Stream.concat(plan.nodeFlows().stream(),
                plan.tenantFlows().getOrDefault(vrf, List.of()).stream())
                .forEach(each -> labels.put(each.flow().key(), each.label())));
            final NodeCounts before = worker.formerCounts();
            final DroppedPackets last = new DroppedPackets(dropped, desired.allocations(), name,
                Stream.concat(own.stream(), shared.stream()).toList());
            return Stream.concat(own.stream(), shared.stream())
                .filter(each -> each.flow().isDrop() && each.packets() > 0)
                .filter(each -> labels.containsKey(each.flow().key()))
                .map(each -> new Drops(each.flow().table().text(), requireNonNull(labels.get(each.flow().key())),
                    each.packets(), recent(each.packets(), before.drops().getOrDefault(each.flow().key(), 0L)),
                    last.of(each.flow()).map(packet -> packet.text() + ", at " + packet.time())))
                .toList();
        }

        /** The meters of the VRF. */
        private static Set<Integer> own(final VrfId vrf, final NodePlan plan) {
            return plan.tenantMeters().getOrDefault(vrf, List.of()).stream().map(MeterSpec::id)
                .collect(Collectors.toSet());
        }

        private List<Limited> limits(final VrfId vrf, final List<MeterCount> counts) {
            final Map<TenantMeter, Long> before = worker.formerCounts().of(vrf).limited();
            return worker.plan().map(plan -> Limits.of(name, plan, other -> "", counts)).orElse(Stream.empty())
                .filter(limit -> limit.droppedPackets() > 0).map(limit -> limited(limit, before)).toList();
        }

        private static Limited limited(final Limit limit, final Map<TenantMeter, Long> before) {
            final long former = before.entrySet().stream()
                .filter(each -> Limits.text(each.getKey()).equals(limit.meter())).mapToLong(Map.Entry::getValue).sum();
            return new Limited(limit.meter(), limit.rate(), limit.unit(), limit.droppedPackets(),
                recent(limit.droppedPackets(), former));
        }

        /** What a counter has grown by. One that is smaller than before began again, with a new flow or meter. */
        private static long recent(final long now, final long before) {
            return now < before ? now : now - before;
        }
    }
}
