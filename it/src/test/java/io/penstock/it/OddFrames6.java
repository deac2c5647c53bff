// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Icmpv6;
import io.penstock.frames.Ipv6Packet;
import io.penstock.frames.Neighbours6;
import io.penstock.frames.Udp;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.testkit.Frame;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** {@link OddFrames} of IPv6: fragments, extension headers, errors about anything, and packets with wrong headers. */
final class OddFrames6 {
    private static final int ETHERNET_HEADER = 14;
    /** Where the addresses of a packet begin. */
    private static final int ADDRESSES = 8;
    private static final int HOP_BY_HOP = 0;
    private static final int ROUTING = 43;
    private static final int FRAGMENT = 44;
    private static final int DESTINATION_OPTIONS = 60;
    private static final int UNIT = 8;
    private static final int MOST_OFFSET = 0x1fff;
    private static final int ECHO_REQUEST = 128;
    private static final int IDENTIFICATIONS = 8;
    private static final int PORTS = 4;
    private static final int FIRST_PORT = 30_000;
    private static final int LONGEST = 1400;
    private static final int MOST_PIECES = 45;
    private static final List<Integer> PROTOCOLS = List.of(IpProtocol.UDP, IpProtocol.UDP, IpProtocol.UDP,
        IpProtocol.ICMPV6, IpProtocol.ICMPV6, IpProtocol.TCP, IpProtocol.ICMP, 50, 51, 59, 136, 255);
    private static final List<Integer> SIZES = List.of(8, 64, 400, 552, 1232, LONGEST);
    private static final List<Integer> EXTENSIONS = List.of(HOP_BY_HOP, ROUTING, DESTINATION_OPTIONS,
        DESTINATION_OPTIONS, FRAGMENT, 51, 59, 135, 139, 253);
    private static final List<Integer> ERRORS = List.of(1, 1, 2, 2, 3, 4, 0, 127, 200);

    private final Random random;

    OddFrames6(final Random random) {
        this.random = random;
    }

    /** Some frames that belong together. */
    List<Frame> some(final Frame.Way way, final byte mark) {
        return switch (random.nextInt(8)) {
            case 0, 1, 2 -> train(way, mark);
            case 3 -> List.of(loose(way, mark), loose(way, mark), loose(way, mark));
            case 4, 5 -> List.of(whole(way, mark), whole(way, mark));
            case 6 -> List.of(error(way, mark), error(way, mark));
            default -> List.of(mutated(way, mark), mutated(way, mark));
        };
    }

    /** Asks for the MAC address of a neighbour. */
    static Frame solicitation(final Mac mac, final String source, final String target) {
        return frame(Neighbours6.solicitation(mac.number(), address(source), address(target)));
    }

    /** A datagram of 1200 bytes in two pieces, and a ping. */
    static List<Frame> good(final Frame.Way way, final byte mark) {
        final Bytes body = udp(way, FIRST_PORT, FIRST_PORT, data(1192, mark));
        return List.of(frame(way, FRAGMENT, piece(IpProtocol.UDP, 1, 99, body.part(0, 800))),
            frame(way, FRAGMENT, piece(IpProtocol.UDP, 800, 99, body.from(800))),
            frame(way, IpProtocol.ICMPV6, ping(way, ECHO_REQUEST, 7, mark, 16)));
    }

    /** The first piece of a datagram, of some bytes with its headers. */
    static Frame first(final Frame.Way way, final byte mark, final int bytes) {
        final Bytes body = udp(way, FIRST_PORT, FIRST_PORT, data(LONGEST, mark));
        return frame(way, FRAGMENT,
            piece(IpProtocol.UDP, 1, 98, body.part(0, bytes - Ipv6Packet.HEADER - UNIT)));
    }

    private static Bytes address(final String text) {
        final Ipv6 address = Ipv6.parse(text);
        return new BytesWriter().u32(address.high() >>> Integer.SIZE).u32(address.high() & 0xffff_ffffL)
            .u32(address.low() >>> Integer.SIZE).u32(address.low() & 0xffff_ffffL).bytes();
    }

    private static Bytes data(final int length, final byte mark) {
        final byte[] data = new byte[length];
        Arrays.fill(data, mark);
        return Bytes.of(data);
    }

    private static Ipv6Packet packet(final Frame.Way way, final int next, final Bytes payload) {
        return new Ipv6Packet(next, address(way.source()), address(way.destination()), payload);
    }

    private static Frame frame(final Ethernet ethernet) {
        return new Frame(ethernet.bytes().hex());
    }

    private static Frame frame(final Frame.Way way, final int next, final Bytes payload) {
        return frame(new Ethernet(way.destinationMac().number(), way.sourceMac().number(), Ethernet.TYPE_IPV6,
            packet(way, next, payload).bytes()));
    }

    private static Bytes udp(final Frame.Way way, final int from, final int to, final Bytes data) {
        return new Udp(from, to, data).bytes(packet(way, IpProtocol.UDP, Bytes.EMPTY).pseudoHeader());
    }

    private static Bytes ping(final Frame.Way way, final int type, final int identifier, final byte mark,
            final int bytes) {
        return new Icmpv6(type, 0, new BytesWriter().u16(identifier).u16(1).put(data(bytes, mark)).bytes())
            .bytes(packet(way, IpProtocol.ICMPV6, Bytes.EMPTY).pseudoHeader());
    }

