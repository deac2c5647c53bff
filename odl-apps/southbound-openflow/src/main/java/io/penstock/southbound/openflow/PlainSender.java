// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends changes as single messages, with a barrier after each {@link BundleSender#CHUNK}. Not atomic: packets meet a
 * mixture for a while, and what was sent before an error stays. For messages that are no flows, and to compare with
 * {@link BundleSender}. Safe for all threads.
 */
final class PlainSender implements FlowSender {
    private final Messenger messenger;

    PlainSender(final Messenger messenger) {
        this.messenger = requireNonNull(messenger);
    }

    @Override
    public CompletableFuture<Void> apply(final SwitchId target, final FlowChanges changes) {
        return sendAll(target, BundleSender.messages(changes));
    }

    /** Sends any messages; done when the switch has worked them off. */
    CompletableFuture<Void> sendAll(final SwitchId target, final List<byte[]> messages) {
        return sendFrom(target, messages, 0);
    }

    private CompletableFuture<Void> sendFrom(final SwitchId target, final List<byte[]> messages, final int from) {
        if (from >= messages.size()) {
            return CompletableFuture.completedFuture(null);
        }
        final int end = Math.min(messages.size(), from + BundleSender.CHUNK);
        final List<CompletableFuture<Void>> sent = new ArrayList<>();
        for (final byte[] message : messages.subList(from, end)) {
            sent.add(messenger.send(target, message));
        }
        return messenger.barrier(target)
            .thenCompose(passed -> CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)))
            .thenCompose(taken -> sendFrom(target, messages, end));
    }
}
