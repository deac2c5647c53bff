// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Ports of one switch and whether their links are up. Safe for all threads. */
public final class PortStates {
    /** A port by the name of its interface. */
    public record Port(String name, boolean linkUp) { }

    /** How long after a connection ports may be unknown before they count as down. */
    static final Duration GRACE = Duration.ofSeconds(3);

    private final Ticker ticker;
    private volatile long connectedNanos;
    private final Map<String, Port> byId = new ConcurrentHashMap<>();

    /** Without ports. */
    PortStates(final Ticker ticker) {
        this.ticker = requireNonNull(ticker);
    }

    /** Notes a port, or that it is gone when {@code port} is null; says whether that is news. */
    boolean set(final String id, final @Nullable Port port) {
        return port == null ? byId.remove(id) != null : !port.equals(byId.put(id, port));
    }

    /** The switch is about to tell its ports. */
    void switchConnected() {
        connectedNanos = ticker.read();
    }

    /**
     * Whether the switch has told all of these ports, or had the time to. A port that was never heard of is not down:
     * to take it for down would cut traffic at every connection.
     */
    boolean areKnown(final List<String> names) {
        return ticker.read() - connectedNanos > GRACE.toNanos()
            || names.stream().allMatch(this::isKnown);
    }

    private boolean isKnown(final String name) {
        return byId.values().stream().anyMatch(port -> port.name().equals(name));
    }

    List<Port> all() {
        return byId.values().stream().sorted(Comparator.comparing(Port::name)).toList();
    }

    boolean areUp(final List<String> names) {
        return names.stream().allMatch(this::isUp);
    }

    private boolean isUp(final String name) {
        return byId.values().stream().anyMatch(port -> port.name().equals(name) && port.linkUp());
    }
}
