// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import java.util.ArrayList;
import java.util.List;

/** Which way a packet goes through a chain. What goes to the tenant came from the backbone. */
enum Direction {
    TO_BACKBONE, TO_TENANT;

    Action load() {
        return Register.FROM_BACKBONE.load(ordinal());
    }

    Direction other() {
        return this == TO_BACKBONE ? TO_TENANT : TO_BACKBONE;
    }

    /** The MAC addresses of the side that a frame enters a function from. */
    List<Action> addresses() {
        final List<Action> actions = new ArrayList<>(stations());
        actions.add(new Action.PushVlan());
        return actions;
    }

    /** The same without a tag. */
    List<Action> stations() {
        final boolean out = this == TO_BACKBONE;
        return List.of(
            new Action.SetField(MatchField.ETH_SRC, out ? Constants.CHAIN_INSIDE_MAC : Constants.CHAIN_OUTSIDE_MAC),
            new Action.SetField(MatchField.ETH_DST, out ? Constants.CHAIN_OUTSIDE_MAC
                : Constants.CHAIN_INSIDE_MAC));
    }

    /** The port of an instance by which it enters. */
    String port(final Instance instance) {
        return this == TO_BACKBONE ? instance.insidePort() : instance.outsidePort();
    }
}
