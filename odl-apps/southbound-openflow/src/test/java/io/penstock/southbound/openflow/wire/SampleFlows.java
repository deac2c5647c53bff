// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnLimit;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.Action.Nat;
import io.penstock.pipeline.flow.EtherType;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.Fragment;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Meter;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Flows that together use every match field and every action, each valid for a switch. */
public final class SampleFlows {
    private static final FieldMatch IS_IP = FieldMatch.of(MatchField.ETH_TYPE, 0x0800);
    private static final FieldMatch IS_ARP = FieldMatch.of(MatchField.ETH_TYPE, 0x0806);
    private static final Ipv4 ADDRESS = Ipv4.parse("10.1.2.251");
    /** The switch has to have this meter. */
    static final int METER = Meter.BACKBONE_NEIGHBOURS.number();
    private static final long MAC = 0x025053ff0001L;

    private SampleFlows() {
        // Only functions.
    }

    /** All of them, every one with a key of its own. */
    public static List<FlowSpec> all() {
        final List<FlowSpec> flows = new ArrayList<>(SampleIpv6Flows.all());
        matches().forEach(matches -> flows.add(new FlowSpec(Table.CLASSIFY, 1 + flows.size(), matches, List.of(),
            Optional.of(Table.BACKBONE_IN), 0x5053000000000001L, 0)));
        actions().forEach(actions -> flows.add(new FlowSpec(Table.VRF_ROUTE, 1 + flows.size(),
            List.of(IS_IP), actions, Optional.empty(), 0x5053ffffffffffffL, 0)));
        arpActions().forEach(actions -> flows.add(new FlowSpec(Table.VRF_ROUTE, 1 + flows.size(),
            List.of(IS_ARP), actions, Optional.of(Table.EGRESS), -1, 300)));
        flows.add(new FlowSpec(Table.NAT_OUT_CHECK, 9, List.of(IS_IP, FieldMatch.of(MatchField.IP_PROTO, 6),
            new FieldMatch(MatchField.CT_STATE, 0x20, 0x30)), List.of(learnTracked()), Optional.empty(), 1, 0));
        // pop_vlan is refused unless the flow insists on a tag.
        flows.add(new FlowSpec(Table.CHAIN_RETURN, 9, List.of(FieldMatch.of(MatchField.VLAN_VID, 5)),
            List.of(new Action.PopVlan(), new Action.PushMpls(),
                new Action.PopMpls(EtherType.ARP), new Action.Output(2)), Optional.of(Table.VRF_ROUTE), 1, 0));
        // So is an application level gateway unless it insists on TCP.
        for (final Action.ConnTrack ct : List.of(ct(true, Optional.of(new Nat.Source(ADDRESS)), Optional.of(1)),
                ct(false, Optional.of(new Nat.Existing()), Optional.empty()))) {
            flows.add(new FlowSpec(Table.NAT_TRANSLATE, 1 + flows.size(),
                List.of(IS_IP, FieldMatch.of(MatchField.IP_PROTO, 6)), List.of(new Action.ConnTrack(ct.commit(),
                    ct.zone(), ct.table(), ct.nat(), ct.mark(), Optional.of(Alg.FTP))), Optional.empty(), 1, 0));
        }
        flows.add(new FlowSpec(Table.CHAIN_ENTER, 9, List.of(IS_IP), List.of(new Action.EncapNsh(),
            new Action.SetField(MatchField.NSH_SPI, 0x1005), new Action.SetField(MatchField.NSH_SI, 255),
            new Action.Move(new FieldRange(MatchField.REG0, 11, 0), new FieldRange(MatchField.NSH_SPI, 11, 0)),
            new Action.EncapEthernet(), new Action.SetField(MatchField.ETH_SRC, MAC), new Action.Output(3)),
            Optional.empty(), 1, 0));
        flows.add(new FlowSpec(Table.CLASSIFY, 9, List.of(FieldMatch.of(MatchField.IN_PORT, 3),
            FieldMatch.of(MatchField.ETH_TYPE, EtherType.NSH), FieldMatch.of(MatchField.NSH_MDTYPE, 1),
            FieldMatch.of(MatchField.NSH_SPI, 0xfffffe), FieldMatch.of(MatchField.NSH_SI, 254)),
            List.of(new Action.Decap(), new Action.Decap()), Optional.of(Table.CHAIN_RETURN), 1, 0));
        flows.add(new FlowSpec(Table.EGRESS, 0, List.of(), List.of(), Optional.empty(), 7, 0));
        return flows;
    }

