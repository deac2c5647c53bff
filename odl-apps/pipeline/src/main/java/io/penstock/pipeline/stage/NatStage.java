// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static io.penstock.pipeline.stage.ConnTracking.DNAT;
import static io.penstock.pipeline.stage.ConnTracking.INV;
import static io.penstock.pipeline.stage.ConnTracking.NEW;
import static io.penstock.pipeline.stage.ConnTracking.REL;
import static io.penstock.pipeline.stage.ConnTracking.RPL;
import static io.penstock.pipeline.stage.ConnTracking.TRANSLATED;
import static io.penstock.pipeline.stage.ConnTracking.TRK;
import static io.penstock.pipeline.stage.ConnTracking.newToBackbone;
import static io.penstock.pipeline.stage.ConnTracking.state;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Source NAT by connection tracking, one zone for each VRF. Both directions take one pass through the tracker. When no
 * translation can be made Open vSwitch lets a packet through as it was, so the tables after it insist on the stamp and
 * the public address.
 *
 * <p>Deterministic NAT (RFC 7422) gives every subscriber a flow with a range of ports, and is the same otherwise. So
 * are blocks of ports on demand, but that their flows come with the first packets of a subscriber.
 *
 * <p>Subscribers of both may have mappings of UDP that do not depend on the destination: {@link IndependentNat}.
 *
 * <p>Port forwards are destination NAT in the same zone. What is translated one to one needs no tracking: one flow for
 * each direction rewrites the packet. Fragments take the tracker all the same. It puts them together first, and to
 * rewrite a later fragment alone would change its payload, since Open vSwitch mends a checksum where only a first
 * fragment has one (packet_set_ipv4_addr, lib/packets.c, 3.1).
 *
 * <p>Tracking a packet costs more than all else that is done to it. So the connections of some VRFs get sessions: flows
 * that the switch learns itself, which translate both directions of one connection as conntrack does, without it. A
 * session makes the cached flow of its packets exact, and of all others of its VRF as well, so a VRF has sessions for
 * all of its connections or for none. The agent of the node sees samples of tracked packets, and writes a flow to
 * {@link Table#NAT_OPEN} for each VRF that has few connections with many packets each ({@link SessionOrder}); other
 * VRFs pay nothing. In such a VRF a copy of a packet without a session goes through the tracker and ends in
 * {@link Table#NAT_OUT_CHECK}. What begins or ends a connection, and what a flow cannot tell (fragments, ICMP), always
 * goes through the tracker. Routes and access lists come after the translation in both cases, so sessions change
 * nothing about them.
 */
public final class NatStage implements Stage {
    private static final Set<Table> TABLES = Set.of(Table.BACKBONE_IN, Table.NAT_IN, Table.NAT_IN_KNOWN,
        Table.NAT_IN_CHECK, Table.NAT_IN_NEW, Table.NAT_MAP, Table.NAT_MAP_PORT, Table.NAT_MAP_OTHER_PORT,
        Table.NAT_MAP_FREE, Table.NAT_MAP_LEARN, Table.NAT_MAP_OUT, Table.NAT_OUT, Table.NAT_OUT_KNOWN,
        Table.NAT_SAMPLE, Table.NAT_TRANSLATE, Table.NAT_OUT_CHECK, Table.NAT_BEGIN);

    @Override
    public Set<Table> tables() {
        return TABLES;
    }

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        NatSessions.lookUp(sink, Table.NAT_IN, Table.NAT_IN_KNOWN);
        sink.flow(Table.NAT_IN_KNOWN, Priority.NORMAL, "translated by a session")
            .when(Register.SESSION.is(1)).go(Table.CHAIN_IN);
        sink.flow(Table.NAT_IN_KNOWN, Priority.LOW, "reverse translation").ipv4()
            .then(ConnTracking.known(Table.NAT_IN_CHECK, Optional.empty())).end();
        sink.flow(Table.NAT_IN_KNOWN, Priority.MISS, "not IPv4").drop();
        sink.flow(Table.NAT_IN_CHECK, Priority.NORMAL, "reply of a known connection")
            .when(state(TRK | RPL, NEW | INV)).go(Table.CHAIN_IN);
        sink.flow(Table.NAT_IN_CHECK, Priority.LOW, "error for a known connection")
            .when(state(TRK | REL, INV)).go(Table.CHAIN_IN);
        // Its SYN came after ours: conntrack knows and translates it, and calls it new, no reply (conn_update_state,
        // lib/conntrack.c, 3.1). The mark is all of it: a connection to a forwarded port goes by its own flows.
        sink.flow(Table.NAT_IN_CHECK, Priority.LOW, "opened by both ends")
            .when(state(TRK | NEW | DNAT, RPL | INV)).ipv4().when(MatchField.IP_PROTO, IpProtocol.TCP)
            .when(MatchField.CT_MARK, Constants.TRANSLATED_MARK).go(Table.CHAIN_IN);
        sink.flow(Table.NAT_IN_CHECK, Priority.MISS, "from the backbone, unsolicited").drop();
        sink.flow(Table.NAT_IN_NEW, Priority.NORMAL, "translated").when(state(TRK | DNAT, INV)).go(Table.CHAIN_IN);
        sink.flow(Table.NAT_IN_NEW, Priority.MISS, "not translated").drop();

        IndependentNat.planNode(sink);
        NatLimit.planNode(sink);
        NatSessions.lookUp(sink, Table.NAT_OUT, Table.NAT_OUT_KNOWN);
        sink.flow(Table.NAT_OUT_KNOWN, Priority.HIGH, "translated by a session").when(Register.SESSION.is(1))
            .then(Crossing.toBackbone()).go(Table.BACKBONE_ROUTE);
        for (final int protocol : List.of(IpProtocol.TCP, IpProtocol.UDP)) {
            sink.flow(Table.NAT_OUT_KNOWN, Priority.LOW, "sample, and translate")
                .when(NatSessions.midStream(protocol)).then(new Action.Resubmit(Table.NAT_SAMPLE))
                .go(Table.NAT_TRANSLATE);
            sink.flow(Table.NAT_OUT_KNOWN, Priority.NORMAL, "sample, learn, and translate")
                .when(NatSessions.midStream(protocol)).when(Register.SESSION.is(0)).when(Register.OPEN.is(1))
                .then(new Action.Resubmit(Table.NAT_SAMPLE), NatSessions.copy()).go(Table.NAT_TRANSLATE);
        }
        sink.flow(Table.NAT_OUT_KNOWN, Priority.MISS, "translate").go(Table.NAT_TRANSLATE);
        sink.flow(Table.NAT_SAMPLE, Priority.MISS, "not sampled").then(NatSessions.endOfCopy()).end();
        sink.flow(Table.NAT_TRANSLATE, Priority.MISS, "no NAT in this VRF").drop();
        // A header that is cut off has both ports 0 for a flow, so no session may be of such ports.
        for (final MatchField port : List.of(MatchField.TCP_DST, MatchField.UDP_DST)) {
            sink.flow(Table.NAT_OUT_CHECK, Priority.HIGH, "a copy of a packet to port 0")
                .when(Register.COPY.is(1)).ipv4()
                .when(MatchField.IP_PROTO, port == MatchField.TCP_DST ? IpProtocol.TCP : IpProtocol.UDP).when(port, 0)
                .then(NatSessions.endOfCopy()).end();
        }
        sink.flow(Table.NAT_OUT_CHECK, Priority.LOW, "a copy, and not to be learned").when(Register.COPY.is(1))
            .then(NatSessions.endOfCopy()).end();
        sink.flow(Table.NAT_OUT_CHECK, Priority.MISS, "not translated").drop();
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        view.oneToOne().forEach(mapping -> PublishedNat.oneToOne(node, view, mapping, sink));
        view.deterministic().forEach(mapping -> SubscriberNat.deterministic(node, view, mapping, sink));
        view.portBlocks().forEach(mapping -> SubscriberNat.onDemand(node, view, mapping, sink));
        IndependentNat.planTenant(view, sink);
        NatLimit.planTenant(view, sink);
        if (view.hasSourceNat() || !view.deterministic().isEmpty() || !view.portBlocks().isEmpty()) {
            NatSessions.sample(view, sink);
        }
        view.publicAddress().ifPresent(address -> planSource(node, view, address, sink));
    }

    private static void planSource(final NodeView node, final TenantView view, final Ipv4 address,
            final FlowSink sink) {
        PublicAddresses.tracked(node, view, Prefix.host(address), sink);
        final Action.Nat.Source source = new Action.Nat.Source(address);
        sink.flow(Table.NAT_TRANSLATE, Priority.LOW, "translate").when(view.isVrf()).ipv4()
            .then(newToBackbone(source)).end();
        view.forwards().forEach(forward -> PublishedNat.forward(view, address, forward, sink));
        view.algs().forEach(alg -> planAlg(view, newToBackbone(source, Optional.of(alg)), alg, sink));
    }

    /** Control connections are never sampled, for their ALG has to see all of them, and mends sequence numbers. */
    private static void planAlg(final TenantView view, final List<Action> translate, final Alg alg,
            final FlowSink sink) {
        for (final MatchField port : List.of(MatchField.TCP_SRC, MatchField.TCP_DST)) {
            final String label = "ALG " + alg + (port == MatchField.TCP_DST ? ", to the server" : ", from the server");
            final List<FieldMatch> control = List.of(view.isVrf(), FieldMatch.of(MatchField.ETH_TYPE, EtherType.IPV4),
                FieldMatch.of(MatchField.IP_PROTO, IpProtocol.TCP), FieldMatch.of(port, alg.port()));
            sink.flow(Table.NAT_OUT_KNOWN, Priority.HIGH, label).when(control).when(Register.SESSION.is(0))
                .go(Table.NAT_TRANSLATE);
            sink.flow(Table.NAT_TRANSLATE, Priority.HIGH, label).when(control)
                .then(translate).end();
            sink.flow(Table.NAT_IN_KNOWN, Priority.NORMAL, label).when(control).when(Register.SESSION.is(0))
                .then(ConnTracking.known(Table.NAT_IN_CHECK, Optional.of(alg))).end();
        }
        sink.flow(Table.NAT_IN_CHECK, Priority.HIGH, "expected by an ALG")
            .when(view.isVrf(), state(TRK | NEW | REL, INV)).ipv4().then(view.limitNew())
            .then(ConnTracking.translate(Table.NAT_IN_NEW, true, new Action.Nat.Existing(), Optional.of(TRANSLATED),
                Optional.empty())).end();
    }
}
