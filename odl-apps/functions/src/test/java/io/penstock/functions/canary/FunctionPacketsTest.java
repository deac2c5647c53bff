// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.canary;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.HopLabels;
import io.penstock.pipeline.stage.PlannedFlow;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which flows count packets of a function. */
class FunctionPacketsTest {
    private static final Instance INSTANCE = new Instance("fw", State.IN_SERVICE, 1);
    private static final long NODE = Cookie.of(Cookie.Kind.NODE, 0);
    private static final long TENANT = Cookie.of(Cookie.Kind.TENANT, 5);

    private final List<PlannedFlow> planned = new ArrayList<>();
    private final List<InstalledFlow> installed = new ArrayList<>();

    private void flow(final Table table, final long cookie, final String label, final long packets) {
        final FlowSpec flow = new FlowSpec(table, 1, List.of(FieldMatch.of(MatchField.IN_PORT, planned.size() + 1)),
            List.of(), Optional.empty(), cookie, 0);
        planned.add(new PlannedFlow(flow, label));
        installed.add(new InstalledFlow(flow, packets, 0));
    }

    private FunctionPackets packets() {
        return FunctionPackets.of(planned, new FlowDump(installed, List.of()));
    }

    @Test
    void bothPortsOfAnInstanceCountWithoutProbesAndWhateverTheChain() {
        flow(Table.CLASSIFY, NODE, HopLabels.FROM + "fw-in", 10);
        flow(Table.CLASSIFY, NODE, HopLabels.FROM + "fw-out", 20);
        flow(Table.CHAIN_RETURN, NODE, HopLabels.PROBE + "fw-in", 3);
        flow(Table.CHAIN_OUT, TENANT, HopLabels.HOP + "fw-in", 100);
        flow(Table.CHAIN_OUT, TENANT, HopLabels.HOP + "fw-in, chain other", 200);
        flow(Table.CHAIN_ENTER, NODE, HopLabels.INSTANCE + "fw-out", 7);
        flow(Table.CHAIN_ENTER, NODE, HopLabels.INSTANCE + "fw2-out", 1000);
        assertThat(packets().outWithProbes(INSTANCE)).isEqualTo(30);
        assertThat(packets().out(INSTANCE)).isEqualTo(27);
        assertThat(packets().in(HopLabels.HOP, INSTANCE)).isEqualTo(300);
        assertThat(packets().in(INSTANCE)).isEqualTo(7);
    }

    @Test
    void anAttachmentIsNoPortOfAFunctionWhateverItIsCalled() {
        flow(Table.CLASSIFY, NODE, HopLabels.FROM + "fw-in", 10);
        flow(Table.CLASSIFY, TENANT, HopLabels.FROM + "fw-in", 1000);
        flow(Table.EGRESS, TENANT, HopLabels.INSTANCE + "fw-in", 1000);
        assertThat(packets().outWithProbes(INSTANCE)).isEqualTo(10);
        assertThat(packets().in(INSTANCE)).isZero();
    }
}