    /**
     * A fragment header and what it is of (RFC 8200, section 4.5).
     *
     * @param place a multiple of eight, and 1 if more come
     */
    private static Bytes piece(final int next, final int place, final long identification, final Bytes body) {
        return new BytesWriter().u8(next).u8(0).u16(place).u32(identification).put(body).bytes();
    }

    private <T> T any(final List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private int port() {
        return FIRST_PORT + random.nextInt(PORTS);
    }

    /** All behind the header of IPv6, so many bytes or a few more. */
    private Bytes body(final Frame.Way way, final int protocol, final int length, final byte mark) {
        if (random.nextInt(8) > 0 && protocol == IpProtocol.UDP) {
            return udp(way, port(), port(), data(length, mark));
        } else if (random.nextInt(8) > 0 && protocol == IpProtocol.ICMPV6) {
            return ping(way, ECHO_REQUEST + random.nextInt(2), random.nextInt(IDENTIFICATIONS), mark, length);
        }
        return new BytesWriter().u16(port()).u16(port()).put(data(length, mark)).bytes();
    }

    /** A packet in pieces: in any order, one of them twice, missing, or at a wrong place. */
    private List<Frame> train(final Frame.Way way, final byte mark) {
        final int protocol = any(PROTOCOLS);
        final int size = any(SIZES);
        final int pieces = 1 + random.nextInt(random.nextInt(4) == 0 ? MOST_PIECES : 4);
        final Bytes body = body(way, protocol, Math.max(0, size * pieces - random.nextInt(2 * UNIT)), mark);
        final long identification = random.nextInt(IDENTIFICATIONS);
        final int odd = random.nextInt(3) == 0 ? random.nextInt(pieces) : -1;
        final List<Frame> train = new ArrayList<>();
        for (int at = 0; at < body.length(); at += size) {
            final int length = Math.min(size, body.length() - at);
            final int place = at / size == odd ? random.nextInt(pieces * size / UNIT + 1) * UNIT : at;
            final int more = at + length < body.length() ? 1 : 0;
            train.add(behind(way, FRAGMENT, piece(protocol, place | more, identification, body.part(at, length))));
        }
        return OddFrames.disordered(train, random);
    }

    /** A fragment of no packet. */
    private Frame loose(final Frame.Way way, final byte mark) {
        final int place = (random.nextBoolean() ? 0 : random.nextInt(MOST_OFFSET + 1)) * UNIT | random.nextInt(UNIT);
        return behind(way, FRAGMENT, piece(any(PROTOCOLS), place, random.nextInt(IDENTIFICATIONS),
            body(way, any(PROTOCOLS), random.nextBoolean() ? any(SIZES) : random.nextInt(LONGEST), mark)));
    }

    private Frame whole(final Frame.Way way, final byte mark) {
        final int protocol = any(PROTOCOLS);
        return behind(way, protocol, body(way, protocol, random.nextInt(64), mark));
    }

    /** A packet that may have extension headers, of which some are wrong. */
    private Frame behind(final Frame.Way way, final int first, final Bytes rest) {
        int next = first;
        Bytes payload = rest;
        for (int more = random.nextInt(4) - 2; more > 0; more--) {
            final int units = random.nextInt(3);
            final Bytes pad = data(units * UNIT + UNIT - 4, (byte) 0);
            payload = new BytesWriter().u8(next).u8(random.nextInt(8) == 0 ? random.nextInt(256) : units)
                .u8(1).u8(pad.length()).put(pad).put(payload).bytes();
            next = any(EXTENSIONS);
        }
        return frame(way, next, payload);
    }

    /** An error about a packet of the other direction, of which it has any length. */
    private Frame error(final Frame.Way way, final byte mark) {
        final Frame.Way back = new Frame.Way(/* sourceMac= */ way.destinationMac(),
            /* destinationMac= */ way.sourceMac(), /* source= */ way.destination(), /* destination= */ way.source());
        final int protocol = any(PROTOCOLS);
        final Bytes quoted = packet(back, random.nextInt(4) == 0 ? any(EXTENSIONS) : protocol,
            body(back, protocol, random.nextInt(64), mark)).bytes();
        final Bytes part = quoted.part(0, random.nextInt(4) == 0 ? random.nextInt(quoted.length()) : quoted.length());
        return behind(way, IpProtocol.ICMPV6, new Icmpv6(any(ERRORS), random.nextInt(8),
            new BytesWriter().u32(random.nextInt(2000)).put(part).bytes())
            .bytes(packet(way, IpProtocol.ICMPV6, Bytes.EMPTY).pseudoHeader()));
    }

    /** A packet of which some bytes behind the addresses of Ethernet are others. */
    private Frame mutated(final Frame.Way way, final byte mark) {
        final byte[] bytes = HexFormat.of().parseHex(whole(way, mark).digits());
        for (int count = random.nextInt(6); count > 0; count--) {
            // Not the addresses: it would be another host's packet then.
            final int at = ETHERNET_HEADER + random.nextInt(bytes.length - ETHERNET_HEADER);
            if (at < ETHERNET_HEADER + ADDRESSES || at >= ETHERNET_HEADER + Ipv6Packet.HEADER) {
                bytes[at] = (byte) random.nextInt();
            }
        }
        return new Frame(HexFormat.of().formatHex(bytes));
    }
}
