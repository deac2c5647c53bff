// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.INVALID;
import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.RELATED;
import static io.penstock.it.TracedNode.REPLY;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tenants that see networks outside at other addresses, without a chain and with one. */
class TwiceTraceIT {
    private static final String BACKBONE_MAC = Constants.backboneMac(1).toString();
    private static final String TRANSIT_MAC = "02:00:00:00:00:99";
    private static final String WORLD = "198.18.0.10";
    private static final String HOST = "192.168.1.5";
    private static final String PUBLIC = "203.0.113.0";
    private static final String OWN = "198.51.100.10";
    private static final int VLAN = 700;
    private static final int VRF = 2;
    private static final String FORWARDED = "trk,new,dnat";

    private static TracedNode node;
    private static TracedNode chained;

    @BeforeAll
    static void start() {
        node = teach(Fixtures.twice());
        chained = teach(Fixtures.twiceChained());
    }

    @AfterAll
    static void stop() {
        node.close();
        chained.close();
    }

    private static TracedNode teach(final Tenant tenant) {
        final TracedNode learner = new TracedNode(Fixtures.plan(Fixtures.network(tenant)));
        learner.send(fromWorld().with("arp,arp_op=2,arp_sha=" + TRANSIT_MAC + ",arp_spa=192.0.2.1,arp_tpa=192.0.2.2"));
        learner.learn(VLAN, "192.168.1.1", HOST, "192.168.1.10", "192.168.1.20");
        return learner;
    }

    private static Packet fromHost() {
        return Packet.in("acc0", VLAN).toGateway();
    }

    private static Packet fromWorld() {
        return Packet.in("up0").ethernet(TRANSIT_MAC, BACKBONE_MAC);
    }

    private static Packet fromChain(final String port) {
        return Packet.in(port, VRF)
            .ethernet(Constants.CHAIN_INSIDE_MAC.toString(), Constants.CHAIN_OUTSIDE_MAC.toString());
    }

    private static String fragment(final String source, final String destination, final String which) {
        return "udp,nw_src=" + source + ",nw_dst=" + destination + ",nw_ttl=64,ip_frag=" + which;
    }

    @ParameterizedTest
    @CsvSource({"10.99.1.5, 192.168.1.5", "10.99.1.255, 192.168.1.255", "10.99.2.7, 172.16.0.7"})
    void bothAddressesAreTranslatedEachWay(final String seen, final String outside) {
        node.assertThat(fromHost().tcp(HOST, seen, 80), NEW)
            .endsWith("nw_src=" + PUBLIC, "nw_dst=" + outside, "nw_ttl=63", "dl_dst=" + TRANSIT_MAC).leavesBy("up0");
        node.assertThat(fromWorld().tcp(outside, PUBLIC, 40000), REPLY)
            .meets(Table.NAT_IN_CHECK, "reply of a known connection").meets(Table.CHAIN_IN, seen.equals("10.99.2.7")
                ? "from 172.16.0.7/32, which is seen at 10.99.2.7/32"
                : "from 192.168.1.0/24, which is seen at 10.99.1.0/24");
    }

    @Test
    void aHostWithAnAddressOfItsOwnIsTranslatedWithoutTracking() {
        node.assertThat(fromHost().tcp("192.168.1.10", "10.99.1.10", 80))
            .avoids(Table.NAT_OUT_KNOWN, Table.NAT_TRANSLATE)
            .endsWith("nw_src=" + OWN, "nw_dst=192.168.1.10").leavesBy("up0");
        node.assertThat(fromWorld().tcp("192.168.1.10", OWN, 80)).avoids(Table.NAT_IN)
            .endsWith("nw_src=10.99.1.10", "nw_dst=192.168.1.10", "nw_ttl=63", "dl_vlan=" + VLAN).leavesBy("acc0");
        node.assertThat(fromWorld().ping("172.16.0.7", OWN)).endsWith("nw_src=10.99.2.7").leavesBy("acc0");
    }

    @Test
    void connectionsToServicesComeFromWhereTheNetworkIsSeen() {
        node.assertThat(fromWorld().tcp("192.168.1.20", PUBLIC, 80), NEW, FORWARDED)
            .meets(Table.NAT_IN_CHECK, "port forward web")
            .endsWith("nw_src=10.99.1.20", "nw_dst=192.168.1.20", "tp_dst=8080").leavesBy("acc0");
        node.assertThat(fromHost().tcp("192.168.1.20", "10.99.1.20", 80), REPLY)
            .endsWith("nw_dst=192.168.1.20").leavesBy("up0");
    }

    @Test
    void neighboursAndTheRestOfTheWorldAreWhereTheyAre() {
        node.assertThat(fromHost().tcp(HOST, "192.168.1.20", 80)).endsWith("nw_src=" + HOST, "nw_dst=192.168.1.20")
            .leavesBy("acc0");
        node.assertThat(fromHost().tcp(HOST, WORLD, 80), NEW).meets(Table.CHAIN_OUT, "no chain")
            .endsWith("nw_src=" + PUBLIC, "nw_dst=" + WORLD).leavesBy("up0");
        node.assertThat(fromWorld().tcp(WORLD, OWN, 80)).meets(Table.CHAIN_IN, "no chain")
            .endsWith("nw_src=" + WORLD).leavesBy("acc0");
        node.assertThat(fromHost().tcp(HOST, "10.99.3.5", 80), NEW)
            .isDroppedBy(Table.BACKBONE_ACL, "ACL keep-out entry no-private drop");
    }