    private static List<List<FieldMatch>> matches() {
        final List<List<FieldMatch>> all = new ArrayList<>();
        all.add(List.of());
        all.add(List.of(FieldMatch.of(MatchField.IN_PORT, 7)));
        all.add(List.of(FieldMatch.of(MatchField.VLAN_VID, MatchField.UNTAGGED)));
        all.add(List.of(FieldMatch.of(MatchField.VLAN_VID, 4094)));
        all.add(List.of(new FieldMatch(MatchField.VLAN_VID, 0x100, 0xf00)));
        all.add(List.of(FieldMatch.of(MatchField.ETH_DST, MAC), FieldMatch.of(MatchField.ETH_SRC, 1)));
        all.add(List.of(new FieldMatch(MatchField.ETH_DST, 0x010000000000L, 0x010000000000L)));
        all.add(List.of(IS_ARP, FieldMatch.of(MatchField.ARP_OP, 2)));
        for (final MatchField field : List.of(MatchField.ARP_SPA, MatchField.ARP_TPA)) {
            all.add(List.of(IS_ARP, FieldMatch.of(field, ADDRESS)));
            all.add(List.of(IS_ARP, FieldMatch.of(new FieldRange(field, 31, 8), ADDRESS.number() >> 8)));
        }
        all.add(List.of(IS_ARP, FieldMatch.of(MatchField.ARP_SHA, MAC)));
        all.add(List.of(IS_ARP, FieldMatch.of(MatchField.ARP_THA, 0)));
        for (final MatchField field : List.of(MatchField.IP_SRC, MatchField.IP_DST)) {
            all.add(List.of(IS_IP, FieldMatch.of(field, 0xffffffffL)));
            all.add(List.of(IS_IP, FieldMatch.of(new FieldRange(field, 31, 31), 1)));
            all.add(List.of(IS_IP, new FieldMatch(field, 0x00000003L, 0x00ff00ffL)));
        }
        all.add(List.of(IS_IP, FieldMatch.of(MatchField.IP_TTL, 1)));
        all.add(List.of(IS_IP, FieldMatch.of(MatchField.IP_PROTO, 17)));
        for (final Fragment fragment : Fragment.values()) {
            all.add(List.of(IS_IP, fragment.match()));
        }
        all.add(List.of(IS_IP, FieldMatch.of(MatchField.CONJ_ID, 0xffffffffL)));
        all.add(List.of(IS_IP, FieldMatch.of(MatchField.IP_PROTO, 6), FieldMatch.of(MatchField.TCP_FLAGS, 0x12)));
        all.add(List.of(IS_IP, FieldMatch.of(MatchField.IP_PROTO, 6), new FieldMatch(MatchField.TCP_FLAGS, 0, 7)));
        for (final MatchField field : List.of(MatchField.TCP_SRC, MatchField.TCP_DST, MatchField.UDP_SRC,
                MatchField.UDP_DST, MatchField.SCTP_SRC, MatchField.SCTP_DST)) {
            final FieldMatch protocol = FieldMatch.of(MatchField.IP_PROTO,
                field.name().startsWith("TCP") ? 6 : field.name().startsWith("UDP") ? 17 : 132);
            all.add(List.of(IS_IP, protocol, FieldMatch.of(field, 65535)));
            all.add(List.of(IS_IP, protocol, FieldMatch.of(new FieldRange(field, 15, 6), 3)));
        }
        all.add(List.of(IS_IP, FieldMatch.of(MatchField.IP_PROTO, 1), FieldMatch.of(MatchField.ICMP_TYPE, 8),
            FieldMatch.of(MatchField.ICMP_CODE, 0)));
        for (final MatchField field : registers()) {
            all.add(List.of(FieldMatch.of(field, 0xffffffffL)));
            all.add(List.of(FieldMatch.of(field, 0)));
            all.add(List.of(FieldMatch.of(new FieldRange(field, 15, 0), 0x8000)));
            all.add(List.of(FieldMatch.of(new FieldRange(field, 24, 24), 0)));
        }
        all.add(List.of(IS_IP, new FieldMatch(MatchField.CT_STATE, 0x21, 0x23)));
        all.add(List.of(new FieldMatch(MatchField.CT_STATE, 0, 0x20)));
        all.add(List.of(FieldMatch.of(MatchField.CT_ZONE, 0x8002)));
        all.add(List.of(IS_IP, new FieldMatch(MatchField.CT_STATE, 0x20, 0x30),
            FieldMatch.of(MatchField.CT_NW_SRC, ADDRESS)));
        all.add(List.of(FieldMatch.of(MatchField.CT_MARK, 0x80000001L)));
        all.add(List.of(FieldMatch.of(new FieldRange(MatchField.CT_MARK, 30, 4), 9)));
        all.add(List.of(FieldMatch.of(new FieldRange(MatchField.CT_LABEL, 47, 32), 9)));
        return all;
    }

