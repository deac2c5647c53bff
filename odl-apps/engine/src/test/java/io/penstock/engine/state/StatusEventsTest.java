// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.engine.node.DriftReport;
import io.penstock.engine.state.FunctionState.Instance;
import io.penstock.engine.state.StateSink.Changes;
import io.penstock.engine.state.StateSink.Entry;
import io.penstock.engine.state.TenantState.Kind;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Which changes are events. */
class StatusEventsTest {
    private static final java.time.Instant NOON = java.time.Instant.parse("2026-11-26T12:00:00Z");

    private final StatusEvents events = new StatusEvents(Clock.fixed(NOON, ZoneOffset.UTC));

    private static <T> Optional<Entry<T>> now(final T state) {
        return Optional.of(new Entry<>(state, NOON));
    }

    private List<String> tenant(final Kind kind, final String reason) {
        return texts(new Changes(Map.of(), Map.of("red", now(new TenantState(kind, reason, 2, Optional.empty(),
            Optional.empty(),
            List.of(), List.of(), Optional.empty(), new TreeMap<>(), 0, 0))), Map.of(), Map.of()));
    }

    private List<String> node(final boolean connected, final boolean database) {
        return texts(new Changes(Map.of("edge1", now(new NodeState(connected, database, true, "", "", "", 0,
            DriftReport.NOTHING, 0, List.of()))), Map.of(), Map.of(), Map.of()));
    }

    private List<String> function(final FunctionState.Kind kind, final Instance... instances) {
        return texts(new Changes(Map.of(), Map.of(), Map.of("fw", now(new FunctionState(kind, List.of(instances)))),
            Map.of()));
    }

    private List<String> texts(final Changes changes) {
        return events.of(changes).stream().map(event -> {
            assertThat(event.time()).isEqualTo(NOON);
            return event.kind() + " " + event.name() + " " + event.before() + " > " + event.after()
                + (event.reason().isEmpty() ? "" : ": " + event.reason());
        }).toList();
    }

    @Test
    void aTenantThatIsStoppedAndBackIsToldWithTheReason() {
        assertThat(tenant(Kind.ACTIVE, "")).as("it was not known").isEmpty();
        assertThat(tenant(Kind.STOPPED, "stopped: function fw is down"))
            .containsExactly("TENANT red active > stopped: stopped: function fw is down");
        assertThat(tenant(Kind.ACTIVE, "")).containsExactly("TENANT red stopped > active");
        assertThat(tenant(Kind.LACKING, "3 flows")).containsExactly("TENANT red active > degraded: 3 flows");
    }

    @Test
    void aChangeThatIsBeingInstalledAndANodeThatIsAwayAreNoEventsOfTenants() {
        tenant(Kind.ACTIVE, "");
        assertThat(tenant(Kind.INSTALLING, "being installed")).isEmpty();
        assertThat(tenant(Kind.WAITING, "waiting for node edge1")).isEmpty();
        assertThat(tenant(Kind.ACTIVE, "")).isEmpty();
    }

    @Test
    void aTenantThatIsMadeAgainIsNotKnown() {
        tenant(Kind.ACTIVE, "");
        assertThat(texts(new Changes(Map.of(), Map.of("red", Optional.empty()), Map.of(), Map.of()))).isEmpty();
        assertThat(tenant(Kind.STOPPED, "stopped")).isEmpty();
    }

    @Test
    void aNodeIsLostAndBack() {
        node(true, true);
        assertThat(node(true, false)).containsExactly("NODE edge1 connected > database-lost");
        assertThat(node(false, false)).containsExactly("NODE edge1 database-lost > lost");
        assertThat(node(true, true)).containsExactly("NODE edge1 lost > connected");
    }

    @Test
    void anInstanceThatIsMadeAgainIsNotKnown() {
        final Instance up = new Instance("fw1", true, true);
        final Instance down = new Instance("fw1", false, true);
        function(FunctionState.Kind.UP, up, new Instance("fw2", true, true));
        function(FunctionState.Kind.UP, new Instance("fw2", true, true));
        assertThat(function(FunctionState.Kind.UP, down, new Instance("fw2", true, true))).isEmpty();
        texts(new Changes(Map.of(), Map.of(), Map.of("fw", Optional.empty()), Map.of()));
        assertThat(function(FunctionState.Kind.UP, up)).isEmpty();
        assertThat(function(FunctionState.Kind.WAITING, up)).isEmpty();
        assertThat(function(FunctionState.Kind.UP, down)).as("its node was away meanwhile")
            .containsExactly("INSTANCE fw/fw1 up > down: a port has no link");
    }

    @Test
    void instancesAreToldByThemselves() {
        function(FunctionState.Kind.UP, new Instance("fw1", true, true), new Instance("fw2", true, true));
        assertThat(function(FunctionState.Kind.UP, new Instance("fw1", true, false), new Instance("fw2", true, true)))
            .containsExactly("INSTANCE fw/fw1 up > down: does not answer probes");
        assertThat(function(FunctionState.Kind.DOWN, new Instance("fw1", true, false),
            new Instance("fw2", false, true))).containsExactly("FUNCTION fw up > down",
                "INSTANCE fw/fw2 up > down: a port has no link");
        assertThat(function(FunctionState.Kind.WAITING, new Instance("fw1", false, true),
            new Instance("fw2", false, true))).as("the node has an event").isEmpty();
    }
}
