// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Backbone6;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.DomainNames;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mtu;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Constants;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The rules for the IPv6 half of a tenant, whoever the other tenants are. */
final class Ipv6Rules {
    /** RFC 4861, section 6.2.1. Seconds. */
    private static final int SHORTEST_INTERVAL = 4;
    private static final int LONGEST_INTERVAL = 1800;
    private static final int LONGEST_LIFETIME = 9000;
    /** RFC 8200, section 5; and the largest frame there is. */
    private static final int LARGEST_MTU = 65535;
    /** An advertisement has to fit one packet of the smallest MTU. */
    private static final int MOST_RESOLVERS = 8;
    private static final int MOST_DOMAINS = 4;
    /** What no host on a network has (RFC 4291, sections 2.5 and 2.7), and what resolvers of nodes have. */
    private static final List<Prefix6> NOT_OF_HOSTS = Stream.concat(
        Stream.of("::/96", "::ffff:0:0/96", "fe80::/9", "ff00::/8").map(Prefix6::parse),
        Stream.of(new Prefix6(Constants.RESOLVERS6, Constants.RESOLVERS6_LENGTH))).toList();

    private final Tenant tenant;
    private final Backbone6 backbone;
    private final BiConsumer<String, String> add;

    private Ipv6Rules(final Tenant tenant, final Backbone6 backbone, final BiConsumer<String, String> add) {
        this.tenant = tenant;
        this.backbone = backbone;
        this.add = add;
    }

    /** Why a prefix cannot be one of hosts, if it cannot. */
    static Optional<String> notOfHosts(final Prefix6 prefix) {
        return NOT_OF_HOSTS.stream().filter(prefix::overlaps).findFirst()
            .map(reserved -> prefix + " overlaps " + reserved + ", which is not a prefix for hosts");
    }

    /**
     * Finds the rules that a tenant breaks.
     *
     * @param add takes a leaf and a rule
     */
    static void check(final Tenant tenant, final Backbone backbone, final BiConsumer<String, String> add) {
        new Ipv6Rules(tenant, backbone.ipv6(), add).check();
    }

    private void check() {
        final List<Ipv6Side.Subnet> subnets = tenant.ipv6().subnets();
        final Set<String> names =
            tenant.attachments().stream().map(Tenant.Attachment::name).collect(Collectors.toSet());
        for (int index = 0; index < subnets.size(); index++) {
            final Ipv6Side.Subnet subnet = subnets.get(index);
            final String entry = "ipv6 / subnet " + subnet.prefix() + " / ";
            checkPrefix(entry, subnet.prefix());
            subnets.subList(0, index).stream().filter(other -> other.prefix().overlaps(subnet.prefix())).findFirst()
                .ifPresent(other -> add.accept(entry + "prefix", subnet.prefix() + " overlaps the subnet "
                    + other.prefix()));
            if (!subnet.prefix().contains(subnet.gateway())) {
                add.accept(entry + "gateway", subnet.gateway() + " is outside its subnet " + subnet.prefix());
            }
            subnet.attachments().stream().filter(name -> !names.contains(name)).forEach(name ->
                add.accept(entry + "attachment", "the tenant has no attachment '" + name + "'"));
            checkAdvertisement(entry + "router-advertisement / ", subnet);
        }
        checkRoutes();
    }

    private void checkPrefix(final String entry, final Prefix6 prefix) {
        notOfHosts(prefix).ifPresent(rule -> add.accept(entry + "prefix", rule));
        backbone.interfaces().stream().filter(uplink -> uplink.prefix().overlaps(prefix)).findFirst()
            .ifPresent(uplink -> add.accept(entry + "prefix", prefix + " overlaps " + uplink.prefix()
                + " of the backbone"));
    }

    private void checkAdvertisement(final String entry, final Ipv6Side.Subnet subnet) {
        final Ipv6Side.Advertisement told = subnet.advertisement();
        if (told.slaac() && subnet.prefix().length() != Prefix6.SUBNET) {
            add.accept(entry + "slaac", "needs a /64, which " + subnet.prefix() + " is not; set it to false");
        }
        if (told.interval() < SHORTEST_INTERVAL || told.interval() > LONGEST_INTERVAL) {
            add.accept(entry + "interval", told.interval() + " is not in " + SHORTEST_INTERVAL + ".."
                + LONGEST_INTERVAL);
        }
        if (told.lifetime() != 0 && (told.lifetime() < told.interval() || told.lifetime() > LONGEST_LIFETIME)) {
            add.accept(entry + "lifetime", told.lifetime() + " is neither 0 nor in " + told.interval() + ".."
                + LONGEST_LIFETIME);
        }
        told.mtu().filter(mtu -> mtu < Mtu.LEAST_IPV6 || mtu > LARGEST_MTU).ifPresent(mtu ->
            add.accept(entry + "mtu", mtu + " is not in " + Mtu.LEAST_IPV6 + ".." + LARGEST_MTU));
        if (told.resolvers().size() > MOST_RESOLVERS) {
            add.accept(entry + "rdnss", told.resolvers().size() + " are more than " + MOST_RESOLVERS);
        }
        if (told.domains().size() > MOST_DOMAINS) {
            add.accept(entry + "dnssl", told.domains().size() + " are more than " + MOST_DOMAINS);
        }
        told.domains().stream().filter(domain -> !DomainNames.isDomain(domain))
            .forEach(domain -> add.accept(entry + "dnssl", "'" + domain + "' is not a domain name"));
        Stream.concat(told.resolvers().stream(), told.timeServers().stream())
            .filter(address -> Prefix6.MULTICAST.contains(address) || address.equals(Ipv6.UNSPECIFIED))
            .forEach(address -> add.accept(entry + (told.resolvers().contains(address) ? "rdnss" : "ntp-server"),
                address + " is not the address of a host"));
    }

    private void checkRoutes() {
        final Set<Prefix6> seen = new HashSet<>();
        for (final Route6 route : tenant.ipv6().routes()) {
            final String entry = "ipv6 / route " + route.prefix() + " / ";
            if (route.prefix().length() == 0) {
                add.accept(entry + "prefix", "the default route of a VRF leads to the backbone");
            } else {
                checkPrefix(entry, route.prefix());
            }
            if (!seen.add(route.prefix())
                    || tenant.ipv6().subnets().stream().anyMatch(each -> each.prefix().equals(route.prefix()))) {
                add.accept(entry + "prefix", "the VRF has a route for this prefix already");
            }
            if (tenant.ipv6().subnets().stream().noneMatch(each -> each.prefix().contains(route.nextHop()))) {
                add.accept(entry + "next-hop", route.nextHop() + " is not in a subnet of the tenant");
            }
            if (tenant.ipv6().subnets().stream().anyMatch(each -> each.gateway().equals(route.nextHop()))) {
                add.accept(entry + "next-hop", route.nextHop() + " is the VRF's own gateway");
            }
        }
    }
}
