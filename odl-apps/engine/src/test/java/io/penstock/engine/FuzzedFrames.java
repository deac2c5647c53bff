// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Icmp;
import io.penstock.frames.Icmpv6;
import io.penstock.frames.Ipv4Packet;
import io.penstock.frames.Ipv6Packet;
import io.penstock.frames.PseudoHeader;
import io.penstock.frames.Udp;
import io.penstock.pipeline.net.Ipv4;
import java.util.Arrays;
import java.util.Random;

/**
 * Frames that are valid but for some bytes. Most have right checksums and lengths around a wrong message, so that the
 * message is parsed; of the others any byte may be wrong. The same seed gives the same frames.
 */
final class FuzzedFrames {
    static final long MAC = 0x020000000005L;

    private static final Bytes HOST6 = Bytes.parseHex("fe800000000000000000000000000005");
    private static final Bytes INSIDE6 = Bytes.parseHex("20010db8000100000000000000000005");
    private static final Bytes OUTSIDE6 = Bytes.parseHex("20010db8007700000000000000000007");
    private static final Bytes ROUTERS = Bytes.parseHex("ff020000000000000000000000000002");
    private static final Bytes DHCP_SERVERS = Bytes.parseHex("ff020000000000000000000000010002");
    private static final int WHOLE = 4;

    private final Random random;

    FuzzedFrames(final long seed) {
        random = new Random(seed);
    }

    /** A message to a DHCP server. */
    byte[] dhcp() {
        final BytesWriter message = new BytesWriter().u8(1).u8(1).u8(6).u8(0).u32(random.nextInt() & 0xffffffffL)
            .u32(0).u32(0).u32(0).u32(0).u32(0).u48(random.nextInt(8) == 0 ? MAC + 1 : MAC).field(Bytes.EMPTY, 10)
            .field(bytes(random.nextInt(64)), 64).field(bytes(random.nextInt(128)), 128).u32(0x63825363L)
            .u8(53).u8(1).u8(1 + random.nextInt(8));
        for (int option = random.nextInt(6); option > 0; option--) {
            final Bytes value = bytes(random.nextInt(8));
            message.u8(random.nextBoolean() ? 50 + random.nextInt(34) : random.nextInt(255)).u8(value.length())
                .put(value);
        }
        message.u8(255);
        final Bytes wrong = mutate(message.bytes());
        return sometimesWhole(ipv4(Ipv4Packet.PROTOCOL_UDP, Ipv4.UNSPECIFIED, Ipv4.BROADCAST,
            new Udp(68, 67, wrong).bytes(PseudoHeader.ofIpv4(0, Ipv4Packet.BROADCAST))));
    }

    /** A router solicitation. */
    byte[] routerSolicitation() {
        final BytesWriter body = new BytesWriter().u32(0);
        for (int option = random.nextInt(3); option > 0; option--) {
            final int units = 1 + random.nextInt(2);
            body.u8(random.nextInt(4)).u8(units).put(bytes(8 * units - 2));
        }
        final Bytes wrong = mutate(body.bytes());
        final Ipv6Packet empty = new Ipv6Packet(255, Ipv6Packet.PROTOCOL_ICMPV6, HOST6, ROUTERS, Bytes.EMPTY);
        return sometimesWhole(ipv6(new Ipv6Packet(255, Ipv6Packet.PROTOCOL_ICMPV6, HOST6, ROUTERS,
            new Icmpv6(Icmpv6.ROUTER_SOLICITATION, 0, wrong).bytes(empty.pseudoHeader()))));
    }

    /** A request to a DHCPv6 server. */
    byte[] dhcpv6() {
        final BytesWriter message = new BytesWriter().u32(0x0b000000L | random.nextInt(1 << 24));
        for (int option = random.nextInt(5); option > 0; option--) {
            final Bytes value = bytes(random.nextInt(20));
            message.u16(random.nextInt(60)).u16(value.length()).put(value);
        }
        final Bytes wrong = mutate(message.bytes());
        final Ipv6Packet empty = new Ipv6Packet(Ipv6Packet.PROTOCOL_UDP, HOST6, DHCP_SERVERS, Bytes.EMPTY);
        return sometimesWhole(ipv6(new Ipv6Packet(Ipv6Packet.PROTOCOL_UDP, HOST6, DHCP_SERVERS,
            new Udp(546, 547, wrong).bytes(empty.pseudoHeader()))));
    }

