// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.events.RepairEvent;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.MeterDiff;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.ForeignFlow;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a switch has and how that compares with its plan. */
public record Observation(NodePlan plan, FlowDump dump, MeterDiff meters, PlanDiff diff) {
    /** Planned flows and meters that the switch lacks. */
    public int missing() {
        return diff.missing().size() - replaced().size() + meters.missing().size();
    }

    /** Flows and meters of the switch that are not planned. */
    public int excess() {
        return diff.excess().size() + dump.foreign().size() - replaced().size() + meters.excess().size();
    }

    /** Planned flows and meters in whose place the switch has others. */
    public int wrong() {
        return diff.wrong().size() + replaced().size() + meters.wrong().size();
    }

    /** Whether the switch is as planned. */
    public boolean isClean() {
        return missing() + excess() + wrong() == 0;
    }

    /** Planned flows in whose place the switch has one we cannot read: not missing but wrong. */
    public Set<FlowSpec.Key> replaced() {
        if (dump.foreign().isEmpty()) {
            return Set.of();
        }
        return dump.foreign().stream().flatMap(flow -> flow.key().stream()).filter(plan.flows()::containsKey)
            .collect(Collectors.toSet());
    }

    /** What to tell of a repair of this, which differs from the plan. */
    RepairEvent repair(final String node) {
        final Optional<FlowSpec> planned = diff.toAdd().stream().findFirst();
        final Optional<FlowSpec> excess = diff.excess().stream().findFirst();
        final Optional<ForeignFlow> foreign = dump.foreign().stream().findFirst();
        final String table = planned.or(() -> excess).map(flow -> flow.table().text()).or(() -> foreign.map(flow ->
            Table.ofNumber(flow.table()).map(Table::text).orElse(String.valueOf(flow.table())))).orElse("meter");
        final String label = planned.map(flow -> requireNonNull(plan.flows().get(flow.key())).label())
            .or(() -> excess.map(FlowSpec::toString))
            .or(() -> foreign.map(flow -> "priority=" + flow.priority() + " (" + flow.problem() + ")"))
            .or(() -> Stream.concat(meters.toSet().stream().map(meter -> meter.text()),
                meters.excess().stream().map(Integer::toUnsignedString)).findFirst()).orElse("");
        return new RepairEvent(node, missing(), excess(), wrong(), table, label);
    }
}
