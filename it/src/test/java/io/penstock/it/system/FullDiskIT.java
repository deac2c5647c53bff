// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.system.RestconfClient.Answer;
import io.penstock.testkit.Await;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The controller on a disk that is full: it lives, refuses with the reason, loses nothing, and goes on with room. */
@Tag("safety")
@Tag("deep")
@Tag("restart")
@OnSystem
class FullDiskIT {
    private static final int VLAN = 100;
    private static final int CONFLICT = 409;
    /** What could not be stored is tried again every five seconds. */
    private static final Duration RECOVERY = Duration.ofSeconds(7);
    private static final String DHCP = "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', "
        + "'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]}]}";
    private static final String ROOM = "64 MB are needed";

    private final EdgeSystem system;
    private final EdgeNode node;

    FullDiskIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    @AfterEach
    void makeRoom() {
        system.controller().disk().makeRoom();
    }

    @Test
    void nothingIsLostAndItGoesOn() {
        put("before", VLAN, DHCP);
        system.awaitApplied();
        final DhcpClient resident = client();
        final String address = resident.udhcpc();

        system.controller().disk().fill();
        final Answer refused = system.restconf().data("PUT", Intent.path("refused"), Intent.tenants(List.of(
            Intent.tenant("refused", node, VLAN + 1, Intent.FIRST_POOL))));
        assertThat(refused.status()).isEqualTo(CONFLICT);
        assertThat(refused.messages()).contains("the configuration cannot be changed", ROOM);
        final Answer foreign = system.restconf().data("PUT", "network-topology:network-topology",
            "{'network-topology:network-topology': {'topology': [{'topology-id': 'x'}]}}");
        assertThat(foreign.status()).as("an entry of another module: %s", foreign).isEqualTo(CONFLICT);
        final DhcpClient newcomer = client();
        assertThat(newcomer.tryUdhcpc().isGood()).as("a lease that is not stored").isFalse();
        assertThat(system.restconf().has(Intent.path("refused"))).isFalse();
        assertThat(system.tenant("before")).isPresent();
        resident.host().reaches(Intent.GATEWAY);

        system.controller().disk().makeRoom();
        Await.until("changes are accepted", RECOVERY, () -> system.restconf().data("PUT", Intent.path("after"),
            Intent.tenants(List.of(Intent.tenant("after", node, VLAN + 2, Intent.FIRST_POOL)))).isGood());
        final String given = newcomer.udhcpc();
        assertThat(given).isNotEmpty().isNotEqualTo(address);

        system.controller().kill();
        system.controller().start();
        system.awaitSync();
        assertThat(system.restconf().has(Intent.path("before"))).isTrue();
        assertThat(system.restconf().has(Intent.path("after"))).isTrue();
        assertThat(system.allocations()).contains("\"" + address + "\"", "\"" + given + "\"");
        newcomer.host().reaches(Intent.GATEWAY);
    }

    private DhcpClient client() {
        return new DhcpClient(node.network().host(EdgeNode.ACCESS, VLAN));
    }

    private void put(final String tenant, final int vlan, final String more) {
        system.restconf().put(Intent.path(tenant), Intent.tenants(List.of(
            Intent.tenant(tenant, node, vlan, Intent.FIRST_POOL, more))));
    }
}
