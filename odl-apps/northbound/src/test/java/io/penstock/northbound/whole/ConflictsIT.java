// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.StoredConfiguration;
import io.penstock.northbound.whole.ConflictingChanges.Change;
import io.penstock.northbound.whole.DataClient.Answer;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random changes that conflict, two or three at a time from as many clients: what is stored is good after each of these
 * rounds, no public address has two owners, and an engine that starts carries it out. Which of a round comes first is
 * chance; two that surely meet are made to.
 */
@Tag("hostile")
@Tag("safety")
@OnEdge
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ConflictsIT {
    private static final int FEW_ROUNDS = 200;
    private static final long SEED = 92;
    private static final int VLAN = 100;
    /** Rounds after which everything is there again that tenants share, and no tenant. */
    private static final int RENEWAL = 15;
    /** Rounds after which what was handed out is looked at; the engine is at work in all others. */
    private static final int REST = 25;
    private static final int CLIENTS = 3;
    private static final Duration RECOVERY = Duration.ofMinutes(5);

    private final Edge edge;
    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private final List<String> last = new ArrayList<>();
    private String announced = "";
    private long seed = SEED;

    /** Sends a change, on a thread of its own. */
    private interface Client {
        Answer send(Change change) throws Exception;
    }

    ConflictsIT(final Edge edge) {
        this.edge = edge;
    }

    @BeforeEach
    void reset() {
        edge.reset();
        announced = edge.client().read(Documents.NETWORK).getAsJsonObject("penstock:network").get("node").toString();
    }

    @AfterEach
    void stop() {
        clients.shutdownNow();
        // The other classes know two nodes.
        edge.replaceNetwork(() -> Documents.base(announced, edge.nodes().stream().map(DummyNode::name).toList()));
        edge.reset();
    }

    @Test
    void whatIsStoredIsGoodAndIsCarriedOut() throws Exception {
        conflict(FEW_ROUNDS);
    }

    /**
     * As many as in a day of many clients, others each time. {@code -Dconflicts.rounds=100000 -Dconflicts.seed=7} for
     * more, or for those of a failure.
     */
    @Tag("deep")
    @Tag("fuzz")
    @Test
    void whatIsStoredIsGoodAfterThousandsOfRounds() throws Exception {
        final int rounds = Integer.getInteger("conflicts.rounds", 10_000);
        seed = Long.getLong("conflicts.seed", System.nanoTime());
        tell(rounds + " rounds of changes that conflict, seed " + seed);
        conflict(rounds);
        assertThat(outcomes.keySet()).as("%s", outcomes).containsExactly("overtaken", "refused", "stored");
        assertThat(outcomes.values()).as("%s", outcomes).allMatch(number -> number > rounds / 100);
        tell("changes by outcome: " + outcomes);
    }

    private void conflict(final int rounds) throws Exception {
        final ConflictingChanges changes = new ConflictingChanges(seed, announced,
            edge.nodes().stream().map(DummyNode::name).toList());
        for (int round = 0; round < rounds; round++) {
            last.clear();
            if (round % RENEWAL == 0) {
                // Without tenants that name them the lists can be replaced.
                assertThat(send(changes.everything()).isGood()).isTrue();
                assertThat(send(changes.allLists()).isGood()).isTrue();
            }
            together(changes.together());
            assertThat(edge.controller().stored().violations()).as("%s", blame(round)).isEmpty();
            if (round % REST == 0) {
                checkAllocations(round);
            }
        }
        checkAllocations(rounds);
        edge.controller().stopEngine();
        edge.controller().startEngine();
        for (final DummyNode node : edge.nodes()) {
            Await.until("node " + node.name() + " is as planned", RECOVERY, edge::verify, found -> found.stream()
                .anyMatch(each -> each.get("name").getAsString().equals(node.name()) && Edge.isClean(each)));
        }
        checkAllocations(rounds);
    }

    @Test
    void ofTwoChangesOfATenantThatBeganTogetherOneIsOvertaken() throws Exception {
        meet(List.of(tenant("t0", VLAN, "192.88.99.1"), tenant("t0", VLAN + 1, "192.88.99.1")));
        assertThat(outcomes).isEqualTo(Map.of("stored", 1, "overtaken", 1));
        checkAllocations(0);
    }

    @Test
    void ofTwoTenantsThatTakeAnAddressTogetherOneIsRefused() throws Exception {
        meet(List.of(tenant("t0", VLAN, "192.88.99.1"), tenant("t1", VLAN + 1, "192.88.99.1")));
        assertThat(outcomes).isEqualTo(Map.of("stored", 1, "refused", 1));
        assertThat(last).anyMatch(each -> each.contains("192.88.99.1") && each.contains("nat / public-address"));
        checkAllocations(0);
    }

    private Change tenant(final String name, final int vlan, final String address) {
        return new Change("PUT", Documents.path(name), Documents.tenants(List.of(Documents.translated(
            Documents.tenant(name, edge.first().name(), vlan, Documents.FIRST_POOL),
            "{'public-address': '" + address + "'}"))));
    }

    /** Has changes read what is stored before any of them is stored. */
    private void meet(final List<Change> changes) throws Exception {
        final CyclicBarrier read = new CyclicBarrier(changes.size());
        collect(changes, change -> edge.client().data(change.method(), change.path(), change.document(), () -> {
            try {
                read.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException(e);
            }
        }));
    }

    /** The engine has done what it had to, then nothing conflicts, and what changes nothing is no wrong change. */
    private void checkAllocations(final int round) {
        assertThat(edge.client().call("wait-applied", Edge.PATIENTLY).toString()).as("%s", blame(round)).doesNotContain(
            "not-yet");
        final StoredConfiguration stored = edge.controller().stored();
        assertThat(stored.conflicts()).as("%s", blame(round)).isEmpty();
        assertThat(stored.violationsOfNoChange()).as("%s", blame(round)).isEmpty();
        assertThat(stored.allocations().tenants().keySet()).as("%s", blame(round))
            .isEqualTo(stored.snapshot().tenants().keySet());
        assertThat(edge.controller().readiness()).as("%s", blame(round)).isEmpty();
    }

    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    private static void tell(final String text) {
        System.out.println("  " + text);
    }

    private String blame(final int round) {
        return "seed " + seed + ", round " + round + ": " + String.join("\n", last);
    }

    private Answer send(final Change change) {
        return edge.client().data(change.method(), change.path(), change.document());
    }

    /** Sends changes at the same time. */
    private void together(final List<Change> changes) throws Exception {
        final CyclicBarrier start = new CyclicBarrier(changes.size());
        collect(changes, change -> {
            start.await();
            return send(change);
        });
    }

    private void collect(final List<Change> changes, final Client client) throws Exception {
        final List<Future<Answer>> answers = clients.invokeAll(changes.stream()
            .map(change -> (Callable<Answer>) () -> client.send(change)).toList());
        for (int index = 0; index < changes.size(); index++) {
            final Answer answer = answers.get(index).get();
            outcomes.merge(answer.isGood() ? "stored"
                : answer.messages().equals(DataClient.OVERTAKEN) ? "overtaken" : "refused", 1, Integer::sum);
            last.add(changes.get(index) + " -> " + answer);
        }
    }
}
