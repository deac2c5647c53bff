// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.base.Ticker;
import io.penstock.base.tasks.SerialTasks;
import io.penstock.base.tasks.SharedThreads;
import io.penstock.configuration.Desired;
import io.penstock.events.RepairEvent;
import io.penstock.operations.Progress;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.testkit.Await;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a worker tries again, and what it answers. */
class NodeWorkerTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final RecordingSouthbound southbound = new RecordingSouthbound();
    private final Snapshot network = Fixtures.network(Fixtures.tenant("acme", 100));
    private final String node = network.nodes().keySet().iterator().next();
    private volatile Desired desired = new Desired(1, network, Allocator.allocate(network, Allocations.none()));
    private final AtomicLong now = new AtomicLong();
    private final List<String> started = new CopyOnWriteArrayList<>();
    private final List<String> news = new CopyOnWriteArrayList<>();
    private final SharedThreads threads = new SharedThreads("test-nodes", 1);
    private final NodeWorker worker = new NodeWorker(node, () -> desired, southbound,
        new BridgeTranslator(() -> Set.of("tcp:127.0.0.1:6653")), new SerialTasks("node", threads), instance -> true,
        new NodeEvents() {
            @Override
            public void switchStarted(final String name, final Duration sinceConnected) {
                started.add(name);
            }

            @Override
            public void repaired(final RepairEvent repair) {
                // Held by DriftWatchTest.
            }

            @Override
            public void changed(final String name) {
                news.add("changed");
            }

            @Override
            public void counted(final String name, final NodeCounts before, final NodeCounts after) {
                // Held by DriftWatchTest.
            }

            @Override
            public void applied(final String name) {
                news.add("applied");
            }
        }, new Ticker() {
            @Override
            public long read() {
                return now.get();
            }
        }, Clock.systemUTC());

    @AfterEach
    void close() {
        worker.close();
        threads.close();
    }

    /** As the switch would report them: a worker waits for the ports that it planned. */
    private void portsUp() {
        Await.until("a plan", () -> worker.plan().isPresent());
        worker.plan().orElseThrow().bridge().ports().forEach(port ->
            worker.portChanged(port.name(), new PortStates.Port(port.name(), true)));
    }

    /** Connects a switch of which the ports are known, so that nothing but failures makes the worker try again. */
    private void connect() {
        worker.mark(desired.revision());
        portsUp();
        worker.switchConnected();
    }

    private Progress applied(final long revision) throws Exception {
        return worker.applied(revision, LONG).get(1, TimeUnit.MINUTES);
    }

    @Test
    void aTenantThatCannotBePlannedDelaysNoOther() throws Exception {
        final Snapshot two = network.withTenants(List.of(Fixtures.tenant("acme", 100), Fixtures.tenant("globex", 101)));
        final Desired good = new Desired(1, two, Allocator.allocate(two, desired.allocations()));
        desired = good;
        connect();
        assertThat(applied(1)).isEqualTo(Progress.APPLIED);
        final Map<VrfId, List<PlannedFlow>> before = worker.plan().orElseThrow().tenantFlows();
        // Its port is none of the node, which no stage expects.
        final Tenant faulty = new Tenant("acme", List.of(new Tenant.Attachment("lan", node, "none", 100)),
            Fixtures.tenant("acme", 100).subnets(), List.of(), Fixtures.fromPool(), Optional.empty(), Optional.empty());
        desired = new Desired(2, two.withTenants(List.of(faulty, Fixtures.tenant("globex", 200))), good.allocations());
        worker.mark(desired.revision());
        assertThat(applied(2)).isEqualTo(Progress.APPLIED);
        final Progress told = worker.inForce(2, LONG).get(1, TimeUnit.MINUTES);
        assertThat(told.state()).isEqualTo(Progress.State.FAILED);
        assertThat(told.reason()).startsWith("acme: the tenant cannot be planned, its flows of before stay");
        final Map<VrfId, List<PlannedFlow>> after = worker.plan().orElseThrow().tenantFlows();
        final VrfId acme = new VrfId(good.allocations().tenants().get("acme").id());
        final VrfId globex = new VrfId(good.allocations().tenants().get("globex").id());
        assertThat(after.get(acme)).isSameAs(before.get(acme));
        assertThat(after.get(globex)).isNotEqualTo(before.get(globex));
        desired = new Desired(3, good.snapshot(), good.allocations());
        worker.mark(desired.revision());
        assertThat(worker.applied(3, LONG).get(1, TimeUnit.MINUTES)).isEqualTo(Progress.APPLIED);
        assertThat(worker.plan().orElseThrow().quarantined()).isEmpty();
    }

    @Test
    void aNodeThatCannotBePlannedIsPlannedAgain() throws Exception {
        final Desired good = desired;
        // No id was allocated for the node: the planner cannot do anything with it.
        desired = new Desired(1, network, Allocations.none());
        worker.switchConnected();
        final CompletableFuture<Progress> waiting = worker.applied(2, LONG);
        assertThat(worker.applied(1, Duration.ofMillis(100)).get(1, TimeUnit.MINUTES)).isEqualTo(Progress.NOT_YET);
        assertThat(southbound.times).isEmpty();
        desired = new Desired(2, good.snapshot(), good.allocations());
        portsUp();
        assertThat(waiting.get(1, TimeUnit.MINUTES)).isEqualTo(Progress.APPLIED);
        assertThat(southbound.times).hasSize(1);
    }

    @Test
    void portsThatWereNeverSeenAreWaitedForInVain() throws Exception {
        worker.switchConnected();
        assertThat(worker.applied(1, Duration.ofMillis(300)).get(1, TimeUnit.MINUTES)).isEqualTo(Progress.NOT_YET);
        assertThat(southbound.times).isEmpty();
        now.addAndGet(PortStates.GRACE.toNanos() + 1);
        assertThat(applied(1)).isEqualTo(Progress.APPLIED);
    }

    @Test
    void portsThatAreThereAreNotWaitedFor() {
        connect();
        Await.until("the flows", () -> worker.hasApplied(desired));
        assertThat(southbound.times).hasSize(1);
    }

    @Test
    void portsOfHostsAreNotWaitedFor() throws Exception {
        final Snapshot plain = new Snapshot(network.nodes(), network.backbone(), network.pools(), new TreeMap<>(),
            new TreeMap<>(), network.tenants(), network.acls());
        desired = new Desired(1, plain, desired.allocations());
        worker.switchConnected();
        assertThat(applied(1)).isEqualTo(Progress.APPLIED);
    }

    @Test
    void aSwitchWithoutFlowsIsTold() throws Exception {
        connect();
        assertThat(applied(1)).isEqualTo(Progress.APPLIED);
        assertThat(started).containsExactly(node);
        southbound.installed = List.copyOf(worker.plan().orElseThrow().flows().values());
        worker.switchDisconnected();
        Await.until("the switch is gone", () -> !worker.isOnline());
        worker.switchConnected();
        assertThat(applied(1)).isEqualTo(Progress.APPLIED);
        assertThat(started).as("a new connection of the same").hasSize(1);
    }

    @Test
    void whatOperatorsSeeIsTold() throws Exception {
        connect();
        assertThat(applied(1)).isEqualTo(Progress.APPLIED);
        Await.until("it is told", () -> news.contains("applied"));
        news.clear();
        worker.healthChanged();
        worker.switchDisconnected();
        Await.until("both are told", () -> news.stream().filter("changed"::equals).count() >= 2);
    }

    @Test
    void aLaterRevisionOfTheSameCostsNothing() throws Exception {
        connect();
        assertThat(applied(1)).isEqualTo(Progress.APPLIED);
        desired = new Desired(2, desired.snapshot(), desired.allocations());
        worker.mark(desired.revision());
        assertThat(applied(2)).isEqualTo(Progress.APPLIED);
        assertThat(southbound.times).hasSize(1);
    }

    @Test
    void aConfigurationIsAppliedWhenTheSwitchHasForgottenEverything() throws Exception {
        connect();
        assertThat(applied(1)).isEqualTo(Progress.APPLIED);
        final CompletableFuture<Void> change = new CompletableFuture<>();
        final List<Integer> changes = new CopyOnWriteArrayList<>();
        southbound.forgotten = () -> {
            changes.add(southbound.times.size());
            now.addAndGet(TimeUnit.MILLISECONDS.toNanos(600));
            return change;
        };
        worker.forgetConnections(NodeFlowsCase.zones(1, 20));
        Await.until("the first zones", () -> !southbound.flushed.isEmpty());
        final Snapshot other = Fixtures.network(Fixtures.tenant("acme", 101));
        desired = new Desired(2, other, Allocator.allocate(other, desired.allocations()));
        worker.mark(desired.revision());
        final CompletableFuture<Progress> confirmed = worker.applied(2, LONG);
        change.complete(null);
        assertThat(confirmed.get(1, TimeUnit.MINUTES)).isEqualTo(Progress.APPLIED);
        assertThat(southbound.flushed).extracting(Set::size).containsExactly(8, 8, 4);
        assertThat(changes).as("changes sent before each").containsExactly(2, 2, 3);
    }

    @Test
    void aWorkerThatIsClosedLeavesNobodyWaiting() {
        connect();
        Await.until("the flows", () -> worker.hasApplied(desired));
        southbound.forgotten = CompletableFuture::new;
        worker.forgetConnections(NodeFlowsCase.zones(1, 1));
        Await.until("the worker is busy", () -> !southbound.flushed.isEmpty());
        final CompletableFuture<?> queued = worker.observe();
        worker.close();
        for (final CompletableFuture<?> answer : List.of(queued, worker.observe())) {
            assertThatThrownBy(() -> answer.get(1, TimeUnit.MINUTES)).hasMessageContaining("is not connected");
        }
    }

    @Test
    void withoutASwitchTheAnswerComesAtOnce() throws Exception {
        assertThat(applied(1)).isEqualTo(Progress.NOT_CONNECTED);
        assertThatThrownBy(() -> worker.observe().get(1, TimeUnit.MINUTES)).isInstanceOf(ExecutionException.class)
            .hasMessageContaining("node " + node + " is not connected");
        worker.close();
        assertThat(applied(1)).isEqualTo(Progress.NOT_CONNECTED);
    }
}
