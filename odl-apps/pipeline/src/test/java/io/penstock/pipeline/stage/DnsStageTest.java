// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DnsStageTest {
    private static Stream<Table> tables(final Snapshot network) {
        return StageFlows.of(new DnsStage(), network).stream().map(planned -> planned.flow().table()).distinct();
    }

    /** Queries would leave by no port, uncounted; so the gateway drops them as all else that is for it. */
    @Test
    void withoutAResolverOnTheNodeNoQueryIsTakenFromTheGateway() {
        final Snapshot network = Fixtures.network(Fixtures.served());
        assertThat(tables(Fixtures.serving(network)))
            .containsExactlyInAnyOrder(Table.CLASSIFY, Table.DNS_RETURN, Table.GATEWAY, Table.EGRESS);
        assertThat(tables(network)).containsExactly(Table.DNS_RETURN);
    }
}
