// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FieldRange;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.Ipv6;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Flows that break a contract of the registry are found; those at its limits are not. */
class PipelineLintTest {
    private static final FieldRange ZONE = Register.VRF.range();
    private static final Register COPY = Register.COPY;
    private static final Action EARLY = COPY.load(1);

    private static List<String> check(final Table table, final List<FieldMatch> matches, final Table next,
            final Action... actions) {
        return PipelineLint.check(List.of(
            new FlowSpec(table, 1, matches, List.of(actions), Optional.ofNullable(next), 1, 0)));
    }

    private static List<String> check(final Table table, final Action... actions) {
        return check(table, List.of(), null, actions);
    }

    @Test
    void aFlowGoesOnlyToTheTablesThatItsOwnNames() {
        assertThat(check(Table.CLASSIFY, List.of(), Table.ACCESS_LEARN)).isEmpty();
        assertThat(check(Table.CLASSIFY, List.of(), Table.EGRESS)).singleElement().asString().contains("EGRESS");
    }

    static Stream<Action> actionsOnARegister() {
        final FieldRange bit = COPY.range();
        final FieldRange mark = new FieldRange(MatchField.CT_MARK, 0, 0);
        final FieldRange label = new FieldRange(MatchField.CT_LABEL, 0, 0);
        return Stream.of(EARLY, new Action.CheckPktLarger(1514, bit), new Action.Move(bit, mark),
            new Action.Move(mark, bit), new Action.Clone(List.of(EARLY)),
            Action.ConnTrack.lookUp(bit, Table.CHAIN_ENTER), new Action.KeepLabel(bit, new Action.Move(mark, label)),
            new Action.KeepLabel(mark, new Action.Move(bit, label)));
    }

    @ParameterizedTest
    @MethodSource("actionsOnARegister")
    void anActionUsesARegisterOnlyWhereItLives(final Action action) {
        assertThat(check(COPY.first(), action)).isEmpty();
        assertThat(check(COPY.last(), action)).isEmpty();
        assertThat(check(Table.CLASSIFY, action)).as("before").singleElement().asString().contains("COPY");
        assertThat(check(Table.EGRESS, action)).as("after").singleElement().asString().contains("COPY");
    }

    @Test
    void settingAWholeRegisterSetsEveryValueInIt() {
        assertThat(check(Table.CLASSIFY, new Action.SetField(MatchField.REG1, 1))).singleElement().asString()
            .contains("NEXT_HOP");
        assertThat(check(Table.BACKBONE_IN, new Action.SetField(MatchField.REG1, 1))).isEmpty();
        assertThat(check(Table.CLASSIFY, new Action.SetField(MatchField.ETH_SRC, 1))).isEmpty();
        assertThat(check(Table.CLASSIFY, new Action.SetField(MatchField.XXREG2, new Ipv6(0, 1)))).singleElement()
            .asString().contains("NEXT_HOP6");
    }

    @Test
    void aMatchReadsARegisterOnlyWhereItLives() {
        assertThat(check(COPY.last(), List.of(COPY.is(1)), null)).isEmpty();
        assertThat(check(Table.EGRESS, List.of(COPY.is(1)), null)).singleElement().asString().contains("COPY");
        assertThat(check(Table.CLASSIFY, List.of(COPY.is(1)), null)).singleElement().asString().contains("COPY");
        assertThat(check(Table.EGRESS, List.of(FieldMatch.of(Register.NEXT_HOP6.range().parts().get(3), 1)), null))
            .singleElement().asString().contains("NEXT_HOP6");
    }

    @Test
    void bitsThatNoRegisterHoldsAreNotMatched() {
        final FieldRange unused = new FieldRange(MatchField.REG2, 28, 28);
        assertThat(check(Table.CLASSIFY, List.of(FieldMatch.of(unused, 1)), null)).singleElement().asString()
            .contains("REG2");
        assertThat(check(Table.CLASSIFY, List.of(FieldMatch.of(MatchField.CT_MARK, 1)), null)).isEmpty();
    }

    @Test
    void connectionTrackingAndResubmitGoForward() {
        assertThat(check(Table.NAT_TRANSLATE, Action.ConnTrack.lookUp(ZONE, Table.NAT_OUT_CHECK))).isEmpty();
        assertThat(check(Table.NAT_OUT_CHECK, Action.ConnTrack.lookUp(ZONE, Table.NAT_OUT_CHECK)))
            .as("the next block of a subscriber").isEmpty();
        assertThat(check(Table.NAT_TRANSLATE, Action.ConnTrack.lookUp(ZONE, Table.NAT_TRANSLATE))).hasSize(1);
        assertThat(check(Table.NAT_TRANSLATE, Action.ConnTrack.lookUp(ZONE, Table.CLASSIFY))).hasSize(1);
        assertThat(check(Table.NAT_TRANSLATE, new Action.Resubmit(Table.EGRESS))).isEmpty();
        assertThat(check(Table.NAT_TRANSLATE, new Action.Resubmit(Table.NAT_TRANSLATE))).hasSize(1);
        assertThat(check(Table.NAT_TRANSLATE, new Action.Clone(List.of(new Action.Resubmit(Table.CLASSIFY)))))
            .hasSize(1);
        assertThat(check(Table.NAT_BEGIN, new Action.Resubmit(Table.NAT_TRANSLATE))).isEmpty();
        assertThat(check(Table.NAT_BEGIN, new Action.Resubmit(Table.CLASSIFY))).hasSize(1);
        assertThat(check(Table.BACKBONE_ROUTE, new Action.Resubmit(Table.BACKBONE_IN))).as("hairpin").isEmpty();
        assertThat(check(Table.NAT_OUT_CHECK, new Action.Resubmit(Table.BACKBONE_IN))).hasSize(1);
    }
}
