// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import io.penstock.base.tasks.TaskThread;
import io.penstock.events.ConfigurationEvent;
import io.penstock.events.EventSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;

/**
 * Tells who has changed the configuration: one event for each user and second, however many requests that were. Those
 * beyond eight users are one, without a name. A service of its own, so that requests are filtered whether or not there
 * is an engine that takes events. Safe for all threads.
 */
@Component(service = AcceptedChanges.class)
public final class AcceptedChanges implements AutoCloseable {
    static final int MOST_USERS = 8;
    static final int MOST_PATHS = 10;
    static final int MOST_TENANTS = 10;
    static final int MOST_LENGTH = 200;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final BiConsumer<Runnable, Duration> timer;
    private final Runnable end;
    private final Map<Optional<String>, Changes> pending = new LinkedHashMap<>();
    private EventSink sink = event -> { };

    private static final class Changes {
        private final List<String> paths = new ArrayList<>();
        private final Set<String> tenants = new LinkedHashSet<>();
        private int number;
    }

    /** With a thread of its own. */
    @Activate
    public AcceptedChanges() {
        this(new TaskThread("penstock-changes"));
    }

    private AcceptedChanges(final TaskThread thread) {
        this(thread::later, thread::close);
    }

    AcceptedChanges(final BiConsumer<Runnable, Duration> timer, final Runnable end) {
        this.timer = timer;
        this.end = end;
    }

    /** Tells them to a sink from now on. */
    public synchronized void tellTo(final EventSink another) {
        tell();
        sink = another;
    }

    /**
     * A request was accepted.
     *
     * @param user empty if it came from a session
     * @param path with the method
     * @param tenants names of those that it names
     */
    synchronized void accepted(final Optional<String> user, final String path, final Collection<String> tenants) {
        if (pending.isEmpty()) {
            timer.accept(this::tell, PAUSE);
        }
        final Optional<String> known = pending.size() < MOST_USERS || pending.containsKey(user) ? user
            : Optional.empty();
        final Changes changes = pending.computeIfAbsent(known, name -> new Changes());
        changes.number++;
        if (changes.paths.size() < MOST_PATHS) {
            changes.paths.add(path.length() <= MOST_LENGTH ? path : path.substring(0, MOST_LENGTH) + "...");
        }
        tenants.stream().filter(tenant -> changes.tenants.size() < MOST_TENANTS).forEach(changes.tenants::add);
    }

    private synchronized void tell() {
        pending.forEach((user, changes) -> sink.tell(new ConfigurationEvent(user, changes.number, changes.paths,
            List.copyOf(changes.tenants))));
        pending.clear();
    }

    @Deactivate
    @Override
    public void close() {
        tell();
        end.run();
    }
}
