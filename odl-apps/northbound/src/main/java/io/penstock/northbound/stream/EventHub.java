// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static java.util.Objects.requireNonNull;

import io.penstock.events.EventSink;
import io.penstock.events.Notice;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.opendaylight.mdsal.dom.api.DOMSchemaService;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Gives each event to all who listen, as JSON. There are 16 listeners at most, for each has a thread of the web server.
 * One that is more than 256 events behind is cut off, and can listen again. Safe for all threads.
 */
@Component(service = EventHub.class)
public final class EventHub implements AutoCloseable {
    static final int MOST_LISTENERS = 16;
    static final int MOST_BEHIND = 256;

    private final Supplier<EffectiveModelContext> models;
    private final Set<Listener> listeners = ConcurrentHashMap.newKeySet();
    private boolean closed;

    /** Without listeners. */
    @Activate
    public EventHub(@Reference final DOMSchemaService models) {
        this(models::getGlobalContext);
    }

    EventHub(final Supplier<EffectiveModelContext> models) {
        this.models = requireNonNull(models);
    }

    /** One who listens, until it is closed. */
    final class Listener implements AutoCloseable {
        /** One that is empty wakes who waits for the next. */
        private final BlockingQueue<Optional<String>> events = new ArrayBlockingQueue<>(MOST_BEHIND);
        private volatile boolean cutOff;

        /** The next event in JSON; empty when there is none for so long. */
        Optional<String> next(final Duration limit) throws InterruptedException {
            return Optional.ofNullable(events.poll(limit.toMillis(), TimeUnit.MILLISECONDS))
                .flatMap(event -> event);
        }

        /** Whether nothing more comes than what waits. */
        boolean isCutOff() {
            return cutOff;
        }

        private void give(final String event) {
            if (!events.offer(Optional.of(event))) {
                close();
            }
        }

        @Override
        public void close() {
            cutOff = true;
            listeners.remove(this);
            // If there is no room, who listens has something to do.
            events.offer(Optional.empty());
        }
    }

    /** One more listener, if there may be one. */
    synchronized Optional<Listener> listen() {
        if (closed || listeners.size() >= MOST_LISTENERS) {
            return Optional.empty();
        }
        final Listener listener = new Listener();
        listeners.add(listener);
        return Optional.of(listener);
    }

    /** Takes events, which have the time of a clock. */
    public EventSink sink(final Clock clock) {
        return event -> tell(Notice.of(event, clock.instant()));
    }

    /** Takes an event of this member or of another one. */
    void tell(final Notice notice) {
        if (!listeners.isEmpty()) {
            final String json = EventJson.of(models.get(), notice);
            listeners.forEach(listener -> listener.give(json));
        }
    }

    @Deactivate
    @Override
    public synchronized void close() {
        closed = true;
        listeners.forEach(Listener::close);
    }
}
