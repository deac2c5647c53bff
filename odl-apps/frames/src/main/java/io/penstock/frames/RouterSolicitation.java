// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import java.util.Optional;

/**
 * A host looks for a router (RFC 4861, section 4.1).
 *
 * @param source its address, 16 bytes; zeros when it has none yet
 */
public record RouterSolicitation(Bytes source) {
    private static final int RESERVED = 4;

    /** Reads a packet; nothing if section 6.1.1 has a router discard it. */
    public static Optional<RouterSolicitation> parse(final Ipv6Packet packet) {
        if (packet.nextHeader() != Ipv6Packet.PROTOCOL_ICMPV6 || packet.hopLimit() != Ipv6Packet.LINK_ONLY) {
            return Optional.empty();
        }
        return Icmpv6.parse(packet.payload(), packet.pseudoHeader())
            .filter(message -> message.type() == Icmpv6.ROUTER_SOLICITATION && message.code() == 0)
            .filter(message -> message.body().length() >= RESERVED)
            .filter(message -> optionsFit(message.body().from(RESERVED), isUnspecified(packet.source())))
            .map(message -> new RouterSolicitation(packet.source()));
    }

    private static boolean isUnspecified(final Bytes address) {
        for (int at = 0; at < address.length(); at++) {
            if (address.u8(at) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Each has a length of its own, and who has no address tells no MAC address. */
    private static boolean optionsFit(final Bytes options, final boolean nameless) {
        Bytes rest = options;
        while (!rest.isEmpty()) {
            final int length = rest.length() < 2 ? 0 : 8 * rest.u8(1);
            if (length == 0 || length > rest.length() || nameless && rest.u8(0) == Neighbours6.SOURCE_LINK_LAYER) {
                return false;
            }
            rest = rest.from(length);
        }
        return true;
    }
}
