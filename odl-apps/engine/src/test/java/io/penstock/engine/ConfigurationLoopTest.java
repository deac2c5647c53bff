// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.DatastoreException;
import io.penstock.configuration.Stored;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.rules.Violation;
import io.penstock.testkit.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In which order a pass reads, proposes, stores and tells, and what a failure of each holds up. */
@Tag("safety")
class ConfigurationLoopTest extends ConfigurationLoopCase {
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
        tryAgain();
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
        tryAgain();
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
        tryAgain();
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
        tryAgain();
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
}
