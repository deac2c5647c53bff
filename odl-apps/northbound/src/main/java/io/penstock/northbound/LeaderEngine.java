// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.ConfigurationStore;
import io.penstock.engine.Engine;
import io.penstock.membership.Lead;
import io.penstock.membership.Leadership;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs an engine whenever this member leads, and stands by otherwise. */
final class LeaderEngine implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderEngine.class);
    /** Until another attempt to start the engine. */
    private static final Duration AGAIN = Duration.ofMillis(200);
    /** Attempts of one member. */
    private static final int FAILURES = 2;
    /** In which it is confirmed that the mastership is stored still. */
    private static final Duration CONFIRM = Duration.ofSeconds(2);
    /** How often in a row the disk has no room before another member is to lead. */
    private static final int SHORTAGES = 3;

    private final ConfigurationStore store;
    private final Leadership leadership;
    private final Standbys standbys;
    private final DiskRoom room;
    private final Supplier<Engine> maker;
    private final BiConsumer<Engine, Deque<Runnable>> publisher;
    private final Runnable giveWay;
    private final TaskThread thread = new TaskThread("penstock-leadership");
    /** For questions that wait for a leader, which {@link #thread} must not. */
    private final TaskThread confirming = new TaskThread("penstock-mastership");
    private final Leadership.Registration following;
    /** What has to end when this member leads no more, the last first. */
    private final Deque<Runnable> ends = new ArrayDeque<>();
    private Lead lead = new Lead(false, Optional.empty());
    private volatile Optional<Engine> running = Optional.empty();
    private boolean stopped;
    /** How often the engine did not start since this member leads. */
    private int failures;
    /** For {@link #confirming}. */
    private int shortages;

    /**
     * Begins to follow the leadership.
     *
     * @param maker makes an engine that is not started
     * @param publisher offers a started engine to clients, and pushes what ends that
     * @param giveWay ends the framework, so that another member leads
     */
    LeaderEngine(final ConfigurationStore store, final Leadership leadership, final Standbys standbys,
            final DiskRoom room, final Supplier<Engine> maker,
            final BiConsumer<Engine, Deque<Runnable>> publisher, final Runnable giveWay) {
        this.store = requireNonNull(store);
        this.leadership = requireNonNull(leadership);
        this.standbys = requireNonNull(standbys);
        this.room = requireNonNull(room);
        this.maker = requireNonNull(maker);
        this.publisher = requireNonNull(publisher);
        this.giveWay = requireNonNull(giveWay);
        if (standbys.isShared()) {
            confirming.every(CONFIRM, CONFIRM, this::confirm);
        }
        following = leadership.follow(now -> thread.run(() -> led(now)));
    }

    /** Begins or ends the engine, as the leadership has it. */
    private synchronized void led(final Lead now) {
        if (stopped) {
            return;
        }
        if (lead.own() && !now.own()) {
            Controller.end(ends);
        }
        if (!now.own()) {
            standbys.begin(now.leader());
            store.standBy("it runs on " + now.leader().filter(leader -> !leader.equals(leadership.member()))
                .orElse("no member of the cluster that is known yet"));
        } else if (!lead.own()) {
            failures = 0;
            standbys.end(leadership.member());
            begin();
        }
        lead = now;
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private void begin() {
        try {
            final Engine engine = maker.get();
            ends.push(engine::close);
            engine.start(leadership.member());
            running = Optional.of(engine);
            ends.push(() -> running = Optional.empty());
            ends.push(standbys.tell(engine::controllersChanged));
            publisher.accept(engine, ends);
        } catch (RuntimeException e) {
            LOG.error("The engine did not start", e);
            Controller.end(ends);
            store.fail("it did not start: " + Controller.reason(e));
            if (standbys.isShared()) {
                thread.later(this::beginAgain, AGAIN);
            }
        }
    }

    /** A member that led before may claim the mastership once more, until it hears that it leads no longer. */
    private void confirm() {
        final Optional<Engine> believed = running;
        if (believed.isPresent() && !believed.orElseThrow().isMaster()) {
            replace(believed);
        }
        shortages = believed.isPresent() && room.shortage().isPresent() ? shortages + 1 : 0;
        if (shortages >= SHORTAGES) {
            shortages = 0;
            room.first(standbys.names()).ifPresent(this::handOver);
        }
    }

    /** While nothing can be stored here another member can serve. */
    private void handOver(final String successor) {
        LOG.warn("{}; {} is to lead", room.shortage().orElse("The disk had no room"), successor);
        leadership.handOver(successor);
    }

    private synchronized void replace(final Optional<Engine> deposed) {
        if (!stopped && lead.own() && running.equals(deposed)) {
            LOG.warn("This member leads, and another one has stored its mastership since: the engine begins again");
            Controller.end(ends);
            begin();
        }
    }

    /** A member that leads without an engine keeps the others from serving: it tries again, and gives way at last. */
    private synchronized void beginAgain() {
        if (stopped || !lead.own() || !ends.isEmpty()) {
            return;
        }
        failures++;
        if (failures < FAILURES) {
            begin();
            return;
        }
        LOG.error("The engine does not start on this member: it ends, so that another one leads");
        giveWay.run();
    }

    @Override
    public void close() {
        synchronized (this) {
            stopped = true;
            Controller.end(ends);
        }
        following.close();
        confirming.close();
        thread.close();
    }
}
