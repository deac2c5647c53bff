// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.SteadyClock;
import io.penstock.membership.Leadership;
import io.penstock.membership.Members;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The clock of leases of this member follows that of the one that leads. Safe for all threads. */
final class SharedClock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedClock.class);
    /** Topic of questions what the clock of leases says. */
    private static final String TOPIC = "steady-clock";
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private final SteadyClock clock;
    private final Members members;
    private final Supplier<Optional<String>> otherLeader;
    private final BooleanSupplier leads;
    private final Leadership.Registration answers;

    /**
     * Answers others from now on.
     *
     * @param otherLeader the member that leads, while this one stands by
     * @param leads whether this member leads
     */
    SharedClock(final SteadyClock clock, final Members members, final Supplier<Optional<String>> otherLeader,
            final BooleanSupplier leads) {
        this.clock = requireNonNull(clock);
        this.members = requireNonNull(members);
        this.otherLeader = requireNonNull(otherLeader);
        this.leads = requireNonNull(leads);
        answers = members.serve(TOPIC, question -> time());
    }

    private byte[] time() throws IOException {
        if (!leads.getAsBoolean()) {
            throw new IOException("does not lead");
        }
        return clock.instant().toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Asks the member that leads. Blocks for its answer. */
    void follow() {
        final Optional<String> master = otherLeader.get();
        if (master.isPresent()) {
            final Instant before = clock.instant();
            try {
                final Instant told = Instant.parse(new String(members.ask(master.orElseThrow(), TOPIC, "", ANSWER),
                    StandardCharsets.UTF_8));
                // It was that time while the question was under way.
                final Duration half = Duration.between(before, clock.instant()).dividedBy(2);
                if (otherLeader.get().equals(master)) {
                    clock.follow(told.plus(half));
                }
            } catch (IOException | DateTimeException e) {
                LOG.debug("The clock of {} is not known", master.orElseThrow(), e);
            }
        }
    }

    @Override
    public void close() {
        answers.close();
    }
}
