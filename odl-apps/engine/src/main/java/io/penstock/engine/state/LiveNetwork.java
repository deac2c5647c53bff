// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.DriftReport;
import io.penstock.engine.node.NodeCounts;
import io.penstock.engine.node.NodeWorker;
import io.penstock.engine.state.TenantState.Kind;
import io.penstock.engine.state.TenantState.OnNode;
import io.penstock.functions.health.ProbeResults;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.allocation.PoolUser;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Tenant.Nat;
import io.penstock.pipeline.intent.Tenant.PortBlocks;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.Quarantine;
import io.penstock.southbound.ovsdb.NodeAnnouncement;
import io.penstock.southbound.ovsdb.NodeSession;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The network at one moment: what is desired, and what the workers of the nodes and the probes tell. Asks no node. Safe
 * for all threads.
 */
public record LiveNetwork(Desired desired, Map<String, NodeWorker> workers, ProbeResults probes) {
    /** The state of a configured node. */
    public NodeState node(final String name) {
        final NodeWorker worker = workers.get(name);
        if (worker == null) {
            return new NodeState(false, false, false, "", "", "", 0, DriftReport.NOTHING, 0, List.of());
        }
        final Optional<NodeAnnouncement> announced = worker.session().map(NodeSession::announcement);
        return new NodeState(worker.isOnline(), announced.isPresent(), worker.hasApplied(desired),
            announced.map(NodeAnnouncement::ovsVersion).orElse(""),
            announced.filter(NodeAnnouncement::dpdkInitialized).map(NodeAnnouncement::dpdkVersion).orElse(""),
            announced.map(NodeAnnouncement::warning).orElse(""),
            worker.plan().map(NodePlan::size).orElse(0), worker.drift(),
            worker.counts().shared().dropped(), worker.ports());
    }

    /** The state of a configured tenant. */
    public TenantState tenant(final Tenant tenant) {
        final TenantAllocation given = desired.allocations().tenants().get(tenant.name());
        if (given == null) {
            return new TenantState(Kind.INSTALLING, "being installed", 0, Optional.empty(), Optional.empty(), List.of(),
                tenant.attachments(), tenant.chain(), new TreeMap<>(), 0, 0);
        }
        final SortedMap<String, OnNode> nodes = new TreeMap<>();
        tenant.nodes().forEach(node -> given.vrf(node).ifPresent(vrf -> {
            final NodeCounts counts = worker(node).map(NodeWorker::counts).orElse(NodeCounts.NONE);
            nodes.put(node, new OnNode(vrf, counts.sessions(vrf), counts.of(vrf)));
        }));
        final Reason reason = reason(tenant, given);
        return new TenantState(reason.kind(), reason.text(), given.id(), given.publicAddress(),
            tenant.nat().flatMap(Nat::pool), tenant.nat().map(nat -> mappings(nat, given)).orElse(List.of()),
            tenant.attachments(), tenant.chain(), nodes,
            (int) given.leases().stream().filter(Lease::isBound).count(), given.blocks().size());
    }

    private static List<TenantState.Mapping> mappings(final Nat nat, final TenantAllocation given) {
        return nat.mappings().stream().map(each -> new TenantState.Mapping(each.kind(), each.inside().toString(),
            each.outside().toString(), each instanceof PortBlocks blocks
                ? OptionalInt.of((int) given.blocks().stream().filter(block -> block.isOf(blocks)).count())
                : OptionalInt.empty())).toList();
    }

    private record Reason(Kind kind, String text) { }

    private Reason reason(final Tenant tenant, final TenantAllocation given) {
        final String failed = desired.failed().get(tenant.name());
        if (failed != null) {
            return new Reason(Kind.FAILED, failed);
        }
        if (tenant.attachments().isEmpty()) {
            // No node carries anything out for it, and none tells of its functions.
            return new Reason(Kind.ACTIVE, "");
        }
        for (final Tenant.Attachment attachment : tenant.attachments()) {
            final Optional<Reason> reason = reason(tenant, attachment.node(), given);
            if (reason.isPresent()) {
                return reason.orElseThrow();
            }
        }
        for (final NetworkFunction function : desired.snapshot().functionsOf(tenant)) {
            if (!isUp(function)) {
                return function.failPolicy() == NetworkFunction.FailPolicy.CLOSED
                    ? new Reason(Kind.STOPPED, "stopped: function " + function.name() + " is down")
                    : new Reason(Kind.RESTRICTED, "bypassing function " + function.name());
            }
        }
        return tenant.attachments().stream().filter(at -> worker(at.node()).filter(worker ->
            worker.isFlooding(at.place())).isPresent()).findFirst().map(at -> new Reason(Kind.RESTRICTED,
                "limited: frames from " + at.node() + "/" + at.port() + "/" + at.vlan() + " flood the slow path"))
            .orElse(new Reason(Kind.ACTIVE, ""));
    }

    /** Why the flows of a tenant on a node are not all that they should be. */
    private Optional<Reason> reason(final Tenant tenant, final String node, final TenantAllocation given) {
        final NodeWorker worker = workers.get(node);
        if (worker == null || !worker.isOnline()) {
            return Optional.of(new Reason(Kind.WAITING, "waiting for node " + node));
        }
        if (!worker.hasApplied(desired)) {
            return Optional.of(new Reason(Kind.INSTALLING, "being installed"));
        }
        final Optional<Quarantine> quarantine = worker.plan().map(plan -> plan.quarantined().get(tenant.name()));
        if (quarantine.isPresent()) {
            return Optional.of(new Reason(Kind.FAILED, "not carried out on node " + node + ": "
                + quarantine.orElseThrow().reason()));
        }
        return given.vrf(node).flatMap(vrf -> worker.drift().reason(node, vrf))
            .map(text -> new Reason(Kind.LACKING, text));
    }

    /** The state of a configured function. */
    public FunctionState function(final NetworkFunction function) {
        final boolean online = worker(function.node()).filter(NodeWorker::isOnline).isPresent();
        return new FunctionState(!online ? FunctionState.Kind.WAITING
            : isUp(function) ? FunctionState.Kind.UP : FunctionState.Kind.DOWN, function.instances().stream()
                .map(instance -> new FunctionState.Instance(instance.name(),
                    worker(function.node()).filter(worker -> worker.isUp(function.ports(instance))).isPresent(),
                    probes.isHealthy(function.node(), instance.name()))).toList());
    }

    /** Whether packets pass a function. */
    public boolean isUp(final NetworkFunction function) {
        final NodeWorker worker = workers.get(function.node());
        return worker != null && function.instances().stream().anyMatch(
            instance -> instance.state() != NetworkFunction.State.OUT_OF_SERVICE
                && worker.isUp(function.ports(instance)) && probes.isHealthy(function.node(), instance.name()));
    }

    /** The usage of all pools, by name. */
    public Map<String, PoolState> pools() {
        final Map<String, PoolState> pools = new HashMap<>();
        PoolUser.of(desired.snapshot().pools().values(), desired.allocations()).forEach((name, users) ->
            pools.put(name, new PoolState(requireNonNull(desired.snapshot().pools().get(name)).size(), users.size())));
        return pools;
    }

    private Optional<NodeWorker> worker(final String node) {
        return Optional.ofNullable(workers.get(node));
    }
}
