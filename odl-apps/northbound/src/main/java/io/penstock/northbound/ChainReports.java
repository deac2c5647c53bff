// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeWorker;
import io.penstock.engine.node.Observation;
import io.penstock.engine.state.LiveNetwork;
import io.penstock.functions.canary.CanaryService;
import io.penstock.functions.canary.FunctionPackets;
import io.penstock.functions.health.HealthService;
import io.penstock.operations.ChainStatus;
import io.penstock.operations.FunctionStatus;
import io.penstock.operations.FunctionStatus.InstanceStatus;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Chain;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.stage.HopLabels;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Chains, functions and instances as they are.
 *
 * @param observations what was read of the switches, by node; those that did not answer are not there
 */
record ChainReports(Desired desired, SortedMap<String, NodeWorker> workers, Map<String, Observation> observations,
        HealthService health, CanaryService canaries, AgentReports agents) {
    private static final String CHAIN = "chain ";

    List<FunctionStatus> functions() {
        return desired.snapshot().functions().values().stream().map(this::function).toList();
    }

    private FunctionStatus function(final NetworkFunction function) {
        final FunctionPackets packets = packetsOf(function.node());
        return new FunctionStatus(function.name(), state(function), function.instances().stream()
            .map(instance -> new InstanceStatus(instance.name(), state(function, instance),
                agents.process(function.node(), instance),
                packets.in(function.spread() ? HopLabels.INSTANCE : HopLabels.HOP, instance),
                packets.outWithProbes(instance), health.statistics(function.node(), instance.name()))).toList(),
            CanaryReports.of(function, desired.allocations(), canaries.judgement(function)));
    }

    private FunctionPackets packetsOf(final String node) {
        final Observation seen = observations.get(node);
        return seen == null ? FunctionPackets.unknown()
            : FunctionPackets.of(seen.plan().flows().values(), seen.dump());
    }

    private String state(final NetworkFunction function) {
        final NodeWorker worker = workers.get(function.node());
        if (worker == null || !worker.isOnline()) {
            return "waiting for node " + function.node();
        }
        return live().isUp(function) ? "up" : "down";
    }

    private String state(final NetworkFunction function, final Instance instance) {
        final NodeWorker worker = workers.get(function.node());
        final String meant = CanaryReports.state(function, instance, desired.allocations());
        if (worker == null || !worker.isUp(function.ports(instance))) {
            return meant + ", down";
        }
        if (!health.isCarried(function.node(), instance.name())) {
            return meant + ", the switch cannot carry service headers";
        }
        return health.isHealthy(function.node(), instance.name()) ? meant : meant + ", does not answer probes";
    }

    /** The network without what was read. */
    LiveNetwork live() {
        return new LiveNetwork(desired, workers, health);
    }

    /** The chain that a label names: flows of the tenant's own chain name none. */
    private static Optional<String> chain(final String label) {
        return Arrays.stream(label.split(", ")).skip(1).filter(part -> part.startsWith(CHAIN))
            .map(part -> part.substring(CHAIN.length())).findFirst();
    }

    List<ChainStatus> chains() {
        final Snapshot snapshot = desired.snapshot();
        if (snapshot.chains().isEmpty()) {
            return List.of();
        }
        final Map<String, Long> hits = new HashMap<>();
        observations.forEach((node, seen) -> {
            final Map<FlowSpec.Key, Long> packets = seen.dump().packets();
            seen.plan().flows().values().stream().filter(planned -> planned.label().startsWith(HopLabels.HOP))
                .forEach(planned -> hits.merge(chain(planned.label()).orElseGet(
                    () -> Cookie.vrf(planned.flow().cookie())
                        .flatMap(vrf -> desired.tenant(node, vrf)).flatMap(Tenant::chain)
                        .orElse("")),
                    packets.getOrDefault(planned.flow().key(), 0L), Long::sum));
        });
        return snapshot.chains().values().stream().map(chain -> new ChainStatus(chain.name(), chain.functions(),
            chain.branch().map(Chain.Branch::functions).orElse(List.of()),
            hits.getOrDefault(chain.name(), 0L))).toList();
    }
}
