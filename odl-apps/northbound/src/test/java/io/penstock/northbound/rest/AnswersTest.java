// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.opendaylight.yangtools.yang.common.ErrorTag;
import org.opendaylight.yangtools.yang.common.RpcError;
import org.opendaylight.yangtools.yang.common.RpcResult;

/** Whoever asks gets an answer. */
class AnswersTest {
    private static RpcError error(final ListenableFuture<RpcResult<String>> answer) throws Exception {
        return Futures.getDone(answer).getErrors().get(0);
    }

    @Test
    void theAnswerComesWithTheWork() throws Exception {
        final CompletableFuture<String> work = new CompletableFuture<>();
        final ListenableFuture<RpcResult<String>> answer = Answers.of(() -> work);
        assertThat(answer.isDone()).isFalse();
        work.complete("done");
        assertThat(Futures.getDone(answer).getResult()).isEqualTo("done");
    }

    @Test
    void workThatFailsIsToldOf() throws Exception {
        final CompletableFuture<String> work = new CompletableFuture<>();
        final ListenableFuture<RpcResult<String>> answer = Answers.of(() -> work.thenApply(String::trim));
        work.completeExceptionally(new IllegalStateException("the switch is gone"));
        assertThat(error(answer).getMessage()).isEqualTo("the switch is gone");
        assertThat(error(answer).getTag()).isEqualTo(ErrorTag.OPERATION_FAILED);
    }

    @Test
    void workThatDoesNotBeginIsToldOf() throws Exception {
        assertThat(error(Answers.of(() -> {
            throw new IllegalStateException("closed");
        })).getTag()).isEqualTo(ErrorTag.OPERATION_FAILED);
        final RpcError refusal = error(Answers.of(() -> {
            throw new IllegalArgumentException("tenant: is missing");
        }));
        assertThat(refusal.getMessage()).isEqualTo("tenant: is missing");
        assertThat(refusal.getTag()).isEqualTo(ErrorTag.INVALID_VALUE);
    }
}
