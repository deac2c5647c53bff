// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import java.util.concurrent.CompletableFuture;

/** A way to bring changes to a switch. Safe for all threads; changes to one switch must not overlap. */
@FunctionalInterface
public interface FlowSender {
    /**
     * Sends changes.
     *
     * @return done when the switch has said that it uses the new flows; fails with {@link SwitchException}
     */
    CompletableFuture<Void> apply(SwitchId target, FlowChanges changes);
}
