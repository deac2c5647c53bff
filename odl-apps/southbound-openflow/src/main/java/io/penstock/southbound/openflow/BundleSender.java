// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.southbound.openflow.wire.WireMessages;
import io.penstock.southbound.openflow.wire.WireMessages.BundleControl;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends changes as one ONF bundle: open, one message for each change, close, commit. Safe for all threads.
 *
 * <p>A switch answers a message inside a bundle only when it refuses it, and would commit the rest: so the bundle is
 * committed only after the answer to "close", by which all refusals have come. The refusal of a message at commit time
 * comes with that message's transaction id; it is heard as long as the plugin still waits for that message, which a
 * barrier ends.
 *
 * <p>The plugin holds at most 20,000 messages that it waits for, and a switch forgets a bundle of which it has heard
 * nothing for ten seconds: so after each {@link #CHUNK} messages a barrier has to come back before more are sent.
 */
final class BundleSender implements FlowSender {
    /** Messages between two barriers. */
    static final int CHUNK = 4_000;

    private final Messenger messenger;
    private final AtomicInteger lastBundle = new AtomicInteger();

    BundleSender(final Messenger messenger) {
        this.messenger = requireNonNull(messenger);
    }

    @Override
    public CompletableFuture<Void> apply(final SwitchId target, final FlowChanges changes) {
        if (changes.size() == 0) {
            return CompletableFuture.completedFuture(null);
        }
        final List<byte[]> messages = messages(changes);
        final int bundle = lastBundle.incrementAndGet();
        final CompletableFuture<Void> opened = control(target, bundle, BundleControl.OPEN);
        return addFrom(target, bundle, messages, 0, opened)
            .thenCompose(adds -> commit(target, bundle, adds))
            .whenComplete((done, failure) -> {
                if (failure != null) {
                    discard(target, bundle);
                }
            });
    }

    /** The messages for some changes, removals first. */
    static List<byte[]> messages(final FlowChanges changes) {
        final List<byte[]> messages = new ArrayList<>(changes.size());
        changes.removeCookies().forEach(cookie -> messages.add(WireMessages.deleteAll(cookie)));
        changes.remove().forEach(key -> messages.add(WireMessages.delete(key)));
        changes.removeForeign().forEach(flow ->
            messages.add(WireMessages.delete(flow.table(), flow.priority(), flow.matchBytes())));
        changes.add().forEach(flow -> messages.add(WireMessages.add(flow)));
        return messages;
    }

    /** Sends the messages from an index on, and "close"; gives the messages of which a refusal may still come. */
    private CompletableFuture<List<CompletableFuture<Void>>> addFrom(final SwitchId target, final int bundle,
            final List<byte[]> messages, final int from, final CompletableFuture<Void> opened) {
        final int end = Math.min(messages.size(), from + CHUNK);
        final List<CompletableFuture<Void>> adds = new ArrayList<>();
        adds.add(opened);
        for (final byte[] message : messages.subList(from, end)) {
            adds.add(messenger.send(target, WireMessages.bundleAdd(bundle, message)));
        }
        if (end == messages.size()) {
            return control(target, bundle, BundleControl.CLOSE).thenApply(closed -> refuseFailed(adds));
        }
        return messenger.barrier(target).thenApply(passed -> refuseFailed(adds))
            .thenCompose(passed -> addFrom(target, bundle, messages, end, opened));
    }

    private CompletableFuture<Void> commit(final SwitchId target, final int bundle,
            final List<CompletableFuture<Void>> adds) {
        final CompletableFuture<Void> committed = control(target, bundle, BundleControl.COMMIT);
        return committed.handle((done, failure) -> {
            if (failure != null) {
                // The reason, when it is known, is better than "the commit failed".
                refuseFailed(adds);
            }
            return committed.join();
        });
    }

    private void discard(final SwitchId target, final int bundle) {
        // Not waited for, and an error is no news: a bundle whose commit failed is gone already.
        control(target, bundle, BundleControl.DISCARD);
    }

    private CompletableFuture<Void> control(final SwitchId target, final int bundle, final BundleControl control) {
        return messenger.send(target, WireMessages.bundleControl(bundle, control));
    }

    private static List<CompletableFuture<Void>> refuseFailed(final List<CompletableFuture<Void>> sent) {
        sent.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(CompletableFuture::join);
        return sent;
    }
}