    /** An IPv4 packet of which a router reports something; its end may be missing. */
    byte[] offender4() {
        final byte[] packet = new Ipv4Packet(random.nextInt(4) == 0 ? random.nextInt(0x10000) : 0x4000, 1,
            random.nextBoolean() ? 1 : 17, Ipv4.parse("10.3.0.9").number(),
            Ipv4.parse("198.18.0.10").number(), bytes(random.nextInt(random.nextBoolean() ? 60
            : 600))).bytes().toArray();
        if (random.nextInt(4) == 0) {
            // The length of the header, which may be more than there is.
            packet[0] = (byte) (0x40 | random.nextInt(16));
        }
        return ethernet(Ethernet.TYPE_IPV4, mutate(Bytes.of(packet)));
    }

    /** An IPv6 packet of which a router reports something, often with extension headers. */
    byte[] offender6() {
        final int[] headers = {0, 43, 60, 44, 58, 17, 6, 59};
        final BytesWriter payload = new BytesWriter();
        for (int header = random.nextInt(5); header > 0; header--) {
            payload.u8(headers[random.nextInt(headers.length)]).u8(random.nextInt(4) == 0 ? random.nextInt(256) : 0)
                .put(bytes(6));
        }
        final Bytes packet = new Ipv6Packet(1, headers[random.nextInt(headers.length)], INSIDE6, OUTSIDE6,
            payload.put(bytes(random.nextInt(100))).bytes()).bytes();
        return ethernet(Ethernet.TYPE_IPV6, mutate(packet));
    }

    /** A packet of a subscriber that needs a block of ports. */
    byte[] subscriber() {
        return sometimesWhole(ipv4(17, Ipv4.parse("100.64.0.5").plus(random.nextInt(4)), Ipv4.parse("198.18.0.10"),
            mutate(bytes(20))));
    }

    /** A probe, as a function may send it. */
    byte[] probe() {
        return sometimesWhole(ipv4(1, Ipv4.parse("169.254.80.1"), Ipv4.parse("169.254.80.2"),
            new Icmp(8, 0, random.nextInt() & 0xffffffffL, mutate(bytes(8))).bytes()));
    }

    private Bytes bytes(final int count) {
        final byte[] some = new byte[count];
        random.nextBytes(some);
        return Bytes.of(some);
    }

    private static byte[] ipv4(final int protocol, final Ipv4 source, final Ipv4 destination, final Bytes payload) {
        return ethernet(Ethernet.TYPE_IPV4,
            new Ipv4Packet(protocol, source.number(), destination.number(), payload).bytes());
    }

    private static byte[] ipv6(final Ipv6Packet packet) {
        return ethernet(Ethernet.TYPE_IPV6, packet.bytes());
    }

    private static byte[] ethernet(final int type, final Bytes payload) {
        return new Ethernet(Ethernet.BROADCAST, MAC, type, payload).bytes().toArray();
    }

    private byte[] sometimesWhole(final byte[] frame) {
        return random.nextInt(WHOLE) == 0 ? mutate(Bytes.of(frame)).toArray() : frame;
    }

    /** Changes some bytes, mostly to values at which lengths and counts end, or cuts the end off, or does nothing. */
    private Bytes mutate(final Bytes valid) {
        final byte[] bytes = valid.toArray();
        for (int change = random.nextInt(4); change > 0 && bytes.length > 0; change--) {
            final int[] edges = {0, 1, 0x7f, 0x80, 0xff, random.nextInt(256)};
            bytes[random.nextInt(bytes.length)] = (byte) edges[random.nextInt(edges.length)];
        }
        return Bytes.of(random.nextInt(5) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)) : bytes);
    }
}
