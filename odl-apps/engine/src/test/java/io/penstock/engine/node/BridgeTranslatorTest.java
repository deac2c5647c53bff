// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.NetworkFunction.Scheduling;
import io.penstock.pipeline.intent.NetworkFunction.Start;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.plan.BridgePlan;
import io.penstock.pipeline.plan.GoldenCase;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.TenantOrders;
import io.penstock.pipeline.stage.SessionOrder;
import io.penstock.southbound.ovsdb.BridgeSpec;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.southbound.ovsdb.PortSpec;
import io.penstock.southbound.ovsdb.ZoneSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The plan in the words of the node's database; SampleOrdersTest has the words of the orders. */
class BridgeTranslatorTest {
    private final BridgeTranslator translator = new BridgeTranslator(() -> Set.of("tcp:127.0.0.1:6653"));
    private final AgentOrders orders = new AgentOrders();
    private final NodePlan plan = GoldenCase.ALL.stream().filter(each -> each.name().equals("services")).findFirst()
        .orElseThrow().plan();

    @Test
    void orderSaysAllThatTheAgentHasToKnow() {
        final TenantOrders tenant = everything();
        assertThat(translate(tenant).zones()).extracting(ZoneSpec::orders).containsExactly(orders.of(tenant));
        assertThat(orders.of(tenant)).containsOnlyKeys(NodeKeys.TENANT, NodeKeys.SESSIONS, NodeKeys.DNS);
    }

    @Test
    void whatIsNotThereIsLeftOut() {
        final Dns dns = new Dns(Optional.empty(), List.of(), List.of(), Optional.of(500), Optional.empty());
        final TenantOrders few = new TenantOrders(Optional.empty(), Optional.empty(),
            Optional.of(new TenantOrders.Resolver(dns, List.of("240.0.1.0"), List.of(), List.of())));

        assertThat(orders.of(few)).isEqualTo(Map.of(NodeKeys.DNS, "{\"addresses\":[\"240.0.1.0\"]}"));
        assertThat(orders.of(new TenantOrders(Optional.empty(), Optional.empty(), Optional.empty()))).isEmpty();
    }

    @Test
    void planOfTheServicesIsOrdered() {
        final ZoneSpec zone = translator.translate(plan, orders).zones().get(0);

        assertThat(zone.timeouts()).isNotEmpty();
        assertThat(zone.orders()).containsOnlyKeys(NodeKeys.TENANT, NodeKeys.DNS, NodeKeys.SESSIONS)
            .containsEntry(NodeKeys.SESSIONS, Integer.toString(Quota.DEFAULT_SESSIONS));
        assertThat(zone.orders().get(NodeKeys.DNS))
            .contains("\"leases\":[{\"name\":\"desk1\",\"address\":\"10.3.0.101\"}]")
            .contains("\"addresses\":[\"240.0." + zone.zone() + ".0\",\"240.0." + zone.zone() + ".1\"]");
    }

    @Test
    void whatWasWrittenForThePlanBeforeIsNotWrittenAgain() {
        final TenantOrders tenant = everything();
        final Map<String, String> before = translate(tenant).zones().get(0).orders();

        assertThat(translate(tenant).zones().get(0).orders()).isSameAs(before);
        assertThat(translate(everything()).zones().get(0).orders()).isNotSameAs(before).isEqualTo(before);
    }

    @Test
    void bridgeTellsTheAgentHowSessionsAreMade() {
        assertThat(translate(everything()).orders())
            .isEqualTo(Map.of(NodeKeys.SESSION_FLOWS, AgentOrders.json(SessionOrder.content())));
    }

    @Test
    void portTellsWhatTheNodeHasToStart() {
        final Start all = new Start("packet-filter", Optional.of(3), Optional.of(Scheduling.LOW));
        final BridgePlan bridge = plan.bridge();
        final List<PortSpec> ports = translator.translate(new NodePlan(new BridgePlan(bridge.name(),
            bridge.datapathId(), List.of(vhost("fw-in", 1, Optional.of(all)), vhost("fw-out", 2, Optional.empty())),
            bridge.tables(), bridge.zoneTimeouts()), List.of(), List.of(), new TreeMap<>(), new TreeMap<>(),
            new TreeMap<>()), orders).ports();

        assertThat(ports).extracting(PortSpec::orders)
            .containsExactly(Map.of(NodeKeys.FUNCTION, AgentOrders.function(all)), Map.of());
    }

    @Test
    void queuesAreOptionsAndTheirCoresASetting() {
        final SortedMap<Integer, Integer> cores = new TreeMap<>(Map.of(10, 1, 2, 3));
        assertThat(dpdk(new Node.Queues(11, cores))).satisfies(port -> {
            assertThat(port.options()).isEqualTo(Map.of("dpdk-devargs", "net_null0", "n_rxq", "11"));
            assertThat(port.settings()).isEqualTo(Map.of("pmd-rxq-affinity", "2:3,10:1"));
        });
        assertThat(dpdk(Node.Queues.ONE)).satisfies(port -> {
            assertThat(port.options()).isEqualTo(Map.of("dpdk-devargs", "net_null0"));
            assertThat(port.settings()).isEmpty();
        });
    }

    private PortSpec dpdk(final Node.Queues queues) {
        final BridgePlan bridge = plan.bridge();
        return translator.translate(new NodePlan(new BridgePlan(bridge.name(), bridge.datapathId(), List.of(
            new BridgePlan.Port("up0", BridgePlan.Type.DPDK, 1, "net_null0", queues, Optional.empty(),
                Optional.empty())), bridge.tables(), bridge.zoneTimeouts()), List.of(), List.of(),
            new TreeMap<>(), new TreeMap<>(), new TreeMap<>()), orders).ports().get(0);
    }

    private static BridgePlan.Port vhost(final String name, final int number, final Optional<Start> order) {
        return new BridgePlan.Port(name, BridgePlan.Type.VHOST_USER_CLIENT, number, "/run/" + name,
            Node.Queues.ONE, order, Optional.empty());
    }

    private BridgeSpec translate(final TenantOrders tenant) {
        return translator.translate(new NodePlan(plan.bridge(), plan.nodeFlows(), List.of(),
            plan.tenantFlows(), plan.tenantMeters(), new TreeMap<>(Map.of(plan.orders().firstKey(), tenant))), orders);
    }

    private static TenantOrders everything() {
        final Dns dns = new Dns(Optional.of("campus.example"), List.of(new Dns.Record("www", "A", 300, "10.4.0.80"),
            new Dns.Record("@", "TXT", 0, "\"a<b\" \\é")),
            List.of(new Dns.Upstream("2001:db8::53", false), new Dns.Upstream("10.4.0.53", true)),
            Optional.of(500), Optional.of("64:ff9b::/96"));
        return new TenantOrders(Optional.of("campus"), Optional.of(5000), Optional.of(new TenantOrders.Resolver(dns,
            List.of("240.0.1.0", "240.0.1.1"), List.of(new TenantOrders.Host("desk1", "10.3.0.101")),
            List.of("10.3.0.0/24", "10.4.0.0/24"))));
    }
}
