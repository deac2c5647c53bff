// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.operations.Limit;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.DropReport;
import io.penstock.pipeline.registry.FunctionMeter;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.MeterCount;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Names the meters of a switch. */
final class Limits {
    private Limits() {
        // Only functions.
    }

    /**
     * The planned meters of a node that the switch has: those of the whole node first, then by VRF and kind.
     *
     * @param tenants names of tenants by VRF; empty for one that no tenant has
     */
    static Stream<Limit> of(final String node, final NodePlan plan, final Function<VrfId, String> tenants,
            final List<MeterCount> counts) {
        final Map<Integer, MeterSpec> planned = plan.meters();
        return counts.stream().sorted(Comparator.comparingInt(MeterCount::id))
            .map(count -> limit(node, planned.get(count.id()), tenants, count))
            .filter(Objects::nonNull);
    }

    /** Nothing for a meter that nobody has planned. */
    private static @Nullable Limit limit(final String node, final @Nullable MeterSpec meter,
            final Function<VrfId, String> tenants, final MeterCount count) {
        return meter == null ? null : new Limit(node, TenantMeter.vrfOf(meter.id()).map(tenants).orElse(""),
            kind(meter.id()), text(meter.unit()), meter.rate(), meter.burst(),
            count.packetsIn() - count.packetsDropped(), count.packetsDropped(), count.bytesDropped());
    }

    private static String kind(final int id) {
        return TenantMeter.of(id).map(Limits::text).orElseGet(() ->
            Arrays.stream(Meter.values()).filter(meter -> meter.number() == id).findFirst().map(Limits::text)
                .or(() -> DropReport.meaning(id)).orElseGet(() -> "probes from port " + FunctionMeter.portOf(id)));
    }

    /** The name of a meter in the interface. */
    static String text(final Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
