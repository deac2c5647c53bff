// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Trace.Step;
import java.util.Arrays;
import java.util.List;

/** What a trace has to show. A failure tells the whole trace. */
public final class TraceAssert {
    private final Trace trace;

    private TraceAssert(final Trace trace) {
        this.trace = trace;
    }

    /** Begins. */
    public static TraceAssert assertThat(final Trace trace) {
        return new TraceAssert(trace);
    }

    /** The packet met this flow. */
    public TraceAssert meets(final Table table, final String label) {
        return check(trace.steps().contains(new Step(table, label)), "does not meet " + new Step(table, label));
    }

    /** The packet came to none of these tables. */
    public TraceAssert avoids(final Table... tables) {
        final List<Table> list = Arrays.asList(tables);
        return check(trace.steps().stream().noneMatch(step -> list.contains(step.table())), "comes to one of " + list);
    }

    /** The packet ends in this flow and goes nowhere, not even to the controller. */
    public TraceAssert isDroppedBy(final Table table, final String label) {
        final Step last = trace.steps().get(trace.steps().size() - 1);
        check(last.equals(new Step(table, label)), "does not end at " + new Step(table, label) + ", but at " + last);
        check(trace.outputs().isEmpty(), "leaves by " + trace.outputs());
        return check(!trace.toController(), "goes to the controller");
    }

    /** The packet leaves by these ports, once by each, and does not go to the controller. */
    public TraceAssert leavesBy(final String... ports) {
        check(trace.outputs().equals(Arrays.asList(ports)),
            "leaves by " + trace.outputs() + ", not by " + Arrays.asList(ports));
        return check(!trace.toController(), "goes to the controller");
    }

    /** The packet goes to the controller and nowhere else. */
    public TraceAssert goesToController() {
        check(trace.outputs().isEmpty(), "leaves by " + trace.outputs());
        return check(trace.toController(), "does not go to the controller");
    }

    /** At the end the packet has these fields, each as {@code name=value}. */
    public TraceAssert endsWith(final String... fields) {
        final List<String> there = Arrays.asList(trace.lastFlow().split(","));
        for (final String field : fields) {
            check(there.contains(field), "does not end with " + field + ", but as " + trace.lastFlow());
        }
        return this;
    }

    /** The datapath does something that has this in its text. */
    public TraceAssert does(final String action) {
        return check(trace.datapathActions().stream().anyMatch(each -> each.contains(action)),
            "does not do " + action + ", but " + trace.datapathActions());
    }

    private TraceAssert check(final boolean holds, final String complaint) {
        if (!holds) {
            throw new AssertionError("the packet " + complaint + "\n" + String.join("\n",
                trace.steps().stream().map(Step::toString).toList()) + "\n\n" + trace.text());
        }
        return this;
    }
}
