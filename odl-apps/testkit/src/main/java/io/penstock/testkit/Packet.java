// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;

/** A packet to trace, in the words of ovs-fields(7). Immutable. */
public record Packet(String port, String header, String body) {
    /** MAC address of whoever sends, unless told otherwise. */
    public static final String HOST_MAC = "02:00:00:00:00:05";
    /** MAC address of the gateways. */
    public static final String GATEWAY_MAC = Constants.GATEWAY_MAC.toString();

    public static final String BROADCAST = "ff:ff:ff:ff:ff:ff";

    /** An untagged frame that comes in by a port. */
    public static Packet in(final String port) {
        return new Packet(port, ",vlan_tci=0x0000", "");
    }

    /** A tagged frame that comes in by a port. */
    public static Packet in(final String port, final int vlan) {
        return new Packet(port, ",dl_vlan=" + vlan, "");
    }

    /** From and to these MAC addresses. */
    public Packet ethernet(final String source, final String destination) {
        return new Packet(port, header + ",dl_src=" + source + ",dl_dst=" + destination, body);
    }

    /** From the usual host to the gateway. */
    public Packet toGateway() {
        return ethernet(HOST_MAC, GATEWAY_MAC);
    }

    /** An ARP request, sent to everybody. */
    public Packet arpRequest(final String sender, final String target) {
        return ethernet(HOST_MAC, BROADCAST).with("arp,arp_op=1,arp_sha=" + HOST_MAC + ",arp_spa=" + sender
            + ",arp_tpa=" + target);
    }

    /** An ARP reply. */
    public Packet arpReply(final String sender, final String target) {
        return with("arp,arp_op=2,arp_sha=" + HOST_MAC + ",arp_spa=" + sender + ",arp_tpa=" + target);
    }

    /** A neighbour solicitation with the sender's MAC address, sent to the solicited-node group (RFC 4861). */
    public Packet solicitation(final String sender, final String target) {
        final long group = Ipv6.parse(target).low() & 0xffffff;
        return ethernet(HOST_MAC, new Mac(0x3333ff000000L | group).toString())
            .with("icmp6,icmpv6_type=135,icmpv6_code=0,nd_target=" + target + ",nd_sll=" + HOST_MAC
            + ",nd_options_type=1,"
            + addresses(sender, new Ipv6(0xff02L << 48, 0x1ff000000L | group).toString())).ttl(255);
    }

    /** A neighbour advertisement with the sender's MAC address. */
    public Packet advertisement(final String sender, final String destination) {
        return with("icmp6,icmpv6_type=136,icmpv6_code=0,nd_target=" + sender + ",nd_tll=" + HOST_MAC
            + ",nd_options_type=2," + addresses(sender, destination)).ttl(255);
    }

    /** A ping; of IPv6 when the addresses are. */
    public Packet ping(final String source, final String destination) {
        return with((isIpv6(source) ? "icmp6,icmpv6_type=128,icmpv6_code=0," : "icmp,icmp_type=8,icmp_code=0,")
            + addresses(source, destination));
    }

    /** A TCP packet; over IPv6 when the addresses are of it. */
    public Packet tcp(final String source, final String destination, final int service) {
        return with((isIpv6(source) ? "tcp6" : "tcp") + ",tcp_src=40000,tcp_dst=" + service + ","
            + addresses(source, destination));
    }

    /** A UDP packet; over IPv6 when the addresses are of it. */
    public Packet udp(final String source, final String destination, final int service) {
        return with((isIpv6(source) ? "udp6" : "udp") + ",udp_src=40000,udp_dst=" + service + ","
            + addresses(source, destination));
    }

    /** With another time to live, or hop limit. */
    public Packet ttl(final int left) {
        return new Packet(port, header, body.replaceAll("nw_ttl=[0-9]+", "nw_ttl=" + left));
    }

    private static String addresses(final String source, final String destination) {
        final String family = isIpv6(source) ? "ipv6" : "nw";
        return family + "_src=" + source + "," + family + "_dst=" + destination + ",nw_ttl=64";
    }

    private static boolean isIpv6(final String address) {
        return address.indexOf(':') >= 0;
    }

    /** With other fields behind the Ethernet header. */
    public Packet with(final String fields) {
        return new Packet(port, header, fields);
    }

    /** The same without a tag, where a switch looks it up anew, as ovs-appctl ofproto/trace takes it. */
    String again(final String recirculation) {
        return "recirc_id=0x" + recirculation + ",in_port=" + port
            + header.replaceAll(",dl_vlan=[0-9]+", ",vlan_tci=0x0000") + (body.isEmpty() ? "" : "," + body);
    }

    /** As ovs-appctl ofproto/trace takes it. */
    @Override
    public String toString() {
        return "in_port=" + port + header + (body.isEmpty() ? "" : "," + body);
    }
}
