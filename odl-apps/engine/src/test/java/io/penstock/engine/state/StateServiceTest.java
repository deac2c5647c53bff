// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Desired;
import io.penstock.configuration.grant.Transition;
import io.penstock.engine.state.TenantState.Kind;
import io.penstock.functions.health.ProbeResults;
import io.penstock.functions.health.Probed;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.testkit.Await;
import io.penstock.testkit.ManualClock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is told of the state, and when. */
class StateServiceTest {
    private static final Snapshot TWO = Fixtures.network(Fixtures.tenant("acme", 100), Fixtures.tenant("globex", 101));
    private static final Instant NOON = Instant.parse("2026-11-26T12:00:00Z");

    private final ManualClock clock = new ManualClock(NOON);
    private final List<StateSink.Changes> told = new CopyOnWriteArrayList<>();
    private volatile boolean refuses;
    private final AtomicInteger cleared = new AtomicInteger();
    private volatile Desired desired = new Desired(0, Snapshot.empty(), Allocations.none());
    private final StateService service = new StateService(() -> new LiveNetwork(desired, Map.of(), new ProbeResults() {
        @Override
        public boolean isHealthy(final String node, final String instance) {
            return true;
        }

        @Override
        public Probed total(final String node, final String instance) {
            return Probed.NOTHING;
        }
    }), new StateSink() {
        @Override
        public void clear() {
            cleared.incrementAndGet();
        }

        @Override
        public void write(final Changes changes) {
            if (refuses) {
                throw new IllegalStateException("on purpose");
            }
            told.add(changes);
        }
    }, event -> {
        throw new AssertionError("nodes are away all the time: " + event);
    }, clock);

    @AfterEach
    void close() {
        service.close();
    }

    private void change(final Snapshot snapshot, final Allocations allocations) {
        final Desired before = desired;
        desired = before.next(snapshot, allocations);
        service.changed(Transition.between(before, desired));
    }

    private void change(final Snapshot snapshot) {
        change(snapshot, Allocator.allocate(snapshot, desired.allocations()));
    }

    @Test
    void allIsToldOnceAndThenWhatDiffers() {
        service.start();
        change(TWO);
        Await.until("all of it", () -> told.size() == 1);
        assertThat(told.get(0).tenants()).containsOnlyKeys("acme", "globex");
        assertThat(told.get(0).nodes()).containsOnlyKeys(TWO.nodes().keySet());
        assertThat(told.get(0).pools()).containsOnlyKeys(TWO.pools().keySet());
        assertThat(told.get(0).functions()).containsOnlyKeys(TWO.functions().keySet());
        final StateSink.Entry<TenantState> acme = told.get(0).tenants().get("acme").orElseThrow();
        assertThat(acme.since()).isEqualTo(NOON);
        assertThat(acme.state().kind()).isEqualTo(Kind.WAITING);
        assertThat(acme.state().reason()).startsWith("waiting for node ");
        clock.pass(60);
        final Allocations allocations = desired.allocations();
        final Map<String, Allocations.TenantAllocation> tenants = new TreeMap<>(allocations.tenants());
        tenants.put("acme", new Allocations.TenantAllocation(tenants.get("acme").id(),
            Optional.of(new Ipv4(1))));
        change(TWO, allocations.withTenants(tenants));
        Await.until("the other address", () -> told.size() == 2);
        assertThat(told.get(1).tenants()).containsOnlyKeys("acme");
        assertThat(told.get(1).nodes()).isEmpty();
        assertThat(told.get(1).functions()).isEmpty();
        assertThat(told.get(1).tenants().get("acme").orElseThrow().since()).as("the status is the same")
            .isEqualTo(NOON);
        // Nothing of it has changed: nothing is told.
        service.changed(TWO.nodes().firstKey());
        change(TWO.withTenants(List.of(Fixtures.tenant("globex", 101))));
        Await.until("one is gone", () -> told.size() == 3);
        assertThat(told.get(2).tenants()).containsOnlyKeys("acme");
        assertThat(told.get(2).tenants().get("acme")).isEmpty();
    }

    @Test
    void aTenantWithoutAttachmentsIsActive() {
        final Tenant chained = Fixtures.rich();
        assertThat(chained.hasChain()).as("its functions are down").isTrue();
        final Tenant detached = new Tenant(chained.name(), List.of(), chained.subnets(), List.of(), chained.nat(),
            chained.egressAcl(), chained.chain());
        service.start();
        change(Fixtures.network(chained));
        Await.until("its node is away", () -> told.size() == 1);
        change(Fixtures.network(detached));
        Await.until("it has no node", () -> told.size() == 2);
        final TenantState state = told.get(1).tenants().get(chained.name()).orElseThrow().state();
        assertThat(state.kind()).isEqualTo(Kind.ACTIVE);
        assertThat(state.reason()).isEmpty();
        assertThat(state.nodes()).isEmpty();
    }

    @Test
    void whatWasNotTakenIsToldAgain() {
        service.start();
        refuses = true;
        change(TWO);
        Await.until("it begins", () -> cleared.get() == 1);
        change(TWO.withTenants(List.of(Fixtures.tenant("globex", 101))));
        refuses = false;
        Await.until("it is told", () -> !told.isEmpty());
        assertThat(told.get(told.size() - 1).tenants()).containsKey("globex");
    }

    @Test
    void nothingIsLeftAtTheEnd() {
        service.start();
        service.close();
        assertThat(cleared).hasValue(2);
    }
}
