// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import io.penstock.southbound.openflow.OpenFlowSouthbound.Registration;
import java.util.List;
import java.util.Set;
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

    @Override
    public synchronized void onBecomeOwner(final DeviceInfo deviceInfo) {
        final SwitchId id = id(deviceInfo);
        beforeUse.run();
        connected.add(id);
        listeners.forEach(listener -> listener.onConnected(id));
    }

    @Override
    public synchronized void onLoseOwnership(final DeviceInfo deviceInfo) {
        final SwitchId id = id(deviceInfo);
        if (connected.remove(id)) {
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
