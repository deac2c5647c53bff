// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import java.util.ArrayList;
import java.util.List;

/**
 * Functions that know the network service header (RFC 8300). Around a frame with the tag of its VRF they get a header
 * whose service path is of the VRF and the direction, and whose index they have to count down, as every function does
 * that has served a packet. Each hop is a path of its own, so functions that do not know the header may stand beside.
 */
public final class NshHop {
    private static final int MD_TYPE = 1;
    private static final int VRF_BITS = MatchField.VLAN_VID.bits();

    private NshHop() {
        // Only functions.
    }

    /** What frames from a port of such a function meet. */
    static void planPort(final NodeView node, final String port, final Direction direction,
            final Action origin, final FlowSink sink) {
        sink.flow(Table.CLASSIFY, Priority.NORMAL, HopLabels.FROM + port).when(MatchField.IN_PORT, node.port(port))
            .when(MatchField.ETH_TYPE, EtherType.NSH).when(MatchField.NSH_MDTYPE, MD_TYPE)
            .when(MatchField.NSH_SI, Constants.SERVICE_INDEX - 1)
            .then(origin, direction.load(), new Action.Decap(), new Action.Decap()).go(Table.CHAIN_RETURN);
        sink.flow(Table.CLASSIFY, Priority.LOW, "no network service header with index 254, from " + port)
            .when(MatchField.IN_PORT, node.port(port)).dropUnshown();
    }

    /**
     * Wraps a probe, which has the tag of probes.
     *
     * @param toTenant whether it goes in on the backbone's side
     */
    public static List<Action> wrapProbe(final boolean toTenant) {
        return wrap(toTenant ? Direction.TO_TENANT : Direction.TO_BACKBONE, VrfId.BACKBONE);
    }

    /** Wraps a frame with the tag of a VRF. */
    static List<Action> wrap(final Direction direction, final VrfId vrf) {
        return wrap(direction, vrf.servicePath(direction == Direction.TO_TENANT), List.of());
    }

    /** Wraps a frame whose VRF is in its register. */
    static List<Action> wrap(final Direction direction) {
        return wrap(direction, VrfId.pathBit(direction == Direction.TO_TENANT), List.of(new Action.Move(
            new FieldRange(Register.VRF.range().field(), VRF_BITS - 1, 0),
            new FieldRange(MatchField.NSH_SPI, VRF_BITS - 1, 0))));
    }

    private static List<Action> wrap(final Direction direction, final int path, final List<Action> more) {
        final List<Action> actions = new ArrayList<>(List.of(new Action.EncapNsh(),
            new Action.SetField(MatchField.NSH_SPI, path),
            new Action.SetField(MatchField.NSH_SI, Constants.SERVICE_INDEX)));
        actions.addAll(more);
        actions.add(new Action.EncapEthernet());
        actions.addAll(direction.stations());
        return actions;
    }
}
