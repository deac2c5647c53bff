// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.rest;

import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.SettableFuture;
import io.penstock.base.tasks.Failures;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.opendaylight.yangtools.yang.common.ErrorTag;
import org.opendaylight.yangtools.yang.common.ErrorType;
import org.opendaylight.yangtools.yang.common.RpcResult;
import org.opendaylight.yangtools.yang.common.RpcResultBuilder;

/** Answers of RPCs: there is one whatever happens, for who asked waits for it. */
final class Answers {
    private Answers() {
        // Only functions.
    }

    /**
     * Begins some work at once; the answer comes when it is done. An {@link IllegalArgumentException} is a refusal; a
     * {@link RejectedExecutionException} of its executor tells that there is too much work.
     */
    static <T> ListenableFuture<RpcResult<T>> of(final Supplier<CompletableFuture<T>> work) {
        final SettableFuture<RpcResult<T>> answer = SettableFuture.create();
        CompletableFuture.<Void>completedFuture(null).thenCompose(now -> work.get()).whenComplete((output, error) ->
            answer.set(error == null ? RpcResultBuilder.success(output).build() : failed(error)));
        return answer;
    }

    private static <T> RpcResult<T> failed(final Throwable error) {
        final Throwable cause = Failures.cause(error);
        if (cause instanceof RejectedExecutionException) {
            return RpcResultBuilder.<T>failed().withError(ErrorType.APPLICATION, ErrorTag.RESOURCE_DENIED,
                "other requests are being answered; try again").build();
        }
        return RpcResultBuilder.<T>failed().withError(ErrorType.APPLICATION,
            cause instanceof IllegalArgumentException ? ErrorTag.INVALID_VALUE : ErrorTag.OPERATION_FAILED,
            String.valueOf(cause.getMessage())).build();
    }
}
