// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeCounts;
import io.penstock.engine.node.NodeCounts.Count;
import io.penstock.events.OperatorEvent;
import io.penstock.events.QuotaEvent;
import io.penstock.events.SampleEvents;
import io.penstock.events.SpoofingEvent;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.ovsdb.ZoneReport;
import io.penstock.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** When quotas and foreign addresses are told. */
class TrafficWatchTest {
    private static final String NODE = "edge1";
    /** Seconds between two readings. */
    private static final int ROUND = 50;

    private final ManualClock clock = new ManualClock(SampleEvents.NOON);
    private final List<OperatorEvent> told = new ArrayList<>();
    private Desired desired = new Desired(0, Snapshot.empty(), Allocations.none())
        .next(Fixtures.network(Fixtures.tenant("acme", 100)), Allocator.allocate(
            Fixtures.network(Fixtures.tenant("acme", 100)), Allocations.none()));
    private final VrfId vrf = desired.allocations().tenants().get("acme").vrf(NODE).orElseThrow();
    private final TrafficWatch watch = new TrafficWatch(() -> desired, told::add, clock);
    private NodeCounts last = NodeCounts.NONE;

    private void read(final long guarded, final Map<TenantMeter, Long> limited, final long sessions) {
        final NodeCounts now = new NodeCounts(Map.of(vrf, new Count(guarded, guarded, limited)),
            new Count(4711 + clock.instant().getEpochSecond(), 0, Map.of()),
            Map.of(vrf.number(), new ZoneReport(OptionalLong.of(100), OptionalLong.of(sessions), "")), Map.of());
        watch.look(NODE, last, now);
        last = now;
        clock.pass(ROUND);
    }

    private void quiet(final int readings) {
        for (int reading = 0; reading < readings; reading++) {
            final NodeCounts now = last;
            watch.look(NODE, now, now);
            clock.pass(ROUND);
        }
    }

    @Test
    void whatWasDroppedBeforeTheFirstReadingIsNotOfNow() {
        read(5, Map.of(TenantMeter.OUT, 9L), 0);
        quiet(1);
        assertThat(told).isEmpty();
    }

    @Test
    void aQuotaThatDropsIsToldOnceAndOnceWhenItIsOver() {
        read(0, Map.of(), 0);
        for (long packets = 1; packets <= 20; packets++) {
            read(0, Map.of(TenantMeter.OUT, packets), 0);
        }
        assertThat(told).containsExactly(new QuotaEvent(true, "acme", NODE, "out"));
        quiet(TrafficWatch.QUIET - 1);
        read(0, Map.of(TenantMeter.OUT, 21L), 0);
        quiet(TrafficWatch.QUIET - 1);
        assertThat(told).as("it was quiet for a moment").hasSize(1);
        quiet(1);
        assertThat(told).hasSize(2).contains(new QuotaEvent(false, "acme", NODE, "out"));
        quiet(20);
        assertThat(told).hasSize(2);
    }

    @Test
    void aTenantThatComesAndGoesCausesTwoEventsInTenMinutes() {
        read(0, Map.of(), 0);
        read(1, Map.of(), 0);
        quiet(TrafficWatch.QUIET);
        read(2, Map.of(), 0);
        quiet(TrafficWatch.QUIET);
        assertThat(told).containsExactly(new SpoofingEvent(true, "acme", NODE));
        quiet(5);
        assertThat(told).containsExactly(new SpoofingEvent(true, "acme", NODE),
            new SpoofingEvent(false, "acme", NODE));
    }

    @Test
    void connectionsUpToTheirLimitAreAQuota() {
        read(0, Map.of(), 99);
        assertThat(told).isEmpty();
        read(0, Map.of(), 99);
        read(0, Map.of(), 100);
        assertThat(told).containsExactly(new QuotaEvent(true, "acme", NODE, "sessions"));
    }

    @Test
    void limitsOfProtocolsAreNoQuotas() {
        read(0, Map.of(), 0);
        read(0, Map.of(TenantMeter.NEIGHBOUR, 5L, TenantMeter.NEW_SESSIONS, 1L), 0);
        assertThat(told).containsExactly(new QuotaEvent(true, "acme", NODE, "new-sessions"));
    }

    @Test
    void countersThatBeginAgainAreNoDrops() {
        read(10, Map.of(TenantMeter.IN, 10L), 0);
        read(1, Map.of(TenantMeter.IN, 1L), 0);
        assertThat(told).isEmpty();
    }

    @Test
    void aTenantThatIsGoneIsForgotten() {
        read(0, Map.of(), 0);
        read(1, Map.of(), 0);
        assertThat(told).hasSize(1);
        final Desired with = desired;
        desired = desired.next(Fixtures.network(), Allocator.allocate(Fixtures.network(), desired.allocations()));
        quiet(20);
        assertThat(told).hasSize(1);
        desired = desired.next(with.snapshot(), with.allocations());
        read(2, Map.of(), 0);
        assertThat(told).as("it begins again").hasSize(2);
    }
}
