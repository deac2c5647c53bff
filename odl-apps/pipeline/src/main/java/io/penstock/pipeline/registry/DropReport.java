// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.flow.MeterSpec;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Flows that drop packets and show some of them to the controller. A packet that is shown is dropped as the others are.
 */
public final class DropReport {
    /** What the controller gets of a packet: all headers up to ports, with IPv6 and two tags. */
    private static final int BYTES = 128;
    /** Packets a second of each meter. Each costs an upcall, so all meters together take few of them. */
    private static final int RATE = 10;
    private static final int METERS = 8;
    /** The first meter of tenants; they share the meters of the switch below those of {@link TenantMeter}. */
    private static final int FIRST = 8;
    /** The meter of flows that all tenants share. */
    private static final int SHARED = 7;
    private static final int NUMBERS = 0xffff;

    private DropReport() {
        // Only functions.
    }

    /** The same flow with reports, for a flow that drops; each other flow as it is. */
    public static FlowSpec of(final FlowSpec flow) {
        if (!flow.isDrop() || flow.reportsDrops()) {
            return flow;
        }
        final int meter = Cookie.vrf(flow.cookie()).map(vrf -> FIRST + vrf.number() % METERS).orElse(SHARED);
        return new FlowSpec(flow.table(), flow.priority(), flow.matches(), List.of(new Action.Meter(meter),
            Register.DROP.load(number(flow.key())), new Action.Controller(BYTES)), Optional.empty(), flow.cookie(),
            flow.idleTimeout());
    }

    /**
     * The number by which a packet that was shown names its flow, beside table and cookie, 1..65535. Two flows may have
     * one number.
     */
    public static int number(final FlowSpec.Key key) {
        // Of texts, because all members of a cluster have to find the same number.
        final int hash = FlowText.NAMES.key(key).hashCode();
        return Math.floorMod(hash, NUMBERS) + 1;
    }

    /** The meters of all reports of a switch. */
    public static List<MeterSpec> meters() {
        return IntStream.range(SHARED, FIRST + METERS)
            .mapToObj(id -> new MeterSpec(id, MeterSpec.Unit.PACKETS, RATE, RATE)).toList();
    }

    /** The tenants that share the meter of reports, as a phrase; nothing for a meter that is no such one. */
    public static Optional<String> meaning(final int id) {
        if (id < SHARED || id >= FIRST + METERS) {
            return Optional.empty();
        }
        return Optional.of(id == SHARED ? "reports of drops that tenants share"
            : "reports of drops, tenants %d of %d".formatted(id - FIRST + 1, METERS));
    }
}
