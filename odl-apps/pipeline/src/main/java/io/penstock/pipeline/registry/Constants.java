// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Mtu;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Fixed numbers and addresses of the data plane. */
public final class Constants {
    /** The bridge of every node. */
    public static final String BRIDGE = "br-penstock";
    /** Most attachments of a tenant: each can be a broadcast domain, and {@link Register#DOMAIN} has eight bits. */
    public static final int MOST_ATTACHMENTS = 256;
    /** Most subnets of a tenant, of each family: {@link VrfId#resolverAddress} has eight bits for them. */
    public static final int MOST_SUBNETS = 256;
    /** Most chains of a tenant, for {@link Register#CHAIN}. */
    public static final int MOST_CHAINS = 100;
    /** Functions of a tenant that keep connections at an instance or an output: so many have room in ct_label. */
    public static final int MOST_KEEPING = 1 << Register.PLACE.range().bits();
    /** Everybody on a link. */
    public static final Mac BROADCAST_MAC = new Mac(0xffffffffffffL);
    /** MAC address of the gateways inside VRFs, the same on every node. */
    public static final Mac GATEWAY_MAC = new Mac(0x025053000001L);
    /** Link-local address of the gateways inside VRFs (RFC 4291, appendix A), the same on every node. */
    public static final Ipv6 GATEWAY_LINK_LOCAL = linkLocal(GATEWAY_MAC);
    /** MAC address of the resolver of a node, in a network namespace of its own. */
    public static final Mac RESOLVER_MAC = new Mac(0x025053000002L);
    /** MAC addresses between functions: tenant side and backbone side. */
    public static final Mac CHAIN_INSIDE_MAC = new Mac(0x025053ff0001L);
    public static final Mac CHAIN_OUTSIDE_MAC = new Mac(0x025053ff0002L);
    /** Tag of the controller's own packets through functions: that of the VRF that is no tenant's. */
    public static final int PROBE_VLAN = VrfId.BACKBONE.number();
    /** Service index (RFC 8300) of packets that no function has served yet. */
    public static final int SERVICE_INDEX = 255;
    /** What a port has to take for a function with a network service header: a frame and 24 bytes. */
    public static final int SERVICE_MTU = 1542;
    /** Who sends probes: of addresses that no router sends further (RFC 3927). */
    public static final Ipv4 PROBE_INSIDE = Ipv4.parse("169.254.80.1");
    /** Who answers probes. */
    public static final Ipv4 PROBE_OUTSIDE = Ipv4.parse("169.254.80.2");
    /** Bit of the ct_mark of a connection that has its translation; a packet without it was not translated. */
    public static final int TRANSLATED_MARK = 1;
    /** Bit of the ct_mark of a connection to a forwarded port of UDP, and where the mark has the public port. */
    public static final int FORWARD_UDP_MARK = 2;
    public static final int FORWARD_PORT_SHIFT = 16;
    /**
     * Shortest prefix that is translated one to one by a single entry. Fragments of such packets need two flows for
     * each address.
     */
    public static final int SHORTEST_ONE_TO_ONE = 24;
    /** Shortest prefix that is seen at other addresses: the largest private network (RFC 1918). */
    public static final int SHORTEST_TWICE = 8;
    /** Shortest prefix of subscribers in one entry of deterministic NAT: each subscriber needs a flow. */
    public static final int SHORTEST_DETERMINISTIC = 20;
    /** Shortest prefix of subscribers that get blocks of ports when they need them. */
    public static final int SHORTEST_ON_DEMAND = 16;
    /** Smallest and largest block of ports that is handed out on demand. */
    public static final int SMALLEST_BLOCK = 16;
    public static final int LARGEST_BLOCK = 16384;
    /** Most blocks of a subscriber: each one that is full costs a new connection a recirculation. */
    public static final int MOST_BLOCKS = 4;
    /** Most bits by which subscribers share a public address: blocks of 64 ports. */
    public static final int MOST_SHARING_BITS = 9;
    /** Bytes of a packet that the controller has to read whole; OpenFlow knows no longer ones. */
    public static final int WHOLE_PACKET = 0xffe5;
    /** Bytes of Ethernet before a packet that has no tag. */
    public static final int ETHERNET_BYTES = 14;
    /**
     * Bytes of a frame that an ICMP error is about. An error of IPv6 has 1280 bytes at most (RFC 4443, section 2.4), 48
     * of them headers; one of IPv4 needs less.
     */
    public static final int ERROR_BYTES = ETHERNET_BYTES + Mtu.LEAST_IPV6 - 48;
    /** Bytes of an unresolved packet sent to the controller: the headers are enough. */
    public static final int PACKET_IN_BYTES = 128;
    /**
     * Most sessions of a node. In a VRF that has sessions each connection is a cached flow of its own, and Open vSwitch
     * finds no more of them fast than its caches hold.
     */
    public static final int SESSIONS_PER_NODE = 12_000;
    /** Most sessions of a VRF, so that a single one does not take all of its node. */
    public static final int SESSIONS_PER_VRF = SESSIONS_PER_NODE / 2;
    /** A VRF keeps its sessions for this long without a word of the node's agent. Seconds. */
    public static final int OPEN_SECONDS = 30;
    /** The node's agent gets one in so many tracked packets. Each costs the switch about 33,000 cycles. */
    public static final int SAMPLED_OF = 512;
    /** Flow_Sample_Collector_Set of the node's agent. */
    public static final int COLLECTOR_SET = 1;
    /** A session of which no packet went out for this long goes; its connection stays in conntrack. Seconds. */
    public static final int SESSION_IDLE_SECONDS = 15;
    /**
     * A session goes after this time whatever its use, so that conntrack sees a packet of the connection and keeps it.
     * Less than every {@link CtTimeout} of an established connection, or a translation would outlive what reserves it.
     * Seconds.
     */
    public static final int SESSION_HARD_SECONDS = 240;
    /**
     * A subscriber whose packets were not seen for this long has no connection any more, and loses its blocks: what
     * conntrack keeps longest, and what a session keeps from it. Seconds.
     */
    public static final int BLOCK_IDLE_SECONDS = CtTimeout.TCP_ESTABLISHED.seconds() + SESSION_HARD_SECONDS;
    /** A block that was taken from somebody is given to nobody for this long, after that. Seconds. */
    public static final int BLOCK_QUARANTINE_SECONDS = 300;
    /** A mapping that does not depend on the destination goes when nothing used it for this long (RFC 4787, REQ-5). */
    public static final int MAPPING_IDLE_SECONDS = 300;
    /** Most mappings of a tenant that do not depend on the destination. */
    public static final int MAPPINGS_PER_TENANT = 4096;
    /** A learned host or next hop that no packet used for this long is forgotten. Seconds. */
    public static final int LEARNED_IDLE_SECONDS = 1200;
    /** Most functions in a chain: all of them may keep connections. */
    public static final int MOST_CHAINED = MOST_KEEPING;
    /** All {@link VrfId#resolverAddress6}: fd50:7300::/48, of which no tenant may have a prefix. */
    public static final Ipv6 RESOLVERS6 = new Ipv6(0xfd50_7300_0000_0000L, 0);
    public static final int RESOLVERS6_LENGTH = 48;

