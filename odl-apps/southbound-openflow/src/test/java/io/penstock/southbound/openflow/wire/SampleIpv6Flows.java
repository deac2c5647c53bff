// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.Fragment;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Flows that together use every field of IPv6 and every use of 128 bits. */
final class SampleIpv6Flows {
    private static final FieldMatch IS_IPV6 = FieldMatch.of(MatchField.ETH_TYPE, EtherType.IPV6);
    private static final FieldMatch IS_ICMPV6 = FieldMatch.of(MatchField.IP_PROTO, IpProtocol.ICMPV6);
    private static final FieldMatch ASKS = FieldMatch.of(MatchField.ICMPV6_TYPE, 135);
    private static final FieldMatch ANSWERS = FieldMatch.of(MatchField.ICMPV6_TYPE, 136);
    private static final FieldMatch NO_CODE = FieldMatch.of(MatchField.ICMPV6_CODE, 0);
    private static final Ipv6 ADDRESS = Ipv6.parse("2001:db8:8000::8000:0:1");
    private static final Ipv6 ALL_ONES = new Ipv6(-1, -1);
    private static final long MAC = 0x025053ff0001L;
    /** Lengths on both sides of the middle and of words, and the ends. */
    private static final List<Integer> LENGTHS = List.of(1, 3, 32, 48, 63, 64, 65, 96, 127, 128);

    private SampleIpv6Flows() {
        // Only functions.
    }

    static List<FlowSpec> all() {
        final List<FlowSpec> flows = new ArrayList<>();
        matches().forEach(matches -> flows.add(flow(flows.size(), matches, List.of())));
        final List<FieldMatch> packet = List.of(IS_IPV6);
        actions().forEach(actions -> flows.add(flow(flows.size(), packet, actions)));
        solicitationActions().forEach(actions ->
            flows.add(flow(flows.size(), List.of(IS_IPV6, IS_ICMPV6, ASKS, NO_CODE), actions)));
        flows.add(flow(flows.size(), List.of(IS_IPV6, IS_ICMPV6, ANSWERS, NO_CODE),
            List.of(new Action.SetField(MatchField.ND_TLL, MAC), new Action.OutputInPort())));
        flows.add(flow(flows.size(), List.of(IS_IPV6, IS_ICMPV6, ANSWERS, NO_CODE),
            List.of(learn(MatchField.ND_TARGET, MatchField.ND_TLL))));
        return flows;
    }

    private static FlowSpec flow(final int number, final List<FieldMatch> matches, final List<Action> actions) {
        return new FlowSpec(Table.GATEWAY, 1 + number, matches, actions, Optional.empty(), 0x5053000000000006L, 0);
    }

    private static List<List<FieldMatch>> matches() {
        final List<List<FieldMatch>> all = new ArrayList<>();
        for (final MatchField field : List.of(MatchField.IPV6_SRC, MatchField.IPV6_DST)) {
            all.add(List.of(IS_IPV6, FieldMatch.of(field, Ipv6.UNSPECIFIED)));
            all.add(List.of(IS_IPV6, FieldMatch.of(field, Ipv6.parse("::ffff:192.0.2.1"))));
            for (final int length : LENGTHS) {
                all.add(List.of(IS_IPV6, FieldMatch.prefix(field, ALL_ONES.and(Ipv6.mask(length)), length)));
                all.add(List.of(IS_IPV6, FieldMatch.prefix(field, ADDRESS.and(Ipv6.mask(length)), length)));
            }
            // Addresses of interfaces, whatever the prefix, and bits on both sides of the middle.
            all.add(List.of(IS_IPV6, FieldMatch.of(new FieldRange(field, 63, 0), -2)));
            all.add(List.of(IS_IPV6, FieldMatch.of(new FieldRange(field, 79, 48), 0x80000001L)));
        }
        all.add(List.of(IS_IPV6, FieldMatch.of(MatchField.IP_TTL, 255), FieldMatch.of(MatchField.IP_PROTO, 17),
            FieldMatch.of(MatchField.UDP_DST, 53)));
        for (final Fragment fragment : Fragment.values()) {
            all.add(List.of(IS_IPV6, fragment.match()));
        }
        all.add(List.of(IS_IPV6, IS_ICMPV6, FieldMatch.of(MatchField.ICMPV6_TYPE, 128), NO_CODE));
        all.add(List.of(IS_IPV6, IS_ICMPV6, ASKS, NO_CODE, FieldMatch.of(MatchField.ND_TARGET, ADDRESS),
            FieldMatch.of(MatchField.ND_SLL, MAC), FieldMatch.of(MatchField.ND_OPTIONS_TYPE, 1)));
        all.add(List.of(IS_IPV6, IS_ICMPV6, ANSWERS, NO_CODE,
            FieldMatch.prefix(MatchField.ND_TARGET, ADDRESS.and(Ipv6.mask(64)), 64),
            new FieldMatch(MatchField.ND_TLL, 0, 0x010000000000L), FieldMatch.of(MatchField.ND_RESERVED, 0xe0000000L)));
        all.add(List.of(IS_IPV6, new FieldMatch(MatchField.CT_STATE, 0x20, 0x30),
            FieldMatch.prefix(MatchField.CT_IPV6_SRC, ADDRESS.and(Ipv6.mask(64)), 64)));
        for (final MatchField field : List.of(MatchField.XXREG2, MatchField.XXREG3)) {
            all.add(List.of(FieldMatch.of(field, ADDRESS)));
            all.add(List.of(FieldMatch.of(field, Ipv6.UNSPECIFIED)));
            all.add(List.of(FieldMatch.prefix(field, ADDRESS.and(Ipv6.mask(48)), 48)));
            all.add(List.of(FieldMatch.of(new FieldRange(field, 79, 48), 0x80000001L)));
        }
        return all;
    }

