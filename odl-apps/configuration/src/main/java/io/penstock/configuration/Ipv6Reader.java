// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.intent.Backbone6;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Ipv6Side.Advertisement;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** IPv6 of tenants and of the backbone. Whatever the user gives no order to is sorted. */
final class Ipv6Reader {
    private Ipv6Reader() {
        // Only functions.
    }

    /** The IPv6 half of a tenant. */
    static Ipv6Side side(final Leaves tenant) throws UnreadableException {
        return tenant.child("ipv6", Ipv6Reader::ipv6).orElse(Ipv6Side.NONE);
    }

    private static Ipv6Side ipv6(final Leaves ipv6) throws UnreadableException {
        return new Ipv6Side(ipv6.each("subnet", "prefix", Ipv6Reader::subnet).stream()
            .sorted(Comparator.comparing(Ipv6Side.Subnet::prefix)).toList(), routes(ipv6),
            Ipv6Side.Inbound.valueOf(ipv6.text("inbound").toUpperCase(Locale.ROOT)));
    }

    private static Ipv6Side.Subnet subnet(final Leaves subnet) throws UnreadableException {
        final Prefix6 prefix = subnet.needed("prefix", Prefix6::parse);
        final Ipv6 first = new Ipv6(prefix.address().high(), prefix.address().low() + 1);
        return new Ipv6Side.Subnet(prefix, subnet.optional("gateway", Ipv6::parse).orElse(first),
            subnet.sorted("attachment"),
            subnet.inside("router-advertisement", Ipv6Reader::advertisement));
    }

    private static Advertisement advertisement(final Leaves told) throws UnreadableException {
        final int interval = told.count("interval");
        final Optional<Integer> lifetime = told.number("lifetime");
        return new Advertisement(told.isSet("slaac"), told.isSet("other-config"), interval,
            lifetime.orElse(Advertisement.LIFETIME_INTERVALS * interval), told.number("mtu"),
            told.all("rdnss", Ipv6::parse), told.texts("dnssl"), told.all("ntp-server", Ipv6::parse));
    }

    /** The IPv6 half of the backbone. */
    static Backbone6 backbone(final Leaves backbone) throws UnreadableException {
        return backbone.child("ipv6", ipv6 -> new Backbone6(ipv6.each("interface", "node",
            each -> new Backbone6.Interface(each.text("node"), each.text("port"),
                each.needed("prefix", Prefix6::parse), each.needed("address", Ipv6::parse))), routes(ipv6)))
            .orElse(Backbone6.NONE);
    }

    private static List<Route6> routes(final Leaves owner) throws UnreadableException {
        return owner.each("route", "prefix", each -> new Route6(each.needed("prefix", Prefix6::parse),
            each.needed("next-hop", Ipv6::parse))).stream()
            .sorted(Comparator.comparing(Route6::prefix).thenComparing(Route6::nextHop)).toList();
    }
}
