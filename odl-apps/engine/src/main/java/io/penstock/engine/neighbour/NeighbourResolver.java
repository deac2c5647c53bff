// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.neighbour;

import static java.util.Objects.requireNonNull;

import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import io.penstock.engine.config.Desired;
import io.penstock.frames.Arp;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends ARP requests: for a next hop that a packet needed and the switch did not know, and regularly for the transit
 * gateways, so that their MAC addresses stay fresh. Safe for all threads; never blocks.
 */
public final class NeighbourResolver {
    private static final Logger LOG = LoggerFactory.getLogger(NeighbourResolver.class);
    private static final Duration QUIET = Duration.ofMillis(500);
    private static final int REMEMBERED = 10_000;

    private record Asked(SwitchId node, int vrf, long address) { }

    private final OpenFlowSouthbound southbound;
    private final Supplier<Desired> desired;
    private final Cache<Asked, Boolean> asked =
        CacheBuilder.newBuilder().expireAfterWrite(QUIET).maximumSize(REMEMBERED).build();

    /** A resolver that works on what is desired at the moment. */
    public NeighbourResolver(final OpenFlowSouthbound southbound, final Supplier<Desired> desired) {
        this.southbound = requireNonNull(southbound);
        this.desired = requireNonNull(desired);
    }

    /** Takes a packet that had no known next hop. */
    public void onPacketIn(final PacketIn packet) {
        if (packet.table() != Table.NEIGHBOUR_FOUND.number()) {
            return;
        }
        final int vrf = (int) (register(packet, Register.VRF) & Register.VRF.range().mask());
        final long nextHop = register(packet, Register.NEXT_HOP);
        final Asked request = new Asked(packet.source(), vrf, nextHop);
        if (asked.getIfPresent(request) != null) {
            return;
        }
        asked.put(request, Boolean.TRUE);
        nodeName(packet.source()).ifPresent(node -> {
            if (vrf == Constants.BACKBONE_VRF) {
                askBackbone(node, nextHop);
            } else {
                askTenant(node, vrf, nextHop);
            }
        });
    }

    /** Asks for the transit gateways of a node. */
    public void refreshGateways(final String node) {
        for (final Route route : desired.get().snapshot().backbone().routes()) {
            askBackbone(node, route.nextHop());
        }
    }

    private void askBackbone(final String node, final long nextHop) {
        final int id = desired.get().allocations().nodes().get(node);
        for (final Backbone.Interface uplink : desired.get().snapshot().backbone().on(node)) {
            if (uplink.prefix().contains(nextHop)) {
                send(node, uplink.port(), uplink.vlan(),
                    Arp.request(Constants.backboneMac(id), uplink.address(), nextHop));
            }
        }
    }

    private void askTenant(final String node, final int vrf, final long nextHop) {
        for (final Tenant tenant : desired.get().snapshot().tenantsOn(node)) {
            final Allocations.TenantAllocation allocation = desired.get().allocations().tenants().get(tenant.name());
            if (allocation == null || allocation.vrf() != vrf) {
                continue;
            }
            for (final Tenant.Subnet subnet : tenant.subnets()) {
                if (subnet.prefix().contains(nextHop)) {
                    final Arp request = Arp.request(Constants.GATEWAY_MAC, subnet.gateway(), nextHop);
                    tenant.attachmentsOf(subnet).forEach(at -> send(node, at.port(), at.vlan(), request));
                }
            }
        }
    }

    private void send(final String node, final String port, final int vlan, final Arp request) {
        final Allocations allocations = desired.get().allocations();
        final Map<String, Integer> ports = allocations.ports().get(node);
        if (ports == null || !ports.containsKey(port)) {
            return;
        }
        final Action output = new Action.Output(ports.get(port));
        final List<Action> actions = vlan == 0 ? List.of(output)
            : List.of(new Action.PushVlan(), new Action.SetField(MatchField.VLAN_VID, vlan), output);
        southbound.packetOut(new SwitchId(Constants.datapathId(allocations.nodes().get(node))),
            OpenFlowSouthbound.NO_PORT, actions, request.toAll().bytes().toArray()).exceptionally(e -> {
                LOG.debug("ARP request on {} of {} was not sent", port, node, e);
                return null;
            });
    }

    private Optional<String> nodeName(final SwitchId id) {
        return desired.get().allocations().nodes().entrySet().stream()
            .filter(entry -> Constants.datapathId(entry.getValue()) == id.datapathId()).map(Map.Entry::getKey)
            .findFirst();
    }

    private static long register(final PacketIn packet, final Register register) {
        return packet.fields().getOrDefault(register.range().field(), 0L);
    }
}
