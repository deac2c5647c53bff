// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration.grant;

import io.penstock.configuration.Desired;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import java.util.Set;

/** Transitions of tests. */
public final class Transitions {
    private Transitions() {
        // Only functions.
    }

    /** One that changes nothing. */
    public static Transition none() {
        return to(new Desired(1, Snapshot.empty(), Allocations.none()));
    }

    /** One to a state of which it does not matter what was before. */
    public static Transition to(final Desired after) {
        return new Transition(after, after, Set.of());
    }
}
