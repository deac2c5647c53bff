// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.Optional;

/**
 * Source NAT by connection tracking, one zone for each VRF. Both directions take one pass through the tracker. When no
 * translation can be made Open vSwitch lets a packet through as it was, so the tables after it insist on the stamp and
 * the public address.
 */
public final class NatStage implements Stage {
    private static final long NEW = 0x01;
    private static final long REL = 0x04;
    private static final long RPL = 0x08;
    private static final long INV = 0x10;
    private static final long TRK = 0x20;

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.NAT_IN_CHECK, Priority.NORMAL, "reply of a known connection")
            .when(state(TRK | RPL, NEW | INV)).go(Table.CHAIN_IN);
        sink.flow(Table.NAT_IN_CHECK, Priority.LOW, "error for a known connection")
            .when(state(TRK | REL, INV)).go(Table.CHAIN_IN);
        sink.flow(Table.NAT_IN_CHECK, Priority.MISS, "from the backbone, nobody asked for it").drop();
        sink.flow(Table.NAT_OUT, Priority.MISS, "no NAT in this VRF").drop();
        sink.flow(Table.NAT_OUT_CHECK, Priority.MISS, "not translated").drop();
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        if (!view.hasNat()) {
            return;
        }
        sink.flow(Table.BACKBONE_IN, Priority.NORMAL, "to the public address")
            .when(MatchField.ETH_DST, node.backboneMac()).ipv4()
            .when(MatchField.IP_DST, view.publicAddress())
            .then(Register.VRF.load(view.vrf()), Register.FROM_BACKBONE.load(1),
                new Action.ConnTrack(false, view.vrf(), Table.NAT_IN_CHECK,
                    Optional.of(new Action.Nat.Existing()), Optional.empty()))
            .end();
        sink.flow(Table.NAT_OUT, Priority.NORMAL, "translate").when(view.isVrf()).ipv4()
            .then(new Action.ConnTrack(true, view.vrf(), Table.NAT_OUT_CHECK,
                Optional.of(new Action.Nat.Source(view.publicAddress())),
                Optional.of(Constants.TRANSLATED_MARK)))
            .end();
        sink.flow(Table.NAT_OUT_CHECK, Priority.NORMAL, "translated")
            .when(view.isVrf(), state(TRK, INV), FieldMatch.of(MatchField.CT_MARK, Constants.TRANSLATED_MARK))
            .ipv4().when(MatchField.IP_SRC, view.publicAddress())
            .then(Register.VRF.load(Constants.BACKBONE_VRF)).go(Table.BACKBONE_ROUTE);
    }

    private static FieldMatch state(final long set, final long clear) {
        return new FieldMatch(MatchField.CT_STATE, set, set | clear);
    }
}
