// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.AclMatch;
import io.penstock.pipeline.intent.Backbone6;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Ipv6Side.Advertisement;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Networks with IPv6 to plan in tests. */
public final class DualStack {
    private DualStack() {
        // Only functions.
    }

    /**
     * IPv4 and IPv6 on two bridged attachments, IPv6 alone on a third one, and a router there; a list for what leaves.
     */
    public static Tenant tenant() {
        return new Tenant("dual",
            List.of(new Tenant.Attachment("a", "edge1", "acc0", 900), new Tenant.Attachment("b", "edge1", "acc1", 900),
                new Tenant.Attachment("c", "edge1", "acc1", 901),
                new Tenant.Attachment("d", "edge1", "acc1", 902, true)),
            List.of(new Tenant.Subnet("lan", Prefix.parse("10.0.0.0/24"),
                Ipv4.parse("10.0.0.1"), List.of("a", "b"))),
            List.of(), Fixtures.fromPool(), Optional.of("six"), Optional.empty())
            .with(new Ipv6Side(List.of(subnet("2001:db8:1::/64", List.of("a", "b")),
                subnet("2001:db8:2::/64", List.of("c", "d"))),
                List.of(new Route6(Prefix6.parse("2001:db8:1000::/36"), Ipv6.parse("2001:db8:2::9"))),
                Ipv6Side.Inbound.ANY));
    }

    /** {@link #tenant} with nothing but replies by IPv6. */
    public static Tenant closed() {
        return withoutPermission(tenant());
    }

    /** {@link #chained} with nothing but replies by IPv6, and no list at all. */
    public static Tenant closedAlone() {
        return withoutPermission(chained());
    }

    private static Tenant withoutPermission(final Tenant tenant) {
        return tenant.with(new Ipv6Side(tenant.ipv6().subnets(), tenant.ipv6().routes()));
    }

    /** IPv6 alone, through a chain. */
    public static Tenant chained() {
        return new Tenant("six", List.of(new Tenant.Attachment("lan", "edge1", "acc0", 910)), List.of(), List.of(),
            Optional.empty(), Optional.empty(), Optional.of("secure")).with(side("2001:db8:6::/64"));
    }

    /** {@link #tenant} with names, which are asked of its own resolvers inside, over both families. */
    public static Tenant served() {
        return tenant().with(new Services(Optional.empty(), Optional.of(new Dns(Optional.of("dual.example"),
            List.of(), List.of(new Dns.Upstream("2001:db8:2::53", true), new Dns.Upstream("10.0.0.53", true)),
            Optional.of(500), Optional.empty()))));
    }

    /** A subnet on all attachments, open to all. */
    public static Ipv6Side side(final String prefix) {
        return new Ipv6Side(List.of(subnet(prefix, List.of())), List.of(), Ipv6Side.Inbound.ANY);
    }

    /** A subnet whose gateway is its first address. */
    public static Ipv6Side.Subnet subnet(final String prefix, final List<String> attachments) {
        final Prefix6 parsed = Prefix6.parse(prefix);
        return new Ipv6Side.Subnet(parsed, new Ipv6(parsed.address().high(), parsed.address().low() + 1), attachments,
            Advertisement.PLAIN);
    }

    /** An IPv6 uplink with a transit gateway. */
    public static Backbone6 backbone() {
        return new Backbone6(List.of(new Backbone6.Interface("edge1", "up0", Prefix6.parse("2001:db8:ffff::/64"),
            Ipv6.parse("2001:db8:ffff::2"))), List.of(new Route6(Prefix6.DEFAULT, Ipv6.parse("2001:db8:ffff::1"))));
    }

    /** A network with these tenants, IPv6 in the backbone, and the list {@code six}. */
    public static Snapshot network(final Tenant... tenants) {
        final Snapshot plain = Fixtures.network(tenants);
        final List<Acl> acls = new ArrayList<>(plain.acls().values());
        acls.add(new Acl("six", List.of(
            entry("lab", false, Optional.of(IpFamily.IPV6), Optional.of("2001:db8:bad::/48"), null, null),
            entry("web", true, Optional.empty(), Optional.empty(), 6, null),
            entry("ping", true, Optional.of(IpFamily.IPV6), Optional.empty(), 58, 128))));
        return Snapshot.of(List.copyOf(plain.nodes().values()), plain.backbone().with(backbone()),
            List.copyOf(plain.pools().values()), List.copyOf(plain.functions().values()),
            List.copyOf(plain.chains().values()), List.of(tenants), acls);
    }

    private static Acl.Entry entry(final String name, final boolean permit, final Optional<IpFamily> family,
            final Optional<String> destination, final Integer protocol, final Integer icmpType) {
        return new Acl.Entry(name, permit, new AclMatch(family, Optional.ofNullable(protocol), Matches.any(),
            new AclMatch.Ends<>(Optional.empty(), destination.map(Prefix6::parse)), Matches.any(),
            new AclMatch.Icmp(Optional.ofNullable(icmpType), Optional.empty())), List.of());
    }
}