    private static final long BACKBONE_MAC_BASE = 0x025053010000L;
    private static final long DATAPATH_ID_BASE = 0x0050534eL << 32;
    private static final long NODE_IDS = 0xffff;

    private Constants() {
        // Only values.
    }

    /** MAC address of a node's uplinks. */
    public static Mac backboneMac(final int nodeId) {
        return new Mac(BACKBONE_MAC_BASE | nodeId);
    }

    private static Ipv6 linkLocal(final Mac mac) {
        return new Ipv6(0xfe80L << 48,
            (mac.number() >> 24 ^ 0x020000L) << 40 | 0xfffe000000L | mac.number() & 0xffffff);
    }

    /**
     * OpenFlow datapath id of a node's bridge. OpenFlowPlugin believes any peer with one, and ends the connection that
     * had it: so all but its last sixteen bits follow from a secret of the controller, when there is one.
     *
     * @param nodeId 1..65535, which are the last sixteen bits
     * @param secret a text; empty for an id that follows from the number alone
     */
    public static long datapathId(final int nodeId, final String secret) {
        if (secret.isEmpty()) {
            return DATAPATH_ID_BASE | nodeId;
        }
        try {
            final byte[] digest = MessageDigest.getInstance("SHA-256")
                .digest((secret + " " + nodeId).getBytes(StandardCharsets.US_ASCII));
            return ByteBuffer.wrap(digest).getLong() & ~NODE_IDS & Long.MAX_VALUE | nodeId;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Number of the node that could have a datapath id. */
    public static int nodeId(final long datapathId) {
        return (int) (datapathId & NODE_IDS);
    }
}
