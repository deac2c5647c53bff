// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.canary;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.HopLabels;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.southbound.openflow.FlowDump;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Packets that the flows around functions have met, by what the flows are for.
 *
 * @param byLabel by labels, without what comes behind a comma
 */
public record FunctionPackets(Map<String, Long> byLabel) {
    private static final Set<Table> TABLES =
        Set.of(Table.CHAIN_RETURN, Table.CHAIN_STEER, Table.CHAIN_IN, Table.CHAIN_OUT,
            Table.CHAIN_ENTER, Table.CHAIN_ROUTED, Table.CHAIN_SIDE);

    public FunctionPackets {
        requireNonNull(byLabel);
    }

    /** Nothing is known. */
    public static FunctionPackets unknown() {
        return new FunctionPackets(Map.of());
    }

    /** Of flows that were planned, as a switch has counted them. */
    public static FunctionPackets of(final Collection<PlannedFlow> planned, final FlowDump dump) {
        final Map<FlowSpec.Key, Long> packets = dump.packets();
        final Map<String, Long> counts = new HashMap<>();
        planned.stream().filter(flow -> isAtFunction(flow.flow()))
            .forEach(flow -> counts.merge(flow.label().split(",", 2)[0], packets.getOrDefault(flow.flow().key(), 0L),
                Long::sum));
        return new FunctionPackets(counts);
    }

    /** Tenants may call an attachment as a port of a function is called. */
    private static boolean isAtFunction(final FlowSpec flow) {
        return TABLES.contains(flow.table())
            || flow.table() == Table.CLASSIFY && Cookie.is(flow.cookie(), Cookie.Kind.NODE);
    }

    /** Packets that were sent into an instance by flows whose labels begin like this. */
    public long in(final String label, final Instance instance) {
        return sum(instance, port -> byLabel.getOrDefault(label + port, 0L));
    }

    /** Packets that connections have sent into an instance. */
    long in(final Instance instance) {
        return in(HopLabels.INSTANCE, instance);
    }

    /** Packets that came out of an instance, its probes included. */
    public long outWithProbes(final Instance instance) {
        return sum(instance, port -> byLabel.getOrDefault(HopLabels.FROM + port, 0L));
    }

    /** Packets that came out of an instance. */
    long out(final Instance instance) {
        // Where one flow was made anew and the other was not, its probes may be more than all.
        return Math.max(0, outWithProbes(instance)
            - sum(instance, port -> byLabel.getOrDefault(HopLabels.PROBE + port, 0L)));
    }

    private static long sum(final Instance instance, final ToLongFunction<String> count) {
        return Stream.concat(instance.sides().stream(), Stream.of(instance.secondPort())).mapToLong(count).sum();
    }
}
