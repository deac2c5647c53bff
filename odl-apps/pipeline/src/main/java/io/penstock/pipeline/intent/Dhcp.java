// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The DHCPv4 server of a VRF (RFC 2131). It serves subnets of its own and, through relay agents, subnets behind routers
 * of the tenant.
 *
 * @param probeMillis how long an address that nobody has is asked for by ARP before it is offered (RFC 2131, section
 *     2.2); 0 does not ask. Milliseconds.
 */
public record Dhcp(int probeMillis, List<Subnet> subnets) {
    public Dhcp {
        subnets = List.copyOf(subnets);
    }

    /**
     * What the hosts of one subnet get.
     *
     * @param prefix that of a subnet of the VRF, or one inside a route of it, whose hosts have a relay agent
     * @param pools addresses that are handed out
     * @param exclusions addresses that are not, though a pool has them
     * @param leaseSeconds how long a lease lasts, from 60
     */
    public record Subnet(Prefix prefix, List<Range> pools, List<Range> exclusions, List<Reservation> reservations,
            int leaseSeconds, Options options) {
        public Subnet {
            pools = List.copyOf(pools);
            exclusions = List.copyOf(exclusions);
            reservations = List.copyOf(reservations);
        }

        /** Whether the pools hand an address out. A reservation may still keep it for somebody. */
        public boolean handsOut(final Ipv4 address) {
            return pools.stream().anyMatch(pool -> pool.contains(address))
                && exclusions.stream().noneMatch(range -> range.contains(address));
        }

        /** The addresses that a host has by a lease or a reservation alone: the pools, and what is reserved. */
        public List<Range> bound() {
            final List<Range> bound = new ArrayList<>();
            for (final Range pool : pools) {
                List<Range> left = List.of(pool);
                for (final Range exclusion : exclusions) {
                    left = left.stream().flatMap(range -> range.without(exclusion)).toList();
                }
                bound.addAll(left);
            }
            reservations.stream().filter(each -> !handsOut(each.address()))
                .forEach(each -> bound.add(new Range(each.address(), each.address())));
            return bound;
        }
    }

    /**
     * An address that is kept for a host: exactly one of the three says which host.
     *
     * @param mac its MAC address
     * @param attachment whoever is at this attachment, which is a node, port and VLAN
     * @param circuitId whoever a relay agent gives this circuit id (RFC 3046, sub-option 1), hexadecimal
     * @param hostName option 12 of the answer, and the name in the tenant's zone
     */
    public record Reservation(Ipv4 address, Optional<Mac> mac, Optional<String> attachment,
            Optional<String> circuitId, Optional<String> hostName) { }

    /**
     * Options of RFC 2132 and others by name.
     *
     * @param routers option 3; the subnet's gateway, or the relay agent, when empty
     * @param dnsServers option 6; the subnet's gateway when empty and the tenant has a resolver
     * @param domain option 15
     * @param search option 119 (RFC 3397)
     * @param ntpServers option 42
     * @param mtu option 26
     * @param staticRoutes option 121 (RFC 3442)
     * @param nextServer field siaddr
     * @param tftpServer option 66
     * @param bootFile option 67, and field file
     * @param raw options as they are; they win over those by name
     */
    public record Options(List<Ipv4> routers, List<Ipv4> dnsServers, Optional<String> domain, List<String> search,
            List<Ipv4> ntpServers, Optional<Integer> mtu, List<Route> staticRoutes, Optional<Ipv4> nextServer,
            Optional<String> tftpServer, Optional<String> bootFile, List<RawOption> raw) {
        /** No option. */
        public static final Options NONE = new Options(List.of(), List.of(), Optional.empty(), List.of(), List.of(),
            Optional.empty(), List.of(), Optional.empty(), Optional.empty(), Optional.empty(), List.of());

        public Options {
            routers = List.copyOf(routers);
            dnsServers = List.copyOf(dnsServers);
            search = List.copyOf(search);
            ntpServers = List.copyOf(ntpServers);
            staticRoutes = List.copyOf(staticRoutes);
            raw = List.copyOf(raw);
        }
    }

    /**
     * An option by its number.
     *
     * @param type how {@code value} is written: hex, text, ipv4-address (several with commas), uint8, uint16, uint32
     */
    public record RawOption(int code, String type, String value) { }

    /** The subnet that an address is in. */
    public Optional<Subnet> subnetOf(final Ipv4 address) {
        return subnets.stream().filter(subnet -> subnet.prefix().contains(address)).findFirst();
    }
}
