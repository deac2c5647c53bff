// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.dhcp.Answer;
import io.penstock.dhcp.Query;
import java.time.Clock;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** How many messages came to the DHCP servers, and what became of them, since the start. Safe for all threads. */
public final class Counts {
    private final Clock clock;
    private final Map<Key, Tally> counts = new ConcurrentHashMap<>();

    private record Key(String tenant, String what) { }

    /** Of messages of one kind. */
    private static final class Tally {
        private final LongAdder count = new LongAdder();
        private final boolean isAnswered;
        private volatile Instant last = Instant.MIN;

        Tally(final boolean isAnswered) {
            this.isAnswered = isAnswered;
        }
    }

    /**
     * Nothing is counted yet.
     *
     * @param clock tells when messages came
     */
    Counts(final Clock clock) {
        this.clock = requireNonNull(clock);
    }

    void malformed(final String tenant) {
        add(tenant, "dropped: malformed", false);
    }

    /** A message on which the server failed, which is a defect of it. */
    void failed(final String tenant) {
        add(tenant, "dropped: failed", false);
    }

    /** A message and what it led to. */
    void count(final String tenant, final Query query, final Answer answer) {
        final String type = query.message().type().map(each -> each.name().toLowerCase(Locale.ROOT)).orElse("other");
        if (answer instanceof Answer.Reply reply) {
            add(tenant, type + ": " + reply.message().type().map(each -> each.name().toLowerCase(Locale.ROOT))
                .orElse("other"), true);
        } else if (answer instanceof Answer.Nothing nothing) {
            add(tenant, type + ": " + nothing.reason().text(), false);
        } else {
            add(tenant, type + (answer instanceof Answer.Ask ? ": holder asked" : ": probe"), true);
        }
    }

    /** The counts by tenant, and by what was asked and what was answered. */
    public SortedMap<String, SortedMap<String, Long>> all() {
        final SortedMap<String, SortedMap<String, Long>> result = new TreeMap<>();
        counts.forEach((key, count) ->
            result.computeIfAbsent(key.tenant(), tenant -> new TreeMap<>()).put(key.what(), count.count.sum()));
        return result;
    }

    /** Counts of the messages of a tenant that got no answer, of which one came after an instant. */
    public SortedMap<String, Long> unanswered(final String tenant, final Instant after) {
        final SortedMap<String, Long> result = new TreeMap<>();
        counts.forEach((key, tally) -> {
            if (key.tenant().equals(tenant) && !tally.isAnswered && tally.last.isAfter(after)) {
                result.put(key.what(), tally.count.sum());
            }
        });
        return result;
    }

    private void add(final String tenant, final String what, final boolean isAnswered) {
        final Tally tally = counts.computeIfAbsent(new Key(tenant, what), key -> new Tally(isAnswered));
        tally.last = clock.instant();
        tally.count.increment();
    }
}
