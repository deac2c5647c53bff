// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.flow.MeterSpec.Unit;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.ArrayList;
import java.util.List;

/** The meters of a tenant: those that its flows name, and no others. */
public final class TenantMeters {
    /** A burst in the packets of so many seconds: a host that boots asks several times at once. */
    private static final int BURST_SECONDS = 2;
    /** Of a bandwidth, as parts of a second: what TCP needs to fill a link whose round trip takes as long. */
    private static final int BURST_PARTS = 5;

    private TenantMeters() {
        // Only functions.
    }

    /** The meters of a tenant in the order of their ids. */
    public static List<MeterSpec> of(final TenantView view) {
        final Quota quota = view.tenant().protection().quota();
        final List<MeterSpec> meters = new ArrayList<>();
        meters.add(packets(view, TenantMeter.SLOW_PATH, TenantMeter.SLOW_PATH.rate()));
        if (view.tenant().services().dhcp().isPresent() || view.hasIpv6()) {
            meters.add(heard(view, TenantMeter.HOST_CONFIGURATION));
        }
        meters.add(heard(view, TenantMeter.NEIGHBOUR));
        view.tenant().services().dns().ifPresent(dns -> meters.add(packets(view, TenantMeter.DNS,
            dns.queriesPerSecond().orElse(TenantMeter.DNS.rate()))));
        meters.add(heard(view, TenantMeter.ERROR));
        quota.outKbps().ifPresent(rate -> meters.add(bandwidth(view, TenantMeter.OUT, rate)));
        quota.inKbps().ifPresent(rate -> meters.add(bandwidth(view, TenantMeter.IN, rate)));
        view.newSessions().ifPresent(rate -> meters.add(packets(view, TenantMeter.NEW_SESSIONS, rate)));
        view.fragments().ifPresent(rate -> meters.add(fragments(view, rate)));
        if (!view.portBlocks().isEmpty()) {
            meters.add(heard(view, TenantMeter.BLOCK_REQUESTS));
        }
        return List.copyOf(meters);
    }

    /** One for packets that the controller hears. */
    private static MeterSpec heard(final TenantView view, final TenantMeter meter) {
        return packets(view, meter, view.tenant().protection().quota().controllerPackets().orElse(meter.rate()));
    }

    private static MeterSpec packets(final TenantView view, final TenantMeter meter, final int rate) {
        return new MeterSpec(meter.number(view.vrf()), Unit.PACKETS, rate, (long) BURST_SECONDS * rate);
    }

    /** Those of one second at once: what comes at once stays in the switch as long as what follows. */
    private static MeterSpec fragments(final TenantView view, final int rate) {
        return new MeterSpec(TenantMeter.FRAGMENTS.number(view.vrf()), Unit.PACKETS, rate, rate);
    }

    private static MeterSpec bandwidth(final TenantView view, final TenantMeter meter, final long rate) {
        return new MeterSpec(meter.number(view.vrf()), Unit.KILOBITS, rate, Math.max(1, rate / BURST_PARTS));
    }
}
