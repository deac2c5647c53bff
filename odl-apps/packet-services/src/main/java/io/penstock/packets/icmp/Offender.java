// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.icmp;

import static java.util.Objects.requireNonNull;

import io.penstock.frames.Bytes;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Icmp;
import io.penstock.frames.IcmpError;
import io.penstock.frames.Ipv4Packet;
import io.penstock.pipeline.registry.ErrorKind;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A packet that an error may be about, and what the standards say about errors about it.
 *
 * @param version 4 or 6
 * @param packet from its IP header on, which is there; its end may be missing
 */
record Offender(int version, Bytes packet) {
    static final int IPV4 = 4;
    static final int IPV6 = 6;

    private static final int IPV4_FRAGMENT = 6;
    private static final int IPV4_OFFSET = 0x1fff;
    private static final int IPV4_PROTOCOL = 9;
    private static final int IPV4_SOURCE = 12;
    private static final int IPV4_DESTINATION = 16;
    private static final int IPV6_HEADER = 40;
    private static final int IPV6_NEXT = 6;
    private static final int IPV6_SOURCE = 8;
    private static final int IPV6_DESTINATION = 24;
    private static final int IPV6_ADDRESS = 16;
    private static final int IPV6_FRAGMENT = 44;
    /** Hop-by-hop options, routing, destination options: they say in their second byte how long they are. */
    private static final List<Integer> IPV6_EXTENSIONS = List.of(0, 43, 60);
    private static final int ICMPV6 = 58;
    /** ICMPv6 types below it are errors; redirects are treated like them (RFC 4443, section 2.4, e). */
    private static final int FIRST_INFORMATIONAL = 128;
    private static final int REDIRECT = 137;
    /** Unreachable, source quench, redirect, time exceeded, parameter problem (RFC 1122, section 3.2.2). */
    private static final List<Integer> ERRORS = List.of(Icmp.UNREACHABLE, 4, 5, Icmp.TIME_EXCEEDED, 12);
    private static final int LOOPBACK = 127;
    private static final int FIRST_GROUP = 224;
    private static final int GROUP = 0xff;

    Offender {
        requireNonNull(packet);
    }

    /** Reads a frame, of which the end may be missing; nothing if there is no whole IP header in it. */
    static Optional<Offender> parse(final Bytes frame) {
        return Ethernet.parse(frame).flatMap(each -> {
            final Bytes packet = each.payload();
            final int version = packet.isEmpty() ? 0 : packet.u8(0) >> 4;
            final boolean whole = each.etherType() == Ethernet.TYPE_IPV4 && version == IPV4
                ? (packet.u8(0) & 0xf) * 4 >= Ipv4Packet.HEADER && packet.length() >= (packet.u8(0) & 0xf) * 4
                : each.etherType() == Ethernet.TYPE_IPV6 && version == IPV6 && packet.length() >= IPV6_HEADER;
            return whole ? Optional.of(new Offender(version, packet)) : Optional.empty();
        });
    }

    /** Who sent it: 4 or 16 bytes. */
    Bytes source() {
        return version == IPV4 ? packet.part(IPV4_SOURCE, 4) : packet.part(IPV6_SOURCE, IPV6_ADDRESS);
    }

    /** Whom it is for: 4 or 16 bytes. */
    Bytes destination() {
        return version == IPV4 ? packet.part(IPV4_DESTINATION, 4) : packet.part(IPV6_DESTINATION, IPV6_ADDRESS);
    }

    /** Why nobody may be told, as far as the packet itself says it. */
    Optional<Outcome> whyNot(final ErrorKind kind) {
        if (isToGroup(kind)) {
            return Optional.of(Outcome.TO_GROUP);
        }
        if (!isFromHost()) {
            return Optional.of(Outcome.FROM_NOBODY);
        }
        return version == IPV4 ? whyNotIpv4(kind) : whyNotIpv6();
    }

