// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.icmp;

import io.penstock.configuration.Desired;
import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.packets.ipv6.Addresses;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;
import java.util.Optional;

/**
 * Which address a router sends from that tells of an IPv4 packet: the one it has towards the sender of the packet (RFC
 * 1812, section 4.3.2.4).
 */
final class Routers {
    private static final int SHORT_OF_BROADCAST = 31;

    private Routers() {
        // Only functions.
    }

    /**
     * The address, or why nobody is told.
     *
     * @param address 4 or 16 bytes; none when nobody is told
     * @param whyNot when nobody is told
     */
    record Choice(Bytes address, Optional<Outcome> whyNot) {
        static Choice of(final Ipv4 address) {
            return new Choice(new BytesWriter().u32(address.number()).bytes(), Optional.empty());
        }

        static Choice of(final Ipv6 address) {
            return new Choice(Addresses.bytes(address), Optional.empty());
        }

        static Choice none(final Outcome why) {
            return new Choice(new BytesWriter().bytes(), Optional.of(why));
        }
    }

    /** The backbone's address for a sender that is anywhere. */
    static Choice backbone(final Desired desired, final String node, final Ipv4 sender) {
        final Backbone backbone = desired.snapshot().backbone();
        final List<Backbone.Interface> uplinks = backbone.on(node);
        if (uplinks.isEmpty()) {
            return Choice.none(Outcome.NO_ROUTER);
        }
        if (uplinks.stream().anyMatch(uplink -> uplink.address().equals(sender)
                || isNobody(uplink.prefix(), sender))) {
            return Choice.none(Outcome.FROM_NOBODY);
        }
        final Ipv4 hop = nextHop(backbone.routes(), sender);
        return Choice.of(uplinks.stream().filter(uplink -> uplink.prefix().contains(sender)).findFirst()
            .or(() -> uplinks.stream().filter(uplink -> uplink.prefix().contains(hop)).findFirst())
            .orElse(uplinks.get(0)).address());
    }

    /**
     * The gateway's address for a sender in a VRF, or behind the backbone.
     *
     * @param fromBackbone whether the packet came from there, so that its source may be anything
     */
    static Choice tenant(final Desired desired, final String node, final VrfId vrf, final Ipv4 sender,
            final Ipv4 destination, final boolean fromBackbone) {
        return desired.tenant(node, vrf).map(tenant -> gateway(tenant, sender, destination, fromBackbone))
            .orElse(Choice.none(Outcome.NO_ROUTER));
    }

    private static Choice gateway(final Tenant tenant, final Ipv4 sender, final Ipv4 destination,
            final boolean fromBackbone) {
        if (tenant.subnets().isEmpty()) {
            return Choice.none(Outcome.NO_ROUTER);
        }
        if (tenant.subnets().stream().anyMatch(subnet -> subnet.gateway().equals(sender)
                || isNobody(subnet.prefix(), sender))) {
            return Choice.none(Outcome.FROM_NOBODY);
        }
        if (tenant.subnets().stream().anyMatch(subnet -> isNobody(subnet.prefix(), destination))) {
            return Choice.none(Outcome.TO_GROUP);
        }
        final boolean inside = tenant.insidePrefixes().stream().anyMatch(prefix -> prefix.contains(sender));
        if (!inside && !fromBackbone) {
            return Choice.none(Outcome.NOT_INSIDE);
        }
        final Ipv4 hop = nextHop(tenant.routes(), sender);
        return Choice.of(subnetOf(tenant, sender).or(() -> subnetOf(tenant, hop))
            .orElse(tenant.subnets().get(0)).gateway());
    }

    private static Optional<Tenant.Subnet> subnetOf(final Tenant tenant, final Ipv4 address) {
        return tenant.subnets().stream().filter(subnet -> subnet.prefix().contains(address)).findFirst();
    }

    /** The next hop of the longest route, or the address itself. */
    private static Ipv4 nextHop(final List<Route> routes, final Ipv4 address) {
        return routes.stream().filter(route -> route.prefix().contains(address))
            .max((one, other) -> Integer.compare(one.prefix().length(), other.prefix().length()))
            .map(Route::nextHop).orElse(address);
    }

    /** Whether an address is that of the network or of all its hosts. */
    private static boolean isNobody(final Prefix prefix, final Ipv4 address) {
        return prefix.length() < SHORT_OF_BROADCAST
            && (address.equals(prefix.address()) || address.equals(prefix.last()));
    }
}
