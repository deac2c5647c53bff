// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static java.util.Objects.requireNonNull;

import io.penstock.membership.Leadership;
import io.penstock.membership.Members;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of clocks of members that are apart: the journal of public addresses has the time of the member that leads, and
 * goes on from the greatest that it has. Safe for all threads; {@link #look} is for one.
 */
final class WallClocks implements AutoCloseable {
    /** In which the others are asked. */
    static final Duration PERIOD = Duration.ofSeconds(10);
    private static final Logger LOG = LoggerFactory.getLogger(WallClocks.class);
    private static final String TOPIC = "wall-clock";
    private static final Duration ANSWER = Duration.ofSeconds(1);
    /** More than this beyond the time that an answer took. */
    private static final Duration APART = Duration.ofSeconds(2);

    private final Members members;
    private final Clock clock;
    private final Leadership.Registration answers;
    private volatile Optional<String> reason = Optional.empty();

    /** Answers others from now on. */
    WallClocks(final Members members, final Clock clock) {
        this.members = requireNonNull(members);
        this.clock = requireNonNull(clock);
        answers = members.serve(TOPIC, question -> clock.instant().toString().getBytes(StandardCharsets.UTF_8));
    }

    /** Which clocks an operator has to set, for the readiness; empty if none, as far as members answer. */
    Optional<String> reason() {
        return reason;
    }

    /** Asks the others. Blocks for their answers. */
    void look() {
        final List<String> apart = new ArrayList<>();
        for (final String member : members.others()) {
            try {
                compare(member).ifPresent(apart::add);
            } catch (IOException | DateTimeException e) {
                LOG.debug("{} does not say what time it is", member, e);
            }
        }
        final Optional<String> now = apart.isEmpty() ? Optional.empty()
            : Optional.of(String.join("; ", apart) + ": have NTP set the clocks of all members");
        if (now.isPresent() && reason.isEmpty()) {
            LOG.warn("Clocks of the members: {}", now.orElseThrow());
        }
        reason = now;
    }

    private Optional<String> compare(final String member) throws IOException {
        final Instant before = clock.instant();
        final Instant told = Instant.parse(new String(members.ask(member, TOPIC, "", ANSWER), StandardCharsets.UTF_8));
        final Duration least = Duration.between(clock.instant(), told);
        final Duration most = Duration.between(before, told);
        if (least.compareTo(APART) > 0) {
            return Optional.of("the clock of " + member + " is " + least.toSeconds() + " s ahead of the clock here");
        }
        return most.compareTo(APART.negated()) < 0
            ? Optional.of("the clock of " + member + " is " + most.negated().toSeconds() + " s behind the clock here")
            : Optional.empty();
    }

    @Override
    public void close() {
        answers.close();
    }
}
