// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import io.penstock.functions.canary.Judgement;
import io.penstock.operations.CanaryStatus;
import io.penstock.operations.CanaryStatus.CanarySide;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.CanaryResult;
import io.penstock.pipeline.allocation.CanaryResult.Side;
import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** New versions of functions as they are. */
final class CanaryReports {
    private static final Judgement NOT_SEEN =
        new Judgement(Judgement.Phase.WAITING, 0, 0, "its node has not been asked yet", Side.NONE, Side.NONE);

    private CanaryReports() {
        // Only functions.
    }

    /** All that are known of a function. */
    static List<CanaryStatus> of(final NetworkFunction function, final Allocations allocations,
            final Optional<Judgement> judgement) {
        final List<CanaryStatus> all = new ArrayList<>();
        final Optional<String> version = function.canary().map(Canary::version);
        if (version.isPresent() && allocations.verdict(function).isEmpty()) {
            final Judgement now = judgement.orElse(NOT_SEEN);
            all.add(new CanaryStatus(version.orElseThrow(), now.phase().name().toLowerCase(Locale.ROOT), true,
                now.secondsLeft(), now.reason(), "", now.measuredSeconds(), side(now.old()), side(now.canary())));
        }
        allocations.canariesOf(function.name()).forEach(result -> all.add(status(result,
            version.filter(result.version()::equals).isPresent())));
        return all;
    }

    private static CanaryStatus status(final CanaryResult result, final boolean configured) {
        return new CanaryStatus(result.version(), text(result.verdict()), configured, 0, result.reason(),
            Instant.ofEpochSecond(result.decided()).toString(), result.measuredSeconds(), side(result.old()),
            side(result.canary()));
    }

    private static CanarySide side(final Side side) {
        return new CanarySide(side.instances(), side.packetsIn(), side.packetsOut(), side.droppedPercent(),
            side.probes().sent(), side.probes().lost(), side.probes().lossPercent(), side.probes().medianMicros(),
            side.probes().highMicros());
    }

    /** What an instance is meant to do, and what that has to do with a canary. */
    static String state(final NetworkFunction function, final Instance instance, final Allocations allocations) {
        final Optional<Verdict> verdict = allocations.verdict(function);
        final String meant =
            CanaryResult.state(function, instance, verdict).name().toLowerCase(Locale.ROOT).replace('_', '-');
        return function.canary().filter(canary -> canary.has(instance)).map(canary -> meant + ", canary "
            + canary.version() + verdict.map(known -> " judged " + text(known)).orElse("")).orElse(meant);
    }

    private static String text(final Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT);
    }
}
