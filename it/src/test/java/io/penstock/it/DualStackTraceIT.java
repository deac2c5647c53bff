// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import io.penstock.testkit.Trace;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of IPv6 packet ends in the right flow. */
class DualStackTraceIT {
    private static final String HOST = "2001:db8:1::5";
    private static final String GATEWAY = "2001:db8:1::1";
    private static final String LINK_LOCAL_GATEWAY = "fe80::50:53ff:fe00:1";
    private static final String WORLD = "2001:db8:aaaa::10";
    private static final String OTHER_TENANT = "2001:db8:7::5";
    private static final String NOT_SENDERS = "IPv6 source address is not the sender's";

    private static final String ALL_NODES = "33:33:00:00:00:01";

    private static TracedNode node;

    @BeforeAll
    static void start() {
        final Tenant other = Fixtures.tenant("other", 920).with(DualStack.side("2001:db8:7::/64"));
        node = new TracedNode(Fixtures.plan(DualStack.network(DualStack.tenant(), DualStack.chained(), other)));
        node.send(TracedNode.fromTransit().advertisement("2001:db8:ffff::1", "2001:db8:ffff::2"));
        node.send(Packet.in("acc0", 900).solicitation(HOST, GATEWAY));
        node.send(Packet.in("acc1", 901).solicitation("2001:db8:2::9", "2001:db8:2::1"));
        node.send(Packet.in("acc0", 920).solicitation(OTHER_TENANT, "2001:db8:7::1"));
        node.send(Packet.in("acc0", 910).solicitation("2001:db8:6::5", "2001:db8:6::1"));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {GATEWAY, LINK_LOCAL_GATEWAY})
    void gatewaysAnswerForThemselves(final String gateway) {
        node.assertThat(Packet.in("acc0", 900).solicitation(HOST, gateway))
            .meets(Table.ND_REPLY, "solicitation for the gateway " + gateway)
            .meets(Table.ND_ANSWER, "advertisement of a gateway").leavesBy("acc0");
        node.assertThat(Packet.in("acc0", 900).solicitation("fe80::5", gateway)).leavesBy("acc0");
        node.assertThat(Packet.in("acc0", 900).solicitation("::", gateway))
            .meets(Table.ND_REPLY, "solicitation for the gateway " + gateway + ", duplicate address detection")
            .leavesBy("acc0");
        node.assertThat(toGateway("acc0", 900).ping(HOST, gateway)).leavesBy("acc0");
        node.assertThat(toGateway("acc0", 900).ping(HOST, gateway).ttl(1)).leavesBy("acc0");
    }

    @Test
    void nobodyElseIsAGateway() {
        final String label = "neighbour discovery claims the gateway " + GATEWAY;
        node.assertThat(Packet.in("acc0", 900).solicitation(GATEWAY, HOST)).isDroppedBy(Table.ND_LEARN, label);
        node.assertThat(Packet.in("acc0", 900).ethernet(Packet.HOST_MAC, ALL_NODES)
            .advertisement(GATEWAY, "ff02::1")).isDroppedBy(Table.ND_LEARN, label);
        node.assertThat(Packet.in("acc1", 902).ethernet(Packet.HOST_MAC, ALL_NODES)
            .advertisement("2001:db8:2::1", "ff02::1"))
            .isDroppedBy(Table.ND_LEARN, "neighbour discovery claims the gateway 2001:db8:2::1");
        for (final String gateway : List.of(GATEWAY, LINK_LOCAL_GATEWAY)) {
            node.assertThat(Packet.in("acc0", 900).ping(gateway, "2001:db8:1::6"))
                .isDroppedBy(Table.ACCESS_LEARN, "packet from the address of the gateway " + gateway);
        }
    }

    /** Of a source the switch looks only at the bits by which it differs from the gateway. */
    @Test
    void hostsShareACachedFlow() {
        final Trace trace = node.trace(toGateway("acc0", 900).ping("2001:db8:1:0:8000::5", WORLD));
        assertThat(trace.text()).containsPattern("Megaflow: .*ipv6_src=2001:db8:1:0:8000::/65,");
    }

