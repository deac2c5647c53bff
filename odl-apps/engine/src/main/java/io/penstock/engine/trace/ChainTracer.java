// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.trace;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeWorker;
import io.penstock.operations.TraceQuestion;
import io.penstock.operations.TraceReport;
import io.penstock.operations.TraceReport.TraceHop;
import io.penstock.operations.TraceReport.TraceWay;
import io.penstock.operations.TraceReport.Verdict;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.stage.ChainTrace;
import io.penstock.pipeline.stage.ChainTrace.Frame;
import io.penstock.pipeline.stage.ChainTrace.Hop;
import io.penstock.pipeline.stage.NodeView;
import io.penstock.pipeline.stage.TenantView;
import io.penstock.southbound.ovsdb.NodeSession;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Traces connections through chains. Safe for all threads; blocks none. */
public final class ChainTracer {
    private static final Duration ANSWER = Duration.ofSeconds(6);
    private static final String NEW = "new";
    private static final String REPLY = "rpl";
    private static final String UNCHECKED_ENTRY = "the reply was checked behind its first function only, because "
        + "it is translated before that";
    /** Of a host that is not known: flows learn nothing of a packet that is only traced. */
    private static final Mac SOME_MAC = new Mac(0x020000000001L);

    private final BiPredicate<String, String> healthy;

    /**
     * Creates one.
     *
     * @param healthy whether an instance of a function may have packets, by its node and name
     */
    public ChainTracer(final BiPredicate<String, String> healthy) {
        this.healthy = requireNonNull(healthy);
    }

    /**
     * Traces a packet and its answer.
     *
     * @param workers by node
     * @return the planned ways, and whether the switch agrees
     * @throws IllegalArgumentException when a field of the question will not do; the message names it
     */
    public CompletableFuture<TraceReport> trace(final Desired desired, final Map<String, NodeWorker> workers,
            final TraceQuestion question) {
        final Tenant tenant = desired.snapshot().tenants().get(question.tenant());
        final TenantAllocation allocation = desired.allocations().tenants().get(question.tenant());
        if (tenant == null || allocation == null) {
            throw new IllegalArgumentException("tenant: there is no tenant '" + question.tenant() + "'");
        }
        final FiveTuple packet = FiveTuple.parse(question.source(), question.destination(), question.protocol(),
            question.sourcePort(), question.destinationPort());
        final Tenant.Attachment attachment = attachment(tenant, allocation, packet);
        final NodeWorker worker = workers.get(attachment.node());
        final Subject subject = new Subject(view(desired, attachment.node(), worker), tenant, packet);
        final ChainTrace planned = subject.trace(Optional.empty());
        final Optional<NodeSession> session = worker == null ? Optional.empty() : worker.session();
        if (worker == null || session.isEmpty() || !worker.isOnline()) {
            return unchecked(subject, planned, "node " + attachment.node() + " is not connected");
        }
        if (!worker.hasApplied(desired)) {
            return unchecked(subject, planned, "node " + attachment.node()
                + " has not applied the whole configuration yet; try again");
        }
        final Mac mac = lease(allocation, packet).map(Lease::mac).orElse(SOME_MAC);
        final Frame first = new Frame(attachment.port(), attachment.vlan(), mac, Constants.GATEWAY_MAC);
        return subject.ask(session.orElseThrow(), first, planned.outbound())
            .thenCompose(answer -> {
                // Only the connection tells by which output it leaves a function.
                final ChainTrace known = subject.trace(answer);
                return subject.behind(known.outbound(), true).equals(subject.behind(planned.outbound(), true))
                    ? subject.check(session.orElseThrow(), answer)
                    : subject.ask(session.orElseThrow(), first, known.outbound())
                        .thenCompose(again -> subject.check(session.orElseThrow(), again));
            })
            .exceptionally(error -> subject.report(planned, new Comparison(Verdict.NOT_CHECKED,
                String.valueOf((error.getCause() == null ? error : error.getCause()).getMessage()))));
    }

