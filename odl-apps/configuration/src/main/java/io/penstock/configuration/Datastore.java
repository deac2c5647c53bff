// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import com.google.common.base.Throwables;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for answers of the datastore, not for ever. */
final class Datastore {
    /** Far beyond what it takes for the largest configuration. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Datastore() {
        // not to be instantiated
    }

    /**
     * Its answer.
     *
     * @param failure the beginning of the message when there is none
     * @throws DatastoreException when it failed, when it takes too long, and when this thread was interrupted
     */
    static <T> T await(final Future<T> answer, final String failure) {
        return await(answer, failure, LIMIT);
    }

    /** The same with another limit. */
    static <T> T await(final Future<T> answer, final String failure, final Duration limit) {
        try {
            return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new DatastoreException(failure + ": interrupted", e);
        } catch (TimeoutException e) {
            throw new DatastoreException(failure + ": no answer within " + limit.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            // The datastore wraps the reason of a refusal.
            throw new DatastoreException(failure + ": " + Throwables.getRootCause(e).getMessage(), e);
        }
    }
}
