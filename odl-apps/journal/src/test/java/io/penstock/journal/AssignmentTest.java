// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class AssignmentTest {
    private static final Prefix ADDRESS = Prefix.parse("203.0.113.1/32");
    private static final Prefix HOST = Prefix.parse("10.0.0.20/32");

    private static Set<Assignment> of(final Optional<Tenant.Nat> nat, final Optional<Ipv4> address) {
        final Tenant tenant = new Tenant("red", List.of(), List.of(), List.of(), nat, Optional.empty(),
            Optional.empty());
        return Assignment.of(Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(), List.of(tenant),
            List.of()), new Allocations(2, new TreeMap<>(), new TreeMap<>(),
                Map.of("red", new TenantAllocation(2, address))));
    }

    @Test
    void aVrfItsForwardsAndItsMappings() {
        final Tenant.Nat nat = new Tenant.Nat(Optional.empty(), Optional.of("public"),
            List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.8/30"), Prefix.parse("198.51.100.8/30"))),
            List.of(new Tenant.Deterministic(Prefix.parse("10.1.0.0/24"), Prefix.parse("198.51.100.0/30"))),
            List.of(), List.of(new Tenant.PortForward("web", 6, 80, HOST.address(), 8080)), Set.of());
        assertThat(of(Optional.of(nat), Optional.of(ADDRESS.address()))).containsExactly(
            new Assignment("red", 2, "source", Optional.empty(), ADDRESS, Optional.empty(), Optional.empty()),
            new Assignment("red", 2, "port-forward", Optional.of(HOST), ADDRESS, Optional.empty(),
                Optional.of(new Assignment.Forwarded(6, 80, 8080))),
            new Assignment("red", 2, "one-to-one", Optional.of(Prefix.parse("10.0.0.8/30")),
                Prefix.parse("198.51.100.8/30"), Optional.empty(), Optional.empty()),
            new Assignment("red", 2, "deterministic", Optional.of(Prefix.parse("10.1.0.0/24")),
                Prefix.parse("198.51.100.0/30"), Optional.of(new Assignment.Blocks(32768, 512)), Optional.empty()));
    }

    @Test
    void blocksOfSubscribersAndNotWhatTheyAreTakenFrom() {
        final Tenant.Nat nat = new Tenant.Nat(Optional.empty(), Optional.empty(), List.of(), List.of(),
            List.of(new Tenant.PortBlocks(Prefix.parse("10.0.0.0/24"), ADDRESS, 512, 4)), List.of(), Set.of());
        final Tenant tenant = new Tenant("red", List.of(), List.of(), List.of(), Optional.of(nat), Optional.empty(),
            Optional.empty());
        final TenantAllocation given =
            new TenantAllocation(2, Optional.empty(), List.of(new Allocations.Block(HOST.address(), ADDRESS.address(),
            2048, 512)));
        assertThat(Assignment.of(Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(),
            List.of(tenant), List.of()), new Allocations(2, new TreeMap<>(), new TreeMap<>(), Map.of("red", given))))
            .containsExactly(new Assignment("red", 2, "port-block", Optional.of(HOST), ADDRESS,
                Optional.of(new Assignment.Blocks(2048, 512)), Optional.empty()));
    }

    @Test
    void whoHasNoPublicAddressHasNone() {
        assertThat(of(Optional.empty(), Optional.empty())).isEmpty();
        assertThat(of(Optional.of(new Tenant.Nat(Optional.empty(), Optional.empty(),
            List.of(new Tenant.OneToOne(HOST, ADDRESS)), List.of())), Optional.empty()))
            .extracting(Assignment::kind).containsExactly("one-to-one");
    }
}
