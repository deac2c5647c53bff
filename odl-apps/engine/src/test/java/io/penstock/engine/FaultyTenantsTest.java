// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Desired;
import io.penstock.configuration.Stored;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.Fixtures;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A tenant for which nothing can be allocated keeps what it has, and holds up no other. */
@Tag("safety")
class FaultyTenantsTest extends ConfigurationLoopCase {
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

        // It is configured otherwise; no other tenant gets what it has.
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
        tryAgain();
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
        tryAgain();
        assertThat(taken.get(1, TimeUnit.MINUTES)).isEqualTo(loop.desired().revision());
        assertThat(loop.desired().snapshot()).isSameAs(stored.snapshot());
    }
}
