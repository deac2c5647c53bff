// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.pipeline.net.Mac;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is read of the switches for a question about one tenant. */
@OnEdge
class TenantReadingsIT {
    private static final int VLAN = 100;
    private static final String ADDRESS = "10.0.0.5";

    private final Edge edge;

    TenantReadingsIT(final Edge edge) {
        this.edge = edge;
    }

    @BeforeEach
    void reset() {
        edge.reset();
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(
            Documents.tenant("acme", edge.first().name(), VLAN, Documents.FIRST_POOL))));
        edge.client().put(Documents.path("other"), Documents.tenants(List.of(
            Documents.tenant("other", edge.first().name(), VLAN + 1, Documents.FIRST_POOL))));
        edge.awaitApplied();
    }

    private List<JsonObject> hosts(final String tenant) {
        return Edge.list(edge.client().call("learned-hosts", "{'tenant': '" + tenant + "'}"), "host").toList();
    }

    @Test
    void hostsThatTheSwitchHasLearnedAreTheTenants() {
        assertThat(hosts("acme")).isEmpty();
        edge.arp(edge.first(), VLAN, ADDRESS);
        final JsonObject host = Await.until("the switch has learned it", () -> hosts("acme"),
            hosts -> !hosts.isEmpty()).get(0);
        assertThat(host.get("node").getAsString()).isEqualTo(edge.first().name());
        assertThat(host.get("attachment").getAsString()).isEqualTo("lan");
        assertThat(host.get("mac").getAsString()).isEqualTo(new Mac(Edge.HOST).toString());
        assertThat(host.getAsJsonArray("address").asList()).extracting(each -> each.getAsString())
            .containsExactly(ADDRESS);
        assertThat(host.get("age").getAsLong()).as("seconds, not milliseconds").isLessThan(600);
        assertThat(hosts("other")).as("it has the same addresses, and another VLAN").isEmpty();
        assertThat(edge.client().operation("learned-hosts", "{'tenant': 'nobody'}").messages())
            .contains("there is no tenant 'nobody'");
        assertThat(edge.client().operation("learned-hosts", "{}").messages()).contains("tenant: is missing");
    }

    @Test
    void flowsOfATenantAreReadByTheirCookies() {
        edge.arp(edge.first(), VLAN, ADDRESS);
        Await.until("the switch has learned it", () -> !hosts("acme").isEmpty());
        edge.controller().southbound().clear();
        final List<JsonObject> flows = flows("{'tenant': 'acme'}");
        assertThat(flows).hasSameSizeAs(edge.first().flowsOf(edge.vrf("acme")));
        assertThat(flows).extracting(flow -> flow.get("label").getAsString()).contains("learned")
            .doesNotContain("not planned");
        final List<JsonObject> drops = flows("{'tenant': 'acme', 'drops-only': true}");
        assertThat(drops).hasSize((int) flows.stream().filter(flow -> flow.get("drop").getAsBoolean()).count())
            .isNotEmpty();
        assertThat(edge.client().call("limits", "{'tenant': 'acme'}").getAsJsonArray("limit")).isNotEmpty();
    }

    @Test
    void portsAreReadWithTheirCounters() {
        edge.first().ovs().appctl("netdev-dummy/receive", Documents.ACCESS,
            "ffffffffffff0200000000051234" + "00".repeat(46));
        final String one = "{'node': '" + edge.first().name() + "', 'port': '" + Documents.ACCESS + "'}";
        final JsonObject port = Await.until("the switch has written it", () ->
            Edge.list(edge.client().call("port-statistics", one), "port").toList(),
            ports -> ports.get(0).get("rx-packets").getAsLong() > 0).get(0);
        assertThat(port.get("name").getAsString()).isEqualTo(Documents.ACCESS);
        assertThat(port.get("up").getAsBoolean()).isTrue();
        assertThat(port.get("rx-bytes").getAsLong()).isPositive();
        assertThat(port.has("error")).isFalse();
        assertThat(Edge.list(edge.client().call("port-statistics", "{'node': '" + edge.second().name() + "'}"), "port"))
            .hasSizeGreaterThan(1);
        assertThat(edge.client().operation("port-statistics", one.replace(Documents.ACCESS, "none")).messages())
            .contains("has no port 'none'");
        assertThat(edge.client().operation("port-statistics", "{'node': 'none'}").messages())
            .contains("there is no node 'none'");
        assertThat(edge.client().operation("port-statistics", "{}").messages()).contains("node: is missing");
    }

    @Test
    void noOtherFlowsAndNoOtherNodesAreReadForATenant() {
        edge.controller().southbound().clear();
        assertThat(flows("{'tenant': 'acme'}")).isNotEmpty();
        edge.client().call("limits", "{'tenant': 'acme'}");
        hosts("acme");
        assertThat(edge.controller().southbound().isRead(edge.switchId(edge.first()))).isTrue();
        assertThat(edge.controller().southbound().steps(edge.switchId(edge.first()))).isEmpty();
        assertThat(edge.controller().southbound().isRead(edge.switchId(edge.second()))).isFalse();
        assertThat(flows("{'tenant': 'acme', 'node': '" + edge.second().name() + "'}")).isEmpty();
    }

    private List<JsonObject> flows(final String question) {
        return Edge.list(edge.client().call("flows", question), "flow").toList();
    }
}