    @Test
    void discoveryBetweenHostsIsBridged() {
        node.assertThat(Packet.in("acc0", 900).solicitation(HOST, "2001:db8:1::6")).leavesBy("acc1");
        node.assertThat(Packet.in("acc0", 900).solicitation("::", "2001:db8:1::6")).leavesBy("acc1");
        node.assertThat(toGateway("acc0", 900).advertisement(HOST, GATEWAY))
            .isDroppedBy(Table.ND_REPLY, "neighbour discovery to the gateway, learned");
        node.assertThat(Packet.in("acc0", 900).solicitation(HOST, "2001:db8:1::6").ttl(254))
            .isDroppedBy(Table.ND_GUARD, "neighbour discovery for an address that is not the sender's");
        node.assertThat(Packet.in("acc1", 902)
            .solicitation("2001:db8:2::7", "2001:db8:2::6").ttl(254))
            .isDroppedBy(Table.ND_LEARN, "neighbour discovery from another link");
    }

    @Test
    void discoveryAboutOthersIsDropped() {
        final String label = "neighbour discovery for an address that is not the sender's";
        node.assertThat(Packet.in("acc0", 900).solicitation(OTHER_TENANT, GATEWAY)).isDroppedBy(Table.ND_GUARD, label);
        node.assertThat(toGateway("acc0", 900).advertisement(WORLD, GATEWAY)).isDroppedBy(Table.ND_GUARD, label);
    }

    @ParameterizedTest
    @CsvSource({"2001:db8:2::5, 900", "2001:db8:7::5, 900", "::, 900", "2001:db8:1000::1, 900", "2001:db8:1::5, 901"})
    void spoofedSourcesAreDropped(final String source, final int vlan) {
        node.assertThat(toGateway(vlan == 900 ? "acc0" : "acc1", vlan).tcp(source, WORLD, 80))
            .isDroppedBy(Table.ACCESS_GUARD, NOT_SENDERS);
    }

    @Test
    void behindARouterAreItsAddresses() {
        node.assertThat(toGateway("acc1", 901).tcp("2001:db8:1fff::1", WORLD, 80))
            .meets(Table.ACCESS_GUARD, "from 2001:db8:1000::/36").leavesBy("up0");
    }

    @ParameterizedTest
    @CsvSource({"134, router advertisement", "137, redirect"})
    void aHostIsNoRouter(final int type, final String what) {
        final String fields =
            "icmp6,icmpv6_type=" + type + ",icmpv6_code=0,ipv6_src=fe80::5,ipv6_dst=ff02::1,nw_ttl=255";
        node.assertThat(Packet.in("acc0", 900).ethernet(Packet.HOST_MAC, ALL_NODES).with(fields))
            .isDroppedBy(Table.L2_FORWARD, what + " of a host on a");
        node.assertThat(Packet.in("acc1", 902).ethernet(Packet.HOST_MAC, ALL_NODES).with(fields)).leavesBy("acc1");
    }

    /** Nor when it says so in pieces (RFC 7113, section 3), of which no table sees the type. */
    @ParameterizedTest
    @CsvSource({"first, 58", "later, 44", "first, 60"})
    void aHostIsNoRouterInPieces(final String piece, final int protocol) {
        final Packet packet = Packet.in("acc0", 900).ethernet(Packet.HOST_MAC, ALL_NODES);
        final String fields = ",ipv6_dst=ff02::1,nw_ttl=255,nw_frag=" + piece + ",nw_proto=" + protocol;
        node.assertThat(packet.with("ipv6,ipv6_src=fe80::5" + fields))
            .isDroppedBy(Table.L2_FORWARD, "fragment from a link-local address of a host on a");
        node.assertThat(packet.with("ipv6,ipv6_src=" + HOST + fields)).leavesBy("acc1");
    }

    @Test
    void aHostIsNoDhcpServer() {
        node.assertThat(host("acc0", 900).udp("fe80::5", "fe80::6", 546))
            .isDroppedBy(Table.L2_FORWARD, "DHCPv6 answer of a host on a");
    }

