// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.MeterDiff;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.southbound.openflow.FlowDump;
import java.util.Set;
import java.util.stream.Collectors;

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
}
