// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.OwedFlush;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.TrackedConnections;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The connections that a switch has still to forget. Each is written down in the switch, by a flow that comes with the
 * change that owes it and goes when it is done (ADR 43). So the next controller finds it, and a switch
 * that was started again has neither connections nor these flows. For the thread of one worker.
 */
final class OwedFlushes {
    private final Set<TrackedConnections> owed = new LinkedHashSet<>();
    /** Those of which the switch has the flow. */
    private final Set<TrackedConnections> written = new LinkedHashSet<>();

    /** Adds connections that the switch is to forget. */
    void add(final Collection<TrackedConnections> connections) {
        owed.addAll(connections);
    }

    /** Takes up what a switch has, of a controller before this one or of this one. Says whether that is anything. */
    boolean found(final FlowDump dump) {
        written.clear();
        dump.flows().stream().map(InstalledFlow::flow).flatMap(flow -> OwedFlush.of(flow).stream())
            .forEach(each -> written.add(new TrackedConnections(each.zone(), each.publicAddress())));
        owed.addAll(written);
        return !written.isEmpty();
    }

    /** Whether nothing is owed. */
    boolean isEmpty() {
        return owed.isEmpty();
    }

    /** Flows to write with the next change. */
    List<FlowSpec> unwritten() {
        return owed.stream().filter(each -> !written.contains(each)).map(OwedFlushes::flow).toList();
    }

    /** The switch has all of {@link #unwritten}. */
    void wrote() {
        written.addAll(owed);
    }

    /** Some that are owed, so many at most. */
    Set<TrackedConnections> some(final int most) {
        return owed.stream().limit(most).collect(Collectors.toUnmodifiableSet());
    }

    /** The flows of some. */
    static List<FlowSpec.Key> keys(final Set<TrackedConnections> connections) {
        return connections.stream().map(each -> flow(each).key()).toList();
    }

    /** The switch has forgotten these, and has their flows no more. */
    void done(final Set<TrackedConnections> connections) {
        owed.removeAll(connections);
        written.removeAll(connections);
    }

    private static FlowSpec flow(final TrackedConnections connections) {
        return new OwedFlush(connections.zone(), connections.publicAddress()).flow();
    }
}
