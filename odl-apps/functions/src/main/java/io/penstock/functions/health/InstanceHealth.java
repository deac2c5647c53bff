// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

import static java.util.Objects.requireNonNull;

import io.penstock.operations.FunctionStatus.ProbeStatus;
import io.penstock.pipeline.intent.NetworkFunction.HealthCheck;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/**
 * What probes tell of one instance. It is taken for healthy until so many intervals go by without an answer, and after
 * that when it has answered for the hold time. Times are nanoseconds of any clock that does not go back. Not for
 * several threads.
 */
final class InstanceHealth {
    /** How many of the last probes loss and latency are of. */
    static final int REMEMBERED = 100;
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final HealthCheck check;
    private final Deque<Probe> probes = new ArrayDeque<>();
    private final long[] roundTrips = new long[RoundTrips.RANGES];
    private long allLost;
    private long failures;
    private boolean healthy = true;
    private long lastSent;
    private boolean everSent;
    /** Since when nothing was answered; only while something waits for its answer. */
    private long silentSince;
    private boolean silent;
    /** Since when it answers again; only while it is not healthy. */
    private long answersSince;
    private boolean answers;
    private long lastAnswer;

    /** One probe; {@code roundTrip} is -1 without an answer. It is counted once, as answered or as lost. */
    private static final class Probe {
        private final int sequence;
        private final long sent;
        private long roundTrip = -1;
        private boolean counted;

        Probe(final int sequence, final long sent) {
            this.sequence = sequence;
            this.sent = sent;
        }
    }

    InstanceHealth(final HealthCheck check) {
        this.check = requireNonNull(check);
    }

    HealthCheck check() {
        return check;
    }

    boolean isHealthy() {
        return healthy;
    }

    /** Whether it is time for the next probe. */
    boolean isDue(final long now) {
        return !everSent || now - lastSent >= interval();
    }

    void sent(final int sequence, final long now) {
        probes.addLast(new Probe(sequence, now));
        if (probes.size() > REMEMBERED) {
            final Probe gone = probes.removeFirst();
            allLost += gone.counted ? 0 : 1;
        }
        everSent = true;
        lastSent = now;
        if (!silent) {
            silent = true;
            silentSince = now;
        }
    }

    /** The probe has come through both ways; one that nobody waits for is passed over. */
    void answered(final int sequence, final long now) {
        for (final Iterator<Probe> last = probes.descendingIterator(); last.hasNext();) {
            final Probe probe = last.next();
            if (probe.sequence == sequence && probe.roundTrip < 0) {
                probe.roundTrip = now - probe.sent;
                if (!probe.counted) {
                    probe.counted = true;
                    roundTrips[RoundTrips.range(TimeUnit.NANOSECONDS.toMicros(probe.roundTrip))]++;
                }
                silent = false;
                lastAnswer = now;
                if (!answers) {
                    answers = true;
                    answersSince = now;
                }
                return;
            }
        }
    }

    /** Looks at the time; whether it is healthy now and was not before, or the other way. */
    boolean look(final long now) {
        final boolean before = healthy;
        for (final Probe probe : probes) {
            if (now - probe.sent <= LOST_NANOS) {
                break;
            }
            if (!probe.counted) {
                probe.counted = true;
                allLost++;
            }
        }
        if (silent && now - silentSince > check.lost() * interval()) {
            fail();
        } else if (!healthy && answers
                && lastAnswer - answersSince >= TimeUnit.SECONDS.toNanos(check.holdSeconds())) {
            healthy = true;
        }
        return healthy != before;
    }

    /** It cannot work, whatever its probes say; whether that is news. */
    boolean fail() {
        final boolean news = healthy;
        healthy = false;
        answers = false;
        failures += news ? 1 : 0;
        return news;
    }

    /** Nobody was able to send or to take answers for this long: that was no silence of the instance. */
    void forgive(final long nanos) {
        silentSince += nanos;
    }

    ProbeStatus statistics(final long now) {
        int sent = 0;
        int lost = 0;
        long sum = 0;
        long most = 0;
        for (final Probe probe : probes) {
            if (probe.roundTrip >= 0) {
                sent++;
                sum += probe.roundTrip;
                most = Math.max(most, probe.roundTrip);
            } else if (now - probe.sent > LOST_NANOS) {
                sent++;
                lost++;
            }
        }
        return new ProbeStatus(sent, lost, sent == lost ? 0 : TimeUnit.NANOSECONDS.toMicros(sum / (sent - lost)),
            TimeUnit.NANOSECONDS.toMicros(most));
    }

    /** What all probes have told. */
    Probed total() {
        return new Probed(allLost, failures, new RoundTrips(roundTrips));
    }

    private long interval() {
        return TimeUnit.MILLISECONDS.toNanos(check.intervalMillis());
    }
}
