// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.Requirement;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.CtTimeout;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** From one request to packets, and from one request to nothing. */
@OnSystem
class ProvisioningIT {
    private static final int WEB = 80;
    private static final int VLAN = 100;
    private static final int FIRST_OF_MANY = 1000;
    private static final int MANY = 100;

    private final EdgeSystem system;
    private final EdgeNode node;

    ProvisioningIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    @Test
    @Requirement(rfc = 4787, number = {"5", "5c"})
    @Requirement(rfc = 5382, number = "5")
    @Requirement(rfc = 5508, number = "2")
    @Requirement(rfc = 7857, number = {"2.1", "2.2"})
    void onePutMakesATenantAndOneDeleteLeavesNoTrace() {
        system.awaitApplied();  // What is still to be forgotten is a flow.
        final List<String> before = node.flows();
        final Host host = node.host(VLAN);
        node.network().server().serveTcp(WEB);
        try (PingStream pings = new PingStream(node, host, EdgeNetwork.SERVER)) {
            final Instant begun = Instant.now();
            system.restconf().put(Intent.path("acme"),
                Intent.tenants(List.of(Intent.tenant("acme", node, VLAN, Intent.FIRST_POOL))));
            pings.awaitMore();
            Figures.tell("one tenant, from PUT to the first ping answered", Duration.between(begun,
                pings.firstReply()));
        }
        host.reaches(Intent.GATEWAY);
        final String address = system.publicAddress("acme");
        assertThat(address).startsWith("203.0.113.");
        assertThat(host.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(address);
        final int vrf = system.vrf("acme");
        assertThat(node.flowsOf(vrf)).isNotEmpty();
        assertThat(node.connections(vrf)).isNotEmpty();
        Await.until("the zone has its timeouts", () -> node.zones().contains(vrf));
        assertThat(node.timeouts(vrf)).isEqualTo(Arrays.stream(CtTimeout.values())
            .collect(Collectors.toMap(CtTimeout::text, CtTimeout::seconds)));
        system.awaitState("acme", "active");

        system.restconf().delete(Intent.path("acme"));
        Await.until("the status is without the tenant", () -> system.tenant("acme").isEmpty());
        Await.until("no flow is left", () -> node.flowsOf(vrf), List::isEmpty);
        Await.until("no connection is left", () -> node.connections(vrf), List::isEmpty);
        Await.until("no timeouts are left", node::zones, zones -> !zones.contains(vrf));
        assertThat(system.allocations()).doesNotContain("acme");
        system.awaitApplied();
        assertThat(node.flows()).isEqualTo(before);
        host.doesNotReach(EdgeNetwork.SERVER);
        system.awaitSync();
    }

    @Test
    void whatTheSwitchForgotIsAskedFor() {
        system.restconf().put(Intent.path("acme"),
            Intent.tenants(List.of(Intent.tenant("acme", node, VLAN, Intent.FIRST_POOL))));
        final Host host = node.host(VLAN);
        host.reaches(EdgeNetwork.SERVER);
        try (PingStream pings = new PingStream(node, host, EdgeNetwork.SERVER)) {
            pings.awaitMore();
            forgetAddresses();
            pings.awaitMore();
        }
    }

    /** The host and the transit router remember, so neither of them says anything by itself. */
    private void forgetAddresses() {
        for (final Table learned : List.of(Table.NEIGHBOURS, Table.L2_HOSTS)) {
            node.ovs().ofctl("del-flows", Constants.BRIDGE, "table=" + learned.number());
        }
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    void whatTheSwitchForgotIsKnownAgainSoon() {
        system.restconf().put(Intent.path("acme"),
            Intent.tenants(List.of(Intent.tenant("acme", node, VLAN, Intent.FIRST_POOL))));
        final Host host = node.host(VLAN);
        host.reaches(EdgeNetwork.SERVER);
        try (PingStream pings = new PingStream(node, host, EdgeNetwork.SERVER)) {
            pings.awaitMore();
            final Instant begun = Instant.now();
            forgetAddresses();
            pings.awaitMore();
            final Duration gap = pings.longestGapSince(begun);
            Figures.tell("all MAC addresses forgotten, longest time without an answer", gap);
            assertThat(gap).isLessThan(EdgeSystem.FAILOVER);
        }
    }

    @Test
    void aHundredTenantsInOnePatch() {
        final List<Host> hosts = List.of(node.host(FIRST_OF_MANY), node.host(FIRST_OF_MANY + MANY / 2),
            node.host(FIRST_OF_MANY + MANY - 1));
        final List<PingStream> streams = hosts.stream()
            .map(host -> new PingStream(node, host, EdgeNetwork.SERVER)).toList();
        try {
            final Instant begun = Instant.now();
            system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", many()));
            final Instant answered = Instant.now();
            streams.forEach(PingStream::awaitMore);
            Figures.tell("100 tenants, answer to the PATCH", Duration.between(begun, answered));
            Figures.tell("100 tenants, from PATCH to the first pings answered", streams.stream()
                .map(pings -> Duration.between(begun, pings.firstReply())).max(Duration::compareTo).orElseThrow());
        } finally {
            streams.forEach(PingStream::close);
        }
        Await.until("all are active", system::tenants, tenants -> tenants.size() == MANY
            && tenants.stream().allMatch(each -> each.get("state").getAsString().equals("active")));
        assertThat(system.tenants().stream().map(each -> each.get("public").getAsString()).distinct()).hasSize(MANY);
        system.awaitSync();
        Figures.tell("flows of a node with 100 tenants", system.verify(node).get("installed").getAsString());

        final Instant begun = Instant.now();
        system.reset();
        system.awaitSync();
        Figures.tell("100 tenants, from the PUT that removes them until verified", Duration.between(begun,
            Instant.now()));
        assertThat(system.tenants()).isEmpty();
    }

    private List<String> many() {
        return IntStream.range(0, MANY).mapToObj(index -> Intent.tenant("tenant-" + index, node,
            FIRST_OF_MANY + index, Intent.FIRST_POOL)).toList();
    }
}
