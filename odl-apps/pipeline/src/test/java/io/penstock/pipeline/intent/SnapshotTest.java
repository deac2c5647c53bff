// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.plan.Fixtures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
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

    @Test
    void aSnapshotAfterAChangeIsTheOneThatIsReadFromNothing() {
        final Random random = new Random(8);
        Snapshot changed = Fixtures.network();
        final SortedMap<String, Tenant> tenants = new TreeMap<>();
        for (int round = 0; round < 500; round++) {
            final List<Tenant> others = new ArrayList<>();
            final Set<String> gone = new HashSet<>();
            for (int number = 0; number < 12; number++) {
                final String name = "t" + number;
                if (random.nextInt(4) == 0) {
                    others.add(new Tenant(name, List.of(new Tenant.Attachment("lan", "edge" + random.nextInt(3),
                        "acc0", 100 + number), new Tenant.Attachment("more", "edge" + random.nextInt(3), "acc1",
                        100 + number)), List.of(), List.of(), Optional.empty(), Optional.empty(), Optional.empty()));
                } else if (random.nextInt(4) == 0) {
                    gone.add(name);
                }
            }
            tenants.keySet().removeAll(gone);
            others.forEach(tenant -> tenants.put(tenant.name(), tenant));
            changed = changed.with(others, gone);
            final Snapshot read = Fixtures.network(tenants.values().toArray(Tenant[]::new));
            assertThat(changed).isEqualTo(read);
            for (int node = 0; node < 3; node++) {
                assertThat(changed.tenantsOn("edge" + node)).isEqualTo(read.tenantsOn("edge" + node))
                    .isSortedAccordingTo(Comparator.comparing(Tenant::name));
            }
        }
    }
}
