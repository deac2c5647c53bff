// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.DropReport;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which packets are kept, and for which flow. */
class LastDroppedTest {
    private static final SwitchId NODE = new SwitchId(1);
    private static final long COOKIE = 77;

    private long now;
    private final LastDropped dropped = new LastDropped(() -> Instant.ofEpochSecond(now));
    private final PacketRouter router = new PacketRouter(dropped);

    private static FlowSpec flow(final int port) {
        return new FlowSpec(Table.CLASSIFY, 10, List.of(FieldMatch.of(MatchField.IN_PORT, port)), List.of(),
            Optional.empty(), COOKIE, 0);
    }

    private void send(final SwitchId node, final long register) {
        router.onPacketIn(new PacketIn(node, 1, COOKIE, Table.CLASSIFY.number(), Map.of(MatchField.REG12, register),
            new byte[64]));
    }

    private void drop(final SwitchId node, final FlowSpec flow) {
        send(node, (long) DropReport.number(flow.key()) << Register.DROP.range().low());
    }

    private long taken() {
        return router.counts().all().get("drop-report").taken();
    }

    @Test
    void theLastPacketOfEachFlowOfEachSwitchIsKept() {
        now = 1;
        drop(NODE, flow(1));
        now = 2;
        drop(NODE, flow(2));
        now = 3;
        drop(NODE, flow(1));
        assertThat(dropped.of(NODE, flow(1)).orElseThrow().time()).isEqualTo(Instant.ofEpochSecond(3));
        assertThat(dropped.of(NODE, flow(2)).orElseThrow().time()).isEqualTo(Instant.ofEpochSecond(2));
        assertThat(dropped.of(NODE, flow(3))).isEmpty();
        assertThat(dropped.of(new SwitchId(2), flow(1))).isEmpty();
        assertThat(taken()).isEqualTo(3);
    }

    @Test
    void theOldestPacketMakesRoom() {
        for (int node = 1; node <= LastDropped.MOST; node++) {
            drop(new SwitchId(node), flow(1));
        }
        drop(new SwitchId(1), flow(1));
        drop(new SwitchId(LastDropped.MOST + 1), flow(1));
        assertThat(dropped.of(new SwitchId(1), flow(1))).isPresent();
        assertThat(dropped.of(new SwitchId(2), flow(1))).isEmpty();
        assertThat(dropped.of(new SwitchId(3), flow(1))).isPresent();
    }

    @Test
    void aPacketForAServiceIsNoDrop() {
        send(NODE, 1400);
        assertThat(taken()).isZero();
    }
}
