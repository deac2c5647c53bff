// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import java.util.ArrayList;
import java.util.List;

/**
 * A gateway address at which hosts ask, and the service address in its place by which the resolver knows the tenant.
 *
 * @param name for labels: the subnet's name, or the gateway's address where subnets have no names
 * @param family a match on IPv4 or IPv6
 * @param toGateway a match on packets to the gateway
 * @param fromService a match on packets of the resolver
 * @param becomeService makes a packet to the gateway one to the resolver
 * @param becomeGateway makes a packet of the resolver one of the gateway
 */
record ResolverDoor(String name, FieldMatch family, FieldMatch toGateway, FieldMatch fromService,
        Action becomeService, Action becomeGateway) {
    private static final FieldMatch IPV4 = FieldMatch.of(MatchField.ETH_TYPE, EtherType.IPV4);
    private static final FieldMatch IPV6 = FieldMatch.of(MatchField.ETH_TYPE, EtherType.IPV6);

    /** The doors of a tenant, one for each subnet: those of IPv4 first. */
    static List<ResolverDoor> of(final TenantView view) {
        final List<ResolverDoor> doors = new ArrayList<>();
        final List<Tenant.Subnet> subnets = view.tenant().subnets();
        for (int index = 0; index < subnets.size(); index++) {
            doors.add(of(subnets.get(index), view.vrf().resolverAddress(index)));
        }
        final List<Ipv6Side.Subnet> subnets6 = view.tenant().ipv6().subnets();
        for (int index = 0; index < subnets6.size(); index++) {
            doors.add(of(subnets6.get(index), view.vrf().resolverAddress6(index)));
        }
        return List.copyOf(doors);
    }

    private static ResolverDoor of(final Tenant.Subnet subnet, final Ipv4 service) {
        return new ResolverDoor("of " + subnet.name(), IPV4, FieldMatch.of(MatchField.IP_DST, subnet.gateway()),
            FieldMatch.of(MatchField.IP_SRC, service), new Action.SetField(MatchField.IP_DST, service),
            new Action.SetField(MatchField.IP_SRC, subnet.gateway()));
    }

    private static ResolverDoor of(final Ipv6Side.Subnet subnet, final Ipv6 service) {
        return new ResolverDoor(subnet.gateway().toString(), IPV6,
            FieldMatch.of(MatchField.IPV6_DST, subnet.gateway()), FieldMatch.of(MatchField.IPV6_SRC, service),
            new Action.SetField(MatchField.IPV6_DST, service),
            new Action.SetField(MatchField.IPV6_SRC, subnet.gateway()));
    }

    /** By which the tenant's own resolver is asked: the first of its family. There is one, for it is inside. */
    static ResolverDoor asking(final TenantView view, final Dns.Upstream upstream) {
        final FieldMatch family = upstream.isIpv6() ? IPV6 : IPV4;
        return of(view).stream().filter(door -> door.family().equals(family)).findFirst().orElseThrow();
    }

    /** A match on packets of a resolver. */
    static FieldMatch from(final Dns.Upstream upstream) {
        return upstream.isIpv6() ? FieldMatch.of(MatchField.IPV6_SRC, Ipv6.parse(upstream.address()))
            : FieldMatch.of(MatchField.IP_SRC, Ipv4.parse(upstream.address()));
    }

    /** A match on packets to a resolver. */
    static FieldMatch to(final Dns.Upstream upstream) {
        return upstream.isIpv6() ? FieldMatch.of(MatchField.IPV6_DST, Ipv6.parse(upstream.address()))
            : FieldMatch.of(MatchField.IP_DST, Ipv4.parse(upstream.address()));
    }
}
