// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Cookie.Kind;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
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
 * @param reports those of the wrong ones that drop, as what is there does: only the reports of it differ
 */
public record PlanDiff(List<FlowSpec> missing, List<FlowSpec> proper, List<FlowSpec> excess, List<FlowSpec> wrong,
        Set<FlowSpec> reports) {
    /** Owner of learned flows that no VRF owns. Only former releases had such flows; they expire within minutes. */
    private static final int NO_VRF = 0;

    /** A difference in which packets of each wrong flow have another fate. */
    public PlanDiff(final List<FlowSpec> missing, final List<FlowSpec> proper, final List<FlowSpec> excess,
            final List<FlowSpec> wrong) {
        this(missing, proper, excess, wrong, Set.of());
    }

    /** The wrong flows whose packets have another fate, so that what the switch remembers of them may be wrong. */
    public List<FlowSpec> changed() {
        return reports.isEmpty() ? wrong : wrong.stream().filter(flow -> !reports.contains(flow)).toList();
    }

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
     * Compares. A flow that the switch learned is neither missing nor excess while its VRF is on the node, or when it
     * belongs to none. Nor is one that names connections to forget, whatever zone it is of, or one of a tenant whose
     * flows are kept.
     *
     * @param installed all flows of the switch
     */
    public static PlanDiff between(final NodePlan plan, final Collection<FlowSpec> installed) {
        return withoutLearned(plan, compare(plan.flowSpecs(), installed));
    }

    /**
     * Compares some tables alone.
     *
     * @param tables numbers of the tables; one need not be in the registry
     * @param installed all flows of the switch in these tables
     */
    public static PlanDiff between(final NodePlan plan, final Set<Integer> tables,
            final Collection<FlowSpec> installed) {
        final List<FlowSpec> wanted = new ArrayList<>();
        plan.forEach(planned -> {
            if (tables.contains(planned.flow().table().number())) {
                wanted.add(planned.flow());
            }
        });
        return withoutLearned(plan, compare(wanted, installed));
    }

    /**
     * Compares a plan with the one that the switch has. Looks only at flows whose owner has not the same list of them
     * in both, so {@code proper} has only some. A flow that goes from one owner to another is in the lists of both.
     */
    public static PlanDiff between(final NodePlan plan, final NodePlan installed) {
        final List<FlowSpec> wanted = new ArrayList<>();
        final List<FlowSpec> there = new ArrayList<>();
        if (plan.nodeFlows() != installed.nodeFlows()) {
            addTo(wanted, plan.nodeFlows());
            addTo(there, installed.nodeFlows());
        }
        ByVrf.compare(plan.tenantFlows(), installed.tenantFlows(), (flows, before) -> {
            addTo(wanted, flows);
            addTo(there, before);
        });
        return compare(wanted, there);
    }

    private static PlanDiff withoutLearned(final NodePlan plan, final PlanDiff diff) {
        final Set<VrfId> vrfs = new HashSet<>(plan.vrfs());
        vrfs.add(VrfId.BACKBONE);
        final Set<VrfId> kept = plan.keptVrfs();
        final List<FlowSpec> excess = diff.excess().stream()
            .filter(flow -> OwedFlush.of(flow).isEmpty())
            .filter(flow -> !Cookie.is(flow.cookie(), Kind.TENANT) || !isOf(flow, kept))
            .filter(flow -> !isLearned(flow) || !isOf(flow, vrfs) && Cookie.ownerId(flow.cookie()) != NO_VRF).toList();
        return new PlanDiff(diff.missing(), diff.proper(), excess, diff.wrong(), diff.reports());
    }

    private static boolean isOf(final FlowSpec flow, final Set<VrfId> vrfs) {
        return Cookie.vrf(flow.cookie()).filter(vrfs::contains).isPresent();
    }

    private static boolean isLearned(final FlowSpec flow) {
        return flow.table().isLearned()
            && (Cookie.is(flow.cookie(), Kind.LEARNED) || Cookie.is(flow.cookie(), Kind.SESSION));
    }

    private static void addTo(final List<FlowSpec> flows, final List<PlannedFlow> more) {
        more.forEach(planned -> flows.add(planned.flow()));
    }

    private static PlanDiff compare(final List<FlowSpec> planned, final Collection<FlowSpec> installed) {
        final Map<FlowSpec.Key, FlowSpec> there = new HashMap<>();
        installed.forEach(flow -> there.put(flow.key(), flow));
        final List<FlowSpec> missing = new ArrayList<>();
        final List<FlowSpec> proper = new ArrayList<>();
        final List<FlowSpec> wrong = new ArrayList<>();
        final Set<FlowSpec> reports = new HashSet<>();
        for (final FlowSpec wanted : planned) {
            final FlowSpec found = there.remove(wanted.key());
            if (found == null) {
                missing.add(wanted);
            } else {
                (found.equals(wanted) ? proper : wrong).add(wanted);
                if (found.isDrop() && wanted.isDrop() && found.cookie() == wanted.cookie() && !found.equals(wanted)) {
                    reports.add(wanted);
                }
            }
        }
        return new PlanDiff(missing, proper, List.copyOf(there.values()), wrong, reports);
    }
}
