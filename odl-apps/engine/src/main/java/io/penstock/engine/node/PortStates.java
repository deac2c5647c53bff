// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Ports of one switch and whether their links are up. Safe for all threads. */
public final class PortStates {
    /** A port by the name of its interface. */
    public record Port(String name, boolean linkUp) { }

    private final Map<String, Port> byId = new ConcurrentHashMap<>();

    /** Notes a port, or that it is gone when {@code port} is null; says whether that is news. */
    boolean set(final String id, final @Nullable Port port) {
        return port == null ? byId.remove(id) != null : !port.equals(byId.put(id, port));
    }

    boolean isKnown(final String name) {
        return byId.values().stream().anyMatch(port -> port.name().equals(name));
    }

    boolean isUp(final String name) {
        return byId.values().stream().anyMatch(port -> port.name().equals(name) && port.linkUp());
    }
}
