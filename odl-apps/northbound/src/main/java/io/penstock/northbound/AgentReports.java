// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.engine.node.NodeWorker;
import io.penstock.operations.TenantStatus.AgentStatus;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.TenantOrders;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.ovsdb.NodeReport;
import io.penstock.southbound.ovsdb.ZoneReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What the nodes were told to do for tenants and functions, and what they say of it. Safe for all threads. */
final class AgentReports {
    private static final long ANSWER_SECONDS = 10;
    private static final String SILENT = "not reported";
    private static final ZoneReport NONE = new ZoneReport(OptionalLong.empty(), OptionalLong.empty(), "");

    private final SortedMap<String, Node> nodes;

    /** One node: what was ordered for tenants, and the report when it is there. */
    record Node(Map<Integer, TenantOrders> orders, CompletableFuture<NodeReport> report) { }

    AgentReports(final SortedMap<String, Node> nodes) {
        this.nodes = nodes;
    }

    /** Asks the databases of the nodes. Does not block; a node that does not answer has reported nothing. */
    static AgentReports ask(final SortedMap<String, NodeWorker> workers) {
        final SortedMap<String, Node> nodes = new TreeMap<>();
        workers.forEach((name, worker) -> nodes.put(name, new Node(
            worker.plan().map(NodePlan::orders).<Map<Integer, TenantOrders>>map(orders -> orders).orElse(Map.of()),
            worker.session().map(session -> session.report().completeOnTimeout(NodeReport.NONE, ANSWER_SECONDS,
                TimeUnit.SECONDS).exceptionally(error -> NodeReport.NONE))
                .orElse(CompletableFuture.completedFuture(NodeReport.NONE)))));
        return new AgentReports(nodes);
    }

    /** Of one tenant, by node; waits for answers. */
    List<AgentStatus> of(final TenantAllocation given) {
        final List<AgentStatus> result = new ArrayList<>();
        nodes.forEach((name, node) -> {
            final Optional<Integer> zone = given.vrf(name).map(VrfId::natZone);
            final Optional<TenantOrders> orders = zone.map(node.orders()::get)
                .filter(each -> each.sessions().isPresent() || each.dns().isPresent());
            final Optional<ZoneReport> report = zone.map(node.report().join().zones()::get);
            if (orders.isPresent() || report.isPresent()) {
                result.add(status(name, orders, report.orElse(NONE)));
            }
        });
        return List.copyOf(result);
    }

    private static AgentStatus status(final String node, final Optional<TenantOrders> orders,
            final ZoneReport report) {
        final boolean silent = report.resolver().isEmpty() && orders.flatMap(TenantOrders::dns).isPresent();
        return new AgentStatus(node, report.connections().orElse(0),
            orders.flatMap(TenantOrders::sessions).orElse(0), report.limit().orElse(0),
            silent ? SILENT : report.resolver());
    }

    /** Of the process of an instance; empty when the node has no order to start it. Waits for answers. */
    String process(final String node, final Instance instance) {
        return instance.start().map(order -> report(node).functions().getOrDefault(instance.insidePort(), SILENT))
            .orElse("");
    }

    /** Names of functions that a node runs and no port names; waits for answers. */
    List<String> found(final String node) {
        return report(node).found();
    }

    private NodeReport report(final String name) {
        final Node node = nodes.get(name);
        return node == null ? NodeReport.NONE : node.report().join();
    }
}
