// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.engine.trace.TraceAnswer.Leg;
import io.penstock.operations.TraceReport.Verdict;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.ChainTrace.Hop;
import io.penstock.pipeline.stage.ChainTrace.Reason;
import io.penstock.pipeline.stage.ChainTrace.Way;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ComparisonTest {
    private static final Set<String> PORTS = Set.of("fw1-in", "fw1-out", "fw2-in", "fw2-out", "tap-in", "tap-out");
    private static final Hop FIREWALL =
        new Hop("fw", Optional.of("fw1"), Reason.SHARE, "fw1-in", "fw1-out");
    private static final Hop MIRROR = new Hop("tap", Optional.of("tap"), Reason.COPY, "tap-in", "");
    private static final Hop BYPASSED = new Hop("old", Optional.empty(), Reason.BYPASSED, "", "");
    private static final Way WAY = new Way(Optional.of("c"), Optional.empty(), List.of(FIREWALL, BYPASSED, MIRROR));
    private static final Leg TO_FIREWALL = leg("acc0", List.of("fw1-in"), Table.CLASSIFY, Table.CHAIN_OUT);
    private static final Leg TO_BACKBONE =
        leg("fw1-out", List.of("tap-in", "up0"), Table.CLASSIFY, Table.CHAIN_RETURN, Table.NAT_MAP);

    private static Leg leg(final String from, final List<String> to, final Table... tables) {
        return new Leg(from, to, List.of(tables));
    }

    private static Comparison outbound(final Leg... legs) {
        return Comparison.outbound(WAY, List.of(legs), PORTS);
    }

    @Test
    void whatIsPlannedAgrees() {
        assertThat(outbound(TO_FIREWALL, TO_BACKBONE)).isEqualTo(Comparison.SAME);
        assertThat(Comparison.outbound(new Way(Optional.empty(), Optional.empty(), List.of()),
            List.of(leg("acc0", List.of(), Table.CHAIN_OUT, Table.BACKBONE_ROUTE)), PORTS)).isEqualTo(Comparison.SAME);
    }

    @Test
    void whatIsStoppedInABranchIsDroppedBehindTheFunctionThatItLeft() {
        final Way stopped = new Way(Optional.of("c"), Optional.empty(),
            List.of(FIREWALL, new Hop("scrub", Optional.empty(), Reason.STOPPED, "", "")));
        assertThat(Comparison.outbound(stopped, List.of(TO_FIREWALL, leg("fw1-alt", List.of(), Table.CHAIN_RETURN)),
            PORTS)).isEqualTo(Comparison.SAME);
        final Comparison goesOn = Comparison.outbound(stopped, List.of(TO_FIREWALL, TO_BACKBONE), PORTS);
        assertThat(goesOn.verdict()).isEqualTo(Verdict.DIFFERS);
        assertThat(goesOn.reason()).contains("the plan drops it");
    }

    @Test
    void anotherInstanceDiffers() {
        final Comparison other = outbound(leg("acc0", List.of("fw2-in"), Table.CLASSIFY, Table.CHAIN_OUT), TO_BACKBONE);
        assertThat(other.verdict()).isEqualTo(Verdict.DIFFERS);
        assertThat(other.reason()).contains("from acc0 goes to fw2-in", "the plan sends it to fw1-in");
    }

    @Test
    void aCopyMoreOrLessDiffers() {
        assertThat(outbound(leg("acc0", List.of("fw1-in", "tap-in"), Table.CHAIN_OUT), TO_BACKBONE).verdict())
            .isEqualTo(Verdict.DIFFERS);
        assertThat(outbound(TO_FIREWALL, leg("fw1-out", List.of("up0"), Table.CHAIN_RETURN, Table.NAT_MAP)).verdict())
            .isEqualTo(Verdict.DIFFERS);
    }

    @Test
    void aPacketThatIsLostInTheChainDiffers() {
        final Comparison lost = outbound(TO_FIREWALL, leg("fw1-out", List.of("tap-in"), Table.CHAIN_RETURN));
        assertThat(lost.verdict()).isEqualTo(Verdict.DIFFERS);
        assertThat(lost.reason()).contains("from fw1-out", "last table is chain_return", "out of the chain");
        assertThat(outbound(leg("acc0", List.of(), Table.CLASSIFY)).verdict()).isEqualTo(Verdict.DIFFERS);
    }

    @Test
    void whatNeverComesToAChainIsNotChecked() {
        final Comparison denied = outbound(leg("acc0", List.of(), Table.CLASSIFY, Table.TENANT_ACL));
        assertThat(denied.verdict()).isEqualTo(Verdict.NOT_CHECKED);
        assertThat(denied.reason()).contains("tenant_acl");
    }

    @Test
    void whatIsNotFollowedIsNotCheckedButBeforeThat() {
        final Comparison unseen = outbound(TO_FIREWALL);
        assertThat(unseen.verdict()).isEqualTo(Verdict.NOT_CHECKED);
        assertThat(unseen.reason()).contains("service header", "behind fw1-in");
        assertThat(outbound(leg("acc0", List.of("fw2-in"), Table.CLASSIFY, Table.CHAIN_OUT)).verdict())
            .isEqualTo(Verdict.DIFFERS);
    }

    @Test
    void aStoppedPacketHasToBeDroppedBeforeTheChain() {
        final Way stopped = new Way(Optional.of("c"), Optional.empty(),
            List.of(new Hop("fw", Optional.empty(), Reason.STOPPED, "", "")));
        final Leg dropped = leg("acc0", List.of(), Table.CLASSIFY, Table.CHAIN_OUT);
        assertThat(Comparison.outbound(stopped, List.of(dropped), PORTS)).isEqualTo(Comparison.SAME);
        assertThat(Comparison.outbound(stopped, List.of(TO_FIREWALL, TO_BACKBONE), PORTS).verdict())
            .isEqualTo(Verdict.DIFFERS);
    }

    @Test
    void answersAreCheckedBehindTheirFirstFunction() {
        final Way back = new Way(Optional.of("c"), Optional.empty(), List.of(
            new Hop("fw", Optional.of("fw1"), Reason.KEEPS, "fw1-out", "fw1-in")));
        assertThat(Comparison.inbound(back, List.of(leg("fw1-in", List.of(), Table.CHAIN_RETURN, Table.VRF_ROUTE)),
            PORTS)).isEqualTo(Comparison.SAME);
        assertThat(Comparison.inbound(back, List.of(leg("fw1-in", List.of("tap-out"), Table.CHAIN_RETURN)), PORTS)
            .verdict()).isEqualTo(Verdict.DIFFERS);
    }

    @Test
    void anAnswerOfTheAgentIsRead() {
        final TraceAnswer answer = TraceAnswer.parse(
            "{'state':'est','label':'0x1f','legs':[{'from':'acc0','to':['fw1-in'],'tables':[0,60]}]}"
                .replace('\'', '"'));
        assertThat(answer.label()).isEqualTo(31);
        assertThat(answer.legs()).containsExactly(TO_FIREWALL);
        assertThatThrownBy(() -> TraceAnswer.parse("{\"error\":\"no port acc0\"}"))
            .isInstanceOf(IllegalStateException.class).hasMessage("the agent reports: no port acc0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "{}", "{", "{\"state\":\"new\",\"label\":\"0x0\",\"legs\":[]}",
        "{\"state\":\"new\",\"label\":\"\",\"legs\":[{}]}", "{\"state\":\"new\",\"label\":\"0xz\",\"legs\":[]}",
        "{\"state\":\"new\",\"label\":\"0x0\",\"legs\":[{\"from\":\"a\",\"to\":{},\"tables\":[]}]}",
        "{\"state\":\"new\",\"label\":\"0x0\",\"legs\":[{\"from\":\"a\",\"to\":[],\"tables\":[254]}]}"})
    void anAnswerThatMakesNoSenseIsNone(final String text) {
        assertThatThrownBy(() -> TraceAnswer.parse(text)).isInstanceOf(IllegalStateException.class);
    }
}
