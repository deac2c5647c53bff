// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Arp;
import io.penstock.frames.Bytes;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Ipv4Packet;
import io.penstock.frames.PseudoHeader;
import io.penstock.frames.Udp;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A switch that is started again: its flows are there, and it learns again who is where without being asked. */
@OnEdge
class FreshSwitchIT {
    private static final int VLAN = 100;
    private static final long HOST = 0x020000000005L;
    private static final long INSIDE = Ipv4.parse("10.0.0.5").number();
    private static final String BLOCK = "{'port-block': [{'inside-prefix': '10.0.0.0/29', "
        + "'public-prefix': '198.51.100.32/32'}]}";

    private final Edge edge;
    private final DummyNode node;

    FreshSwitchIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeEach
    void reset() {
        edge.reset();
    }

    private void put(final String nat) {
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(Documents.translated(
            Documents.tenant("acme", node.name(), VLAN, Documents.FIRST_POOL), nat))));
        edge.awaitSync();
    }

    private Duration restart() {
        node.ovs().killSwitch();
        Await.until("the controller has noticed", () -> !edge.isConnected(node));
        final long begun = System.nanoTime();
        node.ovs().up();
        Await.until("the flows are there", () -> node.isClassified(VLAN));
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    private long sentFrames() {
        return Long.parseLong(node.ovs().vsctl("get", "Interface", Documents.ACCESS, "statistics:tx_packets"));
    }

    @Test
    void aKnownHostIsAskedForAndLearnedAgain() {
        put("{'pool': '" + Documents.FIRST_POOL + "', 'port-forward': [{'name': 'web', 'protocol': 'tcp', "
            + "'public-port': 80, 'inside-address': '10.0.0.5'}]}");
        restart();
        Await.until("a request to the host", () -> sentFrames() > 0);
        receive(new Arp(Arp.REPLY, HOST, INSIDE, Constants.GATEWAY_MAC.number(), Ipv4.parse(Documents.GATEWAY).number())
            .to(Constants.GATEWAY_MAC.number()));
        Await.until("the switch has learned it", () -> node.flowsOf(edge.vrf("acme")).stream()
            .anyMatch(flow -> flow.contains("table=92") && flow.contains("0x20000000005")));
        edge.awaitSync();
    }

    @Tag("deep")
    @Tag("restart")
    @Test
    void theFlowsAreThereSoon() {
        put("{'pool': '" + Documents.FIRST_POOL + "'}");
        assertThat(restart()).as("until the flows are there").isLessThan(Duration.ofSeconds(10));
    }

    /** A frame of the host. */
    private void receive(final Ethernet frame) {
        final String hex = HexFormat.of().formatHex(frame.bytes().toArray());
        node.ovs().appctl("netdev-dummy/receive", Documents.ACCESS,
            hex.substring(0, 24) + "8100" + "%04x".formatted(VLAN) + hex.substring(24));
    }

    @Test
    void blocksOfPortsAreThereAgain() {
        put(BLOCK);
        final long outside = Ipv4.parse("198.51.100.10").number();
        final Bytes datagram = new Udp(4000, 53, Bytes.EMPTY).bytes(PseudoHeader.ofIpv4(INSIDE, outside));
        Await.until("the host has a block", () -> {
            receive(new Ethernet(Constants.GATEWAY_MAC.number(), HOST, Ethernet.TYPE_IPV4,
                new Ipv4Packet(Ipv4Packet.PROTOCOL_UDP, INSIDE, outside, datagram).bytes()));
            return edge.allocations().contains("block");
        });
        edge.awaitSync();
        final String given = edge.allocations();
        final List<String> before = node.flows();
        assertThat(before).anyMatch(flow -> flow.contains("table=75") && flow.contains("nw_src=10.0.0.5 "));
        restart();
        edge.awaitSync();
        assertThat(node.flows()).isEqualTo(before);
        assertThat(edge.allocations()).isEqualTo(given);
    }
}
