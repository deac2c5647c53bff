// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Ports of one switch and whether their links are up. Safe for all threads. */
public final class PortStates {
    /**
     * A port by the name of its interface.
     *
     * @param error why the switch could not open it; empty if it could
     */
    public record Port(String name, boolean linkUp, String error) {
        /** One that is open. */
        public Port(final String name, final boolean linkUp) {
            this(name, linkUp, "");
        }
    }

    /** How long after a connection ports may be unknown before they count as down. */
    static final Duration GRACE = Duration.ofSeconds(3);

    private final Ticker ticker;
    private volatile long connectedNanos;
    private final Map<String, Port> byId = new ConcurrentHashMap<>();
    /** Of ports that could not be opened, by name: the switch has no such port, its database tells why. */
    private volatile Map<String, String> errors = Map.of();

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

    /** Notes which ports could not be opened, by name, and why; says whether that is news. */
    boolean setErrors(final Map<String, String> now) {
        final boolean isNews = !now.equals(errors);
        errors = Map.copyOf(now);
        return isNews;
    }

    /** All that are there, and those that could not be opened. */
    List<Port> all() {
        final Map<String, Port> named = new TreeMap<>();
        byId.values().forEach(port -> named.put(port.name(), port));
        errors.forEach((name, error) -> named.put(name, new Port(name, false, error)));
        return List.copyOf(named.values());
    }

    boolean areUp(final List<String> names) {
        return names.stream().allMatch(this::isUp);
    }

    private boolean isUp(final String name) {
        return byId.values().stream().anyMatch(port -> port.name().equals(name) && port.linkUp());
    }
}
