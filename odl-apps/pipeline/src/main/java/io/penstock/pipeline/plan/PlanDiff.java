// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Cookie.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What separates a switch from its plan.
 *
 * @param missing planned and not there
 * @param proper planned and there
 * @param excess there and not planned
 * @param wrong there with other actions, cookie or timeout; the planned flow
 */
public record PlanDiff(List<FlowSpec> missing, List<FlowSpec> proper, List<FlowSpec> excess, List<FlowSpec> wrong) {
    /** Whether the switch is as planned. */
    public boolean isEmpty() {
        return missing.isEmpty() && excess.isEmpty() && wrong.isEmpty();
    }

    /** Flows to add, replacing those with the same key. */
    public List<FlowSpec> toAdd() {
        final List<FlowSpec> add = new ArrayList<>(missing);
        add.addAll(wrong);
        return add;
    }

    /**
     * Compares. A flow that the switch learned is neither missing nor excess while its VRF is on the node.
     *
     * @param installed all flows of the switch
     */
    public static PlanDiff between(final NodePlan plan, final Collection<FlowSpec> installed) {
        final Map<FlowSpec.Key, FlowSpec> there = new HashMap<>();
        installed.forEach(flow -> there.put(flow.key(), flow));
        final List<FlowSpec> missing = new ArrayList<>();
        final List<FlowSpec> proper = new ArrayList<>();
        final List<FlowSpec> wrong = new ArrayList<>();
        for (final FlowSpec wanted : plan.flowSpecs()) {
            final FlowSpec found = there.remove(wanted.key());
            if (found == null) {
                missing.add(wanted);
            } else {
                (found.equals(wanted) ? proper : wrong).add(wanted);
            }
        }
        final Set<Integer> vrfs = new HashSet<>(plan.zones());
        vrfs.add(Constants.BACKBONE_VRF);
        final List<FlowSpec> excess = there.values().stream()
            .filter(flow -> !(Cookie.is(flow.cookie(), Kind.LEARNED) && vrfs.contains(Cookie.ownerId(flow.cookie()))))
            .toList();
        return new PlanDiff(missing, proper, excess, wrong);
    }
}
