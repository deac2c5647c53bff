// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.List;
import java.util.Set;

/**
 * The MAC address of the next hop, from flows that ARP packets taught. An unknown one is reported to the controller,
 * which asks for it; the packet itself is lost, as RFC 1122 section 2.3.2.2 allows. A meter of the tenant that sent the
 * packet bounds that, in its VRF as in the backbone.
 */
public final class NeighbourStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.NEIGHBOUR_LOOKUP, Table.NEIGHBOUR_FOUND);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.NEIGHBOUR_LOOKUP, Priority.MISS, "look the next hop up")
            .then(new Action.Resubmit(Table.NEIGHBOURS)).go(Table.NEIGHBOUR_FOUND);
        sink.flow(Table.NEIGHBOUR_FOUND, Priority.NORMAL, "next hop found")
            .when(Register.FOUND.is(1)).go(Table.EGRESS);
        sink.flow(Table.NEIGHBOUR_FOUND, Priority.MISS, "request the address of the next hop")
            .then(new Action.Meter(Meter.BACKBONE_NEIGHBOURS.number()),
                new Action.Controller(Constants.PACKET_IN_BYTES)).end();
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        for (final List<FieldMatch> caused : view.caused()) {
            sink.flow(Table.NEIGHBOUR_FOUND, Priority.LOW, "request the address of the next hop").when(caused)
                .then(view.meter(TenantMeter.NEIGHBOUR), new Action.Controller(Constants.PACKET_IN_BYTES)).end();
        }
    }
}