    /**
     * Asks a switch where a packet to the backbone ends.
     *
     * @param first as it enters the switch
     * @param limit how long to wait for the answer
     * @return nothing if it cannot be told; fails if the node does not answer
     * @throws IllegalArgumentException when the packet is not from the tenant to the backbone
     */
    public CompletableFuture<Optional<PacketEnd>> end(final Desired desired, final NodeWorker worker,
            final Tenant tenant, final String node, final FiveTuple packet, final Frame first, final Duration limit) {
        final Subject subject = new Subject(view(desired, node, worker), tenant, packet);
        final ChainTrace planned = subject.trace(Optional.empty());
        return worker.session().map(session -> session.trace(new TraceOrder(packet, first,
            subject.behind(planned.outbound(), true), subject.zone(), Optional.empty()).text(), limit)
            .thenApply(answer -> PacketEnd.of(TraceAnswer.parse(answer), subject.functionPorts())))
            .orElse(CompletableFuture.completedFuture(Optional.empty()));
    }

    private NodeView view(final Desired desired, final String node, final @Nullable NodeWorker worker) {
        // Of a node that is away nothing is known; its functions worked, one may hope.
        final Set<String> down = worker == null || !worker.isOnline() ? Set.of()
            : desired.snapshot().functionPortsOn(node).entrySet().stream()
                .filter(instance -> !worker.isUp(instance.getValue()) || !healthy.test(node, instance.getKey()))
                .map(Map.Entry::getKey).collect(Collectors.toSet());
        return new NodeView(desired.snapshot(), desired.allocations(), down, Set.of(),
            requireNonNull(desired.snapshot().nodes().get(node)));
    }

    private static CompletableFuture<TraceReport> unchecked(final Subject subject, final ChainTrace planned,
            final String reason) {
        return CompletableFuture.completedFuture(
            subject.report(planned, new Comparison(Verdict.NOT_CHECKED, reason)));
    }

    private static Optional<Lease> lease(final TenantAllocation allocation, final FiveTuple packet) {
        return allocation.leases().stream().filter(lease -> lease.isBound()
            && packet.family() == IpFamily.IPV4 && lease.address().equals(packet.source4())).findFirst();
    }

    /** Where the packet's sender is, or the router in front of it. */
    private static Tenant.Attachment attachment(final Tenant tenant, final TenantAllocation allocation,
            final FiveTuple packet) {
        final Stream<Tenant.Attachment> places = packet.family() == IpFamily.IPV4
            ? Stream.concat(Stream.of(packet.source4()), tenant.routes().stream()
                .filter(route -> route.prefix().contains(packet.source4())).map(Route::nextHop))
                .flatMap(address -> tenant.subnets().stream().filter(subnet -> subnet.prefix().contains(address)))
                .flatMap(subnet -> tenant.attachmentsOf(subnet).stream())
            : Stream.concat(Stream.of(packet.source()), tenant.ipv6().routes().stream()
                .filter(route -> route.prefix().contains(packet.source())).map(route -> route.nextHop()))
                .flatMap(address -> tenant.ipv6().subnets().stream()
                    .filter(subnet -> subnet.prefix().contains(address)))
                .flatMap(subnet -> tenant.attachmentsOf(subnet).stream());
        final List<Tenant.Attachment> found = places.toList();
        final Optional<String> leased = lease(allocation, packet).map(Lease::attachment);
        return found.stream().filter(each -> leased.equals(Optional.of(each.name()))).findFirst()
            .or(() -> found.stream().findFirst())
            .orElseThrow(() -> new IllegalArgumentException("source-address: " + packet.text(packet.source())
                + " is in no subnet and no route of tenant " + tenant.name()));
    }

    /** One question, at one state of the node. */
    private record Subject(NodeView node, Tenant tenant, FiveTuple packet) {
        ChainTrace trace(final Optional<BigInteger> label) {
            return ChainTrace.of(node, tenant, packet, label);
        }

