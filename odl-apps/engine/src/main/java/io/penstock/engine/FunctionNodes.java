// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeWorker;
import io.penstock.functions.canary.CanaryService;
import io.penstock.functions.canary.FunctionPackets;
import io.penstock.functions.health.HealthService;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.SwitchId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** The nodes, for those who look after functions. Safe for all threads; never blocks. */
record FunctionNodes(Function<String, Optional<NodeWorker>> workers, OpenFlowSouthbound southbound,
        Supplier<Desired> desired)
        implements HealthService.Nodes, CanaryService.Nodes {
    private static final long ANSWER_SECONDS = 4;

    @Override
    public boolean isOnline(final String node) {
        return worker(node).map(NodeWorker::isOnline).orElse(false);
    }

    @Override
    public boolean isUp(final String node, final List<String> ports) {
        return worker(node).map(worker -> worker.isUp(ports)).orElse(false);
    }

    @Override
    public boolean carriesServiceHeader(final String node) {
        return worker(node).map(NodeWorker::carriesServiceHeader).orElse(false);
    }

    @Override
    public void changed(final String node) {
        worker(node).ifPresent(NodeWorker::healthChanged);
    }

    /** Flows of tenants, of which there may be very many, are not read. */
    @Override
    public CompletableFuture<FunctionPackets> packets(final String node) {
        final SwitchId id = new SwitchId(desired.get().allocations().datapathId(node));
        return southbound.readFlows(id, Cookie.of(Cookie.Kind.NODE, 0), -1)
            .orTimeout(ANSWER_SECONDS, TimeUnit.SECONDS)
            .thenApply(dump -> FunctionPackets.of(worker(node).flatMap(NodeWorker::plan).map(NodePlan::nodeFlows)
                .orElse(List.of()), dump));
    }

    private Optional<NodeWorker> worker(final String node) {
        return workers.apply(node);
    }
}
