// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class TakenOverTest {
    private final TakenOver taken = new TakenOver();

    @Test
    void eachWaitsForItsOwnMark() {
        final CompletableFuture<Long> third = taken.of(3);
        final CompletableFuture<Long> first = taken.of(1);
        taken.set(2, 20);
        assertThat(first).isCompletedWithValue(20L);
        assertThat(third).isNotDone();
        taken.set(3, 20);
        assertThat(third).as("the revision stays if nothing changed").isCompletedWithValue(20L);
        taken.set(5, 21);
        assertThat(taken.of(4)).isCompletedWithValue(21L);
    }
}
