// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Hosts behind a router of the tenant, which has a DHCP relay agent: that of the ISC, with option 82. */
@OnSystem
class DhcpRelayIT {
    private static final int VLAN = 3100;
    private static final int WEB = 80;

    private final EdgeSystem system;
    private final EdgeNode node;

    DhcpRelayIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @Test
    void hostsBehindARouterGetLeasesOfTheirNetworks() {
        system.reset();
        node.network().server().serveTcp(WEB);
        final Host router = node.network().host(EdgeNode.ACCESS, VLAN, "10.0.0.254/24", Intent.GATEWAY).router();
        final DhcpClient desk = new DhcpClient(node.network().behind(router, "10.8.1.1/24"));
        final DhcpClient till = new DhcpClient(node.network().behind(router, "10.8.2.1/24"));
        final String circuit = HexFormat.of()
            .formatHex(EdgeNetwork.cable(till.host()).getBytes(StandardCharsets.US_ASCII));
        system.restconf().put(Intent.path("branch"), Intent.tenants(List.of(Intent.tenant("branch", node, VLAN,
            Intent.FIRST_POOL, """
            'route': [{'prefix': '10.8.0.0/16', 'next-hop': '10.0.0.254'}],
            'dhcp': {'subnet': [
              {'prefix': '10.8.1.0/24', 'pool': [{'first': '10.8.1.1', 'last': '10.8.1.9'}]},
              {'prefix': '10.8.2.0/24', 'pool': [{'first': '10.8.2.10', 'last': '10.8.2.19'}],
               'reservation': [{'address': '10.8.2.77', 'circuit-id': '%s'}]}]}""".formatted(circuit)))));
        system.awaitApplied();
        router.serve("dhcrelay", "-4", "-d", "-a", "-id", EdgeNetwork.cable(desk.host()), "-id",
            EdgeNetwork.cable(till.host()), "-iu", Host.DEVICE, Intent.GATEWAY);

        try (DhcpClient.Running running = desk.startUdhcpc()) {
            running.await("bound");
            // The agent itself has the first address of the pool.
            assertThat(desk.address()).isEqualTo("10.8.1.2");
            assertThat(desk.told()).containsEntry("router", "10.8.1.1");
            // From here on the client asks the server itself.
            running.renew();
            running.await("renew");
            assertThat(desk.told()).containsEntry("router", "10.8.1.1");
        }
        assertThat(till.udhcpc()).isEqualTo("10.8.2.77");
        assertThat(till.told()).containsEntry("router", "10.8.2.1");
        for (final DhcpClient each : List.of(desk, till)) {
            assertThat(each.host().askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("branch"));
        }
        // The router is known as soon as it has forwarded something; its own address is nobody's lease.
        router.reaches(Intent.GATEWAY);
    }
}
