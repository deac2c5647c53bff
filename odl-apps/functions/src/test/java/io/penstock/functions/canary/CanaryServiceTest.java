// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.canary;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.penstock.configuration.Desired;
import io.penstock.configuration.grant.Transitions;
import io.penstock.events.CanaryEvent;
import io.penstock.functions.canary.Judgement.Phase;
import io.penstock.functions.health.ProbeResults;
import io.penstock.functions.health.Probed;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.testkit.ManualClock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** From what nodes count to what is stored. */
class CanaryServiceTest {
    private static final int SECONDS = 5;
    private static final Canary CANARY =
        new Canary("v2", List.of("fw2"), 10, SECONDS, new Canary.Tolerance(1, 200, 1), 100);
    private static final NetworkFunction FUNCTION = new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, true)
        .spread(new Instance("fw1", State.IN_SERVICE, 1), new Instance("fw2", State.IN_SERVICE, 1))
        .with(Optional.of(CANARY));

    private final ManualClock clock = new ManualClock(Instant.ofEpochSecond(1000));
    private final Counters counters = new Counters("fw1", "fw2");
    private final Edge edge = new Edge();
    private final List<CanaryEvent> told = new ArrayList<>();
    private final CanaryService service = new CanaryService(() -> edge.desired, edge, edge, new Ticker() {
        @Override
        public long read() {
            return clock.instant().getEpochSecond() * 1_000_000_000;
        }
    }, clock, () -> edge.marks++, told::add);

    /** A node as the test wants it. */
    private final class Edge implements CanaryService.Nodes, ProbeResults {
        private final Deque<CompletableFuture<FunctionPackets>> asked = new ArrayDeque<>();
        private Desired desired = desired(FUNCTION, Allocations.none());
        private boolean online = true;
        private boolean unknown;
        private int marks;

        @Override
        public boolean isOnline(final String node) {
            return online;
        }

        @Override
        public CompletableFuture<FunctionPackets> packets(final String node) {
            assertThat(node).isEqualTo("edge1");
            if (unknown) {
                throw new IllegalStateException("no such node");
            }
            asked.add(new CompletableFuture<>());
            return asked.getLast();
        }

        @Override
        public boolean isHealthy(final String node, final String instance) {
            return counters.readings().get(instance).healthy();
        }

        @Override
        public Probed total(final String node, final String instance) {
            return counters.readings().get(instance).probed();
        }

        void answer() {
            final Map<String, Long> packets = new HashMap<>();
            counters.readings().forEach((name, reading) -> {
                packets.put("to " + name + "-in", reading.packetsIn());
                packets.put("from " + name + "-in", 1000L);
                packets.put("from " + name + "-out", reading.packetsOut());
                packets.put("probe from " + name + "-in", 1000L);
            });
            asked.remove().complete(new FunctionPackets(packets));
        }
    }

    private static Desired desired(final NetworkFunction function, final Allocations allocations) {
        return new Desired(1, Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(function), List.of(), List.of(),
            List.of()), allocations);
    }

    private void pass(final long newMicros) {
        clock.pass(1);
        counters.pass("fw1", 100, 100).pass("fw2", 50, 50).probe("fw1", 10, 0, 1000).probe("fw2", 10, 0, newMicros);
        service.tick();
        edge.answer();
    }

    /** As the engine does it. */
    private List<CanaryEvent> store() {
        final Desired now = edge.desired;
        edge.desired = new Desired(now.revision() + 1, now.snapshot(),
            service.propose(now.snapshot(), now.allocations()));
        told.clear();
        service.stored(Transitions.to(edge.desired));
        return List.copyOf(told);
    }

    @Test
    void aVerdictIsStoredWithItsEvidenceAndToldOnce() {
        while (edge.marks == 0) {
            pass(1000);
        }
        final List<CanaryEvent> events = store();
        assertThat(edge.desired.allocations().verdict(FUNCTION)).contains(Verdict.FORWARD);
        assertThat(edge.desired.allocations().canariesOf("fw")).singleElement().satisfies(result -> {
            assertThat(result.version()).isEqualTo("v2");
            assertThat(result.decided()).isEqualTo(1000 + 1 + SECONDS);
            assertThat(result.measuredSeconds()).isEqualTo(SECONDS);
            assertThat(result.canary().packetsIn()).isEqualTo(50 * SECONDS);
            assertThat(result.canary().packetsOut()).isEqualTo(50 * SECONDS);
            assertThat(result.old().probes().sent()).isEqualTo(10 * SECONDS);
        });
        assertThat(events).singleElement().extracting(CanaryEvent::function).isEqualTo("fw");
        // Nothing is left to do.
        service.tick();
        assertThat(edge.asked).isEmpty();
        assertThat(store()).isEmpty();
    }

    @Test
    void whatCouldNotBeStoredIsTriedAgain() {
        while (edge.marks == 0) {
            pass(5000);
        }
        final Allocations before = edge.desired.allocations();
        assertThat(service.propose(edge.desired.snapshot(), before)).isNotEqualTo(before);
        service.tick();
        assertThat(store()).hasSize(1);
        assertThat(edge.desired.allocations().verdict(FUNCTION)).contains(Verdict.BACK);
    }

    @Test
    void aChangeOfTheFunctionBeginsAgain() {
        pass(1000);
        pass(1000);
        assertThat(service.judgement(FUNCTION)).get().extracting(Judgement::measuredSeconds).isEqualTo(1);
        final NetworkFunction heavier = FUNCTION.spread(new Instance("fw1", State.IN_SERVICE, 7),
            FUNCTION.instances().get(1));
        edge.desired = desired(heavier, Allocations.none());
        assertThat(service.judgement(heavier)).isEmpty();
        pass(1000);
        assertThat(service.judgement(heavier)).get().extracting(Judgement::measuredSeconds).isEqualTo(0);
    }

    @Test
    void aVerdictAboutWhatIsConfiguredNoMoreIsDropped() {
        while (edge.marks == 0) {
            pass(1000);
        }
        edge.desired = desired(FUNCTION.with(Optional.empty()), Allocations.none());
        assertThat(store()).isEmpty();
        assertThat(edge.desired.allocations().canaries()).isEmpty();
        service.tick();
        assertThat(edge.asked).isEmpty();
    }

    @Test
    void aNodeIsAskedOneQuestionAtATimeAndOnlyWhileItIsThere() {
        edge.online = false;
        service.tick();
        assertThat(edge.asked).isEmpty();
        edge.online = true;
        service.tick();
        service.tick();
        assertThat(edge.asked).hasSize(1);
        edge.asked.remove().completeExceptionally(new IllegalStateException("gone"));
        edge.unknown = true;
        service.tick();
        edge.unknown = false;
        assertThat(service.judgement(FUNCTION)).isEmpty();
        pass(1000);
        assertThat(service.judgement(FUNCTION)).get().extracting(Judgement::phase).isEqualTo(Phase.JUDGING);
    }
}