    /** RFC 1812, section 4.3.2.7, and RFC 1191, section 4: who does not ask for it gets no path MTU. */
    private Optional<Outcome> whyNotIpv4(final ErrorKind kind) {
        final int fragment = packet.u16(IPV4_FRAGMENT);
        if ((fragment & IPV4_OFFSET) != 0) {
            return Optional.of(Outcome.LATER_FRAGMENT);
        }
        final int header = (packet.u8(0) & 0xf) * 4;
        if (packet.u8(IPV4_PROTOCOL) == Ipv4Packet.PROTOCOL_ICMP
                && (packet.length() == header || ERRORS.contains(packet.u8(header)))) {
            return Optional.of(Outcome.ABOUT_ERROR);
        }
        return kind == ErrorKind.TOO_BIG && (fragment & Ipv4Packet.DONT_FRAGMENT) == 0
            ? Optional.of(Outcome.MAY_FRAGMENT) : Optional.empty();
    }

    /** RFC 4443, section 2.4, e. */
    private Optional<Outcome> whyNotIpv6() {
        int next = packet.u8(IPV6_NEXT);
        int at = IPV6_HEADER;
        while ((IPV6_EXTENSIONS.contains(next) || next == IPV6_FRAGMENT) && at + 8 <= packet.length()) {
            if (next == IPV6_FRAGMENT && packet.u16(at + 2) >> 3 != 0) {
                return Optional.of(Outcome.LATER_FRAGMENT);
            }
            final int size = next == IPV6_FRAGMENT ? 8 : (packet.u8(at + 1) + 1) * 8;
            next = packet.u8(at);
            at += size;
        }
        final OptionalInt type = at < packet.length() ? OptionalInt.of(packet.u8(at)) : OptionalInt.empty();
        // One whose type was cut off or hidden may be an error.
        final boolean error = next == ICMPV6 && (type.isEmpty() || type.getAsInt() < FIRST_INFORMATIONAL
            || type.getAsInt() == REDIRECT);
        return error ? Optional.of(Outcome.ABOUT_ERROR) : Optional.empty();
    }

    /** Path MTU of groups is found by errors as well (RFC 4443, section 2.4, e.3). */
    private boolean isToGroup(final ErrorKind kind) {
        return version == IPV4 ? destination().u8(0) >= FIRST_GROUP
            : destination().u8(0) == GROUP && kind != ErrorKind.TOO_BIG;
    }

    private boolean isFromHost() {
        final Bytes source = source();
        if (version == IPV4) {
            return source.u8(0) != 0 && source.u8(0) != LOOPBACK && source.u8(0) < FIRST_GROUP;
        }
        // Neither a group, nor ::, nor ::1.
        return source.u8(0) != GROUP && (source.u32(0) | source.u32(4) | source.u32(8) | source.u32(12) >> 1) != 0;
    }

    /** The error: a whole packet from a router to the source. */
    Bytes error(final ErrorKind kind, final int mtu, final Bytes router) {
        final int portUnreachable = version == IPV4 ? 3 : 4;
        final int fragmentationNeeded = 4;
        if (version == IPV4) {
            final long address = router.u32(0);
            return switch (kind) {
                case TIME_EXCEEDED -> IcmpError.ofIpv4(Icmp.TIME_EXCEEDED, 0, 0, address, packet);
                case NO_ROUTE -> IcmpError.ofIpv4(Icmp.UNREACHABLE, 0, 0, address, packet);
                case TOO_BIG -> IcmpError.ofIpv4(Icmp.UNREACHABLE, fragmentationNeeded, mtu, address, packet);
                case NO_PORT -> IcmpError.ofIpv4(Icmp.UNREACHABLE, portUnreachable, 0, address, packet);
            };
        }
        return switch (kind) {
            case TIME_EXCEEDED -> IcmpError.ofIpv6(IcmpError.V6_TIME_EXCEEDED, 0, 0, router, packet);
            case NO_ROUTE -> IcmpError.ofIpv6(IcmpError.V6_UNREACHABLE, 0, 0, router, packet);
            case TOO_BIG -> IcmpError.ofIpv6(IcmpError.V6_TOO_BIG, 0, mtu, router, packet);
            case NO_PORT -> IcmpError.ofIpv6(IcmpError.V6_UNREACHABLE, portUnreachable, 0, router, packet);
        };
    }
}
