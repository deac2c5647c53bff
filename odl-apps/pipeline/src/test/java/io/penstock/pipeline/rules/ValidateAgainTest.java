// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.RandomNetwork;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is remembered changes nothing: violations are those that are found from nothing. */
class ValidateAgainTest {
    private static final int NETWORKS = 50;
    private static final int STEPS = 40;
    private int accepted;
    private int refused;

    @Test
    void violationsAreThoseFoundFromNothing() {
        for (int seed = 0; seed < NETWORKS; seed++) {
            change(new RandomNetwork(seed, true));
        }
        assertThat(accepted).isGreaterThan(NETWORKS * STEPS / 10);
        assertThat(refused).isGreaterThan(NETWORKS * STEPS / 10);
    }

    private void change(final RandomNetwork network) {
        final Validator validator = new Validator();
        Allocations allocations = Allocations.none();
        for (int step = 0; step < STEPS; step++) {
            final Snapshot snapshot = network.next();
            final List<Violation> violations = validator.validateAgain(snapshot, Snapshot.empty(), allocations,
                NodeFacts.UNKNOWN);
            assertThat(violations).isEqualTo(Validator.validate(snapshot, allocations));
            if (violations.isEmpty()) {
                accepted++;
                allocations = Allocator.allocate(snapshot, allocations);
            } else {
                refused++;
            }
        }
    }
}
