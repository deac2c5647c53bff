// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What separates the meters of a switch from its plan.
 *
 * @param missing planned and not there
 * @param wrong there with another rate, burst or unit; the planned meter
 * @param excess ids of those that are there and not planned; to delete one deletes the flows that name it
 */
public record MeterDiff(List<MeterSpec> missing, List<MeterSpec> wrong, SortedSet<Integer> excess) {
    /** None, as of meters that are not compared. */
    public static final MeterDiff NONE =
        new MeterDiff(List.of(), List.of(), Collections.unmodifiableSortedSet(new TreeSet<>()));

    /** Meters to make, or to give another rate. */
    public List<MeterSpec> toSet() {
        return Stream.concat(missing.stream(), wrong.stream()).toList();
    }

    /**
     * Compares.
     *
     * @param installed all meters of the switch by id; nothing for one that no {@link MeterSpec} can be
     */
    public static MeterDiff between(final NodePlan plan, final Map<Integer, Optional<MeterSpec>> installed) {
        final List<MeterSpec> missing = new ArrayList<>();
        final List<MeterSpec> wrong = new ArrayList<>();
        final SortedSet<Integer> excess = new TreeSet<>(installed.keySet());
        plan.meters().forEach((id, wanted) -> {
            if (!excess.remove(id)) {
                missing.add(wanted);
            } else if (!Optional.of(wanted).equals(installed.get(id))) {
                wrong.add(wanted);
            }
        });
        final Set<VrfId> kept = plan.keptVrfs();
        excess.removeIf(id -> TenantMeter.vrfOf(id).filter(kept::contains).isPresent());
        return new MeterDiff(missing, wrong, excess);
    }

    /**
     * Compares a plan with the one that the switch has. Looks only at the meters of functions and tenants that have not
     * the same list of them in both; those of the whole switch are in every plan.
     */
    public static MeterDiff between(final NodePlan plan, final NodePlan installed) {
        final List<MeterSpec> missing = new ArrayList<>();
        final List<MeterSpec> wrong = new ArrayList<>();
        final SortedSet<Integer> excess = new TreeSet<>();
        final Set<MeterSpec> there = new HashSet<>();
        final List<MeterSpec> wanted = new ArrayList<>();
        ByVrf.compare(plan.tenantMeters(), installed.tenantMeters(), (meters, before) -> {
            wanted.addAll(meters);
            there.addAll(before);
        });
        if (plan.nodeMeters() != installed.nodeMeters()) {
            wanted.addAll(plan.nodeMeters());
            there.addAll(installed.nodeMeters());
        }
        there.forEach(meter -> excess.add(meter.id()));
        for (final MeterSpec meter : wanted) {
            if (!excess.remove(meter.id())) {
                missing.add(meter);
            } else if (!there.contains(meter)) {
                wrong.add(meter);
            }
        }
        return new MeterDiff(missing, wrong, excess);
    }
}
