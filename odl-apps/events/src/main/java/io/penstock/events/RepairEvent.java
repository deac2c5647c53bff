// SPDX-License-Identifier: Apache-2.0
package io.penstock.events;

/**
 * The switch of a node differed from its plan, and was repaired.
 *
 * @param missing planned flows and meters that it did not have
 * @param excess flows and meters that are not in the plan
 * @param wrong flows and meters that were planned in another form
 * @param table name of the table of the first difference, its number when the registry does not have it, or
 *     {@code meter} when only meters differed
 * @param label purpose of the planned flow; otherwise the flow or the meter itself
 */
public record RepairEvent(String node, int missing, int excess, int wrong, String table, String label)
        implements OperatorEvent {
    @Override
    public String notification() {
        return "penstock-operations:flow-repair-event";
    }

    @Override
    public Severity severity() {
        return Severity.WARNING;
    }

    @Override
    public String text() {
        return "Node " + node + ": its switch differed from the plan and was repaired: " + missing + " missing, "
            + excess + " excess, " + wrong + " wrong; first in " + table + ": " + label;
    }

    @Override
    public Details details() {
        return Details.none().with("node", node).with("missing", missing).with("excess", excess).with("wrong", wrong)
            .with("table", table).with("label", label);
    }
}
