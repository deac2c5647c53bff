// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.southbound.openflow.OpenFlowSouthbound.Registration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.opendaylight.openflowplugin.api.openflow.device.DeviceInfo;
import org.opendaylight.openflowplugin.api.openflow.mastership.MastershipChangeService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which switches can be used: those that are connected to this member and have made it their master, from when
 * their RPCs are there until they disconnect. From a member that stands by they take no orders. Safe for all
 * threads; one listener may hear of different switches on different threads.
 */
final class Connections implements MastershipChangeService {
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    private final Runnable beforeUse;
    private final Roles roles;
    private final Set<SwitchId> connected = ConcurrentHashMap.newKeySet();
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private final Map<SwitchId, Set<CompletableFuture<?>>> awaited = new ConcurrentHashMap<>();
    /** An object for each connection of a switch to this member, used or not. */
    private final Map<SwitchId, Object> present = new ConcurrentHashMap<>();
    /** Connections that were asked to be used with the epoch of now. */
    private final Set<Object> asked = new HashSet<>();
    /** Connections by which the switch takes no orders. */
    private final Set<Object> slaves = new HashSet<>();
    private OptionalLong epoch = OptionalLong.empty();
    private OptionalLong standing = OptionalLong.empty();
    private Predicate<SwitchId> mayUse = id -> true;

    /** What a member is to a switch. */
    interface Roles {
        /** Asks a switch to take orders of this member alone. */
        CompletableFuture<Void> master(SwitchId target, long epoch);

        /** Asks a switch to take no orders of this member. */
        CompletableFuture<Void> slave(SwitchId target, long epoch);
    }

    /**
     * Uses no switch until it is told an epoch.
     *
     * @param beforeUse done for each switch before anything else is asked of it
     */
    Connections(final Runnable beforeUse, final Roles roles) {
        this.beforeUse = requireNonNull(beforeUse);
        this.roles = requireNonNull(roles);
    }

    /**
     * Uses switches, those that are connected now and those that will be, with this epoch.
     *
     * @param now the epoch
     * @param first whether a switch may be used yet; must not block
     */
    synchronized void lead(final long now, final Predicate<SwitchId> first) {
        epoch = OptionalLong.of(now);
        standing = OptionalLong.empty();
        mayUse = first;
        asked.clear();
        slaves.clear();
        Map.copyOf(present).forEach(this::begin);
    }

    /** Says that a switch may be used from now on, which was not so when it was asked. */
    synchronized void reconsider(final SwitchId id) {
        Optional.ofNullable(present.get(id)).ifPresent(connection -> begin(id, connection));
    }

    /**
     * Has all switches take no orders by their connections to this member.
     *
     * @param now epoch of the mastership of another member
     */
    synchronized void standBy(final long now) {
        standing = OptionalLong.of(now);
        Map.copyOf(present).forEach(this::standAside);
    }

    /** Uses no switch any more. Their connections stay. */
    synchronized void rest() {
        epoch = OptionalLong.empty();
        standing = OptionalLong.empty();
        Set.copyOf(connected).forEach(this::end);
    }

    /** Whether OpenFlowPlugin has a connection of a switch in use. */
    boolean isPresent(final SwitchId id) {
        return present.containsKey(id);
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
    <T> CompletableFuture<T> whileConnected(final SwitchId id, final CompletableFuture<T> answer) {
        return until(id, () -> connected.contains(id), answer);
    }

    /** The same for a question that changes nothing: a member that stands by may ask it too. */
    <T> CompletableFuture<T> whilePresent(final SwitchId id, final CompletableFuture<T> answer) {
        return until(id, () -> isPresent(id), answer);
    }

    @SuppressWarnings("CollectionUndefinedEquality") // a future is equal to itself alone
    private <T> CompletableFuture<T> until(final SwitchId id, final BooleanSupplier there,
            final CompletableFuture<T> answer) {
        final CompletableFuture<T> guarded = answer.copy();
        final Set<CompletableFuture<?>> pending = awaited.computeIfAbsent(id, key -> ConcurrentHashMap.newKeySet());
        pending.add(guarded);
        guarded.whenComplete((result, failure) -> pending.remove(guarded));
        // Asked last: a connection that ends from here on finds the answer among the pending ones.
        if (!there.getAsBoolean()) {
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
        // Perhaps nothing said that the connection before this one has ended.
        failPending(id);
        beforeUse.run();
        final Object connection = new Object();
        forget(present.put(id, connection));
        begin(id, connection);
        standAside(id, connection);
    }

    private void forget(final @Nullable Object connection) {
        asked.remove(connection);
        slaves.remove(connection);
    }

    private void begin(final SwitchId id, final Object connection) {
        if (epoch.isPresent() && mayUse.test(id) && asked.add(connection)) {
            final long now = epoch.getAsLong();
            roles.master(id, now).whenComplete((taken, failure) ->
                begun(id, connection, now, Optional.ofNullable(failure)));
        }
    }

    /** One that refuses, because it has taken a greater epoch, is asked again when that is known here. */
    private void standAside(final SwitchId id, final Object connection) {
        if (standing.isPresent() && slaves.add(connection)) {
            final long now = standing.getAsLong();
            roles.slave(id, now).whenComplete((taken, failure) -> {
                if (failure != null) {
                    LOG.debug("{} is no slave with epoch {}", id, now, failure);
                    standAsideLater(connection);
                }
            });
        }
    }

    private synchronized void standAsideLater(final Object connection) {
        slaves.remove(connection);
    }

    private synchronized void begun(final SwitchId id, final Object connection, final long taken,
            final Optional<Throwable> failure) {
        if (present.get(id) != connection || !epoch.equals(OptionalLong.of(taken))) {
            return;
        }
        if (failure.isPresent()) {
            LOG.warn("{} does not take orders with epoch {}: {}", id, taken, failure.orElseThrow().getMessage());
            return;
        }
        connected.add(id);
        listeners.forEach(listener -> listener.onConnected(id));
    }

    @Override
    public synchronized void onLoseOwnership(final DeviceInfo deviceInfo) {
        final SwitchId id = id(deviceInfo);
        forget(present.remove(id));
        failPending(id);
        end(id);
    }

    private void end(final SwitchId id) {
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
