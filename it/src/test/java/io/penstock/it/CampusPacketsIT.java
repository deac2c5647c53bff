// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Packets inside a tenant: bridging between attachments, routing between subnets, a router behind a host. */
class CampusPacketsIT {
    private static final String PUBLIC = "203.0.113.21";
    private static final String WIDE_GATEWAY = "10.1.0.1";
    private static final String LONE_GATEWAY = "10.2.0.1";
    private static final String BEHIND = "172.16.9.9";
    private static final int WEB = 80;

    private static PacketNode node;
    /** On acc0/300 and acc1/301, which are one broadcast domain. */
    private static Host left;
    private static Host right;
    /** On acc1/302, by itself; the route to 172.16.0.0/12 leads to it. */
    private static Host router;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        left = node.network().host("acc0", 300, "10.1.0.5/16", WIDE_GATEWAY);
        right = node.network().host("acc1", 301, "10.1.0.6/16", WIDE_GATEWAY);
        router = node.network().host("acc1", 302, "10.2.0.9/24", LONE_GATEWAY);
        router.shell().run("ip", "address", "add", BEHIND + "/32", "dev", "lo");
        node.network().server().serveTcp(WEB);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void load() {
        node.load(Networks.of(Networks.campus(PUBLIC)));
        for (final Host host : List.of(left, right, router)) {
            host.meets(host == router ? LONE_GATEWAY : WIDE_GATEWAY);
        }
    }

    @Test
    void hostsOfADomainMeetWithoutTheRouter() {
        try (Capture here = right.capture("icmp"); Capture other = router.capture("host " + left.address())) {
            left.reaches(right.address());
            final String request = Await.until("the ping arrives", here::frames, frames -> !frames.isEmpty()).get(0);
            assertThat(request).contains(left.mac() + " > " + right.mac());
            assertThat(other.all()).isEmpty();
        }
        Await.until("the flood is counted", () -> node.packets(Table.L2_FORWARD, "flood from a"), count -> count > 0);
        Await.until("the way was learned", () -> node.packets(Table.L2_FORWARD, "host found"), count -> count > 0);
        assertThat(right.shell().run("ip", "neighbour", "show", left.address())).contains(left.mac());
    }

    @Test
    void whatTheCustomersSwitchFloodsDoesNotComeBack() {
        final Host beside = node.network().host("acc1", 301, "10.1.0.7/16", WIDE_GATEWAY);
        beside.reaches(right.address());
        right.reaches(WIDE_GATEWAY);
        // Its switch forgets where the hosts are, so the next frame comes to the node as well.
        node.network().forgetMacAddresses("acc1");
        try (Capture capture = right.capture("icmp[icmptype] == icmp-echo")) {
            beside.reaches(right.address());
            Await.until("the drop is counted",
                () -> node.packets(Table.L2_FORWARD, "host is at the attachment that the frame came from"),
                    count -> count > 0);
            Await.until("the frame arrives", capture::frames, frames -> !frames.isEmpty());
            assertThat(capture.all()).hasSize(1);
        }
    }

    @Test
    void subnetsAreRouted() {
        left.reaches(router.address());
        router.reaches(right.address());
        assertThat(left.shell().run("ping", "-n", "-c", "1", "-W", "60", router.address())).contains("ttl=63");
        left.shell().run("ping", "-n", "-c", "2", "-i", "0.2", "-W", "60", "-M", "do", "-s", "1472", router.address());
    }

    @Test
    void whatIsBehindARouterIsInside() {
        left.reaches(BEHIND);
        router.shell().run("ping", "-n", "-c", "1", "-W", "5", "-I", BEHIND, right.address());
        router.shell().run("ping", "-n", "-c", "1", "-W", "5", "-I", BEHIND, EdgeNetwork.SERVER);
        assertThat(right.askTcp(EdgeNetwork.SERVER, WEB)).isEqualTo(PUBLIC);
        // What is neither a subnet nor routed is not.
        router.shell().run("ip", "address", "add", "192.168.9.9/32", "dev", "lo");
        assertThat(router.shell().attempt("ping", "-n", "-c", "1", "-W", "1", "-I", "192.168.9.9",
            EdgeNetwork.SERVER).isGood()).isFalse();
        router.shell().run("ip", "address", "delete", "192.168.9.9/32", "dev", "lo");
        Await.until("the drop is counted", () -> node.packets(Table.ACCESS_GUARD, "source address is not the sender's"),
            count -> count > 0);
    }

    @Test
    void aHostThatMovesIsFoundAgain() {
        left.reaches(right.address());
        router.reaches(right.address());
        node.network().move(right, "acc0", 300);
        try {
            announce();
            router.reaches(right.address());
            left.reaches(right.address());
        } finally {
            node.network().move(right, "acc1", 301);
        }
        announce();
        router.reaches(right.address());
        left.reaches(right.address());
    }

    /** As a host does after a move (RFC 5227, section 3). */
    private static void announce() {
        right.shell().run("arping", "-q", "-U", "-c", "2", "-I", Host.DEVICE, right.address());
    }
}
