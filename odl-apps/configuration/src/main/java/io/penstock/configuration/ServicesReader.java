// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Range;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What a tenant's VRF does for its hosts. Whatever the user gives no order to is sorted. */
final class ServicesReader {
    private ServicesReader() {
        // Only functions.
    }

    static Services read(final Leaves tenant) throws UnreadableException {
        return new Services(tenant.child("dhcp", ServicesReader::dhcp), tenant.child("dns", ServicesReader::dns));
    }

    private static Dhcp dhcp(final Leaves dhcp) throws UnreadableException {
        return new Dhcp(dhcp.count("conflict-probe"),
            sorted(dhcp.each("subnet", "prefix", ServicesReader::subnet), Comparator.comparing(Dhcp.Subnet::prefix)));
    }

    private static Dhcp.Subnet subnet(final Leaves subnet) throws UnreadableException {
        return new Dhcp.Subnet(subnet.prefix("prefix"),
            sorted(subnet.each("pool", "first", pool -> new Range(pool.address("first"), pool.address("last"))),
                Comparator.comparing(Range::first)),
            sorted(subnet.each("exclude", "first", ServicesReader::exclusion), Comparator.comparing(Range::first)),
            sorted(subnet.each("reservation", "address", ServicesReader::reservation),
                Comparator.comparing(Dhcp.Reservation::address)),
            subnet.count("lease-time"), options(subnet));
    }

    private static Range exclusion(final Leaves exclusion) throws UnreadableException {
        final Ipv4 first = exclusion.address("first");
        return new Range(first, exclusion.optional("last", Ipv4::parse).orElse(first));
    }

    private static Dhcp.Reservation reservation(final Leaves reservation) throws UnreadableException {
        return new Dhcp.Reservation(reservation.address("address"), reservation.optional("mac", Mac::parse),
            reservation.leaf("attachment"), reservation.leaf("circuit-id").map(id -> id.toLowerCase(Locale.ROOT)),
            reservation.leaf("host-name"));
    }

    private static Dhcp.Options options(final Leaves subnet) throws UnreadableException {
        final Optional<Integer> mtu = subnet.number("mtu");
        final Optional<Ipv4> nextServer = subnet.optional("next-server", Ipv4::parse);
        return new Dhcp.Options(subnet.addresses("router"), subnet.addresses("dns-server"), subnet.leaf("domain"),
            subnet.texts("search"), subnet.addresses("ntp-server"), mtu,
            sorted(subnet.each("static-route", "prefix",
                route -> new Route(route.prefix("prefix"), route.address("next-hop"))),
                Comparator.comparing(Route::prefix)),
            nextServer, subnet.leaf("tftp-server"), subnet.leaf("boot-file"),
            sorted(subnet.each("option", "code", option -> new Dhcp.RawOption(
                option.count("code"), option.text("type"), option.text("value"))),
                Comparator.comparingInt(Dhcp.RawOption::code)));
    }

    private static Dns dns(final Leaves dns) throws UnreadableException {
        return new Dns(dns.leaf("domain"),
            sorted(dns.each("record", "name", each -> new Dns.Record(each.text("name"), each.text("type"),
                each.count("ttl"), each.text("data"))),
                Comparator.comparing(Dns.Record::name).thenComparing(Dns.Record::type)
                    .thenComparing(Dns.Record::data)),
            dns.each("upstream", "address",
                each -> new Dns.Upstream(each.text("address"), each.isSet("inside"))),
            dns.number("queries-per-second"), dns.leaf("dns64"));
    }

    private static <T> List<T> sorted(final List<T> list, final Comparator<T> order) {
        return list.stream().sorted(order).toList();
    }
}
