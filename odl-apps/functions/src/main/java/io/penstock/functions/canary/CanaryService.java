// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.canary;

import static java.util.Objects.requireNonNull;

import com.google.common.base.Ticker;
import io.penstock.configuration.Desired;
import io.penstock.configuration.grant.Grantor;
import io.penstock.configuration.grant.Transition;
import io.penstock.events.CanaryEvent;
import io.penstock.functions.canary.Judgement.Phase;
import io.penstock.functions.health.ProbeResults;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.CanaryResult;
import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Snapshot;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has new versions of functions judged, and says what was found out of them. What is measured is in memory alone, so
 * it begins anew with the controller, and when the function is changed. Safe for all threads; never blocks.
 */
public final class CanaryService implements Grantor {
    private static final Logger LOG = LoggerFactory.getLogger(CanaryService.class);

    private final Supplier<Desired> desired;
    private final Nodes nodes;
    private final ProbeResults probes;
    private final Ticker ticker;
    private final Clock clock;
    private final Runnable mark;
    private final Consumer<CanaryEvent> events;
    private final Map<String, Attempt> attempts = new HashMap<>();
    /** What is not stored yet, by function. */
    private final Map<String, CanaryResult> results = new HashMap<>();
    private final Set<String> asked = new HashSet<>();

    /** What the nodes count. */
    public interface Nodes {
        /** Whether the switch of a node is connected. */
        boolean isOnline(String node);

        /** Reads what the flows around functions have counted; fails when the switch does not answer in seconds. */
        CompletableFuture<FunctionPackets> packets(String node);
    }

    /** A function while its new version is judged. */
    private static final class Attempt {
        private final NetworkFunction function;
        private final CanaryJudge judge;
        private Optional<Judgement> last = Optional.empty();

        Attempt(final NetworkFunction function) {
            this.function = function;
            judge = new CanaryJudge(function);
        }
    }

    /**
     * Judges nothing until {@link #tick} is called.
     *
     * @param mark called on any thread when the allocations are to be changed; must not block
     * @param events is told of stored verdicts; must not block
     */
    public CanaryService(final Supplier<Desired> desired, final Nodes nodes, final ProbeResults probes,
            final Ticker ticker, final Clock clock, final Runnable mark, final Consumer<CanaryEvent> events) {
        this.events = requireNonNull(events);
        this.desired = requireNonNull(desired);
        this.nodes = requireNonNull(nodes);
        this.probes = requireNonNull(probes);
        this.ticker = requireNonNull(ticker);
        this.clock = requireNonNull(clock);
        this.mark = requireNonNull(mark);
    }

    /** Has the nodes asked what they count, where something is judged. To be called about once a second. */
    @SuppressWarnings("checkstyle:IllegalCatch")
    public void tick() {
        try {
            for (final String node : nodesToAsk()) {
                // Also when the node cannot even be asked: it has to be asked again.
                CompletableFuture.completedFuture(node).thenCompose(nodes::packets)
                    .whenComplete((packets, error) -> answered(node, Optional.ofNullable(packets)));
            }
        } catch (RuntimeException e) {
            // Whatever happens, the next one comes.
            LOG.error("Could not evaluate new versions of functions", e);
        }
    }

    private synchronized Set<String> nodesToAsk() {
        final Desired state = desired.get();
        final Map<String, NetworkFunction> judged = state.snapshot().functions().values().stream()
            .filter(function -> function.canary().isPresent() && state.allocations().verdict(function).isEmpty())
            .collect(Collectors.toMap(NetworkFunction::name, function -> function));
        attempts.keySet().retainAll(judged.keySet());
        judged.forEach((name, function) -> {
            final Attempt before = attempts.get(name);
            if (before == null || !before.function.equals(function)) {
                attempts.put(name, new Attempt(function));
                results.remove(name);
            }
        });
        return judged.values().stream().filter(function -> !results.containsKey(function.name()))
            .map(NetworkFunction::node).filter(nodes::isOnline).filter(asked::add).collect(Collectors.toSet());
    }

    private void answered(final String node, final Optional<FunctionPackets> packets) {
        final boolean any;
        synchronized (this) {
            asked.remove(node);
            packets.ifPresent(counts -> attempts.values().stream().filter(each -> each.function.node().equals(node))
                .filter(each -> !results.containsKey(each.function.name())).forEach(each -> judge(each, counts)));
            any = !results.isEmpty();
        }
        if (any) {
            mark.run();
        }
    }

    private void judge(final Attempt attempt, final FunctionPackets packets) {
        final NetworkFunction function = attempt.function;
        final Map<String, Reading> readings = new HashMap<>();
        function.instances().forEach(instance -> readings.put(instance.name(), new Reading(
            probes.isHealthy(function.node(), instance.name()), packets.in(instance), packets.out(instance),
            probes.total(function.node(), instance.name()))));
        final Judgement now = attempt.judge.look(ticker.read(), readings);
        attempt.last = Optional.of(now);
        if (now.isFinal()) {
            results.put(function.name(), new CanaryResult(function.canary().orElseThrow().version(),
                now.phase() == Phase.FORWARD ? Verdict.FORWARD : Verdict.BACK, now.reason(),
                clock.instant().getEpochSecond(), now.measuredSeconds(), now.old(), now.canary()));
        }
    }

    /** What is thought of the new version of a function now; empty of one that nobody has looked at, or is judged. */
    public synchronized Optional<Judgement> judgement(final NetworkFunction function) {
        return Optional.ofNullable(attempts.get(function.name()))
            .filter(attempt -> attempt.function.equals(function)).flatMap(attempt -> attempt.last);
    }

    @Override
    public String name() {
        return "verdicts on new versions";
    }

    /** Adds what was found out; the same object when that is nothing. Does so again until {@link #stored}. */
    @Override
    public synchronized Allocations propose(final Snapshot snapshot, final Allocations before) {
        Allocations allocations = before;
        for (final Map.Entry<String, CanaryResult> each : results.entrySet()) {
            if (isWaitedFor(snapshot, allocations, each.getKey(), each.getValue())) {
                allocations = allocations.with(each.getKey(), each.getValue());
            }
        }
        return allocations;
    }

    private static boolean isWaitedFor(final Snapshot snapshot, final Allocations allocations, final String name,
            final CanaryResult result) {
        final NetworkFunction function = snapshot.functions().get(name);
        return function != null && allocations.verdict(function).isEmpty()
            && function.canary().filter(canary -> canary.version().equals(result.version())).isPresent();
    }

    /** Tells of verdicts that are stored since the last time. */
    @Override
    public void stored(final Transition transition) {
        final Desired state = transition.after();
        final List<CanaryEvent> told = new ArrayList<>();
        synchronized (this) {
            results.entrySet().removeIf(each -> {
                if (state.allocations().canariesOf(each.getKey()).contains(each.getValue())) {
                    told.add(new CanaryEvent(each.getKey(), each.getValue()));
                }
                return !isWaitedFor(state.snapshot(), state.allocations(), each.getKey(), each.getValue());
            });
        }
        told.forEach(events);
    }
}
