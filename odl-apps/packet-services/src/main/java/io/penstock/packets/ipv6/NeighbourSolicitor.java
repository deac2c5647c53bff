// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.ipv6;

import static java.util.Objects.requireNonNull;

import io.penstock.frames.Bytes;
import io.penstock.frames.Neighbours6;
import io.penstock.packets.link.Fate;
import io.penstock.packets.link.Links;
import io.penstock.packets.neighbour.Asked;
import io.penstock.pipeline.intent.Backbone6;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.PacketIn;
import java.util.Optional;

/**
 * Sends neighbour solicitations (RFC 4861, section 7.2.2): for a next hop that a packet needed and the switch did not
 * know, and regularly for the transit gateways. Safe for all threads; never blocks.
 */
final class NeighbourSolicitor {
    private final Links links;
    private final Asked<Ipv6> asked = new Asked<>();

    NeighbourSolicitor(final Links links) {
        this.links = requireNonNull(links);
    }

    /** Takes a packet that had no known next hop. */
    Fate onPacketIn(final PacketIn packet) {
        final Ipv6 nextHop = packet.address(Register.NEXT_HOP6);
        final Optional<VrfId> told = VrfId.of(packet.value(Register.VRF));
        if (nextHop.equals(Ipv6.UNSPECIFIED)) {
            return Fate.NOT_MINE;
        }
        if (told.isEmpty()) {
            return Fate.MALFORMED;
        }
        final VrfId vrf = told.orElseThrow();
        if (!asked.first(packet.source(), vrf, nextHop)) {
            return Fate.IGNORED;
        }
        links.desired().node(packet.source().datapathId()).ifPresent(node -> {
            if (vrf.isBackbone()) {
                askBackbone(node, nextHop);
            } else {
                askTenant(node, vrf, nextHop);
            }
        });
        return Fate.TAKEN;
    }

    /** Asks for the transit gateways of a node. */
    void refreshGateways(final String node) {
        for (final Route6 route : links.desired().snapshot().backbone().ipv6().routes()) {
            askBackbone(node, route.nextHop());
        }
    }

    private void askBackbone(final String node, final Ipv6 nextHop) {
        final int id = links.desired().allocations().id(node);
        for (final Backbone6.Interface uplink : links.desired().snapshot().backbone().ipv6().on(node)) {
            if (uplink.prefix().contains(nextHop)) {
                final Bytes frame = Neighbours6.solicitation(Constants.backboneMac(id).number(),
                    Addresses.bytes(uplink.address()), Addresses.bytes(nextHop)).bytes();
                links.desired().snapshot().backbone().at(node, uplink.port())
                    .ifPresent(link -> links.send(node, link.port(), link.vlan(), frame));
            }
        }
    }

    private void askTenant(final String node, final VrfId vrf, final Ipv6 nextHop) {
        links.desired().tenant(node, vrf).ifPresent(tenant -> {
            final Bytes frame = Neighbours6.solicitation(Constants.GATEWAY_MAC.number(),
                Addresses.bytes(Constants.GATEWAY_LINK_LOCAL), Addresses.bytes(nextHop)).bytes();
            for (final Ipv6Side.Subnet subnet : tenant.ipv6().subnets()) {
                if (subnet.prefix().contains(nextHop)) {
                    tenant.attachmentsOf(subnet).forEach(at -> links.send(node, at.port(), at.vlan(), frame));
                }
            }
        });
    }
}
