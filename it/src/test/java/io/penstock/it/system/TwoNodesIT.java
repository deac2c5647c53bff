// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Tenants on two nodes, all with the same addresses and the same VLANs, and a transit network that joins the nodes. */
@Tag("safety")
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class TwoNodesIT {
    private static final int WEB = 80;
    private static final int FIRST_VLAN = 100;
    private static final int SECOND_VLAN = 101;
    private static final String CABLE = "across";

    private final EdgeSystem system;
    private Host firstHere;
    private Host secondHere;
    private Host firstThere;

    TwoNodesIT(final EdgeSystem system) {
        this.system = system;
    }

    @BeforeAll
    void provision() {
        system.reset();
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(
            Intent.tenant("first-here", system.first(), FIRST_VLAN, Intent.FIRST_POOL),
            Intent.tenant("second-here", system.first(), SECOND_VLAN, Intent.FIRST_POOL),
            Intent.tenant("first-there", system.second(), FIRST_VLAN, Intent.SECOND_POOL))));
        system.awaitSync();
        firstHere = system.first().host(FIRST_VLAN);
        secondHere = system.first().host(SECOND_VLAN);
        firstThere = system.second().host(FIRST_VLAN);
        for (final EdgeNode node : system.nodes()) {
            node.network().server().serveTcp(WEB);
        }
        firstThere.serveTcp(WEB);
        secondHere.serveTcp(WEB);
        join(system.first().network().transit(), system.second().network().transit());
    }

    /** A cable between the transit routers: the world leads from each node to the public prefix of the other. */
    private static void join(final Host here, final Host there) {
        here.namespace().link(CABLE, there.namespace(), CABLE);
        here.shell().run("ip", "address", "add", "198.18.255.1/30", "dev", CABLE);
        there.shell().run("ip", "address", "add", "198.18.255.2/30", "dev", CABLE);
        here.route(Intent.SECOND_PREFIX, "198.18.255.2");
        there.route(Intent.FIRST_PREFIX, "198.18.255.1");
    }

    @Test
    void eachIsSeenByItsOwnPublicAddress() {
        assertThat(firstHere.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("first-here"));
        assertThat(secondHere.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("second-here"));
        assertThat(firstThere.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(system.publicAddress("first-there"));
    }

    @Test
    void nobodyReachesAnotherTenantOnTheOtherNode() {
        final String target = system.publicAddress("first-there");
        try (Capture arrived = system.second().network().transit().capture("dst host " + target);
                Capture inside = firstThere.capture("tcp or icmp")) {
            firstHere.doesNotReach(target);
            firstHere.getsNoTcpAnswer(target, WEB);
            // A node knows the pools of all: such a packet does not even leave it.
            assertThat(arrived.all()).isEmpty();
            assertThat(inside.all()).isEmpty();
        }
    }

    @Test
    void nobodyReachesAnotherTenantOnTheSameNode() {
        try (Capture inside = secondHere.capture("tcp or icmp")) {
            firstHere.doesNotReach(system.publicAddress("second-here"));
            firstHere.getsNoTcpAnswer(system.publicAddress("second-here"), WEB);
            assertThat(inside.all()).isEmpty();
        }
        // Their address is the same, and each means itself by it.
        assertThat(firstHere.address()).isEqualTo(secondHere.address());
    }
}
