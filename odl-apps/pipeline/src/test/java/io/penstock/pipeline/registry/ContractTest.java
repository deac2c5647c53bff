// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.Action.LearnSpec;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv6;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Flows that break the contract of their table are found; those at its limits are not. */
class ContractTest {
    private static final FieldRange ZONE = Register.ZONE.range();
    private static final FieldRange KEPT = new FieldRange(MatchField.CT_LABEL, 15, 0);
    private static final Register COPY = Register.COPY;
    private static final Action EARLY = COPY.load(1);
    private static final Action LIMIT = new Action.Resubmit(Table.FRAGMENTS);
    private static final String DEAD = "COPY, which does not live there";

    private static Optional<String> check(final Table table, final List<FieldMatch> matches, final Table next,
            final Action... actions) {
        return Contract.of(table).breach(
            new FlowSpec(table, 1, matches, List.of(actions), Optional.ofNullable(next), 1, 0));
    }

    private static Optional<String> check(final Table table, final Action... actions) {
        return check(table, List.of(), null, actions);
    }

    @Test
    void aFlowMatchesTheFieldsOfItsTable() {
        assertThat(check(Table.ARP_REPLY, List.of(FieldMatch.of(MatchField.ARP_OP, 1)), null)).isEmpty();
        assertThat(check(Table.ARP_REPLY, List.of(FieldMatch.of(MatchField.IP_SRC, 1)), null))
            .contains("may not match nw_src");
        assertThat(check(Table.ARP_REPLY, List.of(FieldMatch.prefix(MatchField.IPV6_SRC, new Ipv6(1, 0), 64)), null))
            .as("bits beyond the low 64 alone").contains("may not match ipv6_src");
        assertThat(check(Table.ARP_REPLY, new Action.Conjunction(1, 1, 2))).contains("may not match conj_id");
    }

    @Test
    void addressesThatATableMatchesHavePrefixTrees() {
        assertThat(Contract.of(Table.ACCESS_LEARN).prefixes()).contains("ip_src", "ipv6_src");
        assertThat(Contract.of(Table.VRF_ROUTE).prefixes()).contains("ip_dst", "ipv6_dst");
        for (final Table table : Table.values()) {
            assertThat(Contract.of(table).prefixes()).as("%s", table).hasSize(3);
        }
    }

    static Stream<Arguments> actionsOnHeaders() {
        return Stream.of(Arguments.of(new Action.SetField(MatchField.IP_SRC, 1), "nw_src"),
            Arguments.of(new Action.Load(MatchField.IP_SRC.range(), 1), "nw_src"),
            Arguments.of(new Action.Move(MatchField.IP_DST.range(), MatchField.IP_SRC.range()), "nw_src"),
            Arguments.of(new Action.DecTtl(), "nw_ttl"), Arguments.of(new Action.PushVlan(), "dl_vlan"),
            Arguments.of(new Action.PopVlan(), "dl_vlan"), Arguments.of(new Action.ClearConnTrack(), "ct_state"),
            Arguments.of(new Action.EncapNsh(), "nsh_mdtype"), Arguments.of(new Action.EncapEthernet(), "dl_dst"),
            Arguments.of(new Action.Decap(), "nsh_mdtype"));
    }

    @ParameterizedTest
    @MethodSource("actionsOnHeaders")
    void anActionSetsTheFieldsOfItsTable(final Action action, final String field) {
        assertThat(check(Table.NAT_SAMPLE, action)).contains("may not set " + field);
        assertThat(check(Table.NAT_SAMPLE, new Action.Clone(List.of(EARLY, action)))).isPresent();
    }

    @Test
    void whatATableSetsItsActionsMaySet() {
        assertThat(check(Table.ARP_REPLY, new Action.SetField(MatchField.ARP_OP, 2))).isEmpty();
        assertThat(check(Table.VRF_ROUTE, new Action.DecTtl())).isEmpty();
        assertThat(check(Table.EGRESS, new Action.PushVlan(), new Action.Output(1))).isEmpty();
    }

    @Test
    void aPacketLeavesTheSwitchWhereTheTableSaysSo() {
        assertThat(check(Table.NEIGHBOUR_FOUND, new Action.Controller(1))).isEmpty();
        assertThat(check(Table.NEIGHBOUR_FOUND, new Action.Output(1))).contains("may not send packets to a port");
        assertThat(check(Table.EGRESS, new Action.Controller(1))).contains("may not send packets to the controller");
    }

