// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.plan.Fixtures;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SnapshotTest {
    @Test
    void theTenantsThatDifferAreThoseThatAreNotTheSameObjectUnderAName() {
        final Random random = new Random(7);
        for (int round = 0; round < 500; round++) {
            final List<Tenant> before = new ArrayList<>();
            final List<Tenant> after = new ArrayList<>();
            final Set<String> differing = new HashSet<>();
            for (int number = 0; number < random.nextInt(12); number++) {
                final String name = "t" + number;
                final Tenant tenant = Fixtures.tenant(name, 100 + number);
                switch (random.nextInt(4)) {
                    case 0 -> before.add(tenant);
                    case 1 -> after.add(tenant);
                    case 2 -> {
                        before.add(tenant);
                        after.add(Fixtures.tenant(name, 100 + number));
                    }
                    default -> {
                        before.add(tenant);
                        after.add(tenant);
                        continue;
                    }
                }
                differing.add(name);
            }
            final Snapshot one = Fixtures.network(before.toArray(Tenant[]::new));
            final Snapshot other = Fixtures.network(after.toArray(Tenant[]::new));
            assertThat(other.tenantsDifferingFrom(one)).isEqualTo(differing);
            assertThat(one.tenantsDifferingFrom(other)).isEqualTo(differing);
            assertThat(one.tenantsDifferingFrom(one)).isEmpty();
        }
    }
}
