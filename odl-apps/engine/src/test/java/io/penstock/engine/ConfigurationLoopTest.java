// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.DatastoreException;
import io.penstock.configuration.Desired;
import io.penstock.configuration.Stored;
import io.penstock.configuration.grant.Grantor;
import io.penstock.configuration.grant.Transition;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.rules.Violation;
import io.penstock.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** In which order a pass reads, proposes, stores and tells, and what a failure of each holds up. */
class ConfigurationLoopTest {
    private static final Snapshot TWO = Fixtures.network(Fixtures.tenant("acme", 100), Fixtures.tenant("globex", 101));

    private final List<String> steps = new CopyOnWriteArrayList<>();
    private final List<Transition> woken = new CopyOnWriteArrayList<>();
    private final TaskThread thread = new TaskThread("test-engine");
    private volatile Stored stored = new Stored(TWO, List.of());
    private volatile RuntimeException readFailure;
    private volatile boolean failsAfterwards;
    private volatile RuntimeException writeFailure;
    private final AtomicInteger reads = new AtomicInteger();
    private final Proposing first = new Proposing("first", true);
    private final Proposing second = new Proposing("second", false);
    private final ConfigurationLoop loop = new ConfigurationLoop(before -> {
        reads.incrementAndGet();
        if (readFailure != null) {
            throw readFailure;
        }
        return stored;
    }, transition -> {
        steps.add("write");
        if (writeFailure != null) {
            throw writeFailure;
        }
    }, List.of(new IdGrantor((node, connections) -> { }), first, second), transition -> steps.add("adjust"),
        transition -> {
            steps.add("wake");
            woken.add(transition);
        }, thread, new Overdue(Ticker.systemTicker()));

    @AfterEach
    void close() {
        thread.close();
    }

    /** A grantor as the test wants it. */
    private final class Proposing implements Grantor {
        private final String name;
        private final boolean essential;
        private volatile UnaryOperator<Allocations> next = before -> before;
        private volatile Predicate<Tenant> fault = tenant -> false;
        private final AtomicInteger asked = new AtomicInteger();

        Proposing(final String name, final boolean essential) {
            this.name = name;
            this.essential = essential;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Allocations propose(final Snapshot snapshot, final Allocations before) {
            asked.incrementAndGet();
            if (snapshot.tenants().values().stream().filter(tenant -> !snapshot.frozen().contains(tenant.name()))
                    .anyMatch(fault)) {
                throw new IllegalStateException("on purpose");
            }
            return next.apply(before);
        }

        @Override
        public void stored(final Transition transition) {
            if (essential && failsAfterwards) {
                throw new IllegalStateException("on purpose");
            }
            steps.add(name);
        }

        @Override
        public boolean isEssential() {
            return essential;
        }
    }

    private static Allocations moved(final Allocations before, final String tenant, final Ipv4 address) {
        final Map<String, TenantAllocation> tenants = new HashMap<>(before.tenants());
        tenants.computeIfPresent(tenant, (name, had) -> new TenantAllocation(had.id(), Optional.of(address)));
        return before.withTenants(tenants);
    }

    private long takeOver() throws Exception {
        return loop.takenOver().get(1, TimeUnit.MINUTES);
    }

    /** A pass that does not read the configuration, and all before it. */
    private void pass() throws Exception {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        loop.mark();
        thread.run(() -> done.complete(null));
        done.get(1, TimeUnit.MINUTES);
    }

    @Test
    void aStateIsStoredBeforeAnybodyIsToldOfIt() throws Exception {
        final long revision = takeOver();
        assertThat(steps).containsExactly("write", "adjust", "first", "second", "wake");
        assertThat(loop.desired().revision()).isEqualTo(revision);
        assertThat(loop.desired().snapshot()).isSameAs(TWO);
        assertThat(loop.desired().allocations().tenants()).containsOnlyKeys("acme", "globex");
        steps.clear();
        assertThat(takeOver()).as("nothing has changed").isEqualTo(revision);
        assertThat(steps).containsExactly("first", "second");
    }

    @Test
    void aPassForPacketsReadsNothingAndConcernsTheTenantsThatItChanges() throws Exception {
        takeOver();
        final int before = reads.get();
        second.next = had -> moved(had, "globex", new Ipv4(7));
        steps.clear();
        woken.clear();
        pass();
        second.next = had -> had;
        assertThat(reads).hasValue(before);
        assertThat(steps).containsExactly("write", "adjust", "first", "second", "wake");
        assertThat(woken).singleElement().satisfies(transition -> {
            assertThat(transition.tenants()).containsExactly("globex");
            assertThat(transition.isWide()).isFalse();
        });
    }

