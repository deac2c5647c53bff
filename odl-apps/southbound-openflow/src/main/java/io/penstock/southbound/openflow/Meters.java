// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.registry.Meter;
import io.penstock.southbound.openflow.wire.WireMessages;
import io.penstock.southbound.openflow.wire.WireMessages.MeterCommand;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives every switch its meters, once a connection: a flow that names a meter is refused without it, and a bundle
 * cannot carry meters (Open vSwitch 3.1). Safe for all threads.
 */
final class Meters implements ConnectionListener {
    private final Messenger messenger;
    private final Connections connections;
    private final Map<SwitchId, CompletableFuture<Void>> done = new ConcurrentHashMap<>();

    Meters(final Messenger messenger, final Connections connections) {
        this.messenger = requireNonNull(messenger);
        this.connections = requireNonNull(connections);
    }

    /** Done when the switch has all meters; what failed is tried again at the next call. */
    CompletableFuture<Void> ensure(final SwitchId target) {
        return done.compute(target,
            (id, before) -> before == null || before.isCompletedExceptionally() ? setAll(id) : before);
    }

    private CompletableFuture<Void> setAll(final SwitchId target) {
        return connections.whileConnected(target, CompletableFuture.allOf(Arrays.stream(Meter.values())
            .map(meter -> set(target, meter)).toArray(CompletableFuture[]::new)));
    }

    /** A meter from an earlier connection is there still, and perhaps with another rate. */
    private CompletableFuture<Void> set(final SwitchId target, final Meter meter) {
        return send(target, meter, MeterCommand.ADD).handle((added, refused) -> refused == null)
            .thenCompose(added -> added ? CompletableFuture.completedFuture(null)
                : send(target, meter, MeterCommand.MODIFY));
    }

    private CompletableFuture<Void> send(final SwitchId target, final Meter meter, final MeterCommand command) {
        final CompletableFuture<Void> sent = messenger.send(target, WireMessages.meter(meter, command));
        // It has no answer, so only the barrier tells that it was not refused.
        return messenger.barrier(target).thenCompose(passed -> sent);
    }

    @Override
    public void onConnected(final SwitchId id) {
        done.remove(id);
    }

    @Override
    public void onDisconnected(final SwitchId id) {
        done.remove(id);
    }
}
