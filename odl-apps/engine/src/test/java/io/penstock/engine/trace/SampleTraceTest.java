// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.stage.ChainTrace.Frame;
import io.penstock.testkit.NodeProtocol;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The samples of orders to trace are what is written, and those of the answers are read. */
class SampleTraceTest {
    private static final NodeProtocol PROTOCOL = NodeProtocol.DEFINED;
    private static final String ID = "00000000-0000-0000-0000-000000000000 ";
    private static final Mac INSIDE = Constants.CHAIN_INSIDE_MAC;
    private static final Mac OUTSIDE = Constants.CHAIN_OUTSIDE_MAC;

    @Test
    void theUsualOrderIsTheSample() {
        final Frame first = new Frame("acc0", 100, Mac.parse("02:00:00:00:00:01"), Constants.GATEWAY_MAC);
        check("trace/usual", new TraceOrder(FiveTuple.parse("10.0.0.5", "198.18.0.10", "tcp", 40_000, 7), first,
            Map.of("fw1-in", new Frame("fw1-out", 2, INSIDE, OUTSIDE)), Optional.empty(), Optional.empty()));
    }

    @Test
    void anOrderWithAllFieldsIsTheSample() {
        check("trace/full", new TraceOrder(FiveTuple.parse("2001:db8::10", "2001:db8::5", "udp", 53, 40_000),
            new Frame("fw1-in", 2, OUTSIDE, INSIDE), Map.of(), Optional.of(new VrfId(2).chainZone()),
            Optional.of(new TraceOrder.Known("rpl", BigInteger.valueOf(5)))));
    }

    private static void check(final String sample, final TraceOrder order) {
        PROTOCOL.check(sample, ID + order.text());
    }

    @Test
    void theUsualAnswerIsRead() {
        assertThat(TraceAnswer.parse(answer("trace-report/usual"))).isEqualTo(new TraceAnswer("new",
            BigInteger.valueOf(5), List.of(
                new TraceAnswer.Leg("acc0", List.of("fw1-in"),
                    List.of(Table.CLASSIFY, Table.ACCESS_LEARN, Table.CHAIN_OUT)),
                new TraceAnswer.Leg("fw1-out", List.of("up0", "#7"), List.of(Table.CLASSIFY, Table.CHAIN_RETURN)))));
    }

    @Test
    void aFailureIsTold() {
        final String failed = answer("trace-report/failed");
        assertThatThrownBy(() -> TraceAnswer.parse(failed)).isInstanceOf(IllegalStateException.class)
            .hasMessage("the agent reports: the switch has no port acc7");
    }

    private static String answer(final String sample) {
        return PROTOCOL.writtenByNodes().get(sample).value().substring(ID.length());
    }
}