    @Test
    void whatARouterHasToHearGoesToTheController() {
        for (final String source : new String[] {"fe80::5", "::"}) {
            node.assertThat(Packet.in("acc0", 900).ethernet(Packet.HOST_MAC, "33:33:00:00:00:02").with("icmp6,"
                + "icmpv6_type=133,icmpv6_code=0,ipv6_src=" + source + ",ipv6_dst=ff02::2,nw_ttl=255"))
                .meets(Table.IPV6_REQUEST, "router solicitation or DHCPv6 request").does("meter").goesToController();
        }
        node.assertThat(Packet.in("acc0", 900).ethernet(Packet.HOST_MAC, "33:33:00:01:00:02")
            .udp("fe80::5", "ff02::1:2", 547)).does("meter").goesToController();
    }

    @Test
    void groupsOfTheLinkAreBridged() {
        node.assertThat(Packet.in("acc0", 900).ethernet(Packet.HOST_MAC, "33:33:00:00:00:fb")
            .udp("fe80::5", "ff02::fb", 5353)).leavesBy("acc1");
        node.assertThat(Packet.in("acc0", 900).ethernet(Packet.HOST_MAC, "33:33:00:00:00:16").with("icmp6,"
            + "icmpv6_type=143,icmpv6_code=0,ipv6_src=::,ipv6_dst=ff02::16,nw_ttl=1")).leavesBy("acc1");
    }

    @Test
    void toTheWorldAndBack() {
        node.assertThat(toGateway("acc0", 900).tcp(HOST, WORLD, 80)).meets(Table.TENANT_ACL, "ACL six entry web permit")
            .meets(Table.CHAIN_OUT, "no chain, and IPv6 is not translated").does("hlimit=63").leavesBy("up0");
        node.assertThat(TracedNode.fromTransit().tcp(WORLD, HOST, 40000)).meets(Table.BACKBONE_IN,
            "to 2001:db8:1::/64").leavesBy("acc0");
        node.assertThat(TracedNode.fromTransit().tcp(WORLD, "2001:db8:1001::1", 40000))
            .meets(Table.VRF_ROUTE, "route 2001:db8:1000::/36").leavesBy("acc1");
    }

    @Test
    void listsApplyToIpv6() {
        node.assertThat(toGateway("acc0", 900).ping(HOST, WORLD)).leavesBy("up0");
        node.assertThat(toGateway("acc0", 900).udp(HOST, WORLD, 53))
            .isDroppedBy(Table.TENANT_ACL, "ACL six permits no such packet");
        node.assertThat(toGateway("acc0", 900).tcp(HOST, "2001:db8:bad::1", 80))
            .isDroppedBy(Table.TENANT_ACL, "ACL six entry lab drop");
    }

    @Test
    void insideTheVrfPacketsAreRouted() {
        node.assertThat(toGateway("acc0", 900).udp(HOST, "2001:db8:2::9", 53))
            .meets(Table.VRF_ROUTE, "connected 2001:db8:2::/64").leavesBy("acc1");
        node.assertThat(toGateway("acc0", 900).udp(HOST, "2001:db8:2::77", 53))
            .meets(Table.NEIGHBOUR_FOUND, "request the address of the next hop").goesToController();
    }

    @ParameterizedTest
    @CsvSource({"fe80::5, not forwarded", "ff05::1, not forwarded"})
    void whatIsOfALinkStaysThere(final String destination, final String why) {
        node.assertThat(toGateway("acc0", 900).udp(HOST, destination, 53)).leavesBy();
        node.assertThat(toGateway("acc0", 900).udp("fe80::5", WORLD, 53)).isDroppedBy(Table.GATEWAY,
            "source is not inside the VRF");
    }

