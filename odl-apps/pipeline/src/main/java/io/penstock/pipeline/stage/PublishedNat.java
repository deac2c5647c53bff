// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static io.penstock.pipeline.stage.ConnTracking.DNAT;
import static io.penstock.pipeline.stage.ConnTracking.EST;
import static io.penstock.pipeline.stage.ConnTracking.INV;
import static io.penstock.pipeline.stage.ConnTracking.NEW;
import static io.penstock.pipeline.stage.ConnTracking.RPL;
import static io.penstock.pipeline.stage.ConnTracking.TRANSLATED;
import static io.penstock.pipeline.stage.ConnTracking.TRK;
import static io.penstock.pipeline.stage.ConnTracking.newFromBackbone;
import static io.penstock.pipeline.stage.ConnTracking.newToBackbone;
import static io.penstock.pipeline.stage.ConnTracking.state;
import static io.penstock.pipeline.stage.ConnTracking.translated;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Hosts and services that the world reaches. */
final class PublishedNat {

    private PublishedNat() {
        // Only functions.
    }

    /** Destination NAT of a service, in the zone of its VRF. */
    static void forward(final TenantView view, final Ipv4 publicAddress, final Tenant.PortForward forward,
            final FlowSink sink) {
        final boolean tcp = forward.protocol() == IpProtocol.TCP;
        final MatchField sourcePort = tcp ? MatchField.TCP_SRC : MatchField.UDP_SRC;
        final MatchField destinationPort = tcp ? MatchField.TCP_DST : MatchField.UDP_DST;
        sink.flow(Table.NAT_IN_CHECK, Priority.NORMAL, "port forward " + forward.name())
            .when(view.isVrf(), state(TRK | NEW, INV)).ipv4().when(MatchField.IP_DST, publicAddress)
            .when(MatchField.IP_PROTO, forward.protocol()).when(destinationPort, forward.publicPort())
            .then(view.limitNew())
            .then(newFromBackbone(forward.address(), OptionalInt.of(forward.port()),
                new Action.Load(MatchField.CT_MARK.range(), mark(forward)),
                view.algs().stream().filter(alg -> tcp && alg.port() == forward.publicPort()).findFirst()))
            .end();
        // Of this one alone: when a service is withdrawn its connections end. One that nobody has answered yet is still
        // new, but translated.
        sink.flow(Table.NAT_IN_CHECK, Priority.NORMAL, "more for port forward " + forward.name())
            .when(view.isVrf(), state(TRK | DNAT, RPL | INV)).ipv4()
            .when(MatchField.IP_DST, forward.address()).when(MatchField.CT_MARK, mark(forward))
            .go(Table.CHAIN_IN);

        translated(view, sink, "learn a session, port forward " + forward.name(), state(TRK | EST | RPL, INV),
                Prefix.host(publicAddress))
            .when(Register.COPY.is(1)).when(MatchField.IP_PROTO, forward.protocol())
            .when(sourcePort, forward.publicPort())
            .then(NatSessions.toForward(view, forward)).then(NatSessions.endOfCopy()).end();
    }

    /** By which every packet of a connection, later fragments too, tells to which forward it was opened. */
    private static long mark(final Tenant.PortForward forward) {
        return Constants.TRANSLATED_MARK | (forward.protocol() == IpProtocol.UDP ? Constants.FORWARD_UDP_MARK : 0)
            | (long) forward.publicPort() << Constants.FORWARD_PORT_SHIFT;
    }

    /** Basic NAT (RFC 3022) without tracking, but for fragments. */
    static void oneToOne(final NodeView node, final TenantView view, final Tenant.OneToOne mapping,
            final FlowSink sink) {
        final Prefix inside = mapping.inside();
        final Prefix outside = mapping.outside();
        final String label = inside + " is " + outside;
        sink.flow(Table.NAT_OUT, Priority.HIGH, label).when(view.isVrf()).ipv4()
            .when(MatchField.IP_FRAG, 0).when(MatchField.IP_SRC, inside)
            .then(Action.replace(MatchField.IP_SRC, outside)).then(Crossing.toBackbone())
            .go(Table.BACKBONE_ROUTE);
        final List<FieldMatch> arrives = List.of(FieldMatch.of(MatchField.ETH_DST, node.backboneMac()),
            FieldMatch.of(MatchField.ETH_TYPE, EtherType.IPV4), FieldMatch.in(MatchField.IP_DST, outside).get(0));
        sink.flow(Table.BACKBONE_IN, Priority.NORMAL, label).when(arrives).when(MatchField.IP_FRAG, 0)
            .then(Action.replace(MatchField.IP_DST, inside)).then(Crossing.toTenant(view)).go(Table.CHAIN_IN);
        sink.flow(Table.BACKBONE_IN, Priority.LOW, "fragment, " + label).when(arrives)
            .then(Crossing.toTenant(view)).go(Table.NAT_IN);
        sink.flow(Table.NAT_IN_CHECK, Priority.NORMAL, "more fragments, " + label)
            .when(view.isVrf(), state(TRK | DNAT, RPL | INV)).ipv4().when(MatchField.IP_DST, inside)
            .go(Table.CHAIN_IN);
        PublicAddresses.leave(view, outside, sink);
        for (long index = 0; index < inside.size(); index++) {
            final Ipv4 own = inside.address().plus(index);
            final Ipv4 publicAddress = outside.address().plus(index);
            sink.flow(Table.NAT_TRANSLATE, Priority.HIGH, "fragment, " + label).when(view.isVrf()).ipv4()
                .when(MatchField.IP_SRC, own).then(newToBackbone(new Action.Nat.Source(publicAddress))).end();
            sink.flow(Table.NAT_IN_CHECK, Priority.NORMAL, "fragment, " + label)
                .when(view.isVrf(), state(TRK | NEW, INV)).ipv4().when(MatchField.IP_DST, publicAddress)
                .then(view.limitNew()).then(newFromBackbone(own, OptionalInt.empty(), TRANSLATED,
                    Optional.empty())).end();
        }
    }
}
