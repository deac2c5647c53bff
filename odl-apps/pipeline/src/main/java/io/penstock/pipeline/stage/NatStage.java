// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnLimit;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Source NAT by connection tracking, one zone for each VRF. Both directions take one pass through the tracker. When no
 * translation can be made Open vSwitch lets a packet through as it was, so the tables after it insist on the stamp and
 * the public address.
 *
 * <p>Tracking a packet costs more than all else that is done to it. So busy connections get sessions: flows that the
 * switch learns itself, which translate both directions of one connection as conntrack does, without it. Packets of
 * tracked connections are sampled for that, at a limited rate, so that a connection has to be busy to be found. A copy
 * of a sampled packet goes through the tracker and ends in {@link Table#NAT_OUT_CHECK}. What begins or ends a
 * connection, and what a flow cannot tell (fragments, ICMP), always goes through the tracker. Routes and access lists
 * come after the translation in both cases, so sessions change nothing about them.
 */
public final class NatStage implements Stage {
    private static final long NEW = 0x01;
    private static final long EST = 0x02;
    private static final long REL = 0x04;
    private static final long RPL = 0x08;
    private static final long INV = 0x10;
    private static final long TRK = 0x20;
    private static final int ETH_IPV4 = 0x0800;
    private static final int TCP = 6;
    private static final int UDP = 17;
    /** FIN, SYN and RST, by which conntrack knows that a connection begins or ends. */
    private static final long TCP_STATE_FLAGS = 0x07;

    @Override
    public void planNode(final NodeView node, final FlowSink sink) {
        lookUp(sink, Table.NAT_IN, Table.NAT_IN_KNOWN);
        sink.flow(Table.NAT_IN_KNOWN, Priority.NORMAL, "translated by a session")
            .when(Register.SESSION.is(1)).go(Table.CHAIN_IN);
        sink.flow(Table.NAT_IN_KNOWN, Priority.LOW, "reverse translation").ipv4()
            .then(new Action.ConnTrack(false, Register.VRF.range(), Table.NAT_IN_CHECK,
                Optional.of(new Action.Nat.Existing()), Optional.empty()))
            .end();
        sink.flow(Table.NAT_IN_KNOWN, Priority.MISS, "not IPv4").drop();
        sink.flow(Table.NAT_IN_CHECK, Priority.NORMAL, "reply of a known connection")
            .when(state(TRK | RPL, NEW | INV)).go(Table.CHAIN_IN);
        sink.flow(Table.NAT_IN_CHECK, Priority.LOW, "error for a known connection")
            .when(state(TRK | REL, INV)).go(Table.CHAIN_IN);
        sink.flow(Table.NAT_IN_CHECK, Priority.MISS, "from the backbone, nobody asked for it").drop();

        lookUp(sink, Table.NAT_OUT, Table.NAT_OUT_KNOWN);
        sink.flow(Table.NAT_OUT_KNOWN, Priority.HIGH, "translated by a session").when(Register.SESSION.is(1))
            .then(Register.VRF.load(Constants.BACKBONE_VRF)).go(Table.BACKBONE_ROUTE);
        for (final int protocol : List.of(TCP, UDP)) {
            sink.flow(Table.NAT_OUT_KNOWN, Priority.NORMAL, "sample, and translate").when(midStream(protocol))
                .when(Register.CROWDED.is(0)).then(sampledCopy()).go(Table.NAT_TRANSLATE);
        }
        sink.flow(Table.NAT_OUT_KNOWN, Priority.MISS, "translate").go(Table.NAT_TRANSLATE);
        sink.flow(Table.NAT_SAMPLE, Priority.MISS, "limit the samples")
            .then(new Action.Meter(Meter.SESSION_SAMPLES.number())).end();
        sink.flow(Table.NAT_TRANSLATE, Priority.MISS, "no NAT in this VRF").drop();
        // Not an empty action list: that would be counted as a drop, and a copy is no packet that anybody misses.
        sink.flow(Table.NAT_OUT_CHECK, Priority.LOW, "sampled, and not to be learned").when(Register.SAMPLE.is(1))
            .then(Register.SAMPLE.load(0)).end();
        sink.flow(Table.NAT_OUT_CHECK, Priority.MISS, "not translated").drop();
        sink.flow(Table.NAT_LEARNED, Priority.NORMAL, "too many sessions").when(Register.LEARNED.is(0))
            .then(new Action.Learn(Table.NAT_CROWDED, Priority.NORMAL, 0, Constants.CROWDED_SECONDS, Optional.empty(),
                Cookie.of(Cookie.Kind.SESSION, 0), List.of(
                    new LearnSpec.MatchCopy(Register.VRF.range(), Register.VRF.range()),
                    new LearnSpec.LoadValue(1, Register.CROWDED.range()))))
            .end();
        sink.flow(Table.NAT_LEARNED, Priority.MISS, "learned").then(Register.SAMPLE.load(0)).end();
    }

    @Override
    public void planTenant(final NodeView node, final TenantView view, final FlowSink sink) {
        if (!view.hasNat()) {
            return;
        }
        sink.flow(Table.BACKBONE_IN, Priority.NORMAL, "to the public address")
            .when(MatchField.ETH_DST, node.backboneMac()).ipv4()
            .when(MatchField.IP_DST, view.publicAddress())
            .then(Register.VRF.load(view.vrf()), Register.FROM_BACKBONE.load(1)).go(Table.NAT_IN);
        sink.flow(Table.NAT_TRANSLATE, Priority.NORMAL, "translate").when(view.isVrf()).ipv4()
            .then(new Action.ConnTrack(true, Register.VRF.range(), Table.NAT_OUT_CHECK,
                Optional.of(new Action.Nat.Source(view.publicAddress())),
                Optional.of(Constants.TRANSLATED_MARK)))
            .end();
        translated(view, sink, "translated", state(TRK, INV)).when(Register.SAMPLE.is(0))
            .then(Register.VRF.load(Constants.BACKBONE_VRF)).go(Table.BACKBONE_ROUTE);
        learn(view, sink, UDP, state(TRK, INV), MatchField.UDP_SRC, MatchField.UDP_DST);
        learn(view, sink, TCP, state(TRK | EST, INV), MatchField.TCP_SRC, MatchField.TCP_DST);
    }

    private static FlowSink.Draft translated(final TenantView view, final FlowSink sink, final String label,
            final FieldMatch state) {
        return sink.flow(Table.NAT_OUT_CHECK, Priority.NORMAL, label)
            .when(view.isVrf(), state, FieldMatch.of(MatchField.CT_MARK, Constants.TRANSLATED_MARK))
            .ipv4().when(MatchField.IP_SRC, view.publicAddress());
    }

    /** Packets that a session may translate look for one. */
    private static void lookUp(final FlowSink sink, final Table table, final Table next) {
        for (final int protocol : List.of(TCP, UDP)) {
            sink.flow(table, Priority.NORMAL, "look for a session").when(midStream(protocol))
                .then(new Action.Resubmit(Table.NAT_CROWDED), new Action.Resubmit(Table.NAT_SESSIONS)).go(next);
        }
        sink.flow(table, Priority.MISS, "never in a session").go(next);
    }

    /**
     * Ct has to stand in the clone itself: Open vSwitch makes no copy when all it sees there is a resubmit, and the
     * meter would limit the packets (reversible_actions, ofproto/ofproto-dpif-xlate.c, 3.1). It commits nothing: a
     * connection that is not known yet is not worth a session.
     */
    private static Action sampledCopy() {
        return new Action.Clone(List.of(new Action.Resubmit(Table.NAT_SAMPLE), Register.SAMPLE.load(1),
            new Action.ConnTrack(false, Register.VRF.range(), Table.NAT_OUT_CHECK,
                Optional.of(new Action.Nat.Existing()), Optional.empty())));
    }

    private static List<FieldMatch> midStream(final int protocol) {
        final List<FieldMatch> matches = new ArrayList<>(List.of(FieldMatch.of(MatchField.ETH_TYPE, ETH_IPV4),
            FieldMatch.of(MatchField.IP_PROTO, protocol), FieldMatch.of(MatchField.IP_FRAG, 0)));
        if (protocol == TCP) {
            matches.add(new FieldMatch(MatchField.TCP_FLAGS, 0, TCP_STATE_FLAGS));
        }
        return matches;
    }

    private static void learn(final TenantView view, final FlowSink sink, final int protocol,
            final FieldMatch state, final MatchField sourcePort, final MatchField destinationPort) {
        final List<LearnSpec> out = List.of(
            new LearnSpec.MatchCopy(MatchField.IP_DST.range(), MatchField.IP_DST.range()),
            new LearnSpec.MatchCopy(destinationPort.range(), destinationPort.range()),
            new LearnSpec.MatchCopy(MatchField.CT_NW_SRC.range(), MatchField.IP_SRC.range()),
            new LearnSpec.MatchCopy(MatchField.CT_TP_SRC.range(), sourcePort.range()),
            new LearnSpec.LoadCopy(MatchField.IP_SRC.range(), MatchField.IP_SRC.range()),
            new LearnSpec.LoadCopy(sourcePort.range(), sourcePort.range()));
        final List<LearnSpec> in = List.of(
            new LearnSpec.MatchCopy(MatchField.IP_DST.range(), MatchField.IP_SRC.range()),
            new LearnSpec.MatchCopy(destinationPort.range(), sourcePort.range()),
            new LearnSpec.MatchCopy(MatchField.IP_SRC.range(), MatchField.IP_DST.range()),
            new LearnSpec.MatchCopy(sourcePort.range(), destinationPort.range()),
            new LearnSpec.LoadCopy(MatchField.CT_NW_SRC.range(), MatchField.IP_DST.range()),
            new LearnSpec.LoadCopy(MatchField.CT_TP_SRC.range(), destinationPort.range()));
        translated(view, sink, "learn a session", state).when(Register.SAMPLE.is(1))
            .when(MatchField.IP_PROTO, protocol)
            .then(session(view, protocol, true, in), session(view, protocol, false, out)).go(Table.NAT_LEARNED);
    }

    private static Action session(final TenantView view, final int protocol, final boolean in,
            final List<LearnSpec> translation) {
        final List<LearnSpec> specs = new ArrayList<>(List.of(
            new LearnSpec.MatchCopy(Register.VRF.range(), Register.VRF.range()),
            new LearnSpec.MatchValue(in ? 1 : 0, Register.FROM_BACKBONE.range()),
            // Looked at before addresses and ports: a crowded VRF finds nothing without looking at those.
            new LearnSpec.MatchValue(0, Register.CROWDED.range()),
            new LearnSpec.MatchValue(ETH_IPV4, MatchField.ETH_TYPE.range()),
            new LearnSpec.MatchValue(protocol, MatchField.IP_PROTO.range())));
        specs.addAll(translation);
        specs.add(new LearnSpec.LoadValue(1, Register.SESSION.range()));
        // The way in is learned with the way out: while that one lives, nothing would bring back the other.
        return new Action.Learn(Table.NAT_SESSIONS, Priority.NORMAL, in ? 0 : Constants.SESSION_IDLE_SECONDS,
            Constants.SESSION_HARD_SECONDS,
            Optional.of(new LearnLimit(2 * Constants.SESSIONS_PER_TENANT, Register.LEARNED.range())),
            Cookie.of(Cookie.Kind.SESSION, view.vrf()), specs);
    }

    private static FieldMatch state(final long set, final long clear) {
        return new FieldMatch(MatchField.CT_STATE, set, set | clear);
    }
}
