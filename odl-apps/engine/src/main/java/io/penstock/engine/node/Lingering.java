// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import com.google.common.base.Ticker;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.PlanDiff;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Flows that a plan has no more and that stay a moment: those that take packets on which come back from a function that
 * has left the chains of a tenant. No new packets come to it, and those that are inside are not lost. For the thread of
 * one worker.
 */
final class Lingering {
    /** How long packets may be inside a function. */
    static final long MILLIS = 1000;
    private static final Set<Table> TABLES = EnumSet.of(Table.CHAIN_ROUTED, Table.CHAIN_RETURN, Table.CHAIN_STEER);

    private final Ticker ticker;
    private final Map<FlowSpec.Key, Held> held = new HashMap<>();

    private record Held(FlowSpec flow, long dueNanos) { }

    /** A function of a tenant, by the tenant's cookie. */
    private record Visit(long cookie, long function) {
        static Optional<Visit> of(final FlowSpec flow) {
            final FieldRange range = Register.FUNCTION.range();
            return !TABLES.contains(flow.table()) || !Cookie.is(flow.cookie(), Cookie.Kind.TENANT) ? Optional.empty()
                : flow.matches().stream().filter(match -> match.field() == range.field()
                    && (match.mask() & range.mask()) != 0).findFirst()
                    .map(match -> new Visit(flow.cookie(), match.value() & range.mask()));
        }
    }

    Lingering(final Ticker ticker) {
        this.ticker = ticker;
    }

    /** Whether a flow is still there. */
    boolean isEmpty() {
        return held.isEmpty();
    }

    /** Nothing is known of the switch any more. */
    void forget() {
        held.clear();
    }

    /** A difference without the flows that are to stay for now, and with those whose time is up. */
    PlanDiff apply(final PlanDiff diff, final NodePlan planned) {
        diff.toAdd().forEach(flow -> held.remove(flow.key()));
        final List<FlowSpec> go = new ArrayList<>();
        final long now = ticker.read();
        final Set<VrfId> vrfs = planned.vrfs();
        held.values().removeIf(each -> {
            final boolean over = now - each.dueNanos() >= 0 || owner(each.flow()).filter(vrfs::contains).isEmpty();
            if (over) {
                go.add(each.flow());
            }
            return over;
        });
        final Set<Visit> planVisits = new HashSet<>();
        final Map<FlowSpec, Visit> leaving = new HashMap<>();
        diff.excess().forEach(flow -> Visit.of(flow).filter(visit -> owner(flow).filter(vrfs::contains).isPresent())
            .ifPresent(visit -> leaving.put(flow, visit)));
        leaving.keySet().stream().flatMap(flow -> owner(flow).stream()).distinct().forEach(vrf -> planned.tenantFlows()
            .getOrDefault(vrf, List.of()).stream().map(PlannedFlow::flow)
            .forEach(flow -> Visit.of(flow).ifPresent(planVisits::add)));
        for (final FlowSpec flow : diff.excess()) {
            if (leaving.containsKey(flow) && !planVisits.contains(leaving.get(flow))) {
                held.put(flow.key(), new Held(flow, now + TimeUnit.MILLISECONDS.toNanos(MILLIS)));
            } else {
                go.add(flow);
            }
        }
        return new PlanDiff(diff.missing(), diff.proper(), go, diff.wrong(), diff.reports());
    }

    /** What is seen on the switch, without the flows that are to stay for now. */
    PlanDiff hide(final PlanDiff seen) {
        return held.isEmpty() ? seen : new PlanDiff(seen.missing(), seen.proper(),
            seen.excess().stream().filter(flow -> !held.containsKey(flow.key())).toList(), seen.wrong(),
            seen.reports());
    }

    private static Optional<VrfId> owner(final FlowSpec flow) {
        return Cookie.vrf(flow.cookie());
    }
}
