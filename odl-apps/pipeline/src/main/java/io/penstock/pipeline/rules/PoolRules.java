// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Thresholds;
import io.penstock.pipeline.net.Prefix;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The rules for what an operator asks of public addresses, wherever those are. */
final class PoolRules {
    private PoolRules() {
        // Only functions.
    }

    /**
     * Finds the rules that are broken.
     *
     * @param prefixes all the addresses
     * @param add takes a leaf and a rule
     */
    static void check(final List<Prefix> prefixes, final List<Prefix> drain, final Optional<Thresholds> thresholds,
            final BiConsumer<String, String> add) {
        for (int index = 0; index < drain.size(); index++) {
            final Prefix drained = drain.get(index);
            if (prefixes.stream().noneMatch(prefix -> prefix.contains(drained))) {
                add.accept("drain", drained + " is not in " + (prefixes.size() == 1 ? prefixes.get(0) : prefixes));
            }
            drain.subList(0, index).stream().filter(drained::overlaps).findFirst()
                .ifPresent(other -> add.accept("drain", drained + " overlaps " + other));
        }
        thresholds.ifPresent(told -> {
            if (told.high() < 1 || told.high() > 100) {
                add.accept("notify-pool-usage / high-threshold", told.high() + " is not in 1..100");
            }
            if (told.low() < 0 || told.low() >= told.high()) {
                add.accept("notify-pool-usage / low-threshold",
                    told.low() + " is not in 0.." + (told.high() - 1) + ", below high-threshold");
            }
        });
    }
}