    @Test
    void anotherGrantorAndTheConfigurationGoOnWithoutOneThatFails() throws Exception {
        second.next = had -> {
            throw new IndexOutOfBoundsException("on purpose");
        };
        first.next = had -> moved(had, "acme", new Ipv4(9));
        takeOver();
        assertThat(steps).containsExactly("write", "adjust", "first", "wake");
        assertThat(loop.desired().allocations().tenants().get("acme").publicAddress()).contains(new Ipv4(9));
        assertThat(loop.trouble()).isEmpty();
        second.next = had -> moved(had, "globex", new Ipv4(7));
        Await.until("it is tried again", () ->
            loop.desired().allocations().tenants().get("globex").publicAddress()
                .equals(Optional.of(new Ipv4(7))));
    }

    @Test
    void nothingGoesOnWithoutAnEssentialGrantor() throws Exception {
        takeOver();
        first.next = had -> {
            throw new IndexOutOfBoundsException("on purpose");
        };
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 100)), List.of());
        final CompletableFuture<Long> taken = loop.takenOver();
        pass();
        assertThat(taken).isNotDone();
        assertThat(loop.desired().snapshot()).isSameAs(TWO);
        first.next = had -> had;
        taken.get(1, TimeUnit.MINUTES);
        assertThat(loop.desired().snapshot().tenants()).containsOnlyKeys("acme");
    }

    @Test
    void aStateThatIsNotStoredIsNoStateAndTheReasonIsTold() throws Exception {
        writeFailure = new UncheckedIOException("the journal is full", new IOException("no room"));
        final CompletableFuture<Long> taken = loop.takenOver();
        Await.until("the trouble is told", () -> loop.trouble().isPresent());
        assertThat(loop.trouble().orElseThrow()).contains("the journal is full (no room)", "tried again");
        assertThat(loop.desired().revision()).isZero();
        assertThat(steps).containsOnly("write");
        writeFailure = null;
        assertThat(taken.get(1, TimeUnit.MINUTES)).isEqualTo(1);
        assertThat(loop.trouble()).isEmpty();
    }

    @Test
    void noPassBeforeTheFirstStateGivesBackWhatWasHandedOut() throws Exception {
        final Allocations before = Allocator.allocate(TWO, Allocations.none());
        loop.begin(before);
        stored = new Stored(Snapshot.empty(), List.of(new Violation("acme", "vlan", "taken")));
        loop.changed();
        pass();
        pass();
        assertThat(steps).isEmpty();
        assertThat(loop.desired().allocations()).isSameAs(before);
        readFailure = new DatastoreException("cannot read", new IOException("gone"));
        pass();
        assertThat(steps).isEmpty();
        readFailure = null;
        stored = new Stored(TWO, List.of());
        writeFailure = new UncheckedIOException("the journal is full", new IOException("no room"));
        pass();
        assertThat(loop.desired().allocations()).isSameAs(before);
        writeFailure = null;
        takeOver();
        assertThat(loop.desired().allocations().tenants()).isEqualTo(before.tenants());
    }

    @Test
    void aGrantorThatFailsAfterwardsKeepsTheStateFromNoNode() throws Exception {
        failsAfterwards = true;
        takeOver();
        assertThat(steps).containsExactly("write", "adjust", "second", "wake");
    }

    @Test
    void aDatastoreThatDoesNotReadIsTriedAgain() throws Exception {
        readFailure = new DatastoreException("cannot read", new IOException("gone"));
        final CompletableFuture<Long> taken = loop.takenOver();
        Await.until("the trouble is told", () -> loop.trouble().isPresent());
        assertThat(loop.trouble().orElseThrow()).startsWith("cannot read; it is tried again");
        readFailure = null;
        taken.get(1, TimeUnit.MINUTES);
        assertThat(loop.trouble()).isEmpty();
    }

    @Test
    void aConfigurationThatBreaksRulesIsNotTakenOver() throws Exception {
        takeOver();
        stored = new Stored(Snapshot.empty(), List.of(new Violation("acme", "vlan", "taken")));
        final CompletableFuture<Long> taken = loop.takenOver();
        pass();
        assertThat(taken).isNotDone();
        assertThat(loop.desired().snapshot()).isSameAs(TWO);
        assertThat(woken).hasSize(1);
    }

    @Test
    void aTransitionConcernsTheNodesOfItsTenantsOrAll() throws Exception {
        takeOver();
        final Tenant globex = Fixtures.tenant("globex", 102);
        stored = new Stored(TWO.with(globex), List.of());
        takeOver();
        assertThat(woken.get(1).tenants()).containsExactly("globex");
        assertThat(woken.get(1).nodes()).containsExactly(globex.attachments().get(0).node());
        stored = new Stored(new Snapshot(TWO.nodes(), TWO.backbone(), TWO.pools(), TWO.functions(), TWO.chains(),
            stored.snapshot().tenants(), Snapshot.empty().acls()), List.of());
        assertThat(woken.get(1).isWide()).isFalse();
        assertThat(Optional.of(stored.snapshot().acls()).filter(TWO.acls()::equals)).isEmpty();
        takeOver();
        assertThat(woken.get(2).isWide()).isTrue();
        assertThat(woken.get(2).nodes()).isEqualTo(TWO.nodes().keySet());
    }

    @Test
    void aTenantForWhichNothingCanBeAllocatedStaysAsItWasAndHoldsUpNoOther() throws Exception {
        takeOver();
        final Tenant former = loop.desired().snapshot().tenants().get("acme");
        final TenantAllocation had = loop.desired().allocations().tenants().get("acme");
        first.fault = tenant -> tenant.attachments().stream().anyMatch(at -> at.vlan() == 200)
            || tenant.name().equals("initech") && !tenant.attachments().isEmpty();
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 200), Fixtures.tenant("globex", 201),
            Fixtures.tenant("initech", 102), Fixtures.tenant("umbrella", 103)), List.of());
        second.asked.set(0);
        final long revision = takeOver();
        assertThat(second.asked).as("takes packets each time that it is asked").hasValue(1);
        final Desired now = loop.desired();
        assertThat(now.revision()).isEqualTo(revision);
        assertThat(now.snapshot().tenants().get("acme")).isSameAs(former);
        assertThat(now.allocations().tenants().get("acme")).isEqualTo(had);
        assertThat(now.snapshot().tenants().get("globex").attachments().get(0).vlan()).isEqualTo(201);
        assertThat(now.snapshot().tenants().get("umbrella").attachments()).hasSize(1);
        assertThat(now.snapshot().tenants().get("initech").attachments()).as("is new").isEmpty();
        assertThat(now.failed()).containsOnlyKeys("acme", "initech");
        assertThat(now.failed().get("acme")).endsWith("IllegalStateException: on purpose");
        assertThat(woken.get(woken.size() - 1).tenants()).contains("acme", "globex", "initech", "umbrella");
        pass();
        assertThat(takeOver()).as("the same is not tried again").isEqualTo(revision);
        first.fault = tenant -> false;
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 202), Fixtures.tenant("globex", 201),
            Fixtures.tenant("initech", 102), Fixtures.tenant("umbrella", 103)), List.of());
        takeOver();
        assertThat(loop.desired().snapshot()).isSameAs(stored.snapshot());
        assertThat(loop.desired().failed()).isEmpty();
    }

    @Test
    void aTenantAtFaultLosesItsAttachmentsWhenAnotherOneHasThemNow() throws Exception {
        takeOver();
        first.fault = tenant -> tenant.name().equals("acme") && tenant.attachments().stream()
            .anyMatch(at -> at.vlan() == 200);
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 200), Fixtures.tenant("globex", 100)), List.of());
        takeOver();
        final Snapshot now = loop.desired().snapshot();
        assertThat(now.tenants().get("globex").attachments().get(0).vlan()).isEqualTo(100);
        assertThat(now.tenants().get("acme").attachments()).isEmpty();
        assertThat(loop.desired().failed().get("acme")).contains("nothing of it is carried out");
    }

    @Test
    void aTenantAtFaultAtTheStartIsCarriedOutByWhatItHadAndHoldsUpNoOther() throws Exception {
        final Tenant acme = Fixtures.tenant("acme", 100);
        final Snapshot old = Fixtures.network(acme, Fixtures.tenant("globex", 101));
        final Allocations before = Allocator.allocate(old, Allocations.none());
        loop.begin(before);
        first.fault = tenant -> tenant.name().equals("acme") || tenant.name().equals("initech");
        stored = new Stored(Fixtures.network(acme, Fixtures.tenant("globex", 101), Fixtures.tenant("initech", 102),
            Fixtures.tenant("umbrella", 103)), List.of());
        takeOver();
        final Desired now = loop.desired();
        assertThat(now.snapshot().tenants().get("acme")).isSameAs(acme);
        assertThat(now.allocations().tenants().get("acme")).isEqualTo(before.tenants().get("acme"));
        assertThat(now.snapshot().tenants().get("initech").attachments()).as("it has been given nothing").isEmpty();
        assertThat(now.failed()).containsOnlyKeys("acme", "initech");
        assertThat(now.allocations().tenants().values().stream()
            .flatMap(given -> given.publicAddress().stream())).doesNotHaveDuplicates().hasSize(3);

        // Its switch goes another way, and still nobody else gets what it has.
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 200), Fixtures.tenant("globex", 101),
            Fixtures.tenant("initech", 102), Fixtures.tenant("umbrella", 103), Fixtures.tenant("hooli", 104)),
            List.of());
        takeOver();
        assertThat(loop.desired().allocations().tenants().get("acme")).isEqualTo(before.tenants().get("acme"));
        first.fault = tenant -> false;
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 201), Fixtures.tenant("globex", 101),
            Fixtures.tenant("initech", 102), Fixtures.tenant("umbrella", 103), Fixtures.tenant("hooli", 104)),
            List.of());
        takeOver();
        assertThat(loop.desired().failed()).isEmpty();
        assertThat(loop.desired().allocations().tenants().get("acme")).isEqualTo(before.tenants().get("acme"));
        assertThat(loop.desired().allocations().tenants().values().stream().map(TenantAllocation::publicAddress))
            .doesNotHaveDuplicates().hasSize(5);
    }

    @Test
    void aTenantAtFaultWithoutAttachmentsKeepsWhatItHas() throws Exception {
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 100), Fixtures.tenant("globex", 101)), List.of());
        takeOver();
        final TenantAllocation had = loop.desired().allocations().tenants().get("acme");
        first.fault = tenant -> tenant.name().equals("acme") && tenant.attachments().stream()
            .anyMatch(at -> at.vlan() == 200);
        for (final int vlan : List.of(100, 102)) {
            stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 200), Fixtures.tenant("globex", 100),
                Fixtures.tenant("hooli", vlan + 1)), List.of());
            takeOver();
            assertThat(loop.desired().snapshot().tenants().get("acme").attachments()).isEmpty();
            assertThat(loop.desired().allocations().tenants().get("acme")).isEqualTo(had);
            assertThat(loop.desired().failed().get("acme")).contains("nothing of it is carried out");
        }
        first.fault = tenant -> false;
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 201), Fixtures.tenant("globex", 100)), List.of());
        takeOver();
        assertThat(loop.desired().allocations().tenants().get("acme")).isEqualTo(had);
    }

    @Test
    void ofTwoAtFaultOneKeepsWhatItHad() throws Exception {
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 100), Fixtures.tenant("globex", 101),
            Fixtures.tenant("initech", 102)), List.of());
        takeOver();
        first.fault = tenant -> tenant.attachments().stream().anyMatch(at -> at.vlan() >= 200);
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 200), Fixtures.tenant("globex", 201),
            Fixtures.tenant("initech", 100)), List.of());
        takeOver();
        final Snapshot now = loop.desired().snapshot();
        assertThat(now.tenants().get("acme").attachments()).as("initech has its VLAN").isEmpty();
        assertThat(now.tenants().get("globex").attachments().get(0).vlan()).isEqualTo(101);
        assertThat(now.tenants().get("initech").attachments().get(0).vlan()).isEqualTo(100);
        assertThat(loop.desired().failed()).containsOnlyKeys("acme", "globex");
    }

    @Test
    void aFaultOfNoTenantAtAStartIsTold() throws Exception {
        first.next = before -> {
            throw new IllegalStateException("on purpose");
        };
        final CompletableFuture<Long> taken = loop.takenOver();
        pass();
        assertThat(taken).isNotDone();
        assertThat(loop.desired().revision()).isZero();
        assertThat(loop.heldUp().orElseThrow()).contains("is not carried out", "on purpose", "tried again");
        assertThat(loop.trouble()).as("a change may repair it").isEmpty();
        first.next = before -> before;
        taken.get(1, TimeUnit.MINUTES);
        assertThat(loop.heldUp()).isEmpty();
    }

    @Test
    void aFaultOfNoTenantIsTriedAgain() throws Exception {
        takeOver();
        first.next = before -> {
            throw new IllegalStateException("on purpose");
        };
        stored = new Stored(Fixtures.network(Fixtures.tenant("acme", 200), Fixtures.tenant("globex", 201)), List.of());
        final CompletableFuture<Long> taken = loop.takenOver();
        pass();
        assertThat(loop.desired().snapshot()).isSameAs(TWO);
        assertThat(taken).isNotDone();
        first.next = before -> before;
        assertThat(taken.get(1, TimeUnit.MINUTES)).isEqualTo(loop.desired().revision());
        assertThat(loop.desired().snapshot()).isSameAs(stored.snapshot());
    }
}
