// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;

/** From the VRF of a tenant into that of the backbone, and back. */
final class Crossing {
    private Crossing() {
        // Only functions.
    }

    /**
     * Has a packet of a tenant go on in the backbone. {@link Register#SENDER} tells whose it is, so that what the
     * controller hears of it is limited with the tenant's other packets.
     */
    static List<Action> toBackbone() {
        return List.of(new Action.Move(Register.VRF.range(), Register.SENDER.range()),
            Register.VRF.load(VrfId.BACKBONE.number()));
    }

    /** Has a packet go on in the VRF of a tenant, from which it does not go to the backbone. */
    static List<Action> toTenant(final TenantView view) {
        return List.of(Register.VRF.load(view.vrf().number()), Register.FROM_BACKBONE.load(1));
    }
}
