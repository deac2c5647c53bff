// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DatastoreTest {
    private static final String FAILURE = "cannot read it";

    @Test
    void anAnswerIsHandedOn() {
        assertThat(Datastore.await(CompletableFuture.completedFuture("answer"), FAILURE)).isEqualTo("answer");
    }

    @Test
    void theReasonOfAFailureIsTold() {
        assertThatThrownBy(() -> Datastore.await(CompletableFuture.failedFuture(
            new IllegalStateException("refused", new IOException("full"))), FAILURE))
            .isInstanceOf(DatastoreException.class).hasMessage("cannot read it: full");
    }

    @Test
    void withoutAnAnswerTheWaitEnds() {
        assertThatThrownBy(() -> Datastore.await(new CompletableFuture<>(), FAILURE, Duration.ofMillis(10)))
            .isInstanceOf(DatastoreException.class).hasMessage("cannot read it: no answer within 10 ms");
    }

    @Test
    void anInterruptionEndsTheWaitAndStays() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> Datastore.await(new CompletableFuture<>(), FAILURE))
            .isInstanceOf(DatastoreException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