    private static List<List<Action>> actions() {
        final List<List<Action>> all = new ArrayList<>();
        all.add(List.of(new Action.SetField(MatchField.IPV6_SRC, ADDRESS),
            new Action.SetField(MatchField.IPV6_DST, ALL_ONES), new Action.SetField(MatchField.IP_TTL, 64),
            new Action.DecTtl()));
        for (final MatchField field : List.of(MatchField.IPV6_SRC, MatchField.IPV6_DST, MatchField.XXREG2,
                MatchField.XXREG3)) {
            all.add(List.of(new Action.Load(new FieldRange(field, 127, 64), -1)));
            all.add(List.of(new Action.Load(new FieldRange(field, 63, 0), Long.MIN_VALUE)));
            all.add(List.of(new Action.Load(new FieldRange(field, 127, 80), 0x20010db80001L)));
            all.add(List.of(new Action.Load(new FieldRange(field, 66, 61), 0x2a)));
            all.add(List.of(new Action.SetField(field, Ipv6.UNSPECIFIED)));
        }
        all.add(List.of(new Action.SetField(MatchField.XXREG2, ADDRESS),
            new Action.SetField(MatchField.XXREG3, ALL_ONES)));
        all.add(List.of(new Action.Move(MatchField.IPV6_DST.range(), MatchField.XXREG2.range()),
            new Action.Move(MatchField.XXREG3.range(), MatchField.IPV6_SRC.range()),
            new Action.Move(MatchField.IPV6_SRC.range(), MatchField.IPV6_DST.range()),
            new Action.Move(MatchField.XXREG2.range(), MatchField.XXREG3.range())));
        all.add(List.of(new Action.Move(new FieldRange(MatchField.IPV6_DST, 127, 64),
            new FieldRange(MatchField.XXREG2, 63, 0)), new Action.Move(new FieldRange(MatchField.XXREG3, 95, 64),
            MatchField.REG1.range())));
        return all;
    }

    private static List<List<Action>> solicitationActions() {
        final List<List<Action>> all = new ArrayList<>();
        all.add(List.of(new Action.Move(MatchField.ND_TARGET.range(), MatchField.IPV6_SRC.range()),
            new Action.SetField(MatchField.ND_RESERVED, 0xe0000000L),
            new Action.SetField(MatchField.ND_OPTIONS_TYPE, 2), new Action.SetField(MatchField.ICMPV6_CODE, 0),
            new Action.SetField(MatchField.ICMPV6_TYPE, 136)));
        all.add(List.of(new Action.SetField(MatchField.ND_SLL, MAC),
            new Action.SetField(MatchField.ND_TARGET, ADDRESS)));
        all.add(List.of(learn(MatchField.IPV6_SRC, MatchField.ND_SLL)));
        return all;
    }

    /** The way of a neighbour: whole addresses into the match, and half of one into an action. */
    private static Action learn(final MatchField address, final MatchField mac) {
        return new Action.Learn(Table.NEIGHBOURS, 100, 300, 0, Optional.empty(), 0x77, List.of(
            new LearnSpec.MatchValue(EtherType.IPV6, MatchField.ETH_TYPE.range()),
            new LearnSpec.MatchCopy(address.range(), MatchField.XXREG2.range()),
            new LearnSpec.MatchCopy(address.range(), MatchField.IPV6_DST.range()),
            new LearnSpec.LoadCopy(mac.range(), MatchField.ETH_DST.range()),
            new LearnSpec.LoadCopy(address.range(), MatchField.XXREG3.range()),
            new LearnSpec.LoadCopy(new FieldRange(address, 127, 64), new FieldRange(MatchField.XXREG3, 63, 0))));
    }
}
