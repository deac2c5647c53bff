// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import io.penstock.pipeline.plan.Fixtures;
import java.util.List;
import java.util.Optional;

/**
 * A tenant t for rules of services: attachment lan with 10.0.0.0/24, attachment dmz with 10.0.1.0/24, and a route to
 * 172.16.0.0/16.
 */
final class ServiceFixtures {
    static final Prefix LAN = Prefix.parse("10.0.0.0/24");

    private ServiceFixtures() {
        // Only functions.
    }

    static Tenant tenant() {
        final Tenant plain = Fixtures.tenant("t", 100);
        return new Tenant("t",
            List.of(plain.attachments().get(0), new Tenant.Attachment("dmz", "edge1", "acc0", 101)),
            List.of(new Tenant.Subnet("lan", LAN, Ipv4.parse("10.0.0.1"), List.of("lan")),
                new Tenant.Subnet("dmz", Prefix.parse("10.0.1.0/24"), Ipv4.parse("10.0.1.1"), List.of("dmz"))),
            List.of(new Route(Prefix.parse("172.16.0.0/16"), Ipv4.parse("10.0.0.9"))), plain.nat(),
            Optional.empty(), Optional.empty());
    }

    static Tenant with(final Dhcp.Subnet... subnets) {
        return tenant().with(new Services(Optional.of(new Dhcp(200, List.of(subnets))), Optional.empty()));
    }

    static Tenant with(final Dns dns) {
        return tenant().with(new Services(Optional.empty(), Optional.of(dns)));
    }

    static Dhcp.Subnet subnet(final String prefix) {
        return new Dhcp.Subnet(Prefix.parse(prefix), List.of(), List.of(), List.of(), 3600, Dhcp.Options.NONE);
    }

    static Dhcp.Subnet pools(final String prefix, final String... ranges) {
        return new Dhcp.Subnet(Prefix.parse(prefix), List.of(ranges).stream().map(ServiceFixtures::range).toList(),
            List.of(), List.of(), 3600, Dhcp.Options.NONE);
    }

    static Dhcp.Subnet excluding(final String range) {
        return new Dhcp.Subnet(LAN, List.of(), List.of(range(range)), List.of(), 3600, Dhcp.Options.NONE);
    }

    static Dhcp.Subnet reserving(final String prefix, final Dhcp.Reservation... reservations) {
        return new Dhcp.Subnet(Prefix.parse(prefix), List.of(), List.of(), List.of(reservations), 3600,
            Dhcp.Options.NONE);
    }

    static Dhcp.Subnet telling(final Dhcp.Options options) {
        return new Dhcp.Subnet(LAN, List.of(), List.of(), List.of(), 3600, options);
    }

    /** A range of {@code first-last}. */
    static Range range(final String text) {
        final String[] ends = text.split("-");
        return new Range(Ipv4.parse(ends[0]), Ipv4.parse(ends[1]));
    }

    static Dhcp.Reservation forMac(final String address, final String mac) {
        return new Dhcp.Reservation(Ipv4.parse(address), Optional.of(Mac.parse(mac)), Optional.empty(),
            Optional.empty(), Optional.empty());
    }

    static Dhcp.Reservation forAttachment(final String address, final String attachment) {
        return new Dhcp.Reservation(Ipv4.parse(address), Optional.empty(), Optional.of(attachment),
            Optional.empty(), Optional.empty());
    }

    static Dhcp.Reservation forCircuit(final String address, final String id) {
        return new Dhcp.Reservation(Ipv4.parse(address), Optional.empty(), Optional.empty(), Optional.of(id),
            Optional.empty());
    }

    static Dhcp.Reservation named(final String address, final String mac, final String name) {
        return new Dhcp.Reservation(Ipv4.parse(address), Optional.of(Mac.parse(mac)), Optional.empty(),
            Optional.empty(), Optional.of(name));
    }
}
