// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps what it is told. */
final class RecordingListener implements OvsdbListener {
    /** {@code +name}, {@code -name} and {@code ~name} for connected, disconnected and announcement changed. */
    final List<String> events = new CopyOnWriteArrayList<>();
    final Map<String, NodeSession> sessions = new ConcurrentHashMap<>();
    final Map<String, Map<String, PortState>> states = new ConcurrentHashMap<>();

    @Override
    public void nodeConnected(final NodeSession session) {
        sessions.put(session.announcement().name(), session);
        events.add("+" + session.announcement().name());
    }

    @Override
    public void nodeDisconnected(final String name) {
        sessions.remove(name);
        states.remove(name);
        events.add("-" + name);
    }

    @Override
    public void portStatesChanged(final String name, final Map<String, PortState> changed) {
        states.put(name, changed);
    }

    @Override
    public void announcementChanged(final NodeSession session) {
        events.add("~" + session.announcement().name());
    }

    NodeSession awaitNode(final String name) {
        Await.until("node " + name + " connected, after " + events, () -> sessions.containsKey(name));
        return sessions.get(name);
    }

    void awaitEvents(final String... expected) {
        Await.until("events " + List.of(expected), () -> events.size() >= expected.length);
        if (!events.equals(List.of(expected))) {
            throw new AssertionError("events " + events + ", expected " + List.of(expected));
        }
    }

    PortState awaitPort(final String node, final String port) {
        Await.until("port " + port + " seen by the switch of " + node, () -> {
            final PortState state = states.getOrDefault(node, Map.of()).get(port);
            return state != null && (state.ofport() > 0 || !state.error().isEmpty());
        });
        return states.get(node).get(port);
    }
}
