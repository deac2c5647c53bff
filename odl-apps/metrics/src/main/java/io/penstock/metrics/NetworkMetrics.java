// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.engine.Engine;
import io.penstock.engine.state.LiveNetwork;
import io.penstock.pipeline.intent.Snapshot;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What the engine knows of the network, while this member has the engine. Safe for all threads. */
final class NetworkMetrics implements MultiCollector {
    private final Supplier<Optional<Engine>> running;
    private final Drops drops;
    private final IntSupplier tenants;

    /**
     * Those of an engine.
     *
     * @param running the engine; empty while another member has it
     * @param tenants most tenants with samples of their own
     */
    NetworkMetrics(final Supplier<Optional<Engine>> running, final Drops drops, final IntSupplier tenants) {
        this.running = requireNonNull(running);
        this.drops = requireNonNull(drops);
        this.tenants = requireNonNull(tenants);
    }

    @Override
    public MetricSnapshots collect() {
        final Optional<Engine> engine = running.get();
        return engine.isEmpty() ? new MetricSnapshots()
            : new MetricSnapshots(families(engine.orElseThrow()).map(Family::snapshot).toList());
    }

    private Stream<Family> families(final Engine engine) {
        final Desired desired = engine.desired();
        final Snapshot snapshot = desired.snapshot();
        final LiveNetwork live = new LiveNetwork(desired, engine.workers(), engine.health());
        final NodeFamilies nodes = new NodeFamilies();
        snapshot.nodes().keySet().forEach(name -> nodes.add(name, live.node(name)));
        final TenantFamilies ofTenants = new TenantFamilies(TenantLabels.of(desired, tenants.getAsInt()));
        snapshot.tenants().forEach((name, tenant) -> ofTenants.add(name, live.tenant(tenant)));
        ofTenants.add(drops.all(snapshot.tenants().keySet()));
        final ServiceFamilies services = new ServiceFamilies();
        snapshot.functions().forEach((name, function) -> {
            services.function(name, live.function(function));
            function.instances().forEach(instance -> services.probed(name, instance.name(),
                engine.health().total(function.node(), instance.name())));
        });
        live.pools().forEach(services::pool);
        engine.packetIns().forEach(services::packetIns);
        services.icmpErrors(engine.icmpErrors());
        engine.dhcp().counts().all().values().forEach(services::dhcp);
        return Stream.of(nodes.all(), ofTenants.all(), services.all()).flatMap(each -> each);
    }
}
