// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import io.penstock.pipeline.registry.VrfId;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * How a switch kept to its plan since the controller started.
 *
 * @param compared when all of its flows and meters had last been compared
 * @param repairs how often differences were repaired
 * @param repaired when that was last
 * @param differences what differs now, as far as it was compared
 * @param lacking number of planned flows and meters that are known to be missing or wrong, by the VRF of their
 *     tenant; nothing stands for those that tenants share
 */
public record DriftReport(Optional<Instant> compared, long repairs, Optional<Instant> repaired,
        Differences differences, Map<Optional<VrfId>, Integer> lacking) {
    /** Of a switch that was not compared. */
    public static final DriftReport NOTHING =
        new DriftReport(Optional.empty(), 0, Optional.empty(), Differences.NONE, Map.of());

    /** Numbers of flows and meters, as {@code verify} counts them. */
    public record Differences(int missing, int excess, int wrong) {
        static final Differences NONE = new Differences(0, 0, 0);

        Differences plus(final Differences other) {
            return new Differences(missing + other.missing, excess + other.excess, wrong + other.wrong);
        }
    }

    public DriftReport {
        lacking = Map.copyOf(lacking);
    }

    /** The first reason why a tenant does not have all it needs from the switch; empty when nothing is known of one. */
    public Optional<String> reason(final String node, final VrfId vrf) {
        return Optional.ofNullable(lacking.get(Optional.of(vrf)))
            .map(count -> count + " of its flows are missing or wrong on node " + node)
            .or(() -> Optional.ofNullable(lacking.get(Optional.<VrfId>empty()))
                .map(count -> count + " flows of all tenants are missing or wrong on node " + node));
    }
}
