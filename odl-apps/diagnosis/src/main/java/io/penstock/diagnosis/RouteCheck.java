// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.diagnosis.Subject.Address;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv6;
import java.util.Comparator;
import java.util.Optional;

/** Where the VRF routes the packet: to a host, to a router inside, or to the backbone. */
final class RouteCheck implements Check {
    @Override
    public void look(final Subject subject, final Walk walk) {
        subject.packet().ifPresentOrElse(packet -> route(subject, packet, walk), () -> routers(subject, walk));
    }

    /** Whether a packet leaves the VRF for the backbone. */
    static boolean leaves(final Subject subject, final FiveTuple packet) {
        final Tenant tenant = subject.tenant();
        final Address to = Subject.destination(packet);
        return to.isV4() ? tenant.insidePrefixes().stream().noneMatch(prefix -> prefix.contains(to.v4()))
            : tenant.ipv6().insidePrefixes().stream().noneMatch(prefix -> prefix.contains(to.value()));
    }

    private static void route(final Subject subject, final FiveTuple packet, final Walk walk) {
        final Tenant tenant = subject.tenant();
        final Address to = Subject.destination(packet);
        final boolean isGateway = to.isV4()
            ? tenant.subnets().stream().anyMatch(subnet -> subnet.gateway().equals(to.v4()))
            : tenant.ipv6().subnets().stream().anyMatch(subnet -> subnet.gateway().equals(to.value()));
        if (isGateway) {
            walk.passes(Stage.ROUTE, to + " is the gateway, for which the switch answers.");
            return;
        }
        if (leaves(subject, packet)) {
            final boolean hasWay = to.isV4() ? tenant.nat().isPresent() : tenant.ipv6().isPresent();
            if (hasWay) {
                walk.passes(Stage.ROUTE, to + " is outside the VRF: the packet goes to the backbone.");
            } else {
                walk.fails(Stage.ROUTE, Cause.NO_WAY_OUT, to + " is outside the VRF of tenant " + tenant.name()
                    + ", which has no " + (to.isV4() ? "nat" : "IPv6 subnet") + " and so no way to the backbone.",
                    to.isV4() ? "Configure nat for the tenant." : "Configure an IPv6 subnet for the tenant.");
            }
            return;
        }
        final Address hop = nextHop(tenant, to).orElse(to);
        if (subject.isSeen(hop)) {
            walk.passes(Stage.ROUTE, hop.equals(to) ? to + " is a host of the tenant that the switch has learned."
                : "The route to " + to + " has the next hop " + hop + ", which the switch has learned.");
        } else if (!isKnown(subject)) {
            return;
        } else if (hop.equals(to)) {
            fails(walk, Cause.DESTINATION_SILENT, to, to + " is inside the VRF, but no host has answered ARP for it "
                + "in the "
                + "last 20 minutes.", "Check that the host " + to + " is on, and at an attachment of its subnet.");
        } else {
            silent(tenant, to.toString(), hop, walk);
        }
    }

    private static void silent(final Tenant tenant, final String to, final Address hop, final Walk walk) {
        fails(walk, Cause.NEXT_HOP_SILENT, hop, "The route of tenant " + tenant.name() + " to " + to
            + " has the next hop " + hop + ", which has not answered ARP in the last 20 minutes.",
            "Check the router " + hop + ", and that it is at an attachment of its subnet.");
    }

    private static void fails(final Walk walk, final Cause cause, final Address silent, final String text,
            final String remedy) {
        if (silent.isV4()) {
            walk.fails(Stage.ROUTE, cause, new Unheard(silent.v4(), /* outside= */ false), text, remedy);
        } else {
            walk.fails(Stage.ROUTE, cause, text, remedy);
        }
    }

    /** Without a destination each router inside matters. */
    private static void routers(final Subject subject, final Walk walk) {
        if (!isKnown(subject)) {
            return;
        }
        subject.tenant().routes().forEach(route -> {
            final Address hop = new Address(IpFamily.IPV4,
                new Ipv6(0, route.nextHop().number()));
            if (!subject.isSeen(hop)) {
                silent(subject.tenant(), route.prefix().toString(), hop, walk);
            }
        });
    }

    private static boolean isKnown(final Subject subject) {
        return subject.tenant().nodes().stream().allMatch(node -> subject.facts().node(node).isKnown());
    }

    /** The next hop of the longest route; nothing for a host of a subnet. */
    static Optional<Address> nextHop(final Tenant tenant, final Address to) {
        if (to.isV4()) {
            return tenant.subnets().stream().anyMatch(subnet -> subnet.prefix().contains(to.v4())) ? Optional.empty()
                : tenant.routes().stream().filter(route -> route.prefix().contains(to.v4()))
                    .max(Comparator.comparingInt((Route route) -> route.prefix().length()))
                    .map(route -> new Address(to.family(), new Ipv6(0, route.nextHop().number())));
        }
        return tenant.ipv6().subnets().stream().anyMatch(subnet -> subnet.prefix().contains(to.value()))
            ? Optional.empty() : tenant.ipv6().routes().stream().filter(route -> route.prefix().contains(to.value()))
                .max(Comparator.comparingInt((Route6 route) -> route.prefix().length()))
                .map(route -> new Address(to.family(), route.nextHop()));
    }
}
