// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.frames.Bytes;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A wall clock that is set: what hosts have by lease or as a port block they keep, also over a restart. */
@OnEdge
@Tag("safety")
class ClockJumpIT {
    private static final int VLAN = 100;
    private static final int DNS = 53;

    private final Edge edge;

    ClockJumpIT(final Edge edge) {
        this.edge = edge;
    }

    @BeforeEach
    void reset() {
        edge.reset();
    }

    @AfterEach
    void setRight() {
        edge.controller().wall().set(Duration.ZERO);
    }

    @Test
    void endsNothing() {
        edge.client().add("tenant", Documents.translated(Documents.tenant("acme", edge.first().name(), VLAN,
            Documents.FIRST_POOL, "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', "
                + "'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]}]}"),
            "{'port-block': [{'inside-prefix': '10.0.0.0/29', 'public-prefix': '198.51.100.32/32'}]}"));
        edge.awaitSync();
        final TenantPackets packets = new TenantPackets(edge.client(), edge.first(), "acme", VLAN);
        packets.send(edge.first(), "dhcp", Table.DHCP_REQUEST, TenantPackets.dhcp(TenantPackets.REQUEST));
        packets.send(edge.first(), "port-block", Table.NAT_TRANSLATE, TenantPackets.udp(Ipv4.parse("10.0.0.5"),
            Ipv4.parse("198.51.100.10"), DNS, Bytes.EMPTY));
        Await.until("a lease and a block are stored", this::allocation,
            given -> given.has("lease") && given.has("block") && given.toString().contains("bound"));
        final JsonObject before = allocation();
        for (final Duration wrong : List.of(Duration.ofHours(30), Duration.ofHours(-30), Duration.ZERO)) {
            edge.controller().wall().set(wrong);
            lookAgain();
            assertThat(allocation()).as("the wall clock is wrong by %s", wrong).isEqualTo(before);
            edge.controller().stopEngine();
            edge.controller().startEngine();
            lookAgain();
            assertThat(allocation()).as("after a restart while it is wrong by %s", wrong).isEqualTo(before);
        }
    }

    /** The engine looks for what has ended whenever it works. */
    private void lookAgain() {
        for (int number = 0; number < 2; number++) {
            edge.client().put(Documents.path("other"), Documents.tenants(List.of(
                Documents.tenant("other", edge.first().name(), VLAN + 1 + number, Documents.SECOND_POOL))));
            edge.awaitApplied();
        }
    }

    private JsonObject allocation() {
        return Edge.list(edge.client().read("penstock-allocation:allocations")
                .getAsJsonObject("penstock-allocation:allocations"), "tenant")
            .filter(tenant -> tenant.get("name").getAsString().equals("acme")).findFirst().orElseThrow();
    }
}
