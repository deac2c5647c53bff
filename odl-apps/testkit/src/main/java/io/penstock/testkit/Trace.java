// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import io.penstock.pipeline.registry.Table;
import java.util.List;

/**
 * The way of one packet through the tables.
 *
 * @param text what the switch said
 * @param steps flows that were met, in order, through all recirculations
 * @param outputs names of the ports the packet left by
 * @param toController whether the controller gets it
 * @param lastFlow the packet at the end, in the words of ovs-fields(7)
 * @param datapathActions what the datapath does, all recirculations in order
 */
public record Trace(String text, List<Step> steps, List<String> outputs, boolean toController, String lastFlow,
        List<String> datapathActions) {
    public Trace {
        steps = List.copyOf(steps);
        outputs = List.copyOf(outputs);
        datapathActions = List.copyOf(datapathActions);
    }

    /** A flow that was met; what the switch learned is labelled {@link Tracer#LEARNED}. */
    public record Step(Table table, String label) {
        @Override
        public String toString() {
            return table.text() + ": " + label;
        }
    }
}