    @Test
    void theSenderIsToldOfAUsedUpHopLimit() {
        node.assertThat(toGateway("acc0", 900).tcp(HOST, WORLD, 80).ttl(1))
            .meets(Table.GATEWAY, "hop limit 1 is used up").meets(Table.ROUTING_ERROR, "ICMP error to the sender")
            .goesToController();
        node.assertThat(TracedNode.fromTransit().tcp(WORLD, HOST, 80).ttl(1))
            .meets(Table.BACKBONE_IN, "hop limit 1 is used up")
            .meets(Table.ROUTING_ERROR, "ICMP error to the sender, backbone").goesToController();
    }

    @Test
    void tenantsMeetInTheBackboneOnly() {
        node.assertThat(toGateway("acc0", 900).tcp(HOST, OTHER_TENANT, 80))
            .meets(Table.TENANT_ACL, "ACL six entry web permit")
            .meets(Table.BACKBONE_ROUTE, "hairpin to 2001:db8:7::/64").leavesBy("acc0");
        node.assertThat(toGateway("acc0", 920).tcp(HOST, WORLD, 80))
            .isDroppedBy(Table.ACCESS_GUARD, NOT_SENDERS);
        // What nobody has inside does not go round.
        node.assertThat(toGateway("acc0", 920).tcp(OTHER_TENANT, "2001:db8:7::1", 80))
            .isDroppedBy(Table.GATEWAY, "to the gateway 2001:db8:7::1, not ping");
    }

    @Test
    void theBackboneTakesOnlyWhatIsOurs() {
        node.assertThat(TracedNode.fromTransit().tcp(WORLD, "2001:db8:99::1", 80))
            .isDroppedBy(Table.BACKBONE_IN, "from the backbone, destination not on this node");
        node.assertThat(TracedNode.fromTransit().tcp(WORLD, GATEWAY, 80))
            .isDroppedBy(Table.VRF_ROUTE, "to the gateway " + GATEWAY + " from outside the VRF");
    }

    @Test
    void theBackboneAddressIsOursAlone() {
        final Packet uplink = Packet.in("up0");
        node.assertThat(uplink.solicitation("2001:db8:ffff::1", "2001:db8:ffff::2")).leavesBy("up0");
        node.assertThat(uplink.solicitation("fe80::99", "2001:db8:ffff::2")).leavesBy("up0");
        node.assertThat(uplink.solicitation("2001:db8:ffff::1", "2001:db8:ffff::3"))
            .meets(Table.BACKBONE_ND, "learn neighbours on up0").leavesBy();
        node.assertThat(uplink.solicitation("2001:db8:ffff::1", HOST)).leavesBy();
        node.assertThat(TracedNode.fromTransit().ping("2001:db8:ffff::1", "2001:db8:ffff::2")).leavesBy("up0");
        node.assertThat(TracedNode.fromTransit().advertisement("2001:db8:ffff::2", "2001:db8:ffff::2"))
            .isDroppedBy(Table.BACKBONE_ND, "neighbour discovery claims the backbone address");
    }

    @Test
    void functionsSeeIpv6() {
        node.assertThat(toGateway("acc0", 910).tcp("2001:db8:6::5", WORLD, 80))
            .meets(Table.CHAIN_OUT, "chain hop to fw-in").leavesBy("fw-in");
        final int vrf = 2;
        node.assertThat(Packet.in("tap-out", vrf).toGateway().tcp("2001:db8:6::5", WORLD, 80))
            .meets(Table.CHAIN_RETURN, "IPv6 to the backbone from tap-out").leavesBy("up0");
        node.assertThat(TracedNode.fromTransit().tcp(WORLD, "2001:db8:6::5", 80))
            .meets(Table.CHAIN_IN, "chain hop to tap-out").leavesBy("tap-out");
        node.assertThat(Packet.in("fw-in", vrf).toGateway().tcp(WORLD, "2001:db8:6::5", 80)).leavesBy("acc0");
    }

    private static Packet host(final String port, final int vlan) {
        return Packet.in(port, vlan).ethernet(Packet.HOST_MAC, "02:00:00:00:00:06");
    }

    private static Packet toGateway(final String port, final int vlan) {
        return Packet.in(port, vlan).toGateway();
    }
}
