// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries over IPv6 get to the resolver of the node, and answers back. */
class DualStackDnsTraceIT {
    private static final String HOST = "2001:db8:1::5";
    private static final String GATEWAY = "2001:db8:1::1";
    private static final String OTHER_HOST = "2001:db8:2::9";
    private static final String OTHER_GATEWAY = "2001:db8:2::1";
    private static final String LINK_LOCAL = "fe80::5";
    private static final String LINK_LOCAL_GATEWAY = Constants.GATEWAY_LINK_LOCAL.toString();
    private static final String INSIDE_RESOLVER = "2001:db8:2::53";
    /** Of the first and of the second IPv6 subnet of the first VRF. */
    private static final String SERVICE = "fd50:7300:0:2::53";
    private static final String OTHER_SERVICE = "fd50:7300:0:2:1::53";
    private static final String RESOLVER_MAC = Constants.RESOLVER_MAC.toString();
    private static final String WORLD = "2001:db8:aaaa::10";
    private static final String NOT_FORWARDED = "to fe80::/10, which is not forwarded";
    private static final int DNS = 53;
    private static final int ANY_PORT = 40000;

    private static TracedNode node;

    @BeforeAll
    static void start() {
        final var without = Fixtures.tenant("without", 920).with(DualStack.side("2001:db8:7::/64"));
        node = new TracedNode(Fixtures.plan(Fixtures.serving(DualStack.network(DualStack.served(), without))));
        node.send(Packet.in("acc0", 900).solicitation(HOST, GATEWAY));
        node.send(Packet.in("acc1", 901).solicitation(OTHER_HOST, OTHER_GATEWAY));
        node.send(Packet.in("acc1", 901).solicitation(INSIDE_RESOLVER, OTHER_GATEWAY));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void queriesGoToTheResolver() {
        for (final Packet query : new Packet[] {host().udp(HOST, GATEWAY, DNS), host().tcp(HOST, GATEWAY, DNS),
                host().udp(HOST, GATEWAY, DNS).ttl(1)}) {
            node.assertThat(query).meets(Table.GATEWAY, "query to the gateway " + GATEWAY).does("meter")
                .endsWith("ipv6_dst=" + SERVICE, "ipv6_src=" + HOST, "dl_dst=" + RESOLVER_MAC).leavesBy("svc0");
        }
        node.assertThat(host().udp(HOST, OTHER_GATEWAY, DNS)).endsWith("ipv6_dst=" + OTHER_SERVICE).leavesBy("svc0");
        node.assertThat(Packet.in("acc1", 901).toGateway().udp(OTHER_HOST, OTHER_GATEWAY, DNS))
            .endsWith("ipv6_dst=" + OTHER_SERVICE).leavesBy("svc0");
        node.assertThat(host().udp("10.0.0.5", "10.0.0.1", DNS)).endsWith("nw_dst=240.0.2.0").leavesBy("svc0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"udp", "tcp"})
    void answersComeFromTheGateway(final String protocol) {
        node.assertThat(answer(protocol, SERVICE, HOST))
            .meets(Table.DNS_RETURN, "answer of the gateway " + GATEWAY)
            .endsWith("ipv6_src=" + GATEWAY, "ipv6_dst=" + HOST, "dl_dst=" + Packet.HOST_MAC).leavesBy("acc0");
        node.assertThat(answer(protocol, OTHER_SERVICE, OTHER_HOST)).endsWith("ipv6_src=" + OTHER_GATEWAY)
            .leavesBy("acc1");
    }

    @Test
    void answersStayInside() {
        node.assertThat(answer("udp", SERVICE, WORLD)).meets(Table.VRF_ROUTE, "no route").goesToController();
    }

    @Test
    void thatIsAllTheGatewayServes() {
        node.assertThat(host().udp(HOST, GATEWAY, 54))
            .isDroppedBy(Table.GATEWAY, "to the gateway " + GATEWAY + ", not ping");
        node.assertThat(TracedNode.fromTransit().udp(WORLD, GATEWAY, DNS))
            .isDroppedBy(Table.VRF_ROUTE, "to the gateway " + GATEWAY + " from outside the VRF");
        node.assertThat(Packet.in("acc0", 920).toGateway().udp("2001:db8:7::5", "2001:db8:7::1", DNS))
            .isDroppedBy(Table.GATEWAY, "to the gateway 2001:db8:7::1, not ping");
        node.assertThat(host().udp(HOST, SERVICE, DNS)).isDroppedBy(Table.TENANT_ACL, "ACL six permits no such packet");
    }

    @Test
    void linkLocalAddressesAreNotAnsweredAt() {
        node.assertThat(host().udp(LINK_LOCAL, LINK_LOCAL_GATEWAY, DNS))
            .isDroppedBy(Table.GATEWAY, "source is not inside the VRF");
        node.assertThat(host().udp(HOST, LINK_LOCAL_GATEWAY, DNS)).isDroppedBy(Table.VRF_ROUTE, NOT_FORWARDED);
        node.assertThat(answer("udp", SERVICE, LINK_LOCAL)).isDroppedBy(Table.VRF_ROUTE, NOT_FORWARDED);
    }

    @Test
    void theResolverSpeaksForItsTenantsAlone() {
        final String label = "not an answer of the resolver";
        node.assertThat(answer("udp", "fd50:7300:0:3::53", "2001:db8:7::5")).isDroppedBy(Table.DNS_RETURN, label);
        node.assertThat(answer("udp", "fd50:7300:0:2::54", HOST)).isDroppedBy(Table.DNS_RETURN, label);
        node.assertThat(Packet.in("svc0").ethernet(RESOLVER_MAC, "33:33:00:00:00:02").with("icmp6,icmpv6_type=133,"
            + "icmpv6_code=0,ipv6_src=fe80::50:53ff:fe00:2,ipv6_dst=ff02::2,nw_ttl=255"))
            .isDroppedBy(Table.DNS_RETURN, label);
    }

    @Test
    void theTenantsOwnResolverIsAskedByItsGateway() {
        node.assertThat(resolver().udp(SERVICE, INSIDE_RESOLVER, DNS))
            .meets(Table.DNS_RETURN, "query to " + INSIDE_RESOLVER)
            .endsWith("ipv6_src=" + GATEWAY, "ipv6_dst=" + INSIDE_RESOLVER).leavesBy("acc1");
        node.assertThat(Packet.in("acc1", 901).toGateway().with(from53("udp", INSIDE_RESOLVER, GATEWAY)))
            .meets(Table.GATEWAY, "answer of " + INSIDE_RESOLVER).endsWith("ipv6_dst=" + SERVICE).leavesBy("svc0");
        node.assertThat(Packet.in("acc1", 901).toGateway().with(from53("udp", OTHER_HOST, GATEWAY)))
            .isDroppedBy(Table.GATEWAY, "to the gateway " + GATEWAY + ", not ping");
    }

    private static Packet host() {
        return Packet.in("acc0", 900).toGateway();
    }

    private static Packet resolver() {
        return Packet.in("svc0").ethernet(RESOLVER_MAC, Packet.GATEWAY_MAC);
    }

    private static Packet answer(final String protocol, final String source, final String host) {
        return resolver().with(from53(protocol, source, host));
    }

    private static String from53(final String protocol, final String source, final String destination) {
        return "%s6,%1$s_src=%d,%1$s_dst=%d,ipv6_src=%s,ipv6_dst=%s,nw_ttl=64"
            .formatted(protocol, DNS, ANY_PORT, source, destination);
    }
}
