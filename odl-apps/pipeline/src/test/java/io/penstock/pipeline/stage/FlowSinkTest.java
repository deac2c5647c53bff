// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A sink takes the flows that its stage may write, and refuses others with the reason. */
class FlowSinkTest {
    private final List<PlannedFlow> flows = new ArrayList<>();
    private final FlowSink sink = new FlowSink(new AccessStage(), 7, flows::add);

    @Test
    void aFlowHasTheCookieOfItsOwnerAndItsLabel() {
        sink.flow(Table.L2_LOOKUP, Priority.LOW, "to somewhere").ipv4().drop();
        assertThat(flows).singleElement().satisfies(planned -> {
            assertThat(planned.label()).isEqualTo("to somewhere");
            assertThat(planned.flow().cookie()).isEqualTo(7);
        });
    }

    @Test
    void aTableThatTheStageDoesNotNameIsRefused() {
        refuses(sink.flow(Table.VRF_ROUTE, Priority.LOW, "to somewhere"),
            "table vrf_route, stage access: flow \"to somewhere\" is of a table that the stage does not name");
    }

    @Test
    void whatTheContractOfTheTableDoesNotPermitIsRefused() {
        refuses(sink.flow(Table.L2_LOOKUP, Priority.LOW, "to somewhere").when(MatchField.IP_TTL, 1),
            "table l2_lookup, stage access: flow \"to somewhere\" may not match nw_ttl");
    }

    private void refuses(final FlowSink.Draft flow, final String message) {
        assertThatThrownBy(flow::drop).isInstanceOf(IllegalStateException.class).hasMessage(message);
        assertThat(flows).isEmpty();
    }
}
