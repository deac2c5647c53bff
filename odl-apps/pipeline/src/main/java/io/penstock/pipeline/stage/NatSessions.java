// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnLimit;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Flows that the switch learns itself, and how packets find them: see {@link NatStage}. */
final class NatSessions {
    /** FIN, SYN and RST, by which conntrack knows that a connection begins or ends. */
    private static final long TCP_STATE_FLAGS = 0x07;


    private NatSessions() {
        // Only functions.
    }

    /** Packets that a session may translate look for one, in a VRF that has sessions. */
    static void lookUp(final FlowSink sink, final Table table, final Table next) {
        for (final int protocol : List.of(IpProtocol.TCP, IpProtocol.UDP)) {
            sink.flow(table, Priority.NORMAL, "look for a session").when(midStream(protocol))
                .then(new Action.Resubmit(Table.NAT_OPEN)).go(next);
        }
        sink.flow(table, Priority.MISS, "never in a session").go(next);
    }

    /**
     * A copy of the packet from which a session may be learned. It commits nothing: a connection that is not known yet
     * is not worth a session.
     */
    static Action copy() {
        final List<Action> actions = new ArrayList<>(List.of(Register.COPY.load(1)));
        actions.addAll(ConnTracking.known(Table.NAT_OUT_CHECK, Optional.empty()));
        return new Action.Clone(actions);
    }

    /** Of a copy. Not an empty action list: that would be counted as a drop, and nobody misses a copy. */
    static Action endOfCopy() {
        return Register.COPY.load(0);
    }

    /** Tells the node's agent about some tracked packets of a VRF. */
    static void sample(final TenantView view, final FlowSink sink) {
        sink.flow(Table.NAT_SAMPLE, Priority.NORMAL, "sample for the node's agent").when(view.isVrf())
            .then(new Action.Sample(Action.Sample.ALL / Constants.SAMPLED_OF, Constants.COLLECTOR_SET,
                view.vrf().number()))
            .end();
    }

    /** Packets that neither begin nor end a connection. */
    static List<FieldMatch> midStream(final int protocol) {
        final List<FieldMatch> matches = new ArrayList<>(List.of(FieldMatch.of(MatchField.ETH_TYPE, EtherType.IPV4),
            FieldMatch.of(MatchField.IP_PROTO, protocol), FieldMatch.of(MatchField.IP_FRAG, 0)));
        if (protocol == IpProtocol.TCP) {
            matches.add(new FieldMatch(MatchField.TCP_FLAGS, 0, TCP_STATE_FLAGS));
        }
        return matches;
    }

    /** Has a flow for copies learn both directions of a connection that began inside. */
    static void learn(final TenantView view, final int protocol, final FlowSink.Draft flow) {
        final MatchField sourcePort = protocol == IpProtocol.TCP ? MatchField.TCP_SRC : MatchField.UDP_SRC;
        final MatchField destinationPort = protocol == IpProtocol.TCP ? MatchField.TCP_DST : MatchField.UDP_DST;
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
        flow.when(Register.COPY.is(1)).when(MatchField.IP_PROTO, protocol)
            .then(session(view, protocol, true, in), session(view, protocol, false, out), endOfCopy()).end();
    }

    /** Learns both directions of a connection to a forward. No field tells its address inside, but the forward does. */
    static List<Action> toForward(final TenantView view, final Tenant.PortForward forward) {
        final boolean tcp = forward.protocol() == IpProtocol.TCP;
        final MatchField sourcePort = tcp ? MatchField.TCP_SRC : MatchField.UDP_SRC;
        final MatchField destinationPort = tcp ? MatchField.TCP_DST : MatchField.UDP_DST;
        final List<LearnSpec> out = new ArrayList<>(List.of(
            new LearnSpec.MatchCopy(MatchField.IP_DST.range(), MatchField.IP_DST.range()),
            new LearnSpec.MatchCopy(destinationPort.range(), destinationPort.range()),
            new LearnSpec.MatchValue(forward.port(), sourcePort.range()),
            new LearnSpec.LoadCopy(MatchField.IP_SRC.range(), MatchField.IP_SRC.range()),
            new LearnSpec.LoadCopy(sourcePort.range(), sourcePort.range())));
        final List<LearnSpec> in = new ArrayList<>(List.of(
            new LearnSpec.MatchCopy(MatchField.IP_DST.range(), MatchField.IP_SRC.range()),
            new LearnSpec.MatchCopy(destinationPort.range(), sourcePort.range()),
            new LearnSpec.MatchCopy(MatchField.IP_SRC.range(), MatchField.IP_DST.range()),
            new LearnSpec.MatchCopy(sourcePort.range(), destinationPort.range()),
            new LearnSpec.LoadValue(forward.port(), destinationPort.range())));
        // A constant in a learned flow has 16 bits.
        for (final int low : List.of(0, 16)) {
            final int half = (int) (forward.address().number() >> low) & 0xffff;
            out.add(new LearnSpec.MatchValue(half, new FieldRange(MatchField.IP_SRC, low + 15, low)));
            in.add(new LearnSpec.LoadValue(half, new FieldRange(MatchField.IP_DST, low + 15, low)));
        }
        return List.of(session(view, forward.protocol(), true, in), session(view, forward.protocol(), false, out));
    }

    private static Action session(final TenantView view, final int protocol, final boolean in,
            final List<LearnSpec> translation) {
        final List<LearnSpec> specs = new ArrayList<>(List.of(
            new LearnSpec.MatchCopy(Register.VRF.range(), Register.VRF.range()),
            new LearnSpec.MatchValue(in ? 1 : 0, Register.FROM_BACKBONE.range()),
            new LearnSpec.MatchValue(EtherType.IPV4, MatchField.ETH_TYPE.range()),
            new LearnSpec.MatchValue(protocol, MatchField.IP_PROTO.range())));
        specs.addAll(translation);
        specs.add(new LearnSpec.LoadValue(1, Register.SESSION.range()));
        // The way in is learned with the way out: while that one lives, nothing would bring back the other.
        return new Action.Learn(Table.NAT_SESSIONS, Priority.NORMAL, in ? 0 : Constants.SESSION_IDLE_SECONDS,
            Constants.SESSION_HARD_SECONDS,
            Optional.of(new LearnLimit(2 * Constants.SESSIONS_PER_VRF, Register.LEARNED.range())),
            Cookie.of(Cookie.Kind.SESSION, view.vrf()), specs);
    }
}
