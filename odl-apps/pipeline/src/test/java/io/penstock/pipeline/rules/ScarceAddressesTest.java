// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tenants that come and go want a pool of four addresses, of which one may be drained, or take one of them by hand. */
@Tag("safety")
class ScarceAddressesTest {
    private static final int NETWORKS = 400;
    private static final int STEPS = 60;
    private static final int NAMES = 6;
    private static final Ipv4 FIRST = Ipv4.parse("203.0.113.0");

    private final Random random = new Random(4);
    private int accepted;
    private int refused;

    /** With an engine that lags, and with tenants that it cannot carry out for a while. */
    @Test
    void whatIsAcceptedIsHandedOutAndNothingTwice() {
        for (int number = 0; number < NETWORKS; number++) {
            final Validator validator = new Validator();
            Snapshot good = network(0);
            Snapshot served = Snapshot.empty();
            Allocations given = Allocations.none();
            for (int step = 0; step < STEPS; step++) {
                final Snapshot next = next(good);
                if (validator.validateAgain(next, served, given, NodeFacts.UNKNOWN).isEmpty()) {
                    good = next;
                    accepted++;
                } else {
                    refused++;
                }
                if (random.nextInt(3) == 0) {
                    final Snapshot carried = random.nextInt(4) == 0 ? frozen(good, given) : good;
                    given = Allocator.allocate(carried, given, served);
                    served = carried;
                    check(carried, given);
                }
            }
        }
        assertThat(accepted).isGreaterThan(NETWORKS * STEPS / 4);
        assertThat(refused).isGreaterThan(NETWORKS * STEPS / 20);
    }

    private static void check(final Snapshot carried, final Allocations given) {
        assertThat(given.tenants().keySet()).isEqualTo(carried.tenants().keySet());
        final Set<Ipv4> addresses = new HashSet<>();
        carried.tenants().values().stream().filter(tenant -> tenant.nat().isPresent()).forEach(tenant -> {
            final Ipv4 address = given.tenants().get(tenant.name()).publicAddress().orElseThrow();
            assertThat(addresses.add(address)).as("%s of %s", address, tenant.name()).isTrue();
            assertThat(tenant.nat().orElseThrow().address().orElse(address)).isEqualTo(address);
        });
    }

    private Snapshot next(final Snapshot before) {
        final List<Tenant> others = new ArrayList<>();
        final Set<String> gone = new TreeSet<>();
        for (int count = 0; count <= random.nextInt(2); count++) {
            final int number = random.nextInt(NAMES);
            if (random.nextInt(3) == 0) {
                gone.add("t" + number);
            } else {
                final boolean byHand = random.nextInt(3) == 0;
                others.removeIf(tenant -> tenant.name().equals("t" + number));
                others.add(Fixtures.tenant("t" + number, 100 + number).with(new Tenant.Nat(
                    byHand ? Optional.of(FIRST.plus(random.nextInt(4))) : Optional.empty(),
                    byHand ? Optional.empty() : Optional.of("public"))));
            }
        }
        others.removeIf(tenant -> gone.contains(tenant.name()));
        final Snapshot after = before.with(others, gone);
        return random.nextInt(10) > 0 ? after
            : network(random.nextInt(5)).withTenants(List.copyOf(after.tenants().values()));
    }

    /** A network without tenants, with one of the addresses drained, or none. */
    private static Snapshot network(final int drained) {
        return Fixtures.network().with(new Pool("public", List.of(new Prefix(FIRST, 30)),
            drained == 0 ? List.of() : List.of(Prefix.host(FIRST.plus(drained - 1))), true, Optional.empty()));
    }

    /** As the engine carries out a tenant for which nothing can be allocated. */
    private Snapshot frozen(final Snapshot good, final Allocations given) {
        final List<String> names = good.tenants().keySet().stream().filter(given.tenants()::containsKey).toList();
        if (names.isEmpty()) {
            return good;
        }
        final String name = names.get(random.nextInt(names.size()));
        return good.with(new Tenant(name, List.of(), List.of(), List.of(), Optional.empty(), Optional.empty(),
            Optional.empty())).freezing(Set.of(name));
    }
}
