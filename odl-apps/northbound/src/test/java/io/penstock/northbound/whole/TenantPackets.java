// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import io.penstock.dhcp.DhcpMessage;
import io.penstock.dhcp.OptionCode;
import io.penstock.dhcp.OptionSet;
import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Ipv4Packet;
import io.penstock.frames.PseudoHeader;
import io.penstock.frames.Udp;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;

/** Packets that a switch sends to the controller as of an attachment of a tenant. */
final class TenantPackets {
    /** Message types (RFC 2132, section 9.6). */
    static final int REQUEST = 3;
    static final int DECLINE = 4;
    static final int RELEASE = 7;

    private static final long HOST = 0x020000000005L;
    private static final Ipv4 GATEWAY = Ipv4.parse(Documents.GATEWAY);
    private static final Ipv4 ADDRESS = Ipv4.parse("10.0.0.100");

    private final DataClient client;
    private final DummyNode home;
    private final String tenant;
    private final int vlan;

    /** Packets of a tenant that is on a VLAN of port {@code acc0} of a node. */
    TenantPackets(final DataClient client, final DummyNode home, final String tenant, final int vlan) {
        this.client = client;
        this.home = home;
        this.tenant = tenant;
        this.vlan = vlan;
    }

    /** Has a switch send a frame to the controller as of the attachment, and waits until a service has taken it. */
    void send(final DummyNode node, final String service, final Table table, final byte[] frame) {
        final String flow = "table=%d,priority=65535,metadata=0x7eef".formatted(table.number());
        node.ovs().ofctl("add-flow", Constants.BRIDGE, flow + ",actions=controller(max_len=65535)");
        final long before = taken(service);
        node.ovs().ofctl("packet-out", Constants.BRIDGE, "in_port=1,packet=%s,actions=%s,%s,set_field:0x7eef->metadata,"
            .formatted(hex(frame), load(Register.VRF, vrf()), load(Register.IN_ATTACHMENT, place()))
            + "resubmit(,%d)".formatted(table.number()));
        Await.until("the packet is there", () -> taken(service) > before);
        node.ovs().ofctl("--strict", "del-flows", Constants.BRIDGE, flow);
    }

    private int vrf() {
        return Edge.list(client.call("status", "{}"), "tenant")
            .filter(each -> each.get("name").getAsString().equals(tenant)).findFirst().orElseThrow().get("vrf")
            .getAsInt();
    }

    private long place() {
        return client.read("penstock-allocation:allocations")
            .getAsJsonObject("penstock-allocation:allocations").getAsJsonArray("node").asList().stream()
            .map(each -> each.getAsJsonObject())
            .filter(each -> each.get("name").getAsString().equals(home.name()))
            .flatMap(each -> each.getAsJsonArray("port").asList().stream()).map(each -> each.getAsJsonObject())
            .filter(each -> each.get("name").getAsString().equals(Documents.ACCESS))
            .mapToLong(each -> each.get("number").getAsLong() << 12 | vlan).findFirst().orElseThrow();
    }

    private static String load(final Register register, final long value) {
        return "load:0x%x->NXM_NX_%s[%d..%d]".formatted(value,
            register.range().field().name().toUpperCase(Locale.ROOT), register.range().low(), register.range().high());
    }

    private long taken(final String service) {
        return Edge.list(client.call("status", "{}").getAsJsonObject("controller"), "packet-in")
            .filter(each -> each.get("service").getAsString().equals(service))
            .mapToLong(each -> each.get("taken").getAsLong()).sum();
    }

    /** A message of a DHCP client about one address. */
    static byte[] dhcp(final int type) {
        final boolean release = type == RELEASE;
        final OptionSet options = OptionSet.of(release
            ? Map.of(OptionCode.MESSAGE_TYPE, number(1, type), OptionCode.SERVER, number(4, GATEWAY.number()))
            : Map.of(OptionCode.MESSAGE_TYPE, number(1, type), OptionCode.SERVER, number(4, GATEWAY.number()),
                OptionCode.REQUESTED_ADDRESS, number(4, ADDRESS.number())));
        final Bytes message = new DhcpMessage(new DhcpMessage.Header(DhcpMessage.REQUEST, 1, 0, 7, 0, 0),
            new DhcpMessage.Addresses(release ? ADDRESS : Ipv4.UNSPECIFIED, Ipv4.UNSPECIFIED, Ipv4.UNSPECIFIED,
                Ipv4.UNSPECIFIED), new BytesWriter().u48(HOST).bytes(),
            Bytes.EMPTY, Bytes.EMPTY, options).bytes();
        return udp(Ipv4.UNSPECIFIED, Ipv4.BROADCAST, 67, message);
    }

    private static Bytes number(final int bytes, final long value) {
        return bytes == 1 ? new BytesWriter().u8((int) value).bytes() : new BytesWriter().u32(value).bytes();
    }

    /** A broadcast frame with a datagram. */
    static byte[] udp(final Ipv4 source, final Ipv4 destination, final int port, final Bytes data) {
        final Bytes datagram = new Udp(68, port, data).bytes(PseudoHeader.ofIpv4(source.number(),
            destination.number()));
        return new Ethernet(Ethernet.BROADCAST, HOST, Ethernet.TYPE_IPV4,
            new Ipv4Packet(Ipv4Packet.PROTOCOL_UDP, source.number(), destination.number(), datagram)
            .bytes()).bytes().toArray();
    }

    private static String hex(final byte[] frame) {
        return HexFormat.of().formatHex(frame);
    }
}
