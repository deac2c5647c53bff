// SPDX-License-Identifier: Apache-2.0
package io.penstock.frames;

import java.util.List;
import java.util.Optional;

/**
 * What a router tells the hosts on a link (RFC 4861, section 4.2; RFC 8106).
 *
 * @param otherConfig whether DHCPv6 has the rest
 * @param lifetime how long it is a default router, seconds, 0 to 65535; 0 when it is none
 * @param resolvers addresses of 16 bytes
 * @param domains domains in which short names are looked for
 * @param namesLifetime how long these two hold, seconds
 */
public record RouterAdvertisement(boolean otherConfig, int lifetime, Optional<Integer> mtu, List<OnLink> prefixes,
        List<Bytes> resolvers, List<String> domains, long namesLifetime) {
    private static final int HOP_LIMIT = 64;
    private static final int OTHER_CONFIG = 0x40;
    private static final int PREFIX_INFORMATION = 3;
    private static final int MTU = 5;
    private static final int RESOLVERS = 25;
    private static final int DOMAINS = 31;
    private static final int ON_LINK = 0x80;
    private static final int AUTONOMOUS = 0x40;
    private static final int UNIT = 8;

    public RouterAdvertisement {
        prefixes = List.copyOf(prefixes);
        resolvers = List.copyOf(resolvers);
        domains = List.copyOf(domains);
    }

    /**
     * A prefix of the link (section 4.6.2).
     *
     * @param prefix 16 bytes, zeros behind the length
     * @param autonomous whether hosts make addresses of it (RFC 4862)
     * @param valid how long, seconds
     * @param preferred how long they begin connections from such addresses, seconds
     */
    public record OnLink(Bytes prefix, int length, boolean autonomous, long valid, long preferred) { }

    /** The frame; addresses have 16 bytes. Throws IllegalArgumentException when a domain is none. */
    public Ethernet frame(final long destinationMac, final long mac, final Bytes source, final Bytes destination) {
        return Neighbours6.frame(destinationMac, mac, source, destination,
            new Icmpv6(Icmpv6.ROUTER_ADVERTISEMENT, 0, body(mac)));
    }

    private Bytes body(final long mac) {
        final BytesWriter body = new BytesWriter().u8(HOP_LIMIT).u8(otherConfig ? OTHER_CONFIG : 0).u16(lifetime)
            .u32(0).u32(0).put(Neighbours6.sourceLinkLayer(mac));
        mtu.ifPresent(most -> body.u8(MTU).u8(1).u16(0).u32(most));
        for (final OnLink each : prefixes) {
            body.u8(PREFIX_INFORMATION).u8(4).u8(each.length()).u8(ON_LINK | (each.autonomous() ? AUTONOMOUS : 0))
                .u32(each.valid()).u32(each.preferred()).u32(0).put(each.prefix());
        }
        if (!resolvers.isEmpty()) {
            body.u8(RESOLVERS).u8(1 + 2 * resolvers.size()).u16(0).u32(namesLifetime);
            resolvers.forEach(body::put);
        }
        if (!domains.isEmpty()) {
            final Bytes names = Names.encode(domains);
            final int units = (names.length() + UNIT - 1) / UNIT;
            body.u8(DOMAINS).u8(1 + units).u16(0).u32(namesLifetime).field(names, units * UNIT);
        }
        return body.bytes();
    }
}
