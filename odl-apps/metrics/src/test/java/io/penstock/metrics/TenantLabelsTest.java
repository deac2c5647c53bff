// SPDX-License-Identifier: Apache-2.0
package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.configuration.Desired;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.Fixtures;
import org.junit.jupiter.api.Test;

/** Which tenants have samples of their own. */
class TenantLabelsTest {
    private static final int TENANTS = 5;

    private final Snapshot network = Fixtures.network(Fixtures.tenants(TENANTS));
    private final Desired desired = new Desired(0, Snapshot.empty(), Allocations.none())
        .next(network, Allocator.allocate(network, Allocations.none()));

    @Test
    void allWithinTheLimit() {
        assertThat(TenantLabels.of(desired, TENANTS).named()).isEqualTo(network.tenants().keySet());
    }

    @Test
    void theOldestBeyondIt() {
        final TenantLabels labels = TenantLabels.of(desired, 2);
        assertThat(labels.named()).hasSize(2);
        final int greatest = labels.named().stream().mapToInt(this::id).max().orElseThrow();
        network.tenants().keySet().stream().filter(name -> !labels.named().contains(name)).forEach(name -> {
            assertThat(id(name)).isGreaterThan(greatest);
            assertThat(labels.of(name)).isEqualTo(TenantLabels.OTHERS);
        });
    }

    @Test
    void noneIfSoSet() {
        assertThat(TenantLabels.of(desired, 0).named()).isEmpty();
    }

    private int id(final String tenant) {
        return desired.allocations().tenants().get(tenant).id();
    }
}
