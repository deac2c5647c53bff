// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dhcp.DhcpMessage;
import io.penstock.dhcp.OptionCode;
import io.penstock.dhcp.OptionSet;
import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Ipv4Packet;
import io.penstock.frames.PseudoHeader;
import io.penstock.frames.Udp;
import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A switch that sends packets in the name of a tenant of another node: neither leases nor port blocks change. */
@OnEdge
class ForgedPacketIT {
    private static final int VLAN = 100;
    /** Message types (RFC 2132, section 9.6). */
    private static final int REQUEST = 3;
    private static final int DECLINE = 4;
    private static final int RELEASE = 7;
    private static final long HOST = 0x020000000005L;
    private static final long GATEWAY = Ipv4.parse(Documents.GATEWAY);
    private static final long ADDRESS = Ipv4.parse("10.0.0.100");

    private final Edge edge;

    ForgedPacketIT(final Edge edge) {
        this.edge = edge;
    }

    @BeforeEach
    void reset() {
        edge.reset();
    }

    @Test
    void aNodeTouchesNoLeaseOfAnother() {
        edge.client().add("tenant", Documents.tenant("acme", edge.first().name(), VLAN, Documents.FIRST_POOL,
            "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', "
                + "'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}]}]}"));
        edge.awaitSync();
        send(edge.second(), "dhcp", Table.DHCP_REQUEST, dhcp(REQUEST));
        assertThat(edge.allocations()).as("a request of another node").doesNotContain("10.0.0.100");
        send(edge.first(), "dhcp", Table.DHCP_REQUEST, dhcp(REQUEST));
        final String bound = edge.allocations();
        assertThat(bound).contains("10.0.0.100").contains("bound");
        for (final int type : new int[] {RELEASE, DECLINE, REQUEST}) {
            send(edge.second(), "dhcp", Table.DHCP_REQUEST, dhcp(type));
            assertThat(edge.allocations()).as("after message type %d", type).isEqualTo(bound);
        }
        send(edge.first(), "dhcp", Table.DHCP_REQUEST, dhcp(RELEASE));
        assertThat(edge.allocations()).as("its own node is heard").isNotEqualTo(bound).contains("free");
    }

    @Test
    void aNodeTakesNoPortBlockForTenantsOfAnother() {
        edge.client().add("tenant", Documents.translated(
            Documents.tenant("acme", edge.first().name(), VLAN, Documents.FIRST_POOL),
            "{'port-block': [{'inside-prefix': '10.0.0.0/29', 'public-prefix': '198.51.100.32/32'}]}"));
        edge.awaitSync();
        final String before = edge.allocations();
        final byte[] wanting = udp(Ipv4.parse("10.0.0.5"), Ipv4.parse("198.51.100.10"), 53, Bytes.EMPTY);
        send(edge.second(), "port-block", Table.NAT_TRANSLATE, wanting);
        assertThat(edge.allocations()).isEqualTo(before);
        send(edge.first(), "port-block", Table.NAT_TRANSLATE, wanting);
        assertThat(edge.allocations()).as("its own node is heard").isNotEqualTo(before);
    }

    /** Has a switch send a frame to the controller as of acme's attachment, and waits until it was looked at. */
    private void send(final DummyNode node, final String service, final Table table, final byte[] frame) {
        final String flow = "table=%d,priority=65535,metadata=0x7eef".formatted(table.number());
        node.ovs().ofctl("add-flow", Constants.BRIDGE, flow + ",actions=controller(max_len=65535)");
        final long before = taken(service);
        node.ovs().ofctl("packet-out", Constants.BRIDGE, "in_port=1,packet=%s,actions=%s,%s,set_field:0x7eef->metadata,"
            .formatted(hex(frame), load(Register.VRF, edge.vrf("acme")), load(Register.IN_ATTACHMENT, place()))
            + "resubmit(,%d)".formatted(table.number()));
        Await.until("the packet is there", () -> taken(service) > before);
        node.ovs().ofctl("--strict", "del-flows", Constants.BRIDGE, flow);
        edge.awaitApplied();
    }

    private long place() {
        return edge.client().read("penstock-allocation:allocations")
            .getAsJsonObject("penstock-allocation:allocations").getAsJsonArray("node").asList().stream()
            .map(each -> each.getAsJsonObject())
            .filter(each -> each.get("name").getAsString().equals(edge.first().name()))
            .flatMap(each -> each.getAsJsonArray("port").asList().stream()).map(each -> each.getAsJsonObject())
            .filter(each -> each.get("name").getAsString().equals(Documents.ACCESS))
            .mapToLong(each -> each.get("number").getAsLong() << 12 | VLAN).findFirst().orElseThrow();
    }

    private static String load(final Register register, final long value) {
        return "load:0x%x->NXM_NX_%s[%d..%d]".formatted(value,
            register.range().field().name().toUpperCase(Locale.ROOT), register.range().low(), register.range().high());
    }

    private long taken(final String service) {
        return Edge.list(edge.client().call("status", "{}").getAsJsonObject("controller"), "packet-in")
            .filter(each -> each.get("service").getAsString().equals(service))
            .mapToLong(each -> each.get("taken").getAsLong()).sum();
    }

    private static byte[] dhcp(final int type) {
        final boolean release = type == RELEASE;
        final OptionSet options = OptionSet.of(release
            ? Map.of(OptionCode.MESSAGE_TYPE, number(1, type), OptionCode.SERVER, number(4, GATEWAY))
            : Map.of(OptionCode.MESSAGE_TYPE, number(1, type), OptionCode.SERVER, number(4, GATEWAY),
                OptionCode.REQUESTED_ADDRESS, number(4, ADDRESS)));
        final Bytes message = new DhcpMessage(new DhcpMessage.Header(DhcpMessage.REQUEST, 1, 0, 7, 0, 0),
            new DhcpMessage.Addresses(release ? ADDRESS : 0, 0, 0, 0), new BytesWriter().u48(HOST).bytes(),
            Bytes.EMPTY, Bytes.EMPTY, options).bytes();
        return udp(0, Ipv4Packet.BROADCAST, 67, message);
    }

    private static Bytes number(final int bytes, final long value) {
        return bytes == 1 ? new BytesWriter().u8((int) value).bytes() : new BytesWriter().u32(value).bytes();
    }

    private static byte[] udp(final long source, final long destination, final int port, final Bytes data) {
        final Bytes datagram = new Udp(68, port, data).bytes(PseudoHeader.ofIpv4(source, destination));
        return new Ethernet(Ethernet.BROADCAST, HOST, Ethernet.TYPE_IPV4,
            new Ipv4Packet(Ipv4Packet.PROTOCOL_UDP, source, destination, datagram).bytes()).bytes().toArray();
    }

    private static String hex(final byte[] frame) {
        return HexFormat.of().formatHex(frame);
    }
}
