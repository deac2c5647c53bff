// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The controller dies while hosts boot. */
@OnSystem
class DhcpRestartIT {
    private static final int VLAN = 3200;
    private static final int CLIENTS = 60;
    private static final int KILLS = 2;
    private static final Duration RECOVERY = Duration.ofSeconds(60);

    private final EdgeSystem system;
    private final EdgeNode node;

    DhcpRestartIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @Test
    void noAddressIsGivenTwiceWhenTheControllerIsKilled() {
        system.reset();
        system.restconf().put(Intent.path("crowd"), Intent.tenants(List.of(Intent.tenant("crowd", node, VLAN,
            Intent.FIRST_POOL, """
            'dhcp': {'conflict-probe': 50, 'subnet': [{'prefix': '10.0.0.0/24', 'lease-time': 600,
              'pool': [{'first': '10.0.0.100', 'last': '10.0.0.%d'}]}]},
            'quota': {'controller-packets': 1000}""".formatted(100 + CLIENTS)))));
        system.awaitApplied();
        final DhcpClient witness = new DhcpClient(node.network().host(EdgeNode.ACCESS, VLAN));
        witness.udhcpc();
        witness.host().reaches(EdgeNetwork.SERVER);
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        Figures.tell("DHCP and kill -9 of the controller, seed", Long.toString(seed));
        final Host host = node.network().host(EdgeNode.ACCESS, VLAN);
        final SortedMap<String, String> holders;
        try (ManyClients clients = new ManyClients(host, CLIENTS, random.nextInt());
                PingStream pings = new PingStream(node, witness.host(), EdgeNetwork.SERVER)) {
            for (int kill = 0; kill < KILLS; kill++) {
                clients.awaitMore(CLIENTS + random.nextInt(CLIENTS), RECOVERY);
                system.controller().kill();
                final Instant killed = Instant.now();
                pings.awaitMore();
                system.controller().start();
                clients.awaitMore(1, RECOVERY);
                Figures.tell("controller kill -9 and start, until a host gets a lease",
                    Duration.between(killed, Instant.now()));
            }
            clients.awaitMore(CLIENTS, RECOVERY);
            Figures.tell("leases given in the test of kill -9", Long.toString(clients.acknowledged()));
            assertThat(pings.lost()).isZero();
            holders = clients.stop();
        }
        system.awaitSync();
        final Map<String, String> stored = bound();
        assertThat(holders).isNotEmpty();
        assertThat(stored).containsAllEntriesOf(holders);
        assertThat(stored).containsEntry(witness.address(), witness.host().mac());
    }

    /** MAC addresses by the addresses that are bound, as it is stored. */
    private Map<String, String> bound() {
        final Map<String, String> bound = new TreeMap<>();
        for (final JsonElement tenant : system.restconf().read("penstock-allocation:allocations")
                .getAsJsonObject("penstock-allocation:allocations").getAsJsonArray("tenant")) {
            for (final JsonElement each : tenant.getAsJsonObject().getAsJsonArray("lease")) {
                final JsonObject lease = each.getAsJsonObject();
                if (lease.get("state").getAsString().equals("bound")) {
                    bound.put(lease.get("address").getAsString(), lease.get("mac").getAsString());
                }
            }
        }
        return bound;
    }
}
