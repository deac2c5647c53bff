// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The entries of a tenant's rules for chains, as packets of a direction meet them. */
final class ChainRules {
    private ChainRules() {
        // Only functions.
    }

    /** Takes an entry. */
    interface Taker {
        /**
         * Takes one.
         *
         * @param index of the entry among all; lower ones win
         * @param entry with its two ends changed round for answers
         */
        void take(int index, IpFamily family, Acl.Entry entry, TenantView.Steering steering);
    }

    /** Hands out the entries for a direction, the first one first, once for each family that it is about. */
    static void each(final TenantView view, final Direction direction, final Taker taker) {
        for (int index = 0; index < view.steering().size(); index++) {
            final TenantView.Steering steering = view.steering().get(index);
            final boolean out = direction == Direction.TO_BACKBONE;
            if (steering.ways().has(out) && (out || steering.entry().match().hasAnswers())) {
                for (final IpFamily family : view.families()) {
                    if (steering.entry().match().isAbout(family)) {
                        taker.take(index, family, out ? steering.entry() : steering.entry().answer(), steering);
                    }
                }
            }
        }
    }

    /** The entry by which a packet of a direction is steered. */
    static Optional<TenantView.Steering> of(final TenantView view, final Direction direction,
            final FiveTuple packet) {
        final List<TenantView.Steering> met = new ArrayList<>();
        each(view, direction, (index, family, entry, steering) -> {
            if (family == packet.family() && entry.match().isAbout(packet)) {
                met.add(steering);
            }
        });
        return met.stream().findFirst();
    }
}
