// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class TogetherTest {
    private static void meet(final CyclicBarrier barrier) {
        try {
            barrier.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void checksRunSideBySide() {
        final CyclicBarrier barrier = new CyclicBarrier(2);
        assertThatCode(() -> Together.check(() -> meet(barrier), () -> meet(barrier))).doesNotThrowAnyException();
    }

    @Test
    void oneThatFailsFailsAll() {
        assertThatThrownBy(() -> Together.check(() -> { }, () -> {
            throw new AssertionError("it answers");
        }, () -> { })).isInstanceOf(AssertionError.class).hasMessageContaining("it answers");
    }
}