    @Test
    void aFlowLeadsOnlyToTheTablesThatItsOwnNames() {
        assertThat(check(Table.CLASSIFY, List.of(), Table.ACCESS_LEARN)).isEmpty();
        assertThat(check(Table.CLASSIFY, List.of(), Table.EGRESS)).contains("may not lead to egress");
        assertThat(check(Table.L2_LOOKUP, new Action.Resubmit(Table.L2_HOSTS))).isEmpty();
        assertThat(check(Table.L2_LOOKUP, new Action.Resubmit(Table.NEIGHBOURS)))
            .contains("may not look up neighbours");
        assertThat(check(Table.L2_LOOKUP, new Action.Clone(List.of(new Action.Resubmit(Table.CLASSIFY)))))
            .isPresent();
    }

    /** Behind it packets of other tenants are dropped that conntrack releases (ipf_send_expired_frags, lib/ipf.c). */
    @Test
    void aPassThroughConntrackLeadsToTheCheckAndOnToTablesThatItsOwnNames() {
        final Action pass = pass(ZONE, Table.TRACKED);
        assertThat(check(Table.NAT_TRANSLATE, LIMIT, after(Table.NAT_OUT_CHECK), pass)).isEmpty();
        assertThat(check(Table.NAT_TRANSLATE, LIMIT, after(Table.CHAIN_ENTER), pass))
            .contains("may not track packets for chain_enter");
        assertThat(check(Table.NAT_TRANSLATE, LIMIT, pass))
            .contains("may not track packets without a table to go on in");
        assertThat(check(Table.NAT_TRANSLATE, LIMIT, pass, after(Table.NAT_OUT_CHECK)))
            .contains("may not track packets without a table to go on in");
        assertThat(check(Table.NAT_OUT_KNOWN, LIMIT, new Action.Clone(List.of(pass))))
            .contains("may not track packets without a table to go on in");
        assertThat(check(Table.NAT_TRANSLATE, LIMIT, after(Table.NAT_OUT_CHECK), pass(ZONE, Table.NAT_OUT_CHECK)))
            .contains("may not lead from conntrack past tracked");
        assertThat(check(Table.NAT_TRANSLATE, LIMIT, after(Table.NAT_OUT_CHECK),
            pass(Register.VRF.range(), Table.TRACKED)))
            .contains("may not track packets in the zone of " + Register.VRF.range());
    }

    /** Open vSwitch keeps the fragments of incomplete packets of all tenants in one list (lib/ipf.c). */
    @Test
    void beforeEachPassTheFragmentsOfATenantAreLimited() {
        final Action pass = pass(ZONE, Table.TRACKED);
        final String breach = "may not track packets without a look into fragments directly before";
        assertThat(check(Table.NAT_TRANSLATE, after(Table.NAT_OUT_CHECK), pass)).contains(breach);
        assertThat(check(Table.NAT_TRANSLATE, after(Table.NAT_OUT_CHECK), pass, LIMIT)).contains(breach);
        assertThat(check(Table.NAT_OUT_KNOWN, new Action.Clone(List.of(after(Table.NAT_OUT_CHECK), pass))))
            .contains(breach);
        assertThat(check(Table.NAT_TRANSLATE, LIMIT, after(Table.NAT_OUT_CHECK), pass)).isEmpty();
        assertThat(check(Table.NAT_TRANSLATE, LIMIT, new Action.Move(Register.VRF.range(), ZONE),
            after(Table.NAT_OUT_CHECK), pass)).contains(breach);
        assertThat(check(Table.NAT_TRANSLATE, LIMIT, after(Table.NAT_OUT_CHECK), pass, pass)).contains(breach);
        assertThat(check(Table.CHAIN_KEEP, keepByCopy())).contains(breach);
        assertThat(check(Table.EGRESS, LIMIT)).contains("may not look up fragments");
    }

    private static Action keepByCopy() {
        return new Action.Clone(List.of(new Action.KeepLabel(ZONE,
            new Action.Move(Register.INSTANCE.range(), KEPT))));
    }

