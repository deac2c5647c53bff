// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.canary;

import io.penstock.functions.canary.Judgement.Phase;
import io.penstock.pipeline.allocation.CanaryResult.Probes;
import io.penstock.pipeline.allocation.CanaryResult.Side;
import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.Canary.Tolerance;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Judges the new version of one function by what its instances and the others count. Measuring begins when all
 * instances of the new version answer probes and one of the others does. Who fails a health check then is judged back
 * at once, who is worse for {@link #PATIENCE_SECONDS} in a row then, whether its time is over or not: counters of a
 * switch are a little old, those of packets in and out not equally. Times are nanoseconds of any clock that does not go
 * back. Not for several threads.
 */
final class CanaryJudge {
    /** How long a new version may be worse. */
    static final int PATIENCE_SECONDS = 10;
    /** So few probes tell nothing. */
    static final int LEAST_PROBES = 20;
    /** So few packets that did not come out tell nothing: of a forwarder 3 of 55 were once not counted. */
    static final int FEW_PACKETS = 10;
    /** Of the time between two looks no more is time of measuring: of what lies between them little was seen. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int PERCENT = 100;
    private static final int MEDIAN = 50;
    private static final int HIGH = 99;
    private static final double MICROS = 1000;

    private final Canary canary;
    private final List<String> newOnes;
    private final List<String> oldOnes;
    private final Map<String, Reading> last = new HashMap<>();
    private final Map<String, Reading> sums = new HashMap<>();
    private boolean begun;
    private long lastLook;
    private long measured;
    private boolean worse;
    private long worseSince;

    /** Begins with nothing; the function has a canary. */
    CanaryJudge(final NetworkFunction function) {
        canary = function.canary().orElseThrow();
        newOnes = function.instances().stream().filter(canary::has).map(Instance::name).toList();
        oldOnes = function.instances().stream().filter(each -> !canary.has(each))
            .filter(each -> each.state() != State.OUT_OF_SERVICE).map(Instance::name).toList();
    }

    /** Judges by what the instances have counted until now. Not to be asked again after a final judgement. */
    Judgement look(final long now, final Map<String, Reading> readings) {
        final long passed = Math.min(now - lastLook, LONGEST_NANOS);
        lastLook = now;
        if (!begun) {
            return begin(readings);
        }
        measured += passed;
        add(readings);
        final List<String> failed = newOnes.stream().filter(name -> !sum(name).healthy()
            || sum(name).probed().failures() > 0).toList();
        if (!failed.isEmpty()) {
            return judgement(Phase.BACK, String.join(", ", failed) + " failed its health check");
        }
        final Side old = side(oldOnes);
        final Side fresh = side(newOnes);
        final List<String> complaints = complaints(old, fresh);
        if (!complaints.isEmpty()) {
            if (!worse) {
                worse = true;
                worseSince = measured;
            }
            final boolean patient = measured - worseSince < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
            return judgement(patient ? Phase.JUDGING : Phase.BACK, String.join("; ", complaints));
        }
        worse = false;
        if (!isOver()) {
            return judgement(Phase.JUDGING, "so far no worse than the others");
        }
        if (fresh.packetsIn() < canary.leastPackets()) {
            return judgement(Phase.JUDGING, "until " + canary.leastPackets() + " packets have entered the new version");
        }
        return fresh.probes().sent() < LEAST_PROBES
            ? judgement(Phase.JUDGING, "until " + LEAST_PROBES + " probes have been sent")
            : judgement(Phase.FORWARD, "no worse than the others for " + canary.seconds() + " s");
    }

    private Judgement begin(final Map<String, Reading> readings) {
        final List<String> silent = newOnes.stream()
            .filter(name -> !readings.getOrDefault(name, Reading.NOTHING).answers()).toList();
        if (!silent.isEmpty()) {
            return judgement(Phase.WAITING, String.join(", ", silent) + " does not answer probes");
        }
        if (oldOnes.stream().noneMatch(name -> readings.getOrDefault(name, Reading.NOTHING).answers())) {
            return judgement(Phase.WAITING, "no instance of the old version answers probes");
        }
        begun = true;
        last.putAll(readings);
        return judgement(Phase.JUDGING, "measurement has started");
    }

    private void add(final Map<String, Reading> readings) {
        readings.forEach((name, reading) -> {
            final Reading before = last.put(name, reading);
            sums.merge(name, before == null ? reading : reading.since(before), Reading::plus);
        });
    }

    private Reading sum(final String name) {
        return sums.getOrDefault(name, Reading.NOTHING);
    }

    private boolean isOver() {
        return measured >= TimeUnit.SECONDS.toNanos(canary.seconds());
    }

    /** In what the new version is worse than it may be. */
    private List<String> complaints(final Side old, final Side fresh) {
        final Tolerance tolerance = canary.tolerance();
        final List<String> complaints = new ArrayList<>();
        final Probes ours = fresh.probes();
        final Probes theirs = old.probes();
        if (ours.sent() >= LEAST_PROBES && ours.lossPercent() > theirs.lossPercent() + tolerance.lossPoints()) {
            complaints.add("loses %s of its probes, the others %s; tolerance is %d %% more".formatted(
                percent(ours.lossPercent()), percent(theirs.lossPercent()), tolerance.lossPoints()));
        }
        if (ours.answered() >= LEAST_PROBES && theirs.answered() >= LEAST_PROBES
                && ours.medianMicros() * PERCENT > theirs.medianMicros() * tolerance.latencyPercent()) {
            complaints.add("median round trip is %s, of the others %s; tolerance is %d %% of that".formatted(
                millis(ours.medianMicros()), millis(theirs.medianMicros()), tolerance.latencyPercent()));
        }
        final double others = old.packetsIn() < canary.leastPackets() ? 0 : old.droppedPercent();
        if (fresh.packetsIn() >= canary.leastPackets() && fresh.packetsIn() - fresh.packetsOut() > FEW_PACKETS
                && fresh.droppedPercent() > others + tolerance.dropPoints()) {
            complaints.add("drops %s of its packets, the others %s; tolerance is %d %% more".formatted(
                percent(fresh.droppedPercent()), percent(others), tolerance.dropPoints()));
        }
        return complaints;
    }

    private static String percent(final double value) {
        return String.format(Locale.ROOT, "%.1f %%", value);
    }

    private static String millis(final long micros) {
        return String.format(Locale.ROOT, "%.1f ms", micros / MICROS);
    }

    private Side side(final List<String> names) {
        final Reading all = names.stream().map(this::sum).reduce(Reading.NOTHING, Reading::plus);
        return new Side(names, all.packetsIn(), all.packetsOut(), new Probes(all.probed().probes(), all.probed().lost(),
            all.probed().roundTrips().percentile(MEDIAN), all.probed().roundTrips().percentile(HIGH)));
    }

    private Judgement judgement(final Phase phase, final String reason) {
        final long left = TimeUnit.SECONDS.toNanos(canary.seconds()) - measured;
        return new Judgement(phase, (int) TimeUnit.NANOSECONDS.toSeconds(measured),
            (int) Math.max(0, TimeUnit.NANOSECONDS.toSeconds(left + TimeUnit.SECONDS.toNanos(1) - 1)), reason,
            side(oldOnes), side(newOnes));
    }
}
