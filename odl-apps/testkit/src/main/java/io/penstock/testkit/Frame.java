// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/** An Ethernet frame as it is on a {@link Wire}, checksums included, in hexadecimal digits. */
public record Frame(String digits) {
    /** Flags of TCP. */
    public static final int SYN = 0x02;
    public static final int ACK = 0x10;

    private static final int ETHERNET_HEADER = 14;
    private static final int ETH_ARP = 0x0806;
    private static final int ETH_IPV4 = 0x0800;
    private static final int ETH_VLAN = 0x8100;
    private static final int MAC_LENGTH = 6;
    /** In place of a MAC address that is asked for. */
    private static final Mac NO_MAC = new Mac(0);
    private static final int IPV4_HEADER = 20;
    private static final int TCP_HEADER = 20;
    private static final int ICMP = 1;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int TTL = 64;
    private static final int MORE_FRAGMENTS = 0x2000;
    /** Where in the protocol's header its checksum is. */
    private static final int ICMP_CHECKSUM = 2;
    private static final int TCP_CHECKSUM = 16;
    private static final int UDP_CHECKSUM = 6;

    /** Who sends to whom: MAC and IPv4 addresses. */
    public record Way(Mac sourceMac, Mac destinationMac, String source, String destination) { }

    /** An ARP request to everybody. */
    public static Frame arpRequest(final Mac senderMac, final String sender, final String target) {
        final ByteBuffer body = ByteBuffer.allocate(28).putShort((short) 1).putShort((short) ETH_IPV4)
            .put((byte) MAC_LENGTH).put((byte) Integer.BYTES).putShort((short) 1);
        putMac(body, senderMac).putInt(bits(sender));
        putMac(body, NO_MAC).putInt(bits(target));
        return ethernet(senderMac, Constants.BROADCAST_MAC, ETH_ARP, body);
    }

    /** A ping, or the answer to one. */
    public static Frame ping(final Way way, final boolean answer) {
        final ByteBuffer body = ByteBuffer.allocate(16).put((byte) (answer ? 0 : 8)).put((byte) 0).putShort((short) 0)
            .putShort((short) 7).putShort((short) 1);
        body.putShort(ICMP_CHECKSUM, checksum(body, 0));
        return ipv4(way, ICMP, body);
    }

    /** A datagram. */
    public static Frame udp(final Way way, final int sourcePort, final int destinationPort) {
        return udp(way, sourcePort, destinationPort, 16);
    }

    /** A datagram of some bytes, an even number of them, its header of eight included. */
    public static Frame udp(final Way way, final int sourcePort, final int destinationPort, final int bytes) {
        return ipv4(way, UDP, datagram(way, sourcePort, destinationPort, bytes));
    }

    /** A datagram in two pieces of an even number of bytes each, the first one of a multiple of eight. */
    public static List<Frame> pieces(final Way way, final int identification, final int port, final int first,
            final int second) {
        final ByteBuffer body = datagram(way, port, port, first + second);
        return List.of(
            ipv4(way, UDP, identification << Short.SIZE | MORE_FRAGMENTS, body.slice(0, first)),
            ipv4(way, UDP, identification << Short.SIZE | first / Long.BYTES, body.slice(first, second)));
    }

    private static ByteBuffer datagram(final Way way, final int sourcePort, final int destinationPort,
            final int bytes) {
        final ByteBuffer body = ByteBuffer.allocate(bytes).putShort((short) sourcePort)
            .putShort((short) destinationPort).putShort((short) bytes).putShort((short) 0);
        return body.putShort(UDP_CHECKSUM, checksum(body, pseudoHeader(way, UDP, body)));
    }

    /** A segment without data. */
    public static Frame tcp(final Way way, final int sourcePort, final int destinationPort, final int flags,
            final int sequence, final int acknowledged) {
        return tcp(way, sourcePort, destinationPort, flags, sequence, acknowledged, new byte[0]);
    }

    /** A segment. */
    public static Frame tcp(final Way way, final int sourcePort, final int destinationPort, final int flags,
            final int sequence, final int acknowledged, final byte[] data) {
        final ByteBuffer body = ByteBuffer.allocate(TCP_HEADER + data.length).putShort((short) sourcePort)
            .putShort((short) destinationPort).putInt(sequence).putInt(acknowledged).put((byte) 0x50).put((byte) flags)
            .putShort((short) 8192).position(TCP_HEADER).put(data);
        body.putShort(TCP_CHECKSUM, checksum(body, pseudoHeader(way, TCP, body)));
        return ipv4(way, TCP, body);
    }

    /** The same under an 802.1Q tag. */
    public Frame tagged(final int vlan) {
        final int addresses = 2 * 2 * MAC_LENGTH;
        return new Frame(digits.substring(0, addresses) + "%04x%04x".formatted(ETH_VLAN, vlan)
            + digits.substring(addresses));
    }

    private static Frame ipv4(final Way way, final int protocol, final ByteBuffer body) {
        return ipv4(way, protocol, 0, body);
    }

    /**
     * A packet or a piece of one.
     *
     * @param fragment identification, flags and offset in the order of the header
     * @param body all behind the header; its capacity counts
     */
    public static Frame ipv4(final Way way, final int protocol, final int fragment, final ByteBuffer body) {
        final ByteBuffer packet = ByteBuffer.allocate(IPV4_HEADER + body.capacity()).put((byte) 0x45).put((byte) 0)
            .putShort((short) (IPV4_HEADER + body.capacity())).putInt(fragment).put((byte) TTL).put((byte) protocol)
            .putShort((short) 0).putInt(bits(way.source())).putInt(bits(way.destination()));
        packet.putShort(10, checksum(packet.slice(0, IPV4_HEADER), 0)).put(body.rewind());
        return ethernet(way.sourceMac(), way.destinationMac(), ETH_IPV4, packet);
    }

    private static Frame ethernet(final Mac source, final Mac destination, final int type, final ByteBuffer body) {
        final ByteBuffer frame = ByteBuffer.allocate(ETHERNET_HEADER + body.capacity());
        putMac(frame, destination);
        putMac(frame, source).putShort((short) type).put(body.rewind());
        // The shortest frame, less its checksum.
        return new Frame(HexFormat.of().formatHex(Arrays.copyOf(frame.array(), Math.max(60, frame.capacity()))));
    }

    private static int bits(final String address) {
        return (int) Ipv4.parse(address).number();
    }

    private static ByteBuffer putMac(final ByteBuffer buffer, final Mac mac) {
        return buffer.putShort((short) (mac.number() >> 32)).putInt((int) mac.number());
    }

    private static long pseudoHeader(final Way way, final int protocol, final ByteBuffer body) {
        final long source = Ipv4.parse(way.source()).number();
        final long destination = Ipv4.parse(way.destination()).number();
        return (source >> 16) + (source & 0xffff) + (destination >> 16) + (destination & 0xffff) + protocol
            + body.capacity();
    }

    /** RFC 1071. */
    private static short checksum(final ByteBuffer bytes, final long start) {
        long sum = start;
        for (int index = 0; index < bytes.capacity(); index++) {
            sum += (bytes.get(index) & 0xff) << (index % 2 == 0 ? Byte.SIZE : 0);
        }
        while (sum > 0xffff) {
            sum = (sum >> 16) + (sum & 0xffff);
        }
        return (short) ~sum;
    }
}
