// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Actions and matches that a switch refuses cannot be made; those at its limits can. */
class ActionTest {
    private static final FieldRange BIT = new FieldRange(MatchField.REG0, 0, 0);
    private static final FieldRange TWO = new FieldRange(MatchField.REG0, 1, 0);
    private static final FieldRange ZONE = new FieldRange(MatchField.REG0, 15, 0);

    private static void assertMade(final ThrowingCallable call) {
        assertThatCode(call).doesNotThrowAnyException();
    }

    private static void assertRefused(final ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void portsOfATranslationAreFrom1To65535() {
        assertMade(() -> new Action.Nat.Ports(1, 65535));
        assertMade(() -> new Action.Nat.Ports(80, 80));
        assertRefused(() -> new Action.Nat.Ports(0, 65535));
        assertRefused(() -> new Action.Nat.Ports(1, 65536));
        assertRefused(() -> new Action.Nat.Ports(81, 80));
        assertMade(() -> new Action.Nat.Destination(Ipv4.UNSPECIFIED, OptionalInt.of(1)));
        assertMade(() -> new Action.Nat.Destination(Ipv4.UNSPECIFIED, OptionalInt.of(65535)));
        assertMade(() -> new Action.Nat.Destination(Ipv4.UNSPECIFIED, OptionalInt.empty()));
        assertRefused(() -> new Action.Nat.Destination(Ipv4.UNSPECIFIED, OptionalInt.of(0)));
        assertRefused(() -> new Action.Nat.Destination(Ipv4.UNSPECIFIED, OptionalInt.of(65536)));
    }

    @Test
    void aLengthIsComparedIntoOneBit() {
        assertMade(() -> new Action.CheckPktLarger(0, BIT));
        assertMade(() -> new Action.CheckPktLarger(0xffff, BIT));
        assertRefused(() -> new Action.CheckPktLarger(-1, BIT));
        assertRefused(() -> new Action.CheckPktLarger(0x10000, BIT));
        assertRefused(() -> new Action.CheckPktLarger(1514, TWO));
    }

    @Test
    void aLimitOnLearnedFlowsIsAtLeastOneAndReportsIntoOneBit() {
        assertMade(() -> new Action.LearnLimit(1, BIT));
        assertRefused(() -> new Action.LearnLimit(0, BIT));
        assertRefused(() -> new Action.LearnLimit(1, TWO));
    }

    @Test
    void aConjunctionHasFrom2To64Clauses() {
        assertMade(() -> new Action.Conjunction(1, 1, 2));
        assertMade(() -> new Action.Conjunction(0xffffffffL, 64, 64));
        assertRefused(() -> new Action.Conjunction(0x100000000L, 1, 2));
        assertRefused(() -> new Action.Conjunction(1, 1, 65));
    }

    @Test
    void onlyTheMarkIsWrittenAndOnlyWithCommit() {
        final Optional<Action.Load> mark = Optional.of(new Action.Load(new FieldRange(MatchField.CT_MARK, 0, 0), 1));
        assertMade(() -> new Action.ConnTrack(true, ZONE, Table.NAT_OUT_CHECK, Optional.empty(), mark));
        assertRefused(() -> new Action.ConnTrack(false, ZONE, Table.NAT_OUT_CHECK, Optional.empty(), mark));
        assertRefused(() -> new Action.ConnTrack(true, ZONE, Table.NAT_OUT_CHECK, Optional.empty(),
            Optional.of(new Action.Load(BIT, 1))));
    }

    @Test
    void aConnectionKeepsOnlyItsLabel() {
        final FieldRange label = new FieldRange(MatchField.CT_LABEL, 15, 0);
        assertMade(() -> new Action.KeepLabel(ZONE, new Action.Move(ZONE, label)));
        assertRefused(() -> new Action.KeepLabel(ZONE, new Action.Move(label, ZONE)));
    }

    @Test
    void loadsAndMovesFitTheirTarget() {
        assertMade(() -> new Action.Load(new FieldRange(MatchField.XXREG2, 63, 0), -1));
        assertRefused(() -> new Action.Load(new FieldRange(MatchField.XXREG2, 64, 0), 0));
        assertRefused(() -> new Action.Load(BIT, 2));
        assertRefused(() -> new Action.Move(BIT, TWO));
        assertRefused(() -> new Action.SetField(MatchField.IP_DST, 0x100000000L));
    }

    @Test
    void aPriorityHasSixteenBits() {
        for (final int good : new int[] {0, 0xffff}) {
            assertThat(flow(good, 0).priority()).isEqualTo(good);
        }
        assertRefused(() -> flow(-1, 0));
        assertRefused(() -> flow(0x10000, 0));
    }

    @Test
    void aFlowDropsWhenItHasNeitherActionsNorANextTable() {
        assertThat(flow(1, 0).isDrop()).isTrue();
        assertThat(new FlowSpec(Table.CLASSIFY, 1, List.of(), List.of(new Action.Output(1)), Optional.empty(), 1, 0)
            .isDrop()).isFalse();
        assertThat(new FlowSpec(Table.CLASSIFY, 1, List.of(), List.of(), Optional.of(Table.ACCESS_LEARN), 1, 0)
            .isDrop()).isFalse();
    }

    @Test
    void aFlowIsWrittenWithTableNamesOrNumbers() {
        assertThat(FlowText.NUMBERS.render(flow(7, 60)))
            .isEqualTo("table=0,priority=7,cookie=0x1,idle_timeout=60 actions=drop");
        assertThat(FlowText.NAMES.render(flow(7, 0))).isEqualTo("table=classify,priority=7,cookie=0x1 actions=drop");
    }

    private static FlowSpec flow(final int priority, final int idleTimeout) {
        return new FlowSpec(Table.CLASSIFY, priority, List.of(), List.of(), Optional.empty(), 1, idleTimeout);
    }

    @Test
    void matchesOnTheSameBitsOrOutsideTheFieldAreRefused() {
        assertRefused(() -> new FieldMatch(MatchField.IP_DST, 0, 0));
        assertRefused(() -> new FieldMatch(MatchField.IP_DST, 0x1ff, 0xff));
        assertRefused(() -> new FieldMatch(MatchField.IP_DST, 0, 0x100000000L));
        assertRefused(() -> new FieldMatch(MatchField.IP_DST, 1, 0, 0, 1));
        assertRefused(() -> new FieldMatch(MatchField.IP_DST, 0, 0, 1, 1));
        assertRefused(() -> new FieldRange(MatchField.REG0, 0, 1));
        assertRefused(() -> new FieldRange(MatchField.REG0, 0, -1));
        final FieldMatch low = new FieldMatch(MatchField.IP_DST, 1, 0xff);
        assertThat(low.and(new FieldMatch(MatchField.IP_DST, 0x100, 0xff00)))
            .isEqualTo(new FieldMatch(MatchField.IP_DST, 0x101, 0xffff));
        final FieldMatch wide = new FieldMatch(MatchField.IPV6_DST, 1, 2, 0xff, 0xf);
        assertThat(wide.and(new FieldMatch(MatchField.IPV6_DST, 0x100, 0x20, 0xff00, 0xf0)))
            .isEqualTo(new FieldMatch(MatchField.IPV6_DST, 0x101, 0x22, 0xffff, 0xff));
        assertRefused(() -> wide.and(new FieldMatch(MatchField.IPV6_DST, 1, 0, 1, 0)));
        assertRefused(() -> low.and(low));
        assertRefused(() -> low.and(new FieldMatch(MatchField.IP_SRC, 0x100, 0xff00)));
    }
}
