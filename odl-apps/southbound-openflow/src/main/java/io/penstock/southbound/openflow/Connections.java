// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.southbound.openflow.OpenFlowSouthbound.Registration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.opendaylight.openflowplugin.api.openflow.device.DeviceInfo;
import org.opendaylight.openflowplugin.api.openflow.mastership.MastershipChangeService;

/**
 * Knows which switches can be used: those of which this controller is master, from when their RPCs are there until they
 * disconnect. Safe for all threads; one listener may hear of different switches on different threads.
 */
final class Connections implements MastershipChangeService {
    private final Runnable beforeUse;
    private final Set<SwitchId> connected = ConcurrentHashMap.newKeySet();
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<SwitchId, Set<CompletableFuture<?>>> awaited = new ConcurrentHashMap<>();

    /** Runs something for each switch before it is announced. */
    Connections(final Runnable beforeUse) {
        this.beforeUse = requireNonNull(beforeUse);
    }

    Set<SwitchId> connected() {
        return Set.copyOf(connected);
    }

    synchronized Registration listen(final ConnectionListener listener) {
        listeners.add(requireNonNull(listener));
        connected.forEach(listener::onConnected);
        return () -> listeners.remove(listener);
    }

    /**
     * The answer of a switch, which fails when the switch disconnects or is not connected. OpenFlowPlugin 0.16.3 leaves
     * some futures incomplete whose connection has ended.
     *
     * @param answer what is awaited; it is itself left as it is
     */
    @SuppressWarnings("CollectionUndefinedEquality") // a future is equal to itself alone
    <T> CompletableFuture<T> whileConnected(final SwitchId id, final CompletableFuture<T> answer) {
        final CompletableFuture<T> guarded = answer.copy();
        final Set<CompletableFuture<?>> pending = awaited.computeIfAbsent(id, key -> ConcurrentHashMap.newKeySet());
        pending.add(guarded);
        guarded.whenComplete((result, failure) -> pending.remove(guarded));
        // Asked last: a connection that ends from here on finds the answer among the pending ones.
        if (!connected.contains(id)) {
            fail(id, guarded);
        }
        return guarded;
    }

    private void failPending(final SwitchId id) {
        awaited.getOrDefault(id, Set.of()).forEach(answer -> fail(id, answer));
    }

    private static void fail(final SwitchId id, final CompletableFuture<?> answer) {
        answer.completeExceptionally(new SwitchException(id + ": is not connected"));
    }

    @Override
    public synchronized void onBecomeOwner(final DeviceInfo deviceInfo) {
        final SwitchId id = id(deviceInfo);
        // Perhaps nobody said that the connection before this one has ended.
        failPending(id);
        beforeUse.run();
        connected.add(id);
        listeners.forEach(listener -> listener.onConnected(id));
    }

    @Override
    public synchronized void onLoseOwnership(final DeviceInfo deviceInfo) {
        final SwitchId id = id(deviceInfo);
        if (connected.remove(id)) {
            failPending(id);
            listeners.forEach(listener -> listener.onDisconnected(id));
        }
    }

    @Override
    public void close() {
        listeners.clear();
    }

    private static SwitchId id(final DeviceInfo deviceInfo) {
        return new SwitchId(deviceInfo.getDatapathId().longValue());
    }
}
