// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Bytes;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.GoldenCase;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Documents;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A switch that sends packets in the name of a tenant of another node: neither leases nor port blocks change. */
@Tag("hostile")
@OnEdge
@Tag("safety")
class ForgedPacketIT {
    private static final int VLAN = 100;

    private final Edge edge;

    ForgedPacketIT(final Edge edge) {
        this.edge = edge;
    }

    @BeforeEach
    void reset() {
        edge.reset();
    }

    @Test
    void eachTableThatSendsPacketsToTheControllerHasAService() {
        final Set<Table> asking = GoldenCase.ALL.stream().flatMap(each -> each.plan().flowSpecs().stream())
            .filter(flow -> hears(flow.actions())).map(FlowSpec::table).collect(Collectors.toSet());
        assertThat(edge.controller().served()).containsExactlyInAnyOrderElementsOf(asking);
    }

    private static boolean hears(final List<Action> actions) {
        return actions.stream().anyMatch(action -> action instanceof Action.Controller
            || action instanceof Action.Clone copy && hears(copy.actions()));
    }

    @Test
    void aNodeTouchesNoLeaseOfAnother() {
        edge.client().add("tenant", Documents.tenant("acme", edge.first().name(), VLAN, Documents.FIRST_POOL,
            "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', "
                + "'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]}]}"));
        edge.awaitSync();
        send(edge.second(), "dhcp", Table.DHCP_REQUEST, TenantPackets.dhcp(TenantPackets.REQUEST));
        assertThat(edge.allocations()).as("a request of another node").doesNotContain("10.0.0.100");
        send(edge.first(), "dhcp", Table.DHCP_REQUEST, TenantPackets.dhcp(TenantPackets.REQUEST));
        final String bound = edge.allocations();
        assertThat(bound).contains("10.0.0.100").contains("bound");
        for (final int type : List.of(TenantPackets.RELEASE, TenantPackets.DECLINE, TenantPackets.REQUEST)) {
            send(edge.second(), "dhcp", Table.DHCP_REQUEST, TenantPackets.dhcp(type));
            assertThat(edge.allocations()).as("after message type %d", type).isEqualTo(bound);
        }
        send(edge.first(), "dhcp", Table.DHCP_REQUEST, TenantPackets.dhcp(TenantPackets.RELEASE));
        assertThat(edge.allocations()).as("its own node is heard").isNotEqualTo(bound).contains("free");
    }

    @Test
    void aNodeTakesNoPortBlockForTenantsOfAnother() {
        edge.client().add("tenant", Documents.translated(
            Documents.tenant("acme", edge.first().name(), VLAN, Documents.FIRST_POOL),
            "{'port-block': [{'inside-prefix': '10.0.0.0/29', 'public-prefix': '198.51.100.32/32'}]}"));
        edge.awaitSync();
        final String before = edge.allocations();
        final byte[] wanting = TenantPackets.udp(Ipv4.parse("10.0.0.5"), Ipv4.parse("198.51.100.10"), 53, Bytes.EMPTY);
        send(edge.second(), "port-block", Table.NAT_TRANSLATE, wanting);
        assertThat(edge.allocations()).isEqualTo(before);
        send(edge.first(), "port-block", Table.NAT_TRANSLATE, wanting);
        assertThat(edge.allocations()).as("its own node is heard").isNotEqualTo(before);
    }

    /** The controller has looked at it when this returns. */
    private void send(final DummyNode node, final String service, final Table table, final byte[] frame) {
        new TenantPackets(edge.client(), edge.first(), "acme", VLAN).send(node, service, table, frame);
        edge.awaitApplied();
    }
}
