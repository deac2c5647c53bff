// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.operations.WhyReport;
import io.penstock.operations.WhyReport.Verdict;
import io.penstock.operations.WhyReport.WhyStep;
import io.penstock.pipeline.net.Ipv4;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The way of a packet, as far as it was looked at. For one thread. */
final class Walk {
    private final List<WhyStep> steps = new ArrayList<>();
    private final Set<Unheard> unheard = new LinkedHashSet<>();
    private final Set<Ipv4> nextHops = new LinkedHashSet<>();

    void passes(final Stage stage, final String text) {
        steps.add(new WhyStep(stage.text(), Verdict.PASSES, "", text, ""));
    }

    /** By way of a next hop of the backbone whose MAC address the switch has learned, which may be long ago. */
    void passes(final Stage stage, final Ipv4 nextHop, final String text) {
        nextHops.add(nextHop);
        passes(stage, text);
    }

    void fails(final Stage stage, final Cause cause, final String text, final String remedy) {
        steps.add(new WhyStep(stage.text(), Verdict.FAILS, cause.text(), text, remedy));
    }

    /** The same because an address has not answered ARP, which may be because it was not asked for. */
    void fails(final Stage stage, final Cause cause, final Unheard silent, final String text, final String remedy) {
        unheard.add(silent);
        fails(stage, cause, text, remedy);
    }

    void notice(final Stage stage, final Cause cause, final String text, final String remedy) {
        steps.add(new WhyStep(stage.text(), Verdict.NOTICE, cause.text(), text, remedy));
    }

    void unknown(final Stage stage, final Cause cause, final String text, final String remedy) {
        steps.add(new WhyStep(stage.text(), Verdict.UNKNOWN, cause.text(), text, remedy));
    }

    /** The switch does something else than was found, so what was found may be wrong. */
    void disagrees(final String text, final String remedy) {
        fails(Stage.SWITCH, Cause.SWITCH_DISAGREES, text, remedy);
    }

    /** What was looked at so far. */
    List<WhyStep> steps() {
        return List.copyOf(steps);
    }

    /** Addresses that have not answered ARP. */
    Set<Unheard> unheard() {
        return unheard;
    }

    /** Next hops of the backbone that the switch has learned, if packets pass otherwise. */
    Set<Ipv4> nextHops() {
        return first(Verdict.FAILS).isPresent() ? Set.of() : nextHops;
    }

    /**
     * The answer: that the switch disagrees, else the first fault in the order of the packet, else what is not known,
     * else what should be known.
     */
    WhyReport report() {
        return steps.stream().filter(step -> step.cause().equals(Cause.SWITCH_DISAGREES.text())).findFirst()
            .or(() -> first(Verdict.FAILS))
            .or(() -> first(Verdict.UNKNOWN)).or(() -> first(Verdict.NOTICE))
            .map(step -> new WhyReport(step.cause(), answer(step), step.remedy(), steps))
            .orElseGet(() -> new WhyReport(Cause.NONE.text(), "No fault was found.", "", steps));
    }

    private static String answer(final WhyStep step) {
        return step.verdict() == Verdict.NOTICE ? "No fault was found, but note: " + step.text() : step.text();
    }

    private Optional<WhyStep> first(final Verdict verdict) {
        return steps.stream().filter(step -> step.verdict() == verdict).findFirst();
    }
}
