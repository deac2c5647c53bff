// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
import java.util.Optional;

/**
 * The resolver of a VRF, which answers at its gateways.
 *
 * @param domain the tenant's own zone; leases and records are in it
 * @param upstreams who is asked for everything else; those of the provider when empty
 * @param queriesPerSecond how many queries get through
 * @param dns64 prefix of RFC 6147 with which AAAA records are made of A records, as text
 */
public record Dns(Optional<String> domain, List<Record> records, List<Upstream> upstreams,
        Optional<Integer> queriesPerSecond, Optional<String> dns64) {
    public Dns {
        records = List.copyOf(records);
        upstreams = List.copyOf(upstreams);
    }

    /** The same with other resolvers to ask. */
    public Dns withUpstreams(final List<Upstream> others) {
        return new Dns(domain, records, others, queriesPerSecond, dns64);
    }

    /**
     * A record of the tenant's zone.
     *
     * @param name below the zone, {@code @} for the zone itself
     * @param type A, AAAA, CNAME, MX, TXT, SRV, PTR or NS
     * @param data as in a zone file (RFC 1035, section 5)
     */
    public record Record(String name, String type, int ttl, String data) { }

    /**
     * A resolver that is asked.
     *
     * @param address IPv4 or IPv6, as text
     * @param inside whether it is inside the VRF, or else the provider reaches it
     */
    public record Upstream(String address, boolean inside) {
        /** Whether the address is of IPv6, if it is one at all. */
        public boolean isIpv6() {
            return address.indexOf(':') >= 0;
        }
    }
}
