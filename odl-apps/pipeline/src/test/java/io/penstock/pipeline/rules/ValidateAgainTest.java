// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.RandomNetwork;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is remembered changes no verdict, and of what a change breaks it names the change. */
class ValidateAgainTest {
    private static final int NETWORKS = 50;
    private static final int STEPS = 40;
    private int accepted;
    private int refused;
    private int named;

    @Test
    void verdictsAreThoseFoundFromNothing() {
        for (int seed = 0; seed < NETWORKS; seed++) {
            change(new RandomNetwork(seed, true));
        }
        assertThat(accepted).isGreaterThan(NETWORKS * STEPS / 10);
        assertThat(refused).isGreaterThan(NETWORKS * STEPS / 10);
        assertThat(named).isGreaterThan(NETWORKS * STEPS / 10);
    }

    private void change(final RandomNetwork network) {
        final Validator validator = new Validator();
        Snapshot good = Snapshot.empty();
        Allocations allocations = Allocations.none();
        for (int step = 0; step < STEPS; step++) {
            final Snapshot snapshot = network.next();
            final List<Violation> violations = again(validator, snapshot, allocations);
            assertThat(violations.isEmpty()).isEqualTo(Validator.validate(snapshot, allocations).isEmpty());
            final Validator young = new Validator();
            assertThat(again(young, good, allocations)).isEmpty();
            assertThat(again(young, snapshot, allocations)).isEqualTo(violations);
            if (violations.isEmpty()) {
                accepted++;
                final Allocations given = Allocator.allocate(snapshot, allocations, good);
                assertThat(given).isEqualTo(Allocator.allocate(snapshot, allocations));
                allocations = given;
                good = snapshot;
            } else {
                refused++;
                names(violations, snapshot, good);
            }
        }
    }

    @Test
    void anEngineThatLagsGivesNothingTwice() {
        final Random random = new Random(1);
        for (int seed = 0; seed < NETWORKS; seed++) {
            final RandomNetwork network = new RandomNetwork(seed, true);
            final Validator validator = new Validator();
            Snapshot served = Snapshot.empty();
            Allocations given = Allocations.none();
            for (int step = 0; step < STEPS; step++) {
                final Snapshot snapshot = network.next();
                if (again(validator, snapshot, given).isEmpty() && random.nextInt(3) == 0) {
                    given = Allocator.allocate(snapshot, given, served);
                    served = snapshot;
                    assertThat(given.tenants().keySet()).isEqualTo(snapshot.tenants().keySet());
                    assertThat(given.tenants().values()).extracting(TenantAllocation::id).doesNotHaveDuplicates();
                    assertThat(given.tenants().values().stream().flatMap(each -> each.publicAddress().stream()))
                        .doesNotHaveDuplicates();
                    for (final String node : snapshot.nodes().keySet()) {
                        final Allocations now = given;
                        assertThat(snapshot.tenantsOn(node).stream()
                            .map(tenant -> now.tenants().get(tenant.name()).vrf(node).orElseThrow()))
                            .doesNotHaveDuplicates();
                    }
                    accepted++;
                }
            }
        }
        assertThat(accepted).isGreaterThan(NETWORKS);
    }

    private void names(final List<Violation> violations, final Snapshot snapshot, final Snapshot good) {
        if (snapshot.hasSameSharedPartAs(good)) {
            final Set<String> differing = snapshot.tenantsDifferingFrom(good);
            assertThat(violations).allMatch(violation ->
                differing.contains(violation.entry().substring("tenant ".length())));
            named++;
        }
    }

    private static List<Violation> again(final Validator validator, final Snapshot snapshot,
            final Allocations allocations) {
        return validator.validateAgain(snapshot, Snapshot.empty(), allocations, NodeFacts.UNKNOWN);
    }
}