    private static Action pass(final FieldRange zone, final Table table) {
        return new Action.ConnTrack(false, zone, table, Optional.empty(), Optional.empty());
    }

    private static Action after(final Table table) {
        return Register.AFTER.load(table.number());
    }

    @Test
    void aConnectionKeepsAnInstanceByACopyThatEndsThere() {
        final Action keep = new Action.KeepLabel(ZONE, new Action.Move(Register.INSTANCE.range(), KEPT));
        assertThat(check(Table.CHAIN_KEEP, LIMIT, keepByCopy())).isEmpty();
        assertThat(check(Table.CHAIN_KEEP, new Action.Clone(List.of()))).as("nothing is a breach of it").isEmpty();
        assertThat(check(Table.CHAIN_KEEP, keep).orElseThrow()).startsWith("may not keep labels but in a copy");
        assertThat(check(Table.CHAIN_RETURN, new Action.Clone(List.of(keep, new Action.Output(1)))).orElseThrow())
            .startsWith("may not keep labels but in a copy");
        assertThat(check(Table.CHAIN_KEEP, LIMIT, new Action.Clone(List.of(new Action.Move(Register.VRF.range(), ZONE),
            keep))).orElseThrow()).startsWith("may not keep labels but in a copy");
        assertThat(check(Table.CHAIN_KEEP, LIMIT, new Action.Clone(List.of(new Action.KeepLabel(
            Register.VRF.range(), new Action.Move(Register.INSTANCE.range(), KEPT))))))
            .contains("may not track packets in the zone of " + Register.VRF.range());
        assertThat(check(Table.CHAIN_KEEP, LIMIT, new Action.Clone(List.of(new Action.KeepLabel(ZONE,
            new Action.Move(COPY.range(), new FieldRange(MatchField.CT_LABEL, 0, 0)))))))
            .contains("may not read " + DEAD);
    }

    @Test
    void aLearnedFlowKeepsTheContractOfItsTable() {
        final FieldRange mac = MatchField.ETH_SRC.range();
        final LearnSpec match = new LearnSpec.MatchCopy(mac, MatchField.ETH_DST.range());
        final LearnSpec found = new LearnSpec.LoadValue(1, Register.FOUND.range());
        assertThat(check(Table.ACCESS_LEARN, learn(Table.L2_HOSTS, match, found))).isEmpty();
        assertThat(check(Table.L2_LOOKUP, learn(Table.L2_HOSTS, match))).contains("may not learn into l2_hosts");
        assertThat(check(Table.ACCESS_LEARN, learn(Table.L2_HOSTS, new LearnSpec.LoadCopy(mac, mac))))
            .contains("may not set dl_src");
        assertThat(check(Table.ACCESS_LEARN, learn(Table.L2_HOSTS,
            new LearnSpec.MatchValue(1, MatchField.IP_PROTO.range())))).contains("may not match nw_proto");
        assertThat(check(Table.ACCESS_LEARN, learn(Table.L2_HOSTS, new LearnSpec.LoadValue(1, COPY.range()))))
            .contains("may not set " + DEAD);
        final FieldRange bit = Register.FOUND.range();
        assertThat(check(Table.ACCESS_LEARN, learn(Table.L2_HOSTS, new LearnSpec.LoadCopy(COPY.range(), bit))))
            .contains("may not read " + DEAD);
        assertThat(check(Table.ACCESS_LEARN, learn(Table.L2_HOSTS, new LearnSpec.MatchCopy(COPY.range(), bit))))
            .contains("may not read " + DEAD);
        assertThat(check(Table.ACCESS_LEARN, new Action.Learn(Table.L2_HOSTS, 1, 0, 0,
            Optional.of(new Action.LearnLimit(1, COPY.range())), 1, List.of()))).contains("may not set " + DEAD);
    }

    private static Action learn(final Table table, final LearnSpec... specs) {
        return new Action.Learn(table, 1, 0, 0, Optional.empty(), 1, List.of(specs));
    }

    static Stream<Action> actionsOnARegister() {
        final FieldRange bit = COPY.range();
        final FieldRange mark = new FieldRange(MatchField.CT_MARK, 0, 0);
        return Stream.of(EARLY, new Action.CheckPktLarger(1514, bit), new Action.Move(mark, bit),
            new Action.Clone(List.of(EARLY)));
    }

