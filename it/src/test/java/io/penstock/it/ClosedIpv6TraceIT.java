// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Packet;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Without a permission only replies come to a tenant by IPv6, and nothing passes a list whose flows are gone. */
class ClosedIpv6TraceIT {
    private static final String LISTED = "2001:db8:1::5";
    private static final String CLOSED = "2001:db8:7::5";
    private static final String OPEN = "2001:db8:8::5";
    private static final String WORLD = "2001:db8:aaaa::10";
    private static final String REFUSED = "IPv6 from outside the VRF without a permission";

    private static TracedNode node;

    @BeforeAll
    static void start() {
        final Tenant closed = Fixtures.tenant("closed", 920).with(new Ipv6Side(
            List.of(DualStack.subnet("2001:db8:7::/64", List.of())), List.of()));
        final Tenant open = Fixtures.tenant("open", 921).with(DualStack.side("2001:db8:8::/64"));
        node = new TracedNode(Fixtures.plan(DualStack.network(DualStack.closed(), closed, open)));
        node.send(TracedNode.fromTransit().advertisement("2001:db8:ffff::1", "2001:db8:ffff::2"));
        node.send(Packet.in("acc0", 900).solicitation(LISTED, "2001:db8:1::1"));
        node.send(Packet.in("acc0", 920).solicitation(CLOSED, "2001:db8:7::1"));
        node.send(Packet.in("acc0", 921).solicitation(OPEN, "2001:db8:8::1"));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void theTenantMayBegin() {
        node.assertThat(host(920).tcp(CLOSED, WORLD, 80), TracedNode.NEW)
            .meets(Table.TENANT_ACL, "no list, connection is tracked for replies").leavesBy("up0");
        node.assertThat(host(900).tcp(LISTED, WORLD, 80), TracedNode.NEW)
            .meets(Table.TENANT_ACL, "ACL six entry web permit").leavesBy("up0");
        node.assertThat(host(900).udp(LISTED, WORLD, 53), TracedNode.NEW)
            .isDroppedBy(Table.TENANT_ACL_REPLY, "ACL six permits no such packet");
    }

    @Test
    void repliesAndErrorsComeIn() {
        for (final String state : List.of(TracedNode.REPLY, TracedNode.RELATED)) {
            node.assertThat(TracedNode.fromTransit().tcp(WORLD, CLOSED, 40000), state).leavesBy("acc0");
        }
        // A reply to what the list of the other direction permits, and to what it does not.
        node.assertThat(TracedNode.fromTransit().tcp(WORLD, LISTED, 40000), TracedNode.REPLY).leavesBy("acc0");
        node.assertThat(TracedNode.fromTransit().udp(WORLD, LISTED, 40000), TracedNode.REPLY)
            .isDroppedBy(Table.TENANT_ACL_IN_REPLY, REFUSED);
    }

    @Test
    void nothingElseComesIn() {
        for (final String inside : List.of(CLOSED, LISTED)) {
            for (final String state : List.of(TracedNode.NEW, TracedNode.ESTABLISHED)) {
                node.assertThat(TracedNode.fromTransit().tcp(WORLD, inside, 22), state)
                    .isDroppedBy(Table.TENANT_ACL_IN_REPLY, REFUSED);
            }
            node.assertThat(TracedNode.fromTransit().tcp(WORLD, inside, 22), TracedNode.INVALID)
                .isDroppedBy(Table.TRACKED, TracedNode.NOT_VALID);
        }
        node.assertThat(TracedNode.fromTransit().tcp(WORLD, OPEN, 22)).leavesBy("acc0");
    }

    @Test
    void anotherTenantIsOutsideToo() {
        node.assertThat(host(921).tcp(OPEN, CLOSED, 22), TracedNode.NEW)
            .isDroppedBy(Table.TENANT_ACL_IN_REPLY, REFUSED);
        node.assertThat(host(920).tcp(CLOSED, OPEN, 22), TracedNode.NEW).leavesBy("acc0");
    }

    @Test
    void aListWhoseFlowsAreGoneLetsNothingPass() {
        try (TracedNode damaged = new TracedNode(Fixtures.plan(DualStack.network(DualStack.tenant())))) {
            damaged.send(TracedNode.fromTransit().advertisement("2001:db8:ffff::1", "2001:db8:ffff::2"));
            damaged.assertThat(host(900).tcp(LISTED, WORLD, 80)).leavesBy("up0");
            damaged.delete(Table.TENANT_ACL, 2);
            damaged.assertThat(host(900).tcp(LISTED, WORLD, 80))
                .isDroppedBy(Table.TENANT_ACL, "the flows of the list are missing");
        }
    }

    private static Packet host(final int vlan) {
        return Packet.in("acc0", vlan).toGateway();
    }
}
