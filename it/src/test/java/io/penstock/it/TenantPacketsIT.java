// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Packets of two tenants with the same addresses. */
@Tag("safety")
class TenantPacketsIT extends PairOnNode {
    private static final int OTHER_PORT = 8080;
    private static final int FIRST_ZONE = 2;

    @BeforeAll
    static void start() {
        node.network().server().serveTcp(OTHER_PORT);
    }

    @BeforeEach
    void load() {
        node.load(TenantPair.intent());
        node.node().ovs().appctl("dpctl/flush-conntrack");
        pair.reachTheirGateways();
    }

    @Test
    @Requirement(rfc = 4787, number = "2")
    @Requirement(rfc = 5508, number = "1")
    @Requirement(rfc = 6888, number = "2")
    void tenantsAreTranslated() {
        pair.areTranslated();
        assertThat(node.packets(Table.NAT_OUT_CHECK, "not translated")).isZero();
    }

    @Test
    void tenantsAreIsolated() {
        pair.areIsolated();
        Await.until("the drops are counted",
            () -> node.packets(Table.NAT_IN_CHECK, "from the backbone, unsolicited"), count -> count >= 7);
    }

    @Test
    void nobodyComesInUnasked() {
        pair.areNotReachedUnasked();
        Await.until("the drops are counted",
            () -> node.packets(Table.NAT_IN_CHECK, "from the backbone, unsolicited"), count -> count >= 4);
        Await.until("the drops are counted",
            () -> node.packets(Table.BACKBONE_IN, "from the backbone, destination not on this node"),
                count -> count >= 3);
    }

    @Test
    void errorsPassBothWays() {
        pair.hearErrors();
        pair.tellErrors();
    }

    @Test
    void fullFramesAndFragmentsPass() {
        pair.sendFullFrames();
        pair.sendFragments();
    }

    @Test
    @Requirement(rfc = 6888, number = "11a")
    void whatCannotBeTranslatedDoesNotLeave() {
        node.node().ovs().appctl("dpctl/ct-set-limits", "zone=" + FIRST_ZONE + ",limit=1");
        try (Capture uplink = node.network().transit().capture(TenantPair.PRIVATE)) {
            assertThat(pair.first().askTcp(EdgeNetwork.SERVER, TenantPair.WEB)).isEqualTo(TenantPair.FIRST_PUBLIC);
            pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, TenantPair.WEB);
            pair.first().getsNoUdpAnswer(EdgeNetwork.SERVER, TenantPair.DNS);
            // The other tenant does not feel it.
            assertThat(pair.second().askTcp(EdgeNetwork.SERVER, TenantPair.WEB)).isEqualTo(TenantPair.SECOND_PUBLIC);
            Await.until("the drops are counted", () -> node.packets(Table.NAT_OUT_CHECK, "not translated"),
                count -> count >= 2);
            assertThat(uplink.all()).isEmpty();
        } finally {
            node.node().ovs().appctl("dpctl/ct-del-limits", "zone=" + FIRST_ZONE);
        }
        pair.areTranslated();
    }

    @Test
    void aListPermitsAndDropsAndIsRevoked() {
        node.load(Networks.of(Networks.tcpTo(TenantPair.WEB, TenantPair.WEB + 1),
            Networks.guarded("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.plain("second", 101, TenantPair.SECOND_PUBLIC)));
        pair.reachTheirGateways();
        assertThat(pair.first().askTcp(EdgeNetwork.SERVER, TenantPair.WEB)).isEqualTo(TenantPair.FIRST_PUBLIC);
        pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, OTHER_PORT);
        pair.first().doesNotReach(EdgeNetwork.SERVER);
        assertThat(pair.second().askTcp(EdgeNetwork.SERVER, OTHER_PORT)).isEqualTo(TenantPair.SECOND_PUBLIC);
        Await.until("permitted packets are counted",
            () -> node.packets(Table.TENANT_ACL, "ACL list entry tcp permit"), count -> count >= 4);
        Await.until("dropped packets are counted",
            () -> node.packets(Table.TENANT_ACL, "ACL list permits no such packet"), count -> count >= 4);

        node.load(Networks.of(Networks.tcpTo(OTHER_PORT, OTHER_PORT),
            Networks.guarded("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.plain("second", 101, TenantPair.SECOND_PUBLIC)));
        pair.reachTheirGateways();
        pair.first().getsNoTcpAnswer(EdgeNetwork.SERVER, TenantPair.WEB);
        assertThat(pair.first().askTcp(EdgeNetwork.SERVER, OTHER_PORT)).isEqualTo(TenantPair.FIRST_PUBLIC);
    }
}
