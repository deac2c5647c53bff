// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.Set;

/**
 * Takes to the controller what is for the DHCP server of a VRF: broadcasts of the domains that it serves, what hosts
 * and relay agents send to a gateway, and answers to its conflict probes. Nothing of it is forwarded. Sample flows:
 * golden/services.flows, table dhcp_request.
 */
public final class DhcpStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.ACCESS_GUARD, Table.L2_LOOKUP, Table.GATEWAY,
        Table.DHCP_REQUEST);
    private static final int SERVER_PORT = 67;
    private static final int ANYBODY = 0;

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.DHCP_REQUEST, Priority.MISS, "no DHCP server").drop();
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        if (view.tenant().services().dhcp().isEmpty()) {
            return;
        }
        for (final TenantView.Domain domain : view.domains()) {
            if (domain.subnets().stream().anyMatch(subnet -> view.dhcp(subnet).isPresent())) {
                planDomain(view, domain, sink);
            }
        }
        for (final Tenant.Subnet subnet : view.tenant().subnets()) {
            sink.flow(Table.GATEWAY, Priority.GUARD, "DHCP to the gateway of " + subnet.name())
                .when(view.isVrf()).ipv4().when(MatchField.IP_DST, subnet.gateway())
                .when(MatchField.IP_PROTO, IpProtocol.UDP).when(MatchField.UDP_DST, SERVER_PORT)
                .go(Table.DHCP_REQUEST);
        }
        sink.flow(Table.DHCP_REQUEST, Priority.NORMAL, "to the DHCP server").when(view.isVrf())
            .then(view.meter(TenantMeter.HOST_CONFIGURATION), new Action.Controller(Constants.WHOLE_PACKET)).end();
    }

    private static void planDomain(final TenantView view, final TenantView.Domain domain, final FlowSink sink) {
        sink.flow(Table.ACCESS_GUARD, Priority.NORMAL, "DHCP of a host without an address")
            .when(view.isVrf(), Register.DOMAIN.is(domain.id()))
            .when(MatchField.ETH_DST, Constants.BROADCAST_MAC).ipv4().when(MatchField.IP_SRC, ANYBODY)
            .go(Table.ACCESS_LEARN);
        sink.flow(Table.ACCESS_GUARD, Priority.FIRST, "conflict: answer to a probe of the DHCP server")
            .when(view.isVrf(), Register.DOMAIN.is(domain.id()))
            .when(MatchField.ETH_DST, Constants.GATEWAY_MAC).arp().when(MatchField.ARP_OP, Replies.ARP_REPLY)
            .when(MatchField.ARP_TPA, ANYBODY)
            .then(view.meter(TenantMeter.NEIGHBOUR), new Action.Controller(Constants.PACKET_IN_BYTES)).end();
        sink.flow(Table.L2_LOOKUP, Priority.HIGH, "DHCP broadcast")
            .when(view.isVrf(), Register.DOMAIN.is(domain.id()))
            .when(MatchField.ETH_DST, Constants.BROADCAST_MAC).ipv4().when(MatchField.IP_PROTO, IpProtocol.UDP)
            .when(MatchField.UDP_DST, SERVER_PORT).go(Table.DHCP_REQUEST);
    }
}
