// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Action lists of neighbour discovery (RFC 4861) that gateways and uplinks have in common.
 *
 * <p>Open vSwitch sets the target's link-layer address only in a flow that matches an advertisement. So one table makes
 * a solicitation an advertisement, and {@link Table#ND_ANSWER} fills it in. Fields that only a solicitation has, or
 * that both have, come before the type. An option cannot be added: what came without one is answered without.
 */
final class NdReplies {
    static final int SOLICITATION = 135;
    static final int ADVERTISEMENT = 136;
    /** The types that tell or ask for MAC addresses. */
    static final List<Integer> RESOLUTION = List.of(SOLICITATION, ADVERTISEMENT);
    static final int ROUTER_SOLICITATION = 133;
    static final int ROUTER_ADVERTISEMENT = 134;
    static final int REDIRECT = 137;
    static final int MLD_REPORT = 143;
    /** What nobody forwards comes with this hop limit, so it is from the link (RFC 4861, section 7.1). */
    static final int HOP_LIMIT = 255;
    /** Values of {@link MatchField#ND_OPTIONS_TYPE}. */
    static final int NO_OPTION = 0;
    static final int SOURCE_OPTION = 1;
    static final int TARGET_OPTION = 2;

    private static final int ECHO_REQUEST = 128;
    private static final int ECHO_REPLY = 129;
    private static final int INITIAL_HOP_LIMIT = 64;
    private static final Mac ALL_NODES_MAC = new Mac(0x333300000001L);
    private static final Ipv6 ALL_NODES = Ipv6.parse("ff02::1");
    /** Flags of an advertisement: router and override; router, solicited and override. */
    private static final long TO_ALL = 0xa0000000L;
    private static final long TO_ONE = 0xe0000000L;

    private NdReplies() {
        // Only functions.
    }

    /** A flow on one message of neighbour discovery that nobody has forwarded. */
    static FlowSink.Draft message(final FlowSink.Draft flow, final int type) {
        return flow.icmp6(type).when(MatchField.ICMPV6_CODE, 0).when(MatchField.IP_TTL, HOP_LIMIT);
    }

    /** Begins the answer to who asks for a target of ours. */
    static List<Action> answer(final boolean withOption) {
        return advertise(List.of(move(MatchField.ETH_SRC, MatchField.ETH_DST),
            move(MatchField.IPV6_SRC, MatchField.IPV6_DST)), TO_ONE, withOption);
    }

    /** Begins the answer to who wants a target of ours for itself: all have to hear it (RFC 4862, section 5.4.3). */
    static List<Action> defend() {
        return advertise(List.of(new Action.SetField(MatchField.ETH_DST, ALL_NODES_MAC),
            new Action.SetField(MatchField.IPV6_DST, ALL_NODES)), TO_ALL, false);
    }

    private static List<Action> advertise(final List<Action> receiver, final long flags, final boolean withOption) {
        final List<Action> actions = new ArrayList<>(receiver);
        actions.add(new Action.SetField(MatchField.ND_RESERVED, flags));
        if (withOption) {
            actions.add(new Action.SetField(MatchField.ND_OPTIONS_TYPE, TARGET_OPTION));
        }
        actions.add(move(MatchField.ND_TARGET, MatchField.IPV6_SRC));
        actions.add(new Action.SetField(MatchField.ICMPV6_TYPE, ADVERTISEMENT));
        return actions;
    }

    /** Ends an answer of whose option is known whether it is there. */
    private static List<Action> from(final Mac mac, final boolean withOption) {
        final Action source = new Action.SetField(MatchField.ETH_SRC, mac);
        return withOption ? List.of(source, new Action.SetField(MatchField.ND_TLL, mac), Replies.backToSender())
            : List.of(source, Replies.backToSender());
    }

    /** Ends answers that a router gives with a MAC address. */
    static void answers(final FlowSink sink, final FieldMatch vrf, final String whose, final Mac mac) {
        sink.flow(Table.ND_ANSWER, Priority.HIGH, "advertisement " + whose).when(vrf).icmp6(ADVERTISEMENT)
            .when(MatchField.ND_OPTIONS_TYPE, TARGET_OPTION).then(from(mac, true)).go(Table.EGRESS);
        sink.flow(Table.ND_ANSWER, Priority.NORMAL, "advertisement " + whose + ", without an option").when(vrf)
            .icmp6(ADVERTISEMENT).then(from(mac, false)).go(Table.EGRESS);
    }

    /** A flow on an echo request (RFC 4443, section 4.1) to an address. */
    static FlowSink.Draft ping(final FlowSink.Draft flow, final Ipv6 address) {
        return echoRequest(flow).when(FieldMatch.of(MatchField.IPV6_DST, address));
    }

    /** A flow on any echo request. */
    static FlowSink.Draft echoRequest(final FlowSink.Draft flow) {
        return flow.icmp6(ECHO_REQUEST).when(MatchField.ICMPV6_CODE, 0);
    }

    /** Turns an echo request into its reply, back to the sender. */
    static List<Action> echo(final Mac mac) {
        return List.of(
            move(MatchField.ETH_SRC, MatchField.ETH_DST),
            new Action.SetField(MatchField.ETH_SRC, mac),
            new Action.Move(MatchField.IPV6_DST.range(), Register.NEXT_HOP6.range()),
            move(MatchField.IPV6_SRC, MatchField.IPV6_DST),
            new Action.Move(Register.NEXT_HOP6.range(), MatchField.IPV6_SRC.range()),
            new Action.SetField(MatchField.ICMPV6_TYPE, ECHO_REPLY),
            new Action.SetField(MatchField.IP_TTL, INITIAL_HOP_LIMIT),
            Replies.backToSender());
    }

    /** Remembers the sender of a solicitation, which says its MAC address, as next hop of the VRF. */
    static Action learnAsker(final VrfId vrf, final int most) {
        return learn(vrf, most, MatchField.IPV6_SRC, MatchField.ND_SLL);
    }

    /** Remembers the target of an advertisement, which says its MAC address, as next hop of the VRF. */
    static Action learnTarget(final VrfId vrf, final int most) {
        return learn(vrf, most, MatchField.ND_TARGET, MatchField.ND_TLL);
    }

    private static Action learn(final VrfId vrf, final int most, final MatchField address, final MatchField mac) {
        return new Action.Learn(Table.NEIGHBOURS, Priority.NORMAL, Constants.LEARNED_IDLE_SECONDS, 0,
            Optional.of(new Action.LearnLimit(most, Register.NEIGHBOUR_LEARNED.range())),
            Cookie.of(Cookie.Kind.LEARNED, vrf), List.of(
                new LearnSpec.MatchCopy(Register.VRF.range(), Register.VRF.range()),
                new LearnSpec.MatchCopy(address.range(), Register.NEXT_HOP6.range()),
                new LearnSpec.LoadCopy(mac.range(), MatchField.ETH_DST.range()),
                new LearnSpec.LoadCopy(Register.IN_ATTACHMENT.range(), Register.OUT_ATTACHMENT.range()),
                new LearnSpec.LoadValue(1, Register.FOUND.range())));
    }

    /** Sets the next hop. */
    static List<Action> nextHop(final Ipv6 address) {
        final MatchField field = Register.NEXT_HOP6.range().field();
        return List.of(new Action.Load(new FieldRange(field, 127, 64), address.high()),
            new Action.Load(new FieldRange(field, 63, 0), address.low()));
    }

    /** The destination is on the link. */
    static List<Action> nextHopIsDestination() {
        return List.of(new Action.Move(MatchField.IPV6_DST.range(), Register.NEXT_HOP6.range()));
    }

    private static Action move(final MatchField source, final MatchField target) {
        return new Action.Move(source.range(), target.range());
    }
}