    private static List<List<Action>> actions() {
        final List<List<Action>> all = new ArrayList<>();
        all.add(List.of());
        all.add(List.of(new Action.ConnTrack(true, new FieldRange(MatchField.REG2, 27, 12), Table.NAT_OUT_CHECK,
            Optional.empty(), Optional.of(new Action.Load(new FieldRange(MatchField.CT_MARK, 7, 4), 5)))));
        all.add(List.of(new Action.ClearConnTrack(), new Action.Output(3)));
        all.add(List.of(new Action.KeepLabel(new FieldRange(MatchField.REG2, 27, 12), new Action.Move(
            new FieldRange(MatchField.REG15, 15, 0), new FieldRange(MatchField.CT_LABEL, 79, 64)))));
        all.add(List.of(new Action.Output(0xfeff), new Action.OutputInPort(), new Action.Output(1)));
        all.add(List.of(new Action.Controller(0xffff)));
        all.add(List.of(new Action.Controller(128), new Action.DecTtl()));
        all.add(List.of(new Action.PushVlan(), new Action.SetField(MatchField.VLAN_VID, 17), new Action.Output(2)));
        all.add(List.of(new Action.SetField(MatchField.ETH_SRC, MAC), new Action.SetField(MatchField.ETH_DST, MAC),
            new Action.SetField(MatchField.IP_SRC, ADDRESS), new Action.SetField(MatchField.IP_DST, ADDRESS),
            new Action.SetField(MatchField.IP_TTL, 64)));
        for (final MatchField field : registers()) {
            all.add(List.of(new Action.Load(field.range(), 0xffffffffL)));
            all.add(List.of(new Action.Load(new FieldRange(field, 23, 16), 0x81)));
            all.add(List.of(new Action.Load(new FieldRange(field, 31, 31), 1)));
        }
        all.add(List.of(new Action.Load(MatchField.IN_PORT.range(), 0)));
        all.add(List.of(new Action.Load(MatchField.ETH_DST.range(), MAC)));
        all.add(List.of(new Action.Load(new FieldRange(MatchField.ETH_DST, 15, 0), 0xffff)));
        all.add(List.of(new Action.Load(new FieldRange(MatchField.IP_SRC, 31, 8), 0x0a0102)));
        all.add(List.of(new Action.Move(MatchField.IP_DST.range(), MatchField.REG1.range())));
        all.add(List.of(new Action.Move(MatchField.ETH_SRC.range(), MatchField.ETH_DST.range()),
            new Action.Move(MatchField.IP_SRC.range(), MatchField.IP_DST.range()),
            new Action.Move(new FieldRange(MatchField.REG2, 11, 0), new FieldRange(MatchField.REG3, 23, 12))));
        all.add(List.of(new Action.Move(new FieldRange(MatchField.REG3, 27, 12), MatchField.IN_PORT.range())));
        // Clauses are alone in their flow.
        all.add(List.of(new Action.Conjunction(1, 1, 2), new Action.Conjunction(0xffffffffL, 64, 64)));
        all.add(List.of(new Action.CheckPktLarger(0xffff, new FieldRange(MatchField.REG0, 31, 31)),
            new Action.CheckPktLarger(1514, new FieldRange(MatchField.XXREG3, 127, 127)), new Action.Output(1)));
        all.add(List.of(new Action.Resubmit(Table.L2_HOSTS), new Action.Resubmit(Table.NEIGHBOURS)));
        for (final boolean commit : List.of(true, false)) {
            all.add(List.of(ct(commit, Optional.empty(), Optional.empty())));
            all.add(List.of(ct(commit, Optional.of(new Nat.Existing()), Optional.empty())));
        }
        all.add(List.of(ct(true, Optional.of(new Nat.Source(Ipv4.parse("203.0.113.5"))), Optional.empty())));
        all.add(List.of(ct(true, Optional.of(new Nat.Source(Ipv4.parse("203.0.113.5"))), Optional.of(-1))));
        all.add(List.of(ct(true, Optional.of(new Nat.Source(ADDRESS, Optional.of(new Nat.Ports(32768, 65535)))),
            Optional.of(1))));
        all.add(List.of(ct(true, Optional.of(new Nat.Destination(ADDRESS, OptionalInt.empty())), Optional.of(1))));
        all.add(List.of(ct(true, Optional.of(new Nat.Destination(ADDRESS, OptionalInt.of(65535))), Optional.empty())));
        all.add(List.of(ct(true, Optional.of(new Nat.Existing()), Optional.of(1))));
        all.add(List.of(ct(true, Optional.empty(), Optional.of(0)), new Action.Output(3)));
        all.add(List.of(new Action.Learn(Table.NEIGHBOURS, 100, 0, 0, Optional.empty(), 0, List.of())));
        all.add(List.of(new Action.Clone(List.of(new Action.Resubmit(Table.NEIGHBOURS),
            new Action.Load(MatchField.REG1.range(), 5), ct(true, Optional.of(new Nat.Existing()), Optional.of(1)),
            new Action.Clone(List.of(new Action.DecTtl())))), new Action.Output(3)));
        all.add(List.of(new Action.Sample(65535, 0x7fffffff, 0x6fff), new Action.Output(3)));
        all.add(List.of(new Action.Clone(List.of(new Action.Sample(1, 1, 0)))));
        all.add(List.of(new Action.Clone(List.of())));
        all.add(List.of(new Action.Meter(METER)));
        all.add(List.of(new Action.Meter(METER), new Action.DecTtl(), new Action.Output(1)));
        return all;
    }

