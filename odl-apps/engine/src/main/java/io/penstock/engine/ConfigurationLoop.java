// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.Faults;
import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.DatastoreException;
import io.penstock.configuration.Desired;
import io.penstock.configuration.Stored;
import io.penstock.configuration.grant.Grantor;
import io.penstock.configuration.grant.Transition;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.rules.Validator;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns the stored configuration into the desired state, in passes on one thread: reads it, has grantors propose,
 * stores their proposals, and tells the nodes that it concerns. A pass for packets does not read the configuration.
 * Marks are safe for all threads; many of them are one pass.
 */
final class ConfigurationLoop {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationLoop.class);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final String PASS = "the configuration";

    private final Function<Allocations, Stored> configuration;
    private final Consumer<Transition> writer;
    private final List<Grantor> grantors;
    private final Consumer<Transition> adjust;
    private final Consumer<Transition> wake;
    private final TaskThread thread;
    private final Overdue overdue;
    private final Retry retry;
    private final TakenOver takenOver = new TakenOver();
    private final Faults faults = new Faults(LOG);
    /** How often the configuration was said to have changed. */
    private final AtomicLong wanted = new AtomicLong();
    private final AtomicBoolean marked = new AtomicBoolean();
    /** Whether the next pass has to read the configuration. */
    private final AtomicBoolean changed = new AtomicBoolean();
    private volatile Optional<String> trouble = Optional.empty();
    /** For the thread. */
    private Carried carried = Carried.whole(Snapshot.empty());
    private volatile Optional<String> heldUp = Optional.empty();
    private volatile Desired desired = new Desired(0, Snapshot.empty(), Allocations.none());

    /**
     * A configuration as it is carried out.
     *
     * @param stored all of it
     * @param snapshot with the former configuration of the tenants that failed
     * @param failed these tenants, with the reasons
     */
    private record Carried(Snapshot stored, Snapshot snapshot, SortedMap<String, String> failed) {
        static Carried whole(final Snapshot stored) {
            return new Carried(stored, stored, Collections.emptySortedMap());
        }
    }

    /**
     * A loop that has read nothing.
     *
     * @param configuration reads and judges what is stored
     * @param writer stores the allocations of a transition, and returns when that is safe
     * @param grantors in the order in which they propose
     * @param adjust called after a transition was stored, before grantors are told
     * @param wake called after grantors were told, to bring nodes to the state
     */
    ConfigurationLoop(final Function<Allocations, Stored> configuration,
            final Consumer<Transition> writer, final List<Grantor> grantors, final Consumer<Transition> adjust,
            final Consumer<Transition> wake, final TaskThread thread, final Overdue overdue) {
        this(configuration, writer, grantors, adjust, wake, thread, overdue, thread::later);
    }

    /**
     * The same.
     *
     * @param later carries out a task on the thread after a pause
     */
    ConfigurationLoop(final Function<Allocations, Stored> configuration,
            final Consumer<Transition> writer, final List<Grantor> grantors, final Consumer<Transition> adjust,
            final Consumer<Transition> wake, final TaskThread thread, final Overdue overdue,
            final BiConsumer<Runnable, Duration> later) {
        this.configuration = requireNonNull(configuration);
        this.writer = requireNonNull(writer);
        this.grantors = List.copyOf(grantors);
        this.adjust = requireNonNull(adjust);
        this.wake = requireNonNull(wake);
        this.thread = requireNonNull(thread);
        this.overdue = requireNonNull(overdue);
        retry = new Retry(later, this::changed, RETRY);
    }

    /** Takes over what was handed out before this start; before the first mark. */
    void begin(final Allocations before) {
        desired = new Desired(0, Snapshot.empty(), before);
    }

    /** The state that nodes are brought to: a configuration that was read, and all that was handed out and stored. */
    Desired desired() {
        return desired;
    }

    /** Why no change can be taken over. A configuration that fails is no reason: the next change may repair it. */
    Optional<String> trouble() {
        return trouble.or(overdue::reason);
    }

    /** Why nothing was carried out since the start, although it is tried; a change may still repair it. */
    Optional<String> heldUp() {
        return heldUp;
    }

    /** Says that the configuration may have changed. */
    void changed() {
        wanted.incrementAndGet();
        changed.set(true);
        mark();
    }

    /** Says that grantors have something to propose: packets came, or time has passed. */
    void mark() {
        if (marked.compareAndSet(false, true)) {
            thread.run(() -> overdue.watch(this::pass));
        }
    }

    /**
     * The revision of a desired state that has all that was committed before this call.
     *
     * @return complete when that was read; a configuration that breaks rules is not taken over
     */
    CompletableFuture<Long> takenOver() {
        changed();
        return takenOver.of(wanted.get());
    }

    @SuppressWarnings("checkstyle:IllegalCatch")
    private void pass() {
        marked.set(false);
        // Before the first state there is no configuration that a pass for packets could keep.
        final boolean reads = changed.getAndSet(false) || desired.revision() == 0;
        try {
            final long asked = wanted.get();
            final Optional<Snapshot> snapshot = reads ? read() : Optional.of(carried.stored());
            if (snapshot.isEmpty() && desired.revision() == 0) {
                trouble = Optional.empty();
                // Nothing was carried out yet: switches and hosts keep what they have.
                return;
            }
            carryOut(snapshot.orElse(carried.stored()));
            heldUp = Optional.empty();
            faults.succeeded(PASS);
            if (reads && snapshot.isPresent()) {
                takenOver.set(asked, desired.revision());
            }
        } catch (UncheckedIOException e) {
            faults.failed(PASS, "Cannot store what is allocated, will try again in " + RETRY.toSeconds() + " s", e);
            failed(Optional.of("what is allocated cannot be stored: " + e.getMessage() + " ("
                + requireNonNull(e.getCause()).getMessage() + "); it is tried again every " + RETRY.toSeconds()
                + " s"));
        } catch (DatastoreException e) {
            faults.failed(PASS, "The datastore does not read or store, will try again in " + RETRY.toSeconds() + " s",
                e);
            failed(Optional.of(e.getMessage() + "; it is tried again every " + RETRY.toSeconds() + " s"));
        } catch (RuntimeException | Error e) {
            faults.failed(PASS, "Cannot carry out the configuration, will try again in " + RETRY.toSeconds() + " s", e);
            heldUp = Optional.of("the stored configuration is not carried out, and switches keep what they have: " + e
                + "; it is tried again every " + RETRY.toSeconds() + " s, the log has more")
                .filter(reason -> desired.revision() == 0);
            failed(trouble);
        }
    }

    private void failed(final Optional<String> reason) {
        trouble = reason;
        retry.later();
    }

    /** The stored configuration, unless it breaks rules. */
    private Optional<Snapshot> read() {
        final Stored stored = configuration.apply(desired.allocations());
        return stored.isValid() ? Optional.of(stored.snapshot()) : Optional.empty();
    }

    private void carryOut(final Snapshot stored) {
        final List<Grantor> proposed = new ArrayList<>();
        final Allocations allocations = proposals(stored, proposed);
        final Desired next = desired.next(carried.snapshot(), allocations, carried.failed());
        final boolean differs = desired.revision() == 0 || !next.sameAs(desired);
        final Transition transition = differs ? Transition.between(desired, next)
            : new Transition(desired, desired, Set.of());
        // What could not be stored may have been forgotten meanwhile, such as a lease: then nothing else tells that
        // there is room again.
        if (differs || trouble.isPresent()) {
            writer.accept(transition);
            trouble = Optional.empty();
        }
        if (differs) {
            desired = next;
            guarded("the nodes", () -> adjust.accept(transition));
        }
        proposed.forEach(grantor -> guarded(grantor.name(), () -> grantor.stored(transition)));
        if (differs) {
            wake.accept(transition);
        }
    }

    /**
     * The proposals for a configuration. Where one fails that no state can do without, the tenants at fault stay as
     * they were, and the others are carried out.
     *
     * @param proposed takes the grantors that have proposed
     */
    @SuppressWarnings({"checkstyle:IllegalCatch", "ReferenceEquality"}) // an unchanged configuration is the same object
    private Allocations proposals(final Snapshot stored, final List<Grantor> proposed) {
        final boolean isNew = stored != carried.stored();
        final Carried next = isNew ? Carried.whole(stored) : carried;
        try {
            final Allocations allocations = proposeFor(next.snapshot(), proposed);
            if (isNew) {
                carried.failed().keySet().forEach(tenant -> faults.succeeded("tenant " + tenant));
            }
            carried = next;
            return allocations;
        } catch (RuntimeException | StackOverflowError e) {
            if (!isNew) {
                throw e;
            }
            final FaultyTenants.Found found = FaultyTenants.find(stored, desired.snapshot(),
                desired.allocations().tenants().keySet(), this::attempt,
                each -> Validator.validateStored(each, desired.allocations()).isEmpty());
            found.faults().forEach((tenant, fault) ->
                faults.failed("tenant " + tenant, "Tenant " + tenant + " is not carried out as configured", fault));
            carried.failed().keySet().stream().filter(tenant -> !found.faults().containsKey(tenant))
                .forEach(tenant -> faults.succeeded("tenant " + tenant));
            proposed.clear();
            final Allocations allocations = proposeFor(found.snapshot(), proposed);
            carried = new Carried(stored, found.snapshot(), found.reasons());
            return allocations;
        }
    }

    /** Has only those propose that no state can do without: others take packets for it. */
    private Allocations attempt(final Snapshot snapshot) {
        Allocations allocations = desired.allocations();
        for (final Grantor grantor : grantors) {
            allocations = grantor.isEssential() ? grantor.propose(snapshot, allocations) : allocations;
        }
        return allocations;
    }

    private Allocations proposeFor(final Snapshot snapshot, final List<Grantor> proposed) {
        Allocations allocations = desired.allocations();
        for (final Grantor grantor : grantors) {
            allocations = propose(grantor, snapshot, allocations, proposed);
        }
        return allocations;
    }

    /** The state is stored: whatever fails now, the rest has to hear of it, for nothing else tells them. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private void guarded(final String subject, final Runnable task) {
        final String taking = "the new state for " + subject;
        try {
            task.run();
            faults.succeeded(taking);
        } catch (RuntimeException e) {
            faults.failed(taking, "A new state was not taken over by " + subject, e);
        }
    }

    /** A grantor that fails keeps neither the configuration nor other grantors up. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    private Allocations propose(final Grantor grantor, final Snapshot snapshot, final Allocations before,
            final List<Grantor> proposed) {
        try {
            final Allocations after = grantor.propose(snapshot, before);
            proposed.add(grantor);
            faults.succeeded(grantor.name());
            return after;
        } catch (RuntimeException e) {
            if (grantor.isEssential()) {
                throw e;
            }
            faults.failed(grantor.name(), "Cannot hand out " + grantor.name() + ", will try again in "
                + RETRY.toSeconds() + " s", e);
            retry.later();
            return before;
        }
    }
}
