// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import static java.util.Objects.requireNonNull;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The headers of a frame that may be cut off, malformed, or both: what can be read is there. Lengths and checksums are
 * not looked at.
 *
 * @param vlan id of the outermost 802.1Q tag
 * @param etherType behind the tags, or the length of an IEEE 802.3 frame
 * @param source IP address of the sender, 4 or 16 bytes; of ARP the one that is announced
 * @param destination IP address of the receiver, 4 or 16 bytes; of ARP the one that is asked for
 * @param protocol as IANA has registered it, behind no extension header
 * @param sourcePort of TCP, UDP or SCTP
 * @param destinationPort of TCP, UDP or SCTP
 */
public record FrameHeaders(long destinationMac, long sourceMac, OptionalInt vlan, int etherType,
        Optional<Bytes> source, Optional<Bytes> destination, OptionalInt protocol, OptionalInt sourcePort,
        OptionalInt destinationPort) {
    private static final int MACS = 12;
    private static final int TAG = 4;
    private static final int TYPE_8021Q = 0x8100;
    private static final int TYPE_8021AD = 0x88a8;
    private static final int VLAN_MASK = 0xfff;
    private static final int ARP_OF_IPV4 = 28;
    private static final int OFFSET_MASK = 0x1fff;
    private static final int TCP = 6;
    private static final int UDP = 17;
    private static final int SCTP = 132;

    public FrameHeaders {
        requireNonNull(vlan);
        requireNonNull(source);
        requireNonNull(destination);
        requireNonNull(protocol);
        requireNonNull(sourcePort);
        requireNonNull(destinationPort);
    }

    /** Reads a frame; nothing if it has no whole Ethernet header. */
    public static Optional<FrameHeaders> parse(final Bytes frame) {
        int at = MACS;
        OptionalInt vlan = OptionalInt.empty();
        while (frame.length() >= at + TAG + 2 && isTag(frame.u16(at))) {
            vlan = vlan.isPresent() ? vlan : OptionalInt.of(frame.u16(at + 2) & VLAN_MASK);
            at += TAG;
        }
        if (frame.length() < at + 2) {
            return Optional.empty();
        }
        final int type = frame.u16(at);
        final Bytes payload = frame.from(at + 2);
        final FrameHeaders outer = new FrameHeaders(frame.u48(0), frame.u48(6), vlan, type, Optional.empty(),
            Optional.empty(), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());
        final FrameHeaders whole = switch (type) {
            case Ethernet.TYPE_IPV4 -> outer.ipv4(payload);
            case Ethernet.TYPE_IPV6 -> outer.ipv6(payload);
            case Ethernet.TYPE_ARP -> payload.length() < ARP_OF_IPV4 ? outer
                : outer.between(payload.part(14, 4), payload.part(24, 4), OptionalInt.empty());
            default -> outer;
        };
        return Optional.of(whole);
    }

    private static boolean isTag(final int type) {
        return type == TYPE_8021Q || type == TYPE_8021AD;
    }

    private FrameHeaders ipv4(final Bytes packet) {
        if (packet.length() < Ipv4Packet.HEADER) {
            return this;
        }
        final FrameHeaders known = between(packet.part(12, 4), packet.part(16, 4), OptionalInt.of(packet.u8(9)));
        final int header = (packet.u8(0) & 0xf) * 4;
        // A later fragment has no ports.
        return header < Ipv4Packet.HEADER || header > packet.length() || (packet.u16(6) & OFFSET_MASK) != 0 ? known
            : known.ports(packet.from(header));
    }

    private FrameHeaders ipv6(final Bytes packet) {
        return packet.length() < Ipv6Packet.HEADER ? this
            : between(packet.part(8, Ipv6Packet.ADDRESS), packet.part(24, Ipv6Packet.ADDRESS),
                OptionalInt.of(packet.u8(6))).ports(packet.from(Ipv6Packet.HEADER));
    }

    private FrameHeaders between(final Bytes from, final Bytes to, final OptionalInt carried) {
        return new FrameHeaders(destinationMac, sourceMac, vlan, etherType, Optional.of(from), Optional.of(to), carried,
            sourcePort, destinationPort);
    }

    private FrameHeaders ports(final Bytes segment) {
        final int carried = protocol.orElse(0);
        return carried != TCP && carried != UDP && carried != SCTP || segment.length() < 4 ? this
            : new FrameHeaders(destinationMac, sourceMac, vlan, etherType, source, destination, protocol,
                OptionalInt.of(segment.u16(0)), OptionalInt.of(segment.u16(2)));
    }
}
