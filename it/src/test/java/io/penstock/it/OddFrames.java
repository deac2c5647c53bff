// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.testkit.Frame;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Frames for connection tracking: fragments of all sizes, numbers and orders, dialogues of FTP, errors about anything,
 * and packets with wrong headers. Equal seeds make equal frames. All data is one byte, the mark, by which the origin of
 * a frame is known wherever it leaves.
 */
final class OddFrames {
    private static final int FTP = 21;
    private static final int ETHERNET_HEADER = 14;
    private static final int IPV4_HEADER = 20;
    private static final int MORE_FRAGMENTS = 0x2000;
    private static final int MOST_OFFSET = 0x1fff;
    /** So few that fragments of different packets, tenants and families meet. */
    private static final int IDENTIFICATIONS = 8;
    private static final int PORTS = 64;
    private static final int FIRST_PORT = 30_000;
    private static final int LONGEST = 1480;
    private static final int MOST_PIECES = 60;
    private static final List<Integer> PROTOCOLS = List.of(IpProtocol.ICMP, IpProtocol.TCP, IpProtocol.UDP,
        IpProtocol.UDP, IpProtocol.UDP, IpProtocol.ICMPV6, IpProtocol.SCTP, 2, 47, 50, 51, 136, 255);
    private static final List<Integer> SIZES = List.of(8, 64, 392, 400, 552, 800, 1400, LONGEST);
    private static final List<Integer> ERRORS = List.of(3, 3, 3, 4, 5, 11, 12, 0, 8, 13, 255);
    private static final List<Integer> FLAGS = List.of(0x02, 0x10, 0x18, 0x12, 0x11, 0x04, 0x29, 0x00, 0xff);
    private static final List<String> NUMBERS = List.of("0", "1", "7", "21", "80", "255", "256", "999", "1024", "65535",
        "65536", "4294967296", "-1", "", "x", "00000000000000000000001");

    private final Random random;

    OddFrames(final Random random) {
        this.random = random;
    }

    /** Some frames that belong together. */
    List<Frame> some(final Frame.Way way, final byte mark) {
        return switch (random.nextInt(7)) {
            case 0, 1 -> train(way, mark);
            case 2 -> List.of(loose(way, mark), loose(way, mark), loose(way, mark));
            case 3, 4 -> dialogue(way, mark);
            case 5 -> List.of(error(way, mark), error(way, mark));
            default -> List.of(mutated(way, mark), mutated(way, mark));
        };
    }

