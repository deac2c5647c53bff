// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.stream;

import static java.util.Objects.requireNonNull;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import io.penstock.base.tasks.TaskThread;
import io.penstock.events.Details;
import io.penstock.events.EventSink;
import io.penstock.events.Notice;
import io.penstock.membership.Leadership;
import io.penstock.membership.Members;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings events of the other members of a cluster to those who listen at this one. Each member keeps its last events,
 * and is asked for them; so an event arrives within a second, those of one member in their order, and the last ones of
 * a member that dies are lost to the others. Safe for all threads.
 */
public final class EventRelay implements AutoCloseable {
    /** In which the others are asked. */
    public static final Duration PERIOD = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(EventRelay.class);
    private static final String TOPIC = "events";
    private static final Duration ANSWER = Duration.ofSeconds(1);
    /** Events that are kept. */
    private static final int KEPT = 512;
    /** Events of one answer, which is to fit into a frame of Akka. */
    private static final int MOST = 100;

    private final Members members;
    private final Clock clock;
    private final List<Consumer<Notice>> targets;
    private final Gson gson = new Gson();
    /** Tells this run of the member from those before. */
    private final String run = UUID.randomUUID().toString();
    private final Deque<Told> kept = new ArrayDeque<>();
    private final Map<String, Place> places = new HashMap<>();
    private final TaskThread thread = new TaskThread("penstock-events");
    private final Leadership.Registration answers;
    private long next;

    /** An event as it goes to another member. */
    private record Told(long number, String notification, String time, List<Details.Leaf> leaves) {
        Notice notice() {
            return new Notice(notification, Instant.parse(time), new Details(leaves));
        }
    }

    /** How far the events of a member are known. */
    private record Place(String run, long next) { }

    private record Answer(String run, long next, List<Told> events) { }

    /**
     * Begins to ask the others.
     *
     * @param clock gives events their time
     * @param hub takes events of others
     * @param notifications takes them too
     * @param period in which the others are asked
     */
    public EventRelay(final Members members, final Clock clock, final EventHub hub, final Notifications notifications,
            final Duration period) {
        this(members, clock, List.of(notifications::tell, hub::tell), period);
    }

    EventRelay(final Members members, final Clock clock, final List<Consumer<Notice>> targets, final Duration period) {
        this.members = requireNonNull(members);
        this.clock = requireNonNull(clock);
        this.targets = List.copyOf(targets);
        answers = members.serve(TOPIC, this::answer);
        if (!members.others().isEmpty()) {
            thread.every(period, period, this::ask);
        }
    }

    /** Takes events of this member. */
    public EventSink sink() {
        return event -> keep(Notice.of(event, clock.instant()));
    }

    private synchronized void keep(final Notice notice) {
        kept.add(new Told(next++, notice.notification(), notice.time().toString(), notice.details().leaves()));
        if (kept.size() > KEPT) {
            kept.remove();
        }
    }

    private synchronized byte[] answer(final String question) throws IOException {
        final Place known;
        try {
            known = gson.fromJson(question, Place.class);
        } catch (JsonSyntaxException e) {
            throw new IOException("no question about events", e);
        }
        final boolean follows = known != null && run.equals(known.run());
        // Of a run that is new to the one who asks it wants all; the first time it wants to know where it stands.
        final List<Told> events = known == null ? List.of() : kept.stream()
            .filter(event -> !follows || event.number() >= known.next()).limit(MOST).toList();
        final long after = events.isEmpty() ? next : events.get(events.size() - 1).number() + 1;
        return gson.toJson(new Answer(run, after, events)).getBytes(StandardCharsets.UTF_8);
    }

    private void ask() {
        for (final String member : members.others()) {
            try {
                final Answer answer = gson.fromJson(new String(
                    members.ask(member, TOPIC, gson.toJson(places.get(member)), ANSWER), StandardCharsets.UTF_8),
                    Answer.class);
                places.put(member, new Place(answer.run(), answer.next()));
                answer.events().stream().map(Told::notice).forEach(this::tell);
            } catch (IOException | JsonSyntaxException | DateTimeException e) {
                LOG.debug("The events of {} are not known", member, e);
            }
        }
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private void tell(final Notice notice) {
        for (final Consumer<Notice> target : targets) {
            try {
                target.accept(notice);
            } catch (RuntimeException e) {
                // A member of another release may have other events.
                LOG.debug("{} of another member cannot be told", notice.notification(), e);
            }
        }
    }

    @Override
    public void close() {
        answers.close();
        thread.close();
    }
}
