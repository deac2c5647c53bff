// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.ForeignFlow;
import java.util.Optional;
import java.util.stream.Stream;

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
public record RepairEvent(String node, int missing, int excess, int wrong, String table, String label) {
    static final String METER = "meter";

    /** The event of a repair of what was seen, which differs from the plan. */
    static RepairEvent of(final String node, final Observation seen) {
        final Optional<FlowSpec> planned = seen.diff().toAdd().stream().findFirst();
        final Optional<FlowSpec> excess = seen.diff().excess().stream().findFirst();
        final Optional<ForeignFlow> foreign = seen.dump().foreign().stream().findFirst();
        final String table = planned.or(() -> excess).map(flow -> flow.table().text()).or(() -> foreign.map(flow ->
            Table.ofNumber(flow.table()).map(Table::text).orElse(String.valueOf(flow.table())))).orElse(METER);
        final String label = planned.map(flow -> requireNonNull(seen.plan().flows().get(flow.key())).label())
            .or(() -> excess.map(FlowSpec::toString))
            .or(() -> foreign.map(flow -> "priority=" + flow.priority() + " (" + flow.problem() + ")"))
            .or(() -> Stream.concat(seen.meters().toSet().stream().map(meter -> meter.text()),
                seen.meters().excess().stream().map(Integer::toUnsignedString)).findFirst()).orElse("");
        return new RepairEvent(node, seen.missing(), seen.excess(), seen.wrong(), table, label);
    }
}
