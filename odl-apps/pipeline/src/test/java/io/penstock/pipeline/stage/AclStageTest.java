// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AclStageTest {
    /** The check at commit keeps such a configuration out; if it does not, no packet passes. */
    @Test
    void aListThatIsMissingPermitsNothing() {
        final Tenant plain = Fixtures.tenant("t", 100);
        final Tenant tenant = new Tenant("t", plain.attachments(), plain.subnets(), plain.routes(), plain.nat(),
            Optional.of("nowhere"), Optional.empty());
        assertThat(StageFlows.of(new AclStage(), Fixtures.network(tenant)).stream().map(PlannedFlow::flow)
            .filter(flow -> flow.table() == Table.TENANT_ACL && flow.priority() != Priority.MISS))
            .isNotEmpty().allMatch(FlowSpec::isDrop);
    }
}
