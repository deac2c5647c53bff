// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import com.google.common.util.concurrent.FluentFuture;
import com.google.common.util.concurrent.ListenableFuture;
import java.time.Duration;
import org.opendaylight.mdsal.common.api.PostCanCommitStep;
import org.opendaylight.mdsal.common.api.PostPreCommitStep;
import org.opendaylight.yangtools.util.concurrent.FluentFutures;

/** A change that was found good: tells how long it took when it is committed. */
record ObservedCommit(CommitObserver observer, long begun) implements PostCanCommitStep, PostPreCommitStep {
    /** For a change whose check began at this {@code System.nanoTime()}. */
    static FluentFuture<PostCanCommitStep> since(final long begun, final CommitObserver observer) {
        return FluentFutures.immediateFluentFuture(new ObservedCommit(observer, begun));
    }

    @Override
    public ListenableFuture<? extends PostPreCommitStep> preCommit() {
        return FluentFutures.immediateFluentFuture(this);
    }

    @Override
    public ListenableFuture<?> commit() {
        observer.committed(Duration.ofNanos(System.nanoTime() - begun));
        return FluentFutures.immediateNullFluentFuture();
    }

    @Override
    public ListenableFuture<?> abort() {
        return FluentFutures.immediateNullFluentFuture();
    }
}
