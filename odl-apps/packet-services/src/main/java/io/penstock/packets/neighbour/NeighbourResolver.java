// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.neighbour;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.frames.Arp;
import io.penstock.frames.Bytes;
import io.penstock.packets.link.Fate;
import io.penstock.packets.link.Links;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.PacketIn;
import java.util.Optional;

/**
 * Sends ARP requests: for a next hop that a packet needed and the switch did not know, for hosts that it has forgotten,
 * and regularly for the transit gateways, so that their MAC addresses stay fresh. Safe for all threads; never blocks.
 */
public final class NeighbourResolver {
    private final Links links;
    private final Asked<Ipv4> asked = new Asked<>();

    /** A resolver that works on what is desired at the moment. */
    public NeighbourResolver(final Links links) {
        this.links = requireNonNull(links);
    }

    /** Takes a packet that had no known next hop. */
    public Fate onPacketIn(final PacketIn packet) {
        final Optional<VrfId> told = VrfId.of(packet.value(Register.VRF));
        final Ipv4 nextHop = new Ipv4(packet.value(Register.NEXT_HOP));
        if (nextHop.isUnspecified()) {
            // Of IPv6, or a packet that no flow can have routed.
            return packet.address(Register.NEXT_HOP6).equals(Ipv6.UNSPECIFIED) ? Fate.MALFORMED : Fate.NOT_MINE;
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
                askTenant(node, vrf, nextHop, Optional.empty());
            }
        });
        return Fate.TAKEN;
    }

    /** Asks for the transit gateways of a node. */
    public void refreshGateways(final String node) {
        for (final Route route : links.desired().snapshot().backbone().routes()) {
            askBackbone(node, route.nextHop());
        }
    }

    /**
     * Asks for an address on the networks of a node: of the backbone, or else of a tenant, where it is one of a subnet.
     *
     * @param tenant name of the tenant
     * @param outside whether it is on a network of the backbone
     */
    public void ask(final String node, final String tenant, final Ipv4 address, final boolean outside) {
        if (outside) {
            askBackbone(node, address);
        } else {
            Optional.ofNullable(links.desired().allocations().tenants().get(tenant)).flatMap(given -> given.vrf(node))
                .ifPresent(vrf -> askTenant(node, vrf, address, Optional.empty()));
        }
    }

    /** Asks for a host of a tenant, where it is if that is known. */
    void ask(final String node, final KnownHost host) {
        askTenant(node, host.vrf(), host.address(), host.attachment());
    }

    /** What is desired at the moment. */
    Desired desired() {
        return links.desired();
    }

    private void askBackbone(final String node, final Ipv4 nextHop) {
        final int id = links.desired().allocations().id(node);
        for (final Backbone.Interface uplink : links.desired().snapshot().backbone().on(node)) {
            if (uplink.prefix().contains(nextHop)) {
                links.send(node, uplink.port(), uplink.vlan(),
                    request(Constants.backboneMac(id), uplink.address(), nextHop));
            }
        }
    }

    private void askTenant(final String node, final VrfId vrf, final Ipv4 nextHop, final Optional<String> attachment) {
        links.desired().tenant(node, vrf).ifPresent(tenant -> {
            for (final Tenant.Subnet subnet : tenant.subnets()) {
                if (subnet.prefix().contains(nextHop)) {
                    final Bytes request = request(Constants.GATEWAY_MAC, subnet.gateway(), nextHop);
                    tenant.attachmentsOf(subnet).stream()
                        .filter(at -> attachment.isEmpty() || attachment.orElseThrow().equals(at.name()))
                        .forEach(at -> links.send(node, at.port(), at.vlan(), request));
                }
            }
        });
    }

    private static Bytes request(final Mac mac, final Ipv4 sender, final Ipv4 target) {
        return Arp.request(mac.number(), sender.number(), target.number()).toAll().bytes();
    }
}
