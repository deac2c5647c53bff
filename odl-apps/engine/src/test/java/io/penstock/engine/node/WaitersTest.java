// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.operations.Progress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WaitersTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final Waiters waiters = new Waiters();

    @Test
    void whoWaitsIsAnsweredByItsRevisionOrALaterOne() {
        final CompletableFuture<Progress> first = waiters.add(1, LONG);
        final CompletableFuture<Progress> second = waiters.add(2, LONG);
        final CompletableFuture<Progress> third = waiters.add(3, LONG);
        final CompletableFuture<Void> rest = new CompletableFuture<>();
        waiters.applied(2, rest);
        assertThat(first).isNotDone();
        rest.complete(null);
        assertThat(first).isCompletedWithValue(Progress.APPLIED);
        assertThat(second).isCompletedWithValue(Progress.APPLIED);
        assertThat(third).isNotDone();
        waiters.applied(7, rest);
        assertThat(third).isCompletedWithValue(Progress.APPLIED);
    }

    @Test
    void nobodyWaitsForANodeThatIsAway() {
        final CompletableFuture<Progress> answer = waiters.add(1, LONG);
        waiters.notConnected();
        assertThat(answer).isCompletedWithValue(Progress.NOT_CONNECTED);
        waiters.applied(1, CompletableFuture.completedFuture(null));
        assertThat(answer).isCompletedWithValue(Progress.NOT_CONNECTED);
    }

    @Test
    void theLimitEndsTheWait() {
        assertThat(waiters.add(1, Duration.ofMillis(1)).join()).isEqualTo(Progress.NOT_YET);
    }
}
