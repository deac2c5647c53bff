// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.IpProtocol;
import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Takes queries to a gateway to the resolver of the node, as many as the tenant may send, and the answers back. The
 * resolver knows the VRF by the address that the query was sent to, which replaces the gateway's: no state is needed.
 * Sample flows: golden/services.flows, tables gateway and dns_return.
 */
public final class DnsStage implements Stage {
    private static final int DNS_PORT = 53;

    private enum Transport {
        UDP(IpProtocol.UDP, MatchField.UDP_SRC, MatchField.UDP_DST),
        TCP(IpProtocol.TCP, MatchField.TCP_SRC, MatchField.TCP_DST);

        private final FieldMatch protocol;
        private final FieldMatch from;
        private final FieldMatch to;

        Transport(final int protocol, final MatchField source, final MatchField destination) {
            this.protocol = FieldMatch.of(MatchField.IP_PROTO, protocol);
            from = FieldMatch.of(source, DNS_PORT);
            to = FieldMatch.of(destination, DNS_PORT);
        }
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.DNS_RETURN, Priority.MISS, "not an answer of the resolver").drop();
        node.node().servicePort().map(Node.Port::name).ifPresent(name -> {
            sink.flow(Table.CLASSIFY, Priority.NORMAL, "from the resolver").when(MatchField.IN_PORT, node.port(name))
                .when(MatchField.VLAN_VID, MatchField.UNTAGGED).go(Table.DNS_RETURN);
            AccessStage.planEgress(sink, node.port(name), 0, "to the resolver");
        });
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        final Optional<Node.Port> port = node.node().servicePort();
        if (port.isEmpty() || view.tenant().services().dns().isEmpty()) {
            return;
        }
        final long place = Register.place(node.port(port.orElseThrow().name()), 0);
        final Dns dns = view.tenant().services().dns().orElseThrow();
        for (int index = 0; index < view.tenant().subnets().size(); index++) {
            final Tenant.Subnet subnet = view.tenant().subnets().get(index);
            final long service = Constants.resolverAddress(view.vrf(), index);
            for (final Transport transport : Transport.values()) {
                final List<Action> query = new ArrayList<>(List.of(view.meter(TenantMeter.DNS)));
                query.addAll(toResolver(place, service));
                sink.flow(Table.GATEWAY, Priority.GUARD, "query to the gateway of " + subnet.name())
                    .when(view.isVrf()).ipv4().when(MatchField.IP_DST, subnet.gateway())
                    .when(transport.protocol, transport.to).then(query).go(Table.EGRESS);
                sink.flow(Table.DNS_RETURN, Priority.NORMAL, "answer of the gateway of " + subnet.name()).ipv4()
                    .when(MatchField.IP_SRC, service).when(transport.protocol, transport.from)
                    .then(fromResolver(view, subnet)).go(Table.VRF_ROUTE);
            }
        }
        dns.upstreams().stream().filter(Dns.Upstream::inside)
            .forEach(upstream -> planUpstream(view, Ipv4.parse(upstream.address()), place, sink));
    }

    /** A resolver of the tenant is asked by the gateway of its first subnet. */
    private static void planUpstream(final TenantView view, final long upstream, final long place,
            final FlowSink sink) {
        final Tenant.Subnet subnet = view.tenant().subnets().get(0);
        final long service = Constants.resolverAddress(view.vrf(), 0);
        for (final Transport transport : Transport.values()) {
            sink.flow(Table.DNS_RETURN, Priority.NORMAL, "query to " + Ipv4.text(upstream)).ipv4()
                .when(MatchField.IP_SRC, service).when(MatchField.IP_DST, upstream)
                .when(transport.protocol, transport.to).then(fromResolver(view, subnet)).go(Table.VRF_ROUTE);
            sink.flow(Table.GATEWAY, Priority.FIRST, "answer of " + Ipv4.text(upstream)).when(view.isVrf()).ipv4()
                .when(MatchField.IP_SRC, upstream).when(MatchField.IP_DST, subnet.gateway())
                .when(transport.protocol, transport.from).then(toResolver(place, service)).go(Table.EGRESS);
        }
    }

    private static List<Action> toResolver(final long place, final long service) {
        return List.of(new Action.SetField(MatchField.ETH_SRC, Constants.GATEWAY_MAC),
            new Action.SetField(MatchField.ETH_DST, Constants.RESOLVER_MAC),
            new Action.SetField(MatchField.IP_DST, service), Register.OUT_ATTACHMENT.load(place));
    }

    /** Not to the backbone, whatever address it has. */
    private static List<Action> fromResolver(final TenantView view, final Tenant.Subnet subnet) {
        return List.of(Register.VRF.load(view.vrf()), Register.FROM_BACKBONE.load(1),
            new Action.SetField(MatchField.IP_SRC, subnet.gateway()));
    }
}