    private static List<List<Action>> arpActions() {
        final List<List<Action>> all = new ArrayList<>();
        all.add(List.of(new Action.SetField(MatchField.ARP_OP, 2), new Action.SetField(MatchField.ARP_SPA, ADDRESS),
            new Action.SetField(MatchField.ARP_TPA, ADDRESS), new Action.SetField(MatchField.ARP_SHA, MAC),
            new Action.SetField(MatchField.ARP_THA, MAC)));
        all.add(List.of(new Action.Load(MatchField.ARP_OP.range(), 2),
            new Action.Load(MatchField.ARP_SPA.range(), ADDRESS.number()),
            new Action.Load(MatchField.ARP_SHA.range(), MAC)));
        all.add(List.of(new Action.Move(MatchField.ARP_SHA.range(), MatchField.ARP_THA.range()),
            new Action.Move(MatchField.ARP_SPA.range(), MatchField.ARP_TPA.range()),
            new Action.Move(MatchField.ETH_SRC.range(), MatchField.ETH_DST.range())));
        final FieldRange vrf = new FieldRange(MatchField.REG0, 15, 0);
        all.add(List.of(new Action.Learn(Table.NEIGHBOURS, 100, 300, 0, Optional.empty(), 0x5053010000000007L, List.of(
            new LearnSpec.MatchCopy(vrf, vrf),
            new LearnSpec.MatchCopy(MatchField.ARP_SPA.range(), MatchField.REG1.range()),
            new LearnSpec.LoadCopy(MatchField.ARP_SHA.range(), MatchField.ETH_DST.range()),
            new LearnSpec.LoadCopy(new FieldRange(MatchField.REG2, 27, 0), new FieldRange(MatchField.REG3, 27, 0)),
            new LearnSpec.LoadValue(1, new FieldRange(MatchField.REG0, 25, 25))))));
        all.add(List.of(new Action.Learn(Table.L2_HOSTS, 1, 65535, 65534, Optional.empty(), -1, List.of(
            new LearnSpec.MatchValue(0x0800, MatchField.ETH_TYPE.range()),
            new LearnSpec.MatchValue(0xabcd, new FieldRange(MatchField.REG1, 31, 16)),
            new LearnSpec.MatchCopy(MatchField.ARP_SPA.range(), MatchField.IP_DST.range()),
            new LearnSpec.LoadCopy(MatchField.ETH_SRC.range(), MatchField.ETH_DST.range()),
            new LearnSpec.LoadValue(0xffff, new FieldRange(MatchField.REG3, 15, 0))))));
        return all;
    }

    /** The original source of a connection is only there once it is tracked. */
    private static Action learnTracked() {
        final LearnLimit limit = new LearnLimit(2048, new FieldRange(MatchField.REG0, 29, 29));
        return new Action.Learn(Table.NAT_SESSIONS, 1, 0, 240, Optional.of(limit), 3, List.of(
            new LearnSpec.MatchValue(0x0800, MatchField.ETH_TYPE.range()),
            new LearnSpec.MatchValue(6, MatchField.IP_PROTO.range()),
            new LearnSpec.MatchCopy(MatchField.CT_NW_SRC.range(), MatchField.IP_SRC.range()),
            new LearnSpec.MatchCopy(MatchField.CT_TP_SRC.range(), MatchField.TCP_SRC.range()),
            new LearnSpec.LoadCopy(MatchField.TCP_SRC.range(), MatchField.TCP_SRC.range())));
    }

    private static Action.ConnTrack ct(final boolean commit, final Optional<Nat> nat, final Optional<Integer> mark) {
        return new Action.ConnTrack(commit, new FieldRange(MatchField.REG2, 27, 12), Table.NAT_OUT_CHECK, nat,
            mark.map(value -> new Action.Load(MatchField.CT_MARK.range(), Integer.toUnsignedLong(value))));
    }

    private static List<MatchField> registers() {
        return Arrays.stream(MatchField.values()).filter(field -> field.isRegister() && field.bits() == 32).toList();
    }
}
