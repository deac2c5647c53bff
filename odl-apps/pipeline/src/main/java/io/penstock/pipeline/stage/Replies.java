// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnLimit;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Action lists that gateways and uplinks have in common. */
final class Replies {
    static final int ARP_REQUEST = 1;
    static final int ARP_REPLY = 2;
    static final int ECHO_REQUEST = 8;
    private static final int ECHO_REPLY = 0;
    private static final int INITIAL_TTL = 64;

    private Replies() {
        // Only functions.
    }

    /** Turns an ARP request (RFC 826) into the answer that {@code address} is at {@code mac}. */
    static List<Action> arp(final Mac mac, final Ipv4 address) {
        return arpAnswer(mac, new Action.SetField(MatchField.ARP_SPA, address));
    }

    /** Turns an ARP request for any address of a prefix into the answer that it is at {@code mac}. */
    static List<Action> arpForTarget(final Mac mac) {
        return Stream.concat(
            Stream.of(new Action.Move(MatchField.ARP_TPA.range(), Register.NEXT_HOP.range())),
            arpAnswer(mac, new Action.Move(Register.NEXT_HOP.range(), MatchField.ARP_SPA.range())).stream()).toList();
    }

    private static List<Action> arpAnswer(final Mac mac, final Action setSender) {
        return List.of(
            move(MatchField.ETH_SRC, MatchField.ETH_DST),
            new Action.SetField(MatchField.ETH_SRC, mac),
            new Action.SetField(MatchField.ARP_OP, ARP_REPLY),
            move(MatchField.ARP_SHA, MatchField.ARP_THA),
            move(MatchField.ARP_SPA, MatchField.ARP_TPA),
            new Action.SetField(MatchField.ARP_SHA, mac),
            setSender);
    }

    /**
     * What follows is looked up anew, after the actions before it. So a cached flow with a meter ends here, and only
     * what the meter lets pass can cost an upcall for an address that nobody has asked for yet: see ADR 21. A label
     * that is pushed and popped at once changes nothing in the packet; Open vSwitch recirculates because it does not
     * know what stood behind it (recirc_for_mpls, ofproto/ofproto-dpif-xlate.c, 3.1). The cached flow of an IP packet
     * has its TTL and DSCP (flow_push_mpls, lib/flow.c).
     *
     * @param etherType of the packet, which the flow has matched
     */
    static List<Action> lookAgain(final int etherType) {
        return List.of(new Action.PushMpls(), new Action.PopMpls(etherType));
    }

    /** Turns an echo request (RFC 792) into its reply, back to the sender. */
    static List<Action> echo(final Mac mac) {
        return List.of(
            move(MatchField.ETH_SRC, MatchField.ETH_DST),
            new Action.SetField(MatchField.ETH_SRC, mac),
            new Action.Move(MatchField.IP_DST.range(), Register.NEXT_HOP.range()),
            move(MatchField.IP_SRC, MatchField.IP_DST),
            new Action.Move(Register.NEXT_HOP.range(), MatchField.IP_SRC.range()),
            new Action.SetField(MatchField.ICMP_TYPE, ECHO_REPLY),
            new Action.SetField(MatchField.IP_TTL, INITIAL_TTL),
            backToSender());
    }

    /** Sends back to where the frame came from. */
    static Action backToSender() {
        return new Action.Move(Register.IN_ATTACHMENT.range(), Register.OUT_ATTACHMENT.range());
    }

    /**
     * Remembers who sent this ARP packet as next hop of the VRF. One that is known is renewed when there are too many,
     * too, but as long as there are does not move: the switch counts what it would replace (ofproto_flow_mod_learn,
     * ofproto/ofproto.c, 3.1).
     *
     * @param most next hops of the VRF
     */
    static Action learnNeighbour(final VrfId vrf, final int most) {
        return new Action.Learn(Table.NEIGHBOURS, Priority.NORMAL, Constants.LEARNED_IDLE_SECONDS, 0,
            limit(most), Cookie.of(Cookie.Kind.LEARNED, vrf), List.of(
                new LearnSpec.MatchCopy(Register.VRF.range(), Register.VRF.range()),
                new LearnSpec.MatchCopy(MatchField.ARP_SPA.range(), Register.NEXT_HOP.range()),
                new LearnSpec.LoadCopy(MatchField.ARP_SHA.range(), MatchField.ETH_DST.range()),
                new LearnSpec.LoadCopy(Register.IN_ATTACHMENT.range(), Register.OUT_ATTACHMENT.range()),
                new LearnSpec.LoadValue(1, Register.FOUND.range())));
    }

    /**
     * Remembers where the sender of this frame is, likewise.
     *
     * @param most hosts of the VRF
     */
    static Action learnHost(final VrfId vrf, final int most) {
        final FieldRange vrfAndDomain =
            new FieldRange(MatchField.REG0, Register.DOMAIN.range().high(), Register.VRF.range().low());
        return new Action.Learn(Table.L2_HOSTS, Priority.NORMAL, Constants.LEARNED_IDLE_SECONDS, 0,
            limit(most), Cookie.of(Cookie.Kind.LEARNED, vrf), List.of(
                new LearnSpec.MatchCopy(vrfAndDomain, vrfAndDomain),
                new LearnSpec.MatchCopy(MatchField.ETH_SRC.range(), MatchField.ETH_DST.range()),
                new LearnSpec.LoadCopy(Register.IN_ATTACHMENT.range(), Register.OUT_ATTACHMENT.range()),
                new LearnSpec.LoadValue(1, Register.FOUND.range())));
    }

    private static Optional<LearnLimit> limit(final int most) {
        return Optional.of(new LearnLimit(most, Register.KNOWN.range()));
    }

    private static Action move(final MatchField source, final MatchField target) {
        return new Action.Move(source.range(), target.range());
    }
}
