// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.FunctionMeter;
import java.util.ArrayList;
import java.util.List;

/** Probes of functions that have come through. */
final class Probes {
    private Probes() {
        // Only functions.
    }

    /**
     * Takes what may be a probe to the controller, within the limit of the port that it came from, which stands before
     * all actions.
     *
     * @param changes what happens to it before the controller has it
     */
    static List<Action> report(final int port, final Action... changes) {
        final List<Action> actions = new ArrayList<>(List.of(new Action.Meter(FunctionMeter.number(port))));
        actions.addAll(List.of(changes));
        actions.add(new Action.Controller(Constants.PACKET_IN_BYTES));
        return actions;
    }
}
