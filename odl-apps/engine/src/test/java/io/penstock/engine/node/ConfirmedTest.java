// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Desired;
import io.penstock.operations.Progress;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ConfirmedTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private boolean online = true;
    private CompletableFuture<Void> inForce = CompletableFuture.completedFuture(null);
    private final Confirmed confirmed = new Confirmed(() -> online, () -> inForce);

    private static Desired state(final long revision) {
        return new Desired(revision, Snapshot.empty(), Allocations.none());
    }

    @Test
    void aStateThatDoesNotConcernTheNodeNeedsNoConfirmation() {
        confirmed.concerns(2);
        confirmed.set(state(2));
        assertThat(confirmed.has(state(9))).isTrue();
        confirmed.concerns(5);
        assertThat(confirmed.has(state(9))).isFalse();
        assertThat(confirmed.has(state(1))).isTrue();
    }

    @Test
    void nothingIsConfirmedAfterItWasForgotten() {
        final Desired state = state(1);
        assertThat(confirmed.isLike(state)).isFalse();
        confirmed.set(state);
        assertThat(confirmed.isLike(state)).isTrue();
        assertThat(confirmed.isBefore(1)).isFalse();
        assertThat(confirmed.isBefore(2)).isTrue();
        confirmed.forget();
        assertThat(confirmed.isLike(state)).isFalse();
        assertThat(confirmed.has(state)).isFalse();
        assertThat(confirmed.isBefore(2)).isFalse();
    }

    @Test
    void aQuestionWaitsUntilTheStateIsInForce() {
        final CompletableFuture<Progress> answer = confirmed.await(1, LONG);
        confirmed.answer();
        inForce = new CompletableFuture<>();
        confirmed.set(state(1));
        assertThat(answer).isNotDone();
        inForce.complete(null);
        assertThat(answer).isCompletedWithValue(Progress.APPLIED);
    }

    @Test
    void noQuestionWaitsForASwitchThatIsGone() {
        confirmed.set(state(1));
        final CompletableFuture<Progress> answer = confirmed.await(1, LONG);
        online = false;
        confirmed.answer();
        assertThat(answer).isCompletedWithValue(Progress.NOT_CONNECTED);
    }
}
