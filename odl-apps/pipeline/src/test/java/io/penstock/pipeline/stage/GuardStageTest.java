// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.stage;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("safety")
class GuardStageTest {
    private static final String WITHOUT_LEASE = "address of a DHCP pool or reservation without a lease";

    private static List<String> labels(final Tenant tenant) {
        return StageFlows.of(new GuardStage(), Fixtures.network(tenant)).stream().map(PlannedFlow::label).toList();
    }

    /** The lease outlives the change that moves the subnet. */
    @Test
    void aLeaseBindsAnAddressOnlyWhereItsSubnetIs() {
        final Tenant served = Fixtures.served();
        final Tenant moved = new Tenant(served.name(), served.attachments(), List.of(
            new Tenant.Subnet("desks", Prefix.parse("10.3.0.0/24"), Ipv4.parse("10.3.0.1"), List.of("west")),
            served.subnets().get(1)), served.routes(), served.nat(), Optional.empty(), Optional.empty())
            .with(served.services());
        assertThat(labels(served)).contains("lease", WITHOUT_LEASE);
        assertThat(labels(moved)).doesNotContain("lease").contains(WITHOUT_LEASE);
    }
}
