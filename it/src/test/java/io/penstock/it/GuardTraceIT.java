// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static io.penstock.it.TracedNode.NEW;
import static io.penstock.it.TracedNode.WORLD;

import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A domain with a DHCP server: who may send from which address, and what reaches the server. */
@Tag("hostile")
class GuardTraceIT {
    private static final String LEASED_MAC = "02:00:00:00:00:01";
    private static final String FORMER_MAC = "02:00:00:00:00:02";
    private static final String RESERVED_MAC = "02:00:00:00:00:10";
    private static final String BESIDE_MAC = "02:00:00:00:00:20";
    private static final String STRANGE_MAC = "02:00:00:00:00:77";
    private static final String NOT_SENDERS = "source address is not the sender's";
    private static final String NO_LEASE = "address of a DHCP pool or reservation without a lease";

    private static TracedNode node;

    @BeforeAll
    static void start() {
        node = new TracedNode(Fixtures.plan(Fixtures.network(Fixtures.served())));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @ParameterizedTest
    @CsvSource({
        "acc0, 10.3.0.101, " + LEASED_MAC + ", lease",
        "acc0, 10.3.0.110, " + RESERVED_MAC + ", reservation",
        "acc1, 10.3.0.110, " + RESERVED_MAC + ", reservation",
        "acc1, 10.3.0.20, " + BESIDE_MAC + ", reservation",
        "acc1, 10.3.0.30, " + STRANGE_MAC + ", reservation of the attachment",
        "acc0, 10.3.0.9, " + STRANGE_MAC + ", from desks",
        "acc0, 10.3.0.155, " + STRANGE_MAC + ", from desks"})
    void whoHasAnAddressSendsFromIt(final String port, final String address, final String mac, final String label) {
        node.assertThat(from(port, mac).udp(address, WORLD, 7), NEW).meets(Table.ACCESS_GUARD, label)
            .meets(Table.VRF_ROUTE, "to the backbone");
        node.assertThat(arp(port, mac, address)).meets(Table.ACCESS_GUARD, label)
            .meets(Table.ACCESS_LEARN, "learn neighbours of desks");
    }

    @ParameterizedTest
    @CsvSource({
        "acc1, 10.3.0.101, " + LEASED_MAC + ", " + NO_LEASE,
        "acc0, 10.3.0.101, " + STRANGE_MAC + ", " + NO_LEASE,
        "acc0, 10.3.0.102, " + FORMER_MAC + ", " + NO_LEASE,
        "acc0, 10.3.0.110, " + LEASED_MAC + ", " + NO_LEASE,
        "acc0, 10.3.0.20, " + STRANGE_MAC + ", " + NO_LEASE,
        "acc0, 10.3.0.30, " + STRANGE_MAC + ", " + NO_LEASE,
        "acc0, 10.3.0.199, " + STRANGE_MAC + ", " + NO_LEASE,
        "acc0, 10.4.0.5, " + STRANGE_MAC + ", " + NOT_SENDERS,
        "acc0, 172.16.0.1, " + STRANGE_MAC + ", " + NOT_SENDERS,
        "acc0, 198.18.0.10, " + STRANGE_MAC + ", " + NOT_SENDERS})
    void whoHasItNotDoesNot(final String port, final String address, final String mac, final String label) {
        node.assertThat(from(port, mac).udp(address, WORLD, 7)).isDroppedBy(Table.ACCESS_GUARD, label);
        node.assertThat(arp(port, mac, address)).isDroppedBy(Table.ACCESS_GUARD, label);
    }

    @Test
    void anArpOfAnotherThanTheSenderIsDropped() {
        node.assertThat(Packet.in("acc0", 800).ethernet(STRANGE_MAC, Packet.BROADCAST).with("arp,arp_op=1,arp_sha="
            + LEASED_MAC + ",arp_spa=10.3.0.101,arp_tpa=10.3.0.1")).isDroppedBy(Table.ACCESS_GUARD, NO_LEASE);
    }

    @Test
    void whoIsTrustedSendsFromAnyAddress() {
        node.assertThat(Packet.in("acc1", 801).toGateway().udp("172.16.0.1", WORLD, 7), NEW)
            .meets(Table.VRF_ROUTE, "to the backbone");
    }

    @Test
    void aHostWithoutAnAddressReachesTheServerAndNobodyElse() {
        node.assertThat(from("acc0", STRANGE_MAC, Packet.BROADCAST).udp("0.0.0.0", "255.255.255.255", 67))
            .meets(Table.L2_LOOKUP, "DHCP broadcast").meets(Table.DHCP_REQUEST, "to the DHCP server")
            .does("meter").goesToController();
        node.assertThat(from("acc0", STRANGE_MAC).udp("0.0.0.0", WORLD, 67))
            .isDroppedBy(Table.ACCESS_GUARD, NOT_SENDERS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.3.0.1", "10.4.0.1"})
    void whoRenewsSpeaksToAGateway(final String gateway) {
        node.assertThat(from("acc0", LEASED_MAC).udp("10.3.0.101", gateway, 67))
            .meets(Table.DHCP_REQUEST, "to the DHCP server").goesToController();
    }

    @Test
    void theAnswerToAProbeIsAConflictAndTeachesNothing() {
        node.assertThat(Packet.in("acc0", 800).ethernet(STRANGE_MAC, Packet.GATEWAY_MAC).with("arp,arp_op=2,arp_sha="
            + STRANGE_MAC + ",arp_spa=10.3.0.140,arp_tpa=0.0.0.0"))
            .meets(Table.ACCESS_GUARD, "conflict: answer to a probe of the DHCP server").does("meter")
            .goesToController();
    }

    @Test
    void aHostIsNoServer() {
        node.assertThat(from("acc0", STRANGE_MAC, Packet.BROADCAST).udp("10.3.0.9", "255.255.255.255", 68))
            .isDroppedBy(Table.L2_FORWARD, "DHCP answer of a host on east");
    }

    /** The tenant has no IPv6, but kernels of its hosts do. */
    @ParameterizedTest
    @CsvSource({"'icmp6,icmpv6_type=134,icmpv6_code=0', router advertisement", "'icmp6,icmpv6_type=137', redirect",
        "'udp6,udp_dst=546', DHCPv6 answer", "'ipv6,nw_frag=first,nw_proto=60', fragment from a link-local address",
        "'ipv6,nw_frag=later,nw_proto=44', fragment from a link-local address"})
    void aHostIsNoRouterOfIpv6(final String fields, final String what) {
        final String addresses = ",ipv6_src=fe80::5,ipv6_dst=ff02::1,nw_ttl=255";
        node.assertThat(from("acc0", STRANGE_MAC, "33:33:00:00:00:01").with(fields + addresses))
            .isDroppedBy(Table.L2_FORWARD, what + " of a host on east");
    }

    @Test
    void theRestOfItsIpv6IsBridged() {
        node.assertThat(from("acc0", STRANGE_MAC, "33:33:00:00:00:01")
            .with("icmp6,icmpv6_type=136,icmpv6_code=0,ipv6_src=fe80::5,ipv6_dst=ff02::1,nw_ttl=255"))
            .leavesBy("acc1");
    }

    private static Packet from(final String port, final String mac) {
        return from(port, mac, Packet.GATEWAY_MAC);
    }

    private static Packet from(final String port, final String mac, final String to) {
        return Packet.in(port, 800).ethernet(mac, to);
    }

    private static Packet arp(final String port, final String mac, final String address) {
        return from(port, mac, Packet.BROADCAST).with("arp,arp_op=1,arp_sha=" + mac + ",arp_spa=" + address
            + ",arp_tpa=10.3.0.1");
    }
}