    private <T> T any(final List<T> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private int port() {
        return FIRST_PORT + random.nextInt(PORTS);
    }

    private static byte[] data(final int length, final byte mark) {
        final byte[] data = new byte[length];
        Arrays.fill(data, mark);
        return data;
    }

    /** What begins a packet of a protocol: ports, or the header of a ping. */
    private ByteBuffer body(final int protocol, final int length, final byte mark) {
        final ByteBuffer body = ByteBuffer.wrap(data(length, mark));
        if (length < Long.BYTES) {
            return body;
        }
        if (protocol == IpProtocol.ICMP) {
            return body.putInt(0, random.nextBoolean() ? 0x08000000 : 0).putInt(4, random.nextInt(IDENTIFICATIONS));
        }
        return body.putShort(0, (short) port()).putShort(2, (short) (random.nextInt(4) == 0 ? FTP : port()))
            .putShort(4, (short) length).putShort(6, (short) 0);
    }

    /** A packet in pieces: in any order, one of them twice, missing, or at a wrong place. */
    private List<Frame> train(final Frame.Way way, final byte mark) {
        final int protocol = any(PROTOCOLS);
        final int size = any(SIZES);
        final int pieces = 1 + random.nextInt(random.nextInt(4) == 0 ? MOST_PIECES : 4);
        final int identification = random.nextInt(IDENTIFICATIONS) << Short.SIZE;
        final ByteBuffer body = body(protocol, Math.min(0xffff - IPV4_HEADER, size * pieces - random.nextInt(8)), mark);
        final List<Frame> train = new ArrayList<>();
        final int odd = random.nextInt(3) == 0 ? random.nextInt(pieces) : -1;
        for (int at = 0; at < body.capacity(); at += size) {
            final int length = Math.min(size, body.capacity() - at);
            final int more = at + length < body.capacity() ? MORE_FRAGMENTS : 0;
            final int offset = at / size == odd ? random.nextInt(pieces * size / Long.BYTES + 1) : at / Long.BYTES;
            train.add(Frame.ipv4(way, protocol, identification | more | offset & MOST_OFFSET, body.slice(at, length)));
        }
        return disordered(train, random);
    }

    /** Fragments of a packet as a network may bring them: in another order, without one, or one of them twice. */
    static List<Frame> disordered(final List<Frame> train, final Random random) {
        final List<Frame> frames = new ArrayList<>(train);
        switch (random.nextInt(6)) {
            case 0 -> Collections.shuffle(frames, random);
            case 1 -> Collections.reverse(frames);
            case 2 -> frames.remove(random.nextInt(frames.size()));
            case 3 -> frames.add(frames.get(random.nextInt(frames.size())));
            default -> { }
        }
        return frames;
    }

    /** A fragment of no packet. */
    private Frame loose(final Frame.Way way, final byte mark) {
        final int protocol = any(PROTOCOLS);
        return Frame.ipv4(way, protocol, random.nextInt(IDENTIFICATIONS) << Short.SIZE
            | (random.nextBoolean() ? MORE_FRAGMENTS : 0)
            | (random.nextBoolean() ? 0 : random.nextInt(MOST_OFFSET + 1)),
            body(protocol, random.nextBoolean() ? any(SIZES) : random.nextInt(LONGEST), mark));
    }

    /** A connection to, or from, the port of FTP, with lines that its helper reads. */
    private List<Frame> dialogue(final Frame.Way way, final byte mark) {
        final boolean isServer = way.destination().startsWith("203.");
        final int client = port();
        final int from = isServer ? FTP : client;
        final int to = isServer ? client : FTP;
        final int sequence = random.nextInt();
        final List<Frame> dialogue = new ArrayList<>(List.of(
            Frame.tcp(way, from, to, isServer ? Frame.SYN | Frame.ACK : Frame.SYN, sequence - 1, 1)));
        int next = sequence;
        for (int number = random.nextInt(5); number >= 0; number--) {
            final byte[] line = line(way, mark);
            dialogue.add(Frame.tcp(way, from, to, any(List.of(Frame.ACK, 0x18, 0x38)), next, 1, line));
            next += random.nextInt(3) == 0 ? random.nextInt(LONGEST) : line.length;
        }
        return dialogue;
    }

    private byte[] line(final Frame.Way way, final byte mark) {
        final String address = random.nextInt(3) == 0 ? numbers(4, ",") : way.source().replace('.', ',');
        final String line = switch (random.nextInt(9)) {
            case 0 -> "PORT " + address + "," + numbers(2, ",");
            case 1 -> "EPRT |1|" + address.replace(',', '.') + "|" + any(NUMBERS) + "|";
            case 2 -> "EPRT |2|2001:db8::" + any(NUMBERS) + "|" + any(NUMBERS) + "|";
            case 3 -> "227 Entering Passive Mode (" + address + "," + numbers(2, ",") + ").";
            case 4 -> "229 Entering Extended Passive Mode (|||" + any(NUMBERS) + "|)";
            case 5 -> "EPRT " + numbers(random.nextInt(40), any(List.of("|", ",", " ", "|1|")));
            case 6 -> "PORT " + numbers(random.nextInt(300), ",");
            case 7 -> "227 " + numbers(random.nextInt(60), any(List.of(",", "(", ")", "=")));
            default -> any(List.of("PASV", "EPSV", "EPSV ALL", "USER a", "", "PORT", "EPRT", "227", "229"));
        };
        final String text = (random.nextInt(8) == 0 ? line.toLowerCase(Locale.ROOT) : line)
            + any(List.of("\r\n", "\r\n", "\r\n", "\n", "\r", ""));
        final byte[] begin = text.getBytes(StandardCharsets.US_ASCII);
        final byte[] all = data(Math.min(LONGEST - IPV4_HEADER, begin.length + random.nextInt(3) * random.nextInt(300)),
            mark);
        System.arraycopy(begin, 0, all, 0, Math.min(begin.length, all.length));
        return random.nextInt(6) == 0 ? Arrays.copyOf(all, random.nextInt(all.length + 1)) : all;
    }

    private String numbers(final int count, final String between) {
        return String.join(between, IntStream.range(0, count).mapToObj(number -> any(NUMBERS)).toList());
    }

    /** An ICMP error about a packet, of which it has any length. */
    private Frame error(final Frame.Way way, final byte mark) {
        final int protocol = any(PROTOCOLS);
        final ByteBuffer quoted = ByteBuffer.allocate(IPV4_HEADER).put((byte) (random.nextInt(8) == 0
            ? random.nextInt(256) : 0x45)).put((byte) 0).putShort((short) random.nextInt(2000))
            .putInt(random.nextInt(4) == 0 ? random.nextInt() : 0).put((byte) 64).put((byte) protocol)
            .putShort((short) 0)
            .putInt((int) Ipv4.parse(way.destination()).number()).putInt((int) Ipv4.parse(way.source()).number());
        final byte[] behind = body(protocol, random.nextInt(64), mark).array();
        final ByteBuffer body = ByteBuffer.allocate(8 + IPV4_HEADER + behind.length).put((byte) (int) any(ERRORS))
            .put((byte) random.nextInt(16)).putShort((short) 0).putInt(random.nextInt()).put(quoted.rewind())
            .put(behind);
        return Frame.ipv4(way, IpProtocol.ICMP, 0, body.slice(0, random.nextInt(4) == 0
            ? random.nextInt(body.capacity()) : body.capacity()));
    }

    /** A packet of which some bytes behind the addresses of Ethernet are others. */
    private Frame mutated(final Frame.Way way, final byte mark) {
        final int protocol = any(PROTOCOLS);
        final Frame good = protocol == IpProtocol.TCP ? Frame.tcp(way, port(), port(), any(FLAGS), random.nextInt(), 1,
            data(random.nextInt(64), mark)) : Frame.ipv4(way, protocol, 0, body(protocol, random.nextInt(64), mark));
        final byte[] bytes = HexFormat.of().parseHex(good.digits());
        for (int count = random.nextInt(6); count > 0; count--) {
            // Not the addresses: it would be another host's packet then.
            final int at = ETHERNET_HEADER + random.nextInt(bytes.length - ETHERNET_HEADER);
            if (at < ETHERNET_HEADER + 12 || at >= ETHERNET_HEADER + IPV4_HEADER) {
                bytes[at] = (byte) random.nextInt();
            }
        }
        return new Frame(HexFormat.of().formatHex(bytes));
    }
}
