// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.neighbour;

import static java.util.Objects.requireNonNull;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.penstock.engine.link.Links;
import io.penstock.frames.Arp;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Duration;

/**
 * Sends ARP requests: for a next hop that a packet needed and the switch did not know, and regularly for the transit
 * gateways, so that their MAC addresses stay fresh. Safe for all threads; never blocks.
 */
public final class NeighbourResolver {
    private static final Duration QUIET = Duration.ofMillis(500);
    private static final int REMEMBERED = 10_000;

    private record Asked(SwitchId node, int vrf, long address) { }

    private final Links links;
    private final Cache<Asked, Boolean> asked =
        CacheBuilder.newBuilder().expireAfterWrite(QUIET).maximumSize(REMEMBERED).build();

    /** A resolver that works on what is desired at the moment. */
    public NeighbourResolver(final Links links) {
        this.links = requireNonNull(links);
    }

    /** Takes a packet that had no known next hop. */
    public void onPacketIn(final PacketIn packet) {
        if (packet.table() != Table.NEIGHBOUR_FOUND.number()) {
            return;
        }
        final int vrf = (int) packet.value(Register.VRF);
        final long nextHop = packet.value(Register.NEXT_HOP);
        if (nextHop == 0) {
            // Of IPv6, or a packet that nobody can have routed.
            return;
        }
        final Asked request = new Asked(packet.source(), vrf, nextHop);
        if (asked.getIfPresent(request) != null) {
            return;
        }
        asked.put(request, Boolean.TRUE);
        links.desired().node(packet.source().datapathId()).ifPresent(node -> {
            if (vrf == Constants.BACKBONE_VRF) {
                askBackbone(node, nextHop);
            } else {
                askTenant(node, vrf, nextHop);
            }
        });
    }

    /** Asks for the transit gateways of a node. */
    public void refreshGateways(final String node) {
        for (final Route route : links.desired().snapshot().backbone().routes()) {
            askBackbone(node, route.nextHop());
        }
    }

    private void askBackbone(final String node, final long nextHop) {
        final int id = links.desired().allocations().nodes().get(node);
        for (final Backbone.Interface uplink : links.desired().snapshot().backbone().on(node)) {
            if (uplink.prefix().contains(nextHop)) {
                links.send(node, uplink.port(), uplink.vlan(),
                    Arp.request(Constants.backboneMac(id), uplink.address(), nextHop).toAll().bytes());
            }
        }
    }

    private void askTenant(final String node, final int vrf, final long nextHop) {
        links.desired().tenant(node, vrf).ifPresent(tenant -> {
            for (final Tenant.Subnet subnet : tenant.subnets()) {
                if (subnet.prefix().contains(nextHop)) {
                    final Arp request = Arp.request(Constants.GATEWAY_MAC, subnet.gateway(), nextHop);
                    tenant.attachmentsOf(subnet)
                        .forEach(at -> links.send(node, at.port(), at.vlan(), request.toAll().bytes()));
                }
            }
        });
    }
}
