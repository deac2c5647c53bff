// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.operations.TenantStatus.AgentStatus;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.Start;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.plan.TenantOrders;
import io.penstock.southbound.ovsdb.NodeReport;
import io.penstock.southbound.ovsdb.ZoneReport;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Orders beside reports. */
class AgentReportsTest {
    private static final TenantOrders NOTHING = new TenantOrders(Optional.of("t"), Optional.empty(),
        Optional.empty());
    private static final TenantOrders LIMIT = new TenantOrders(Optional.empty(), Optional.of(1000),
        Optional.empty());
    private static final TenantOrders RESOLVER = new TenantOrders(Optional.empty(), Optional.empty(), Optional.of(
        new TenantOrders.Resolver(new Dns(Optional.of("a.example"), List.of(), List.of(), Optional.empty(),
            Optional.empty()), List.of("240.0.3.0"), List.of(), List.of())));

    private static TenantAllocation tenant(final int id) {
        return new TenantAllocation(id, Optional.empty());
    }

    @Test
    void eachNodeThatHasSomethingToDoIsShown() {
        final AgentReports reports = new AgentReports(new TreeMap<>(Map.of(
            "pe1", node(Map.of(1, LIMIT, 2, NOTHING, 3, RESOLVER), Map.of(
                1, new ZoneReport(OptionalLong.of(1000), OptionalLong.of(7), ""),
                3, new ZoneReport(OptionalLong.empty(), OptionalLong.empty(), "ok"))),
            "pe2", node(Map.of(1, LIMIT, 3, RESOLVER), Map.of()),
            "pe3", node(Map.of(2, NOTHING), Map.of(2, new ZoneReport(OptionalLong.of(5), OptionalLong.empty(), ""))))));

        assertThat(reports.of(tenant(1))).containsExactly(new AgentStatus("pe1", 7, 1000, 1000, ""),
            new AgentStatus("pe2", 0, 1000, 0, ""));
        // The order has gone; the agent has not noticed.
        assertThat(reports.of(tenant(2))).containsExactly(new AgentStatus("pe3", 0, 0, 5, ""));
        assertThat(reports.of(tenant(3))).containsExactly(new AgentStatus("pe1", 0, 0, 0, "ok"),
            new AgentStatus("pe2", 0, 0, 0, "not reported"));
        assertThat(reports.of(tenant(4))).isEmpty();
    }

    @Test
    void processesAreThoseOfInstancesThatTheNodeHasToStart() {
        final AgentReports reports = new AgentReports(new TreeMap<>(Map.of("pe1", node(Map.of(), new NodeReport(
            Map.of(), Map.of("fw1-in", "running", "hand-in", "running"), List.of("old"))))));

        assertThat(reports.process("pe1", instance("fw1", true))).isEqualTo("running");
        assertThat(reports.process("pe1", instance("fw2", true))).isEqualTo("not reported");
        assertThat(reports.process("pe2", instance("fw1", true))).isEqualTo("not reported");
        assertThat(reports.process("pe1", instance("hand", false))).isEmpty();
        assertThat(reports.found("pe1")).containsExactly("old");
        assertThat(reports.found("pe2")).isEmpty();
    }

    private static Instance instance(final String name, final boolean ordered) {
        return new Instance(name, State.IN_SERVICE, 1, ordered
            ? Optional.of(new Start("forwarder", Optional.empty(), Optional.empty())) : Optional.empty());
    }

    private static AgentReports.Node node(final Map<Integer, TenantOrders> orders,
            final Map<Integer, ZoneReport> reports) {
        return node(orders, new NodeReport(reports, Map.of(), List.of()));
    }

    private static AgentReports.Node node(final Map<Integer, TenantOrders> orders, final NodeReport report) {
        return new AgentReports.Node(orders, CompletableFuture.completedFuture(report));
    }
}
