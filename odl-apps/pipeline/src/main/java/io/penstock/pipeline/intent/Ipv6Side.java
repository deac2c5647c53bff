// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The IPv6 half of a tenant's VRF. Its prefixes are global and routed: nothing is translated.
 *
 * @param inbound what may come from outside the VRF when the tenant has no ingress list
 */
public record Ipv6Side(List<Subnet> subnets, List<Route6> routes, Inbound inbound) {
    /** The VRF has no IPv6. */
    public static final Ipv6Side NONE = new Ipv6Side(List.of(), List.of());

    public Ipv6Side {
        requireNonNull(inbound);
        subnets = List.copyOf(subnets);
        routes = List.copyOf(routes);
    }

    /** Only replies come in. */
    public Ipv6Side(final List<Subnet> subnets, final List<Route6> routes) {
        this(subnets, routes, Inbound.REPLIES);
    }

    /** What may come from outside the VRF (RFC 6092, REC-11 and REC-49). */
    public enum Inbound {
        /** Replies to packets of the tenant, and ICMPv6 errors about them. */
        REPLIES,
        /** Everything. */
        ANY
    }

    /**
     * A subnet and the attachments it is on; no attachment means all.
     *
     * @param gateway the VRF's global address in it, beside the link-local one it has everywhere
     */
    public record Subnet(Prefix6 prefix, Ipv6 gateway, List<String> attachments, Advertisement advertisement) {
        public Subnet {
            attachments = List.copyOf(attachments);
        }
    }

    /**
     * What hosts are told about a subnet (RFC 4861, section 6.2.1; RFC 8106).
     *
     * @param slaac whether hosts make addresses of the prefix (RFC 4862)
     * @param otherConfig whether they are sent to DHCPv6 for the rest (RFC 8415, section 6.1)
     * @param interval longest time between two advertisements, seconds
     * @param lifetime how long this is a default router, seconds; 0 when it is none
     * @param resolvers resolvers of names, also told by DHCPv6
     * @param domains domains in which short names are looked for, likewise
     * @param timeServers NTP servers, told by DHCPv6 alone
     */
    public record Advertisement(boolean slaac, boolean otherConfig, int interval, int lifetime, Optional<Integer> mtu,
            List<Ipv6> resolvers, List<String> domains, List<Ipv6> timeServers) {
        /** Seconds between two advertisements unless configured, as RFC 4861 has it. */
        public static final int INTERVAL = 600;
        /** Advertisement intervals in which one may be lost before hosts give the router up. */
        public static final int LIFETIME_INTERVALS = 3;
        /** SLAAC and nothing more. */
        public static final Advertisement PLAIN = new Advertisement(true, false, INTERVAL,
            LIFETIME_INTERVALS * INTERVAL, Optional.empty(), List.of(), List.of(), List.of());

        public Advertisement {
            resolvers = List.copyOf(resolvers);
            domains = List.copyOf(domains);
            timeServers = List.copyOf(timeServers);
        }
    }

    /** Whether there is any IPv6. */
    public boolean isPresent() {
        return !subnets.isEmpty();
    }

    /** Prefixes that are inside the VRF: its subnets, and what is routed to routers behind its hosts. */
    public List<Prefix6> insidePrefixes() {
        // Most tenants have none, and each change asks all of them.
        return subnets.isEmpty() && routes.isEmpty() ? List.of()
            : Stream.concat(subnets.stream().map(Subnet::prefix), routes.stream().map(Route6::prefix))
                .distinct().sorted().toList();
    }
}