    @ParameterizedTest
    @MethodSource("actionsOnARegister")
    void anActionUsesARegisterOnlyWhereItLives(final Action action) {
        assertThat(check(COPY.first(), action)).isEmpty();
        assertThat(check(COPY.last(), action)).isEmpty();
        assertThat(check(Table.CLASSIFY, action)).as("before").contains("may not set " + DEAD);
        assertThat(check(Table.EGRESS, action)).as("after").contains("may not set " + DEAD);
    }

    @Test
    void whatAnActionCopiesIsOfARegisterThatLives() {
        assertThat(check(Table.CLASSIFY, new Action.Move(COPY.range(), Register.FROM_BACKBONE.range())))
            .contains("may not read " + DEAD);
        assertThat(check(Table.NAT_BEGIN, new Action.Move(Register.SESSION.range(), Register.OPEN.range()))).isEmpty();
    }

    @Test
    void settingAWholeRegisterSetsEveryValueInIt() {
        assertThat(check(Table.CLASSIFY, new Action.SetField(MatchField.REG1, 1)))
            .contains("may not set NEXT_HOP, which does not live there");
        assertThat(check(Table.BACKBONE_IN, new Action.SetField(MatchField.REG1, 1))).isEmpty();
        assertThat(check(Table.CLASSIFY, new Action.SetField(MatchField.XXREG2, new Ipv6(0, 1))))
            .contains("may not set NEXT_HOP6, which does not live there");
        assertThat(check(Table.VRF_ROUTE, new Action.SetField(MatchField.XXREG3, new Ipv6(0, 1))))
            .as("some of its values live").isPresent();
    }

    @Test
    void aMatchReadsARegisterOnlyWhereItLives() {
        assertThat(check(COPY.last(), List.of(COPY.is(1)), null)).isEmpty();
        assertThat(check(Table.EGRESS, List.of(COPY.is(1)), null)).isPresent();
        assertThat(check(Table.CLASSIFY, List.of(COPY.is(1)), null)).isPresent();
        assertThat(check(Table.EGRESS, List.of(FieldMatch.of(Register.NEXT_HOP6.range().parts().get(3), 1)), null))
            .contains("may not match NEXT_HOP6, which does not live there");
    }

    @Test
    void bitsThatNoRegisterHoldsAreNotUsed() {
        final FieldRange unused = new FieldRange(MatchField.REG2, 28, 28);
        assertThat(check(Table.CLASSIFY, List.of(FieldMatch.of(unused, 1)), null))
            .contains("may not match NXM_NX_REG2[28], which means nothing");
        assertThat(check(Table.CLASSIFY, new Action.Load(unused, 1)))
            .contains("may not set NXM_NX_REG2[28], which means nothing");
    }

    @Test
    void theLowestFlowDoesWhatTheTableSays() {
        assertThat(miss(Table.CLASSIFY, null)).isEmpty();
        assertThat(miss(Table.CLASSIFY, Table.ACCESS_LEARN)).contains("is not what becomes of all other packets: drop");
        assertThat(miss(Table.CHAIN_OUT, Table.NAT_MAP)).isEmpty();
        assertThat(miss(Table.CHAIN_OUT, Table.CHAIN_TRACK))
            .contains("is not what becomes of all other packets: nat_map");
        assertThat(miss(Table.NAT_SAMPLE, null, COPY.load(0))).isEmpty();
        assertThat(miss(Table.NAT_SAMPLE, null)).isPresent();
        assertThat(miss(Table.NEIGHBOUR_FOUND, Table.EGRESS, new Action.Meter(1))).isPresent();
        assertThat(miss(Table.L2_HOSTS, null)).isPresent();
        assertThat(Contract.of(Table.CLASSIFY).breach(new FlowSpec(Table.CLASSIFY, Priority.MISS,
            List.of(Register.VRF.is(1)), List.of(), Optional.empty(), 1, 0))).as("it matches all").isPresent();
    }

    private static Optional<String> miss(final Table table, final Table next, final Action... actions) {
        return Contract.of(table).breach(new FlowSpec(table, Priority.MISS, List.of(), List.of(actions),
            Optional.ofNullable(next), 1, 0));
    }
}
