// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Takes queries to a gateway to the resolver of the node, as many as the tenant may send, and the answers back. The
 * resolver knows the VRF by the address that the query was sent to, which replaces the gateway's: no state is needed.
 * It is the same for IPv4 and IPv6, but that IPv6 gateways have a link-local address too, which is not answered at: who
 * asks there has such an address itself, and those are not routed back. Sample flows: golden/services.flows and
 * golden/dual-stack-served.flows, tables gateway and dns_return.
 */
public final class DnsStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.CLASSIFY, Table.DNS_RETURN, Table.GATEWAY, Table.EGRESS);
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
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        sink.flow(Table.DNS_RETURN, Priority.MISS, "not an answer of the resolver").drop();
        node.node().servicePort().map(Node.Port::name).ifPresent(name -> {
            sink.flow(Table.CLASSIFY, Priority.NORMAL, "from the resolver").when(MatchField.IN_PORT, node.port(name))
                .when(MatchField.VLAN_VID, MatchField.UNTAGGED).go(Table.DNS_RETURN);
            Egress.plan(sink, node.port(name), 0, "to the resolver");
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
        for (final ResolverDoor door : ResolverDoor.of(view)) {
            for (final Transport transport : Transport.values()) {
                sink.flow(Table.GATEWAY, Priority.GUARD, "query to the gateway " + door.name())
                    .when(view.isVrf(), door.family(), door.toGateway())
                    .when(transport.protocol, transport.to).then(view.meter(TenantMeter.DNS))
                    .then(toResolver(place, door)).go(Table.EGRESS);
                sink.flow(Table.DNS_RETURN, Priority.NORMAL, "answer of the gateway " + door.name())
                    .when(door.family(), door.fromService()).when(transport.protocol, transport.from)
                    .then(fromResolver(view, door)).go(Table.VRF_ROUTE);
            }
        }
        dns.upstreams().stream().filter(Dns.Upstream::inside)
            .forEach(upstream -> planUpstream(view, upstream, place, sink));
    }

    /** A resolver of the tenant is asked by the gateway of its first subnet of that family. */
    private static void planUpstream(final TenantView view, final Dns.Upstream upstream, final long place,
            final FlowSink sink) {
        final ResolverDoor door = ResolverDoor.asking(view, upstream);
        for (final Transport transport : Transport.values()) {
            sink.flow(Table.DNS_RETURN, Priority.NORMAL, "query to " + upstream.address())
                .when(door.family(), door.fromService(), ResolverDoor.to(upstream))
                .when(transport.protocol, transport.to).then(fromResolver(view, door)).go(Table.VRF_ROUTE);
            sink.flow(Table.GATEWAY, Priority.FIRST, "answer of " + upstream.address())
                .when(view.isVrf(), door.family(), ResolverDoor.from(upstream), door.toGateway())
                .when(transport.protocol, transport.from).then(toResolver(place, door)).go(Table.EGRESS);
        }
    }

    private static List<Action> toResolver(final long place, final ResolverDoor door) {
        return List.of(new Action.SetField(MatchField.ETH_SRC, Constants.GATEWAY_MAC),
            new Action.SetField(MatchField.ETH_DST, Constants.RESOLVER_MAC), door.becomeService(),
            Register.OUT_ATTACHMENT.load(place));
    }

    /** Not to the backbone, whatever address it has. */
    private static List<Action> fromResolver(final TenantView view, final ResolverDoor door) {
        return Stream.concat(Crossing.toTenant(view).stream(), Stream.of(door.becomeGateway())).toList();
    }
}
