// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.icmp;

import io.penstock.configuration.Desired;
import io.penstock.packets.icmp.Routers.Choice;
import io.penstock.pipeline.intent.Backbone6;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;

/**
 * Which address a router sends from that tells of an IPv6 packet (RFC 4443, section 2.2): a global one, for the error
 * may have to be routed. Who has a link-local address alone is not told.
 */
final class Routers6 {
    private Routers6() {
        // Only functions.
    }

    /** The backbone's address for a sender that is anywhere. */
    static Choice backbone(final Desired desired, final String node, final Ipv6 sender) {
        final List<Backbone6.Interface> uplinks = desired.snapshot().backbone().ipv6().on(node);
        if (Prefix6.LINK_LOCAL.contains(sender)
                || uplinks.stream().anyMatch(uplink -> uplink.address().equals(sender))) {
            return Choice.none(Outcome.FROM_NOBODY);
        }
        return uplinks.stream().filter(uplink -> uplink.prefix().contains(sender)).findFirst()
            .or(() -> uplinks.stream().findFirst()).map(uplink -> Choice.of(uplink.address()))
            .orElse(Choice.none(Outcome.NO_ROUTER));
    }

    /**
     * The gateway's address for a sender in a VRF, or behind the backbone.
     *
     * @param fromBackbone whether the packet came from there, so that its source may be anything
     */
    static Choice tenant(final Desired desired, final String node, final VrfId vrf, final Ipv6 sender,
            final boolean fromBackbone) {
        return desired.tenant(node, vrf).map(tenant -> gateway(tenant, sender, fromBackbone))
            .orElse(Choice.none(Outcome.NO_ROUTER));
    }

    private static Choice gateway(final Tenant tenant, final Ipv6 sender, final boolean fromBackbone) {
        final List<Ipv6Side.Subnet> subnets = tenant.ipv6().subnets();
        if (Prefix6.LINK_LOCAL.contains(sender)
                || subnets.stream().anyMatch(subnet -> subnet.gateway().equals(sender))) {
            return Choice.none(Outcome.FROM_NOBODY);
        }
        if (!fromBackbone && tenant.ipv6().insidePrefixes().stream().noneMatch(prefix -> prefix.contains(sender))) {
            return Choice.none(Outcome.NOT_INSIDE);
        }
        return subnets.stream().filter(subnet -> subnet.prefix().contains(sender)).findFirst()
            .or(() -> subnets.stream().findFirst()).map(subnet -> Choice.of(subnet.gateway()))
            .orElse(Choice.none(Outcome.NO_ROUTER));
    }
}
