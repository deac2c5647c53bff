// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.base.tls.PeerTls;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.southbound.openflow.ConnectionListener;
import io.penstock.southbound.openflow.FlowChanges;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.MeterCount;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.PacketInListener;
import io.penstock.southbound.openflow.PortListener;
import io.penstock.southbound.openflow.SwitchAdmission;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A switch that takes everything and remembers it; flows and forgetting may fail. For several threads. */
final class RecordingSouthbound implements OpenFlowSouthbound {
    final List<FlowChanges> changes = new CopyOnWriteArrayList<>();
    final List<Set<TrackedConnections>> flushed = new CopyOnWriteArrayList<>();
    /** With each of them, the flows that went after it. */
    final List<List<FlowSpec.Key>> unmarked = new CopyOnWriteArrayList<>();
    /** When flows were sent. */
    final List<Long> times = new CopyOnWriteArrayList<>();
    volatile List<PlannedFlow> installed = List.of();
    final List<String> steps = new CopyOnWriteArrayList<>();
    SortedMap<Integer, Optional<MeterSpec>> meters = new TreeMap<>();
    volatile List<MeterCount> limited = List.of();
    /** That each flow has counted. */
    volatile long packets;
    volatile RuntimeException failure;
    volatile RuntimeException refusal;
    /** When the switch has forgotten. */
    volatile Supplier<CompletableFuture<Void>> forgotten = () -> CompletableFuture.completedFuture(null);

    List<Long> removed() {
        return changes.stream().flatMap(each -> each.removeCookies().stream()).toList();
    }

    @Override
    public CompletableFuture<Void> apply(final SwitchId target, final FlowChanges wanted) {
        times.add(System.nanoTime());
        changes.add(wanted);
        steps.add("flows");
        return refusal == null ? CompletableFuture.completedFuture(null) : CompletableFuture.failedFuture(refusal);
    }

    @Override
    public CompletableFuture<Map<Integer, Optional<MeterSpec>>> readMeters(final SwitchId source) {
        return CompletableFuture.completedFuture(meters);
    }

    @Override
    public CompletableFuture<List<MeterCount>> readMeterCounts(final SwitchId source) {
        return CompletableFuture.completedFuture(limited);
    }

    @Override
    public CompletableFuture<List<MeterCount>> readMeterCounts(final SwitchId source, final Set<Integer> ids) {
        return CompletableFuture.completedFuture(limited.stream().filter(each -> ids.contains(each.id())).toList());
    }

    @Override
    public CompletableFuture<Void> setMeters(final SwitchId target, final Collection<MeterSpec> wanted) {
        steps.add("set " + wanted);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> deleteMeters(final SwitchId target, final Set<Integer> ids) {
        steps.add("delete " + ids);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletableFuture<Void> flush(final SwitchId target, final Set<TrackedConnections> connections,
            final List<FlowSpec.Key> markers) {
        flushed.add(connections);
        unmarked.add(markers);
        return failure == null ? forgotten.get() : CompletableFuture.failedFuture(failure);
    }

    @Override
    public CompletableFuture<FlowDump> readFlows(final SwitchId source) {
        return CompletableFuture.completedFuture(new FlowDump(
            installed.stream().map(planned -> new InstalledFlow(planned.flow(), 0, 0)).toList(), List.of()));
    }

    @Override
    public CompletableFuture<FlowDump> readFlows(final SwitchId source, final long cookie, final long cookieMask) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<FlowDump> readTable(final SwitchId source, final int table) {
        return CompletableFuture.completedFuture(new FlowDump(installed.stream().map(PlannedFlow::flow)
            .filter(flow -> flow.table().number() == table).map(flow -> new InstalledFlow(flow, packets, 0)).toList(),
            List.of()));
    }

    @Override
    public CompletableFuture<FlowDump> readTable(final SwitchId source, final Table table, final long cookie) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SwitchId> connected() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> packetOut(final SwitchId target, final int inPort, final List<Action> actions,
            final byte[] frame) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Runnable believe(final PeerTls certificates) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void lead(final long epoch, final SwitchAdmission admission, final Predicate<SwitchId> mayUse) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void standBy(final long epoch, final SwitchAdmission admission) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void reconsider(final SwitchId id) {
        steps.add("reconsider");
    }

    @Override
    public void rest() {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> barrier(final SwitchId target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration listen(final ConnectionListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration listen(final PortListener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration listen(final PacketInListener listener) {
        throw new UnsupportedOperationException();
    }
}