        ChainTrace trace(final TraceAnswer answer) {
            return trace(Optional.of(answer.label()).filter(label -> !NEW.equals(answer.state())));
        }

        CompletableFuture<TraceAnswer> ask(final NodeSession session, final TraceOrder order) {
            return session.trace(order.text(), ANSWER).thenApply(TraceAnswer::parse);
        }

        /** Asks what becomes of the packet where it begins. */
        CompletableFuture<TraceAnswer> ask(final NodeSession session, final Frame first, final ChainTrace.Way way) {
            return ask(session, new TraceOrder(packet, first, behind(way, true), zone(), Optional.empty()));
        }

        /** How packets come back from the tenant's functions as plain frames, by the ports by which they come there. */
        Map<String, Frame> behind(final ChainTrace.Way way, final boolean out) {
            final TenantView view = node.view(tenant);
            final Map<String, Frame> frames = new TreeMap<>();
            node.snapshot().functionsOf(tenant).stream().filter(function -> !function.mirror() && !function.nsh())
                .forEach(function -> function.instances().forEach(instance -> {
                    final Frame back = ChainTrace.back(view, function, instance, out,
                        way.hops().stream().anyMatch(hop -> hop.portFrom().equals(instance.secondPort())));
                    final List<String> ports = function.ports(instance);
                    (out ? ports.subList(0, 1) : ports.subList(1, ports.size())).forEach(
                        port -> frames.put(port, back));
                }));
            return frames;
        }

        Optional<Integer> zone() {
            return node.snapshot().functionsOf(tenant).stream().anyMatch(NetworkFunction::keepsConnections)
                ? Optional.of(node.view(tenant).vrf().chainZone()) : Optional.empty();
        }

        CompletableFuture<TraceReport> check(final NodeSession session, final TraceAnswer answer) {
            final ChainTrace planned = trace(answer);
            final Comparison there = Comparison.outbound(planned.outbound(), answer.legs(), functionPorts());
            final Optional<Hop> first = planned.inbound().hops().stream()
                .filter(hop -> !hop.portFrom().isEmpty()).findFirst();
            if (there.verdict() != Verdict.AGREES || first.isEmpty() || planned.inbound().isStopped()) {
                return CompletableFuture.completedFuture(report(planned, there));
            }
            final String state = REPLY.equals(answer.state()) ? "est" : REPLY;
            final Map<String, Frame> frames = behind(planned.inbound(), false);
            final String port = first.orElseThrow().portTo();
            if (!frames.containsKey(port)) {
                return CompletableFuture.completedFuture(report(planned, Comparison.unseen(Set.of(port))));
            }
            return ask(session, new TraceOrder(packet.answer(), frames.get(port), frames, zone(),
                Optional.of(new TraceOrder.Known(state, answer.label()))))
                .thenApply(back -> {
                    final Comparison here =
                        Comparison.inbound(planned.inbound(), back.legs(), functionPorts());
                    return report(planned, here.verdict() == Verdict.AGREES
                        ? new Comparison(Verdict.AGREES, UNCHECKED_ENTRY) : here);
                });
        }

        private Set<String> functionPorts() {
            return node.snapshot().functionPortsOn(node.node().name()).values().stream()
                .flatMap(List::stream).collect(Collectors.toSet());
        }

        TraceReport report(final ChainTrace planned, final Comparison comparison) {
            return new TraceReport(node.node().name(), way(planned.outbound()), way(planned.inbound()),
                comparison.verdict(), comparison.reason());
        }

        private static TraceWay way(final ChainTrace.Way way) {
            return new TraceWay(way.chain().orElse(""), way.rule().orElse(""), way.hops().stream()
                .map(hop -> new TraceHop(hop.function(), hop.instance().orElse(""), hop.reason().text(), hop.portTo(),
                    hop.portFrom())).toList());
        }
    }
}
