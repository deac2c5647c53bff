// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static io.penstock.pipeline.stage.ConnTracking.INV;
import static io.penstock.pipeline.stage.ConnTracking.TRK;
import static io.penstock.pipeline.stage.ConnTracking.state;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Fragment;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Contract;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.Set;

/**
 * What every packet meets before and behind connection tracking. Before it, fragments pass a meter of their tenant, for
 * Open vSwitch keeps incomplete packets of all tenants in one list. Each pass says in registers in which zone it is and
 * where its packets go on. A packet goes on if it was tracked in that zone. All else is dropped: what conntrack did not
 * track, and fragments of another tenant that Open vSwitch releases with the packet.
 *
 * <p>In zones of lists a packet has to be valid, too. The tables of translations look at that themselves. A chain asks
 * conntrack for what a connection keeps, and a reply is invalid there if its connection keeps nothing. Sample flows:
 * golden/two-tenants.flows, tables fragments, tracked and after_tracked.
 */
public final class TrackedStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.FRAGMENTS, Table.TRACKED, Table.AFTER_TRACKED);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.FRAGMENTS, Priority.MISS, "no fragment, or one that counts already")
            .then(Register.LIMITED.load(1)).end();
        sink.flow(Table.TRACKED, Priority.LOW, "invalid for conntrack").when(state(TRK | INV, 0)).drop();
        sink.flow(Table.TRACKED, Priority.LOW, "not tracked").when(state(0, TRK)).drop();
        sink.flow(Table.TRACKED, Priority.MISS, "tracked in another zone").drop();
        for (final Table table : Contract.of(Table.AFTER_TRACKED).lookups()) {
            sink.flow(Table.AFTER_TRACKED, Priority.NORMAL, "to " + table.text())
                .when(Register.AFTER.is(table.number())).then(new Action.Resubmit(table)).end();
        }
        sink.flow(Table.AFTER_TRACKED, Priority.MISS, "tracked for no table").drop();
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        for (final TenantView.Zone zone : view.zones()) {
            sink.flow(Table.TRACKED, Priority.NORMAL, "zone of the " + zone.purpose())
                .when(Register.ZONE.is(zone.number())).when(MatchField.CT_ZONE, zone.number())
                .when(state(TRK, zone.valid() ? INV : 0)).go(Table.AFTER_TRACKED);
            if (view.fragments().isPresent()) {
                limit(view, zone, sink);
            }
        }
    }

    /** Each fragment passes the meter once, before its first pass. */
    private static void limit(final TenantView view, final TenantView.Zone zone, final FlowSink sink) {
        for (final int family : zone.etherTypes()) {
            sink.flow(Table.FRAGMENTS, Priority.NORMAL, "fragment for the zone of the " + zone.purpose())
                .when(MatchField.ETH_TYPE, family)
                .when(Fragment.YES.match(), Register.ZONE.is(zone.number()), Register.LIMITED.is(0))
                .then(view.meter(TenantMeter.FRAGMENTS), Register.LIMITED.load(1)).end();
        }
    }
}
