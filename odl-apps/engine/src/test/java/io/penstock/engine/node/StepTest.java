// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.penstock.configuration.Desired;
import io.penstock.engine.node.Step.Outcome;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.NodePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Steps around steps: which pause follows a failure, and what the first flows wait for. */
class StepTest {
    private final Snapshot network = Fixtures.network(Fixtures.guardedChained());
    private final Desired state = new Desired(1, network, Allocator.allocate(network, Allocations.none()));
    private final String node = network.nodes().keySet().iterator().next();
    private final AtomicLong now = new AtomicLong();
    private final Ticker ticker = new Ticker() {
        @Override
        public long read() {
            return now.get();
        }
    };
    private final List<String> done = new ArrayList<>();

    private Step step(final String name, final CompletableFuture<Outcome> end) {
        return desired -> {
            done.add(name);
            return end;
        };
    }

    private static CompletableFuture<Outcome> ends(final Outcome outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    @Test
    void theNextStepFollowsOneThatIsDone() {
        assertThat(step("one", ends(Outcome.DONE)).then(step("two", ends(Outcome.doneAndAgain(Duration.ofMillis(3)))))
            .to(state).join()).isEqualTo(Outcome.doneAndAgain(Duration.ofMillis(3)));
        final Outcome later = Outcome.notYet(Duration.ofMillis(7));
        assertThat(step("three", ends(later)).then(step("four", ends(Outcome.DONE))).to(state).join())
            .isEqualTo(later);
        assertThat(done).containsExactly("one", "two", "three");
    }

    @Test
    void eachFailureDoublesThePauseUpToALimitAndSuccessEndsThat() {
        final AtomicBoolean fails = new AtomicBoolean(true);
        final BackOff steps = new BackOff(node, desired -> {
            if (fails.get()) {
                throw new IllegalStateException("refused");
            }
            return ends(Outcome.DONE);
        }, () -> done.add("forgotten"));
        for (final long pause : List.of(500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000)) {
            assertThat(steps.to(state).join()).isEqualTo(Outcome.notYet(Duration.ofMillis(pause)));
        }
        assertThat(done).hasSize(7);
        fails.set(false);
        assertThat(steps.to(state).join()).isEqualTo(Outcome.DONE);
        fails.set(true);
        assertThat(steps.to(state).join()).isEqualTo(Outcome.notYet(BackOff.FIRST));
    }

    @Test
    void aStepThatWaitsIsNoSuccess() {
        final List<CompletableFuture<Outcome>> ends = new ArrayList<>(List.of(
            CompletableFuture.failedFuture(new IllegalStateException("refused")),
            ends(Outcome.notYet(PortGrace.POLL)),
            CompletableFuture.failedFuture(new IllegalStateException("refused"))));
        final BackOff steps = new BackOff(node, desired -> ends.remove(0), () -> { });
        steps.to(state).join();
        assertThat(steps.to(state).join()).isEqualTo(Outcome.notYet(PortGrace.POLL));
        assertThat(steps.to(state).join()).isEqualTo(Outcome.notYet(BackOff.FIRST.multipliedBy(2)));
    }

    /** What is stored of a node follows what it says, later or, if the node cannot be stored, not at all. */
    @Test
    void theFtpHelperIsPlannedAsTheNodeSays() {
        final Snapshot published = Fixtures.network(Fixtures.published());
        final Desired wanted = new Desired(1, published, Allocator.allocate(published, Allocations.none()));
        final AtomicBoolean ftp = new AtomicBoolean(true);
        final NodePlanning planning = new NodePlanning(node, new PortStates(ticker), instance -> true, Set::of,
            ftp::get);
        final NodePlan before = planning.plan(wanted);
        assertThat(before.flowSpecs()).anyMatch(flow -> flow.toString().contains("alg=ftp"));
        ftp.set(false);
        assertThat(planning.plan(wanted).flowSpecs()).noneMatch(flow -> flow.toString().contains("alg=ftp"));
        ftp.set(true);
        assertThat(planning.plan(wanted).flowSpecs()).isEqualTo(before.flowSpecs());
    }

    @Test
    void theFirstFlowsWaitForThePortsOfFunctions() {
        final PortStates ports = new PortStates(ticker);
        final NodePlanning planning = new NodePlanning(node, ports, instance -> true, Set::of, () -> true);
        final AtomicBoolean first = new AtomicBoolean(true);
        final PortGrace grace = new PortGrace(node, planning, ports, first::get, step("flows", ends(Outcome.DONE)));
        ports.switchConnected();
        assertThat(grace.to(state).join()).isEqualTo(Outcome.notYet(PortGrace.POLL));
        assertThat(done).isEmpty();
        first.set(false);
        assertThat(grace.to(state).join()).as("later changes").isEqualTo(Outcome.DONE);
        first.set(true);
        network.functionPortsOn(node).values().forEach(names -> names.forEach(name ->
            ports.set(name, new PortStates.Port(name, true))));
        assertThat(planning.latest()).isEmpty();
        assertThat(grace.to(state).join()).as("all are known").isEqualTo(Outcome.DONE);
        assertThat(planning.latest()).as("a plan that knows them").isPresent();
        ports.set(network.functionPortsOn(node).values().iterator().next().get(0), null);
        assertThat(grace.to(state).join()).isEqualTo(Outcome.notYet(PortGrace.POLL));
        now.addAndGet(PortStates.GRACE.toNanos() + 1);
        assertThat(grace.to(state).join()).as("after the grace").isEqualTo(Outcome.DONE);
    }
}