    @Test
    void theTenantsListSeesWhatItsHostsSee() {
        node.assertThat(fromHost().tcp(HOST, "10.99.1.5", 80), NEW).meets(Table.TENANT_ACL,
            "ACL web-only entry web permit")
                .meets(Table.CHAIN_OUT, "to 10.99.1.0/24, which is translated to 192.168.1.0/24");
        // The uplink's list forbids 10.0.0.0/8, and sees none of it.
        node.assertThat(fromHost().ping(HOST, "10.99.1.5"), NEW).meets(Table.BACKBONE_ACL,
            "ACL keep-out entry rest permit").leavesBy("up0");
    }

    @Test
    void anAddressMeansOneNetwork() {
        node.assertThat(fromHost().tcp(HOST, "172.16.0.7", 80))
            .isDroppedBy(Table.CHAIN_OUT, "to 172.16.0.7/32, which is seen at 10.99.2.7/32");
        node.assertThat(fromHost().tcp(HOST, "172.16.0.8", 80), NEW).leavesBy("up0");
        node.assertThat(fromWorld().tcp("10.99.1.5", OWN, 80))
            .isDroppedBy(Table.CHAIN_IN, "from 10.99.1.0/24, at which the tenant sees 192.168.1.0/24");
        node.assertThat(fromWorld().tcp("10.99.2.7", PUBLIC, 80), NEW, FORWARDED)
            .isDroppedBy(Table.CHAIN_IN, "from 10.99.2.7/32, at which the tenant sees 172.16.0.7/32");
    }

    @ParameterizedTest
    @ValueSource(strings = {"first", "later"})
    void fragmentsDoNotPass(final String which) {
        // The list of the tenant drops later fragments first, where it has one.
        chained.assertThat(fromChain("tap-out").with(fragment(HOST, "10.99.1.5", which)))
            .isDroppedBy(Table.CHAIN_RETURN, "fragment to 10.99.1.0/24, which is translated to 192.168.1.0/24");
        node.assertThat(fromWorld().with(fragment("192.168.1.5", PUBLIC, which)), REPLY)
            .isDroppedBy(Table.CHAIN_IN, "fragment from 192.168.1.0/24, which is seen at 10.99.1.0/24");
    }

    @Test
    void errorsComeFromWhereTheNetworkIsSeen() {
        final String unreachable = "icmp,icmp_type=3,icmp_code=3,nw_ttl=64,nw_src=192.168.1.7,nw_dst=";
        node.assertThat(fromWorld().with(unreachable + OWN)).endsWith("nw_src=10.99.1.7", "nw_dst=192.168.1.10")
            .leavesBy("acc0");
        node.assertThat(fromWorld().with(unreachable + PUBLIC), RELATED)
            .meets(Table.CHAIN_IN, "from 192.168.1.0/24, which is seen at 10.99.1.0/24");
        node.assertThat(fromWorld().with(unreachable + PUBLIC), INVALID)
            .isDroppedBy(Table.NAT_IN_CHECK, "from the backbone, unsolicited");
    }

    @Test
    void subscribersSeeItToo() {
        try (TracedNode town = teach(Networks.seeing(Fixtures.subscribers(), "10.99.0.0/24", "172.16.0.0/24"));
                TracedNode city = teach(Networks.seeing(Fixtures.onDemand(), "10.99.0.0/24", "172.16.0.0/24"))) {
            town.assertThat(Packet.in("acc0", 500).toGateway().udp("10.0.0.9", "10.99.0.5", 53), NEW)
                .does("nat(src=198.51.100.2:40960-49151)").endsWith("nw_dst=172.16.0.5").leavesBy("up0");
            city.assertThat(Packet.in("acc0", 600).toGateway().udp("10.0.0.6", "10.99.0.5", 53), NEW)
                .does("nat(src=198.51.100.5:1024-1535)").endsWith("nw_dst=172.16.0.5").leavesBy("up0");
        }
    }

    @Test
    void functionsOfTheChainSeeWhatTheHostsSee() {
        chained.assertThat(fromHost().tcp(HOST, "10.99.1.5", 80)).meets(Table.CHAIN_OUT, "chain hop to fw-in")
            .endsWith("nw_src=" + HOST, "nw_dst=10.99.1.5").leavesBy("fw-in");
        chained.assertThat(fromChain("tap-out").tcp(HOST, "10.99.1.5", 80), NEW)
            .meets(Table.CHAIN_RETURN, "to 10.99.1.0/24, which is translated to 192.168.1.0/24")
            .endsWith("nw_src=" + PUBLIC, "nw_dst=192.168.1.5", "vlan_tci=0x0000").leavesBy("up0");
        chained.assertThat(fromWorld().tcp("192.168.1.5", OWN, 80))
            .meets(Table.CHAIN_IN, "chain hop to tap-out, from 192.168.1.0/24, which is seen at 10.99.1.0/24")
            .endsWith("nw_src=10.99.1.5", "nw_dst=192.168.1.10", "dl_vlan=" + VRF).leavesBy("tap-out");
        chained.assertThat(fromChain("fw-in").tcp("10.99.1.5", "192.168.1.10", 80))
            .endsWith("nw_src=10.99.1.5", "nw_dst=192.168.1.10", "dl_vlan=" + VLAN).leavesBy("acc0");
        chained.assertThat(fromChain("tap-out").tcp(HOST, "172.16.0.7", 80))
            .isDroppedBy(Table.CHAIN_RETURN, "to 172.16.0.7/32, which is seen at 10.99.2.7/32");
        chained.assertThat(fromWorld().tcp("10.99.1.5", OWN, 80))
            .isDroppedBy(Table.CHAIN_IN, "from 10.99.1.0/24, at which the tenant sees 192.168.1.0/24");
    }
}
