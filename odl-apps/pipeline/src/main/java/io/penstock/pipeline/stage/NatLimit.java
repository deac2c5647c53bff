// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static io.penstock.pipeline.stage.ConnTracking.INV;
import static io.penstock.pipeline.stage.ConnTracking.NEW;
import static io.penstock.pipeline.stage.ConnTracking.TRK;
import static io.penstock.pipeline.stage.ConnTracking.state;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.Optional;

/**
 * How many connections a tenant may begin in a second. Conntrack is asked before it translates, and what it does not
 * know passes a meter: the limit is one on entries that are made. It costs each tracked packet of such a tenant one
 * more pass. What comes from the backbone is asked about in any case. Sample flows: golden/limited.flows, tables
 * nat_translate and nat_begin.
 */
final class NatLimit {
    private NatLimit() {
        // Only functions.
    }

    static void planNode(final FlowSink sink) {
        sink.flow(Table.NAT_BEGIN, Priority.MISS, "a known connection").then(new Action.Resubmit(Table.NAT_TRANSLATE))
            .end();
    }

    static void planTenant(final TenantView view, final FlowSink sink) {
        if (!view.hasNat() || view.limitNew().isEmpty()) {
            return;
        }
        sink.flow(Table.NAT_TRANSLATE, Priority.FIRST, "check for a new connection").when(view.isVrf()).ipv4()
            .when(Register.LOOKED_UP.is(0)).then(Register.LOOKED_UP.load(1),
                new Action.ConnTrack(false, Register.VRF.range(), Table.NAT_BEGIN, Optional.empty(), Optional.empty()))
            .end();
        // A connection that nobody has answered yet is new as well, but has its mark.
        sink.flow(Table.NAT_BEGIN, Priority.NORMAL, "new connection").when(view.isVrf(), state(TRK | NEW, INV))
            .when(MatchField.CT_MARK, 0).then(view.limitNew()).then(new Action.Resubmit(Table.NAT_TRANSLATE)).end();
    }
}
