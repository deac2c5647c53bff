// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.Planner;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What cannot be planned is refused, for a planner that throws stops every tenant of the node. */
class PlannableTest {
    private static Tenant withAddress(final Tenant tenant, final String address) {
        return tenant.with(new Tenant.Nat(Optional.of(Ipv4.parse(address)), Optional.empty()));
    }

    private static List<String> violations(final Snapshot snapshot, final Allocations before) {
        return Validator.validate(snapshot, before).stream().map(Violation::toString).toList();
    }

    @Test
    void anAddressThatAPoolHasGivenOutIsRefused() {
        final Tenant old = Fixtures.tenant("old", 100);
        final Allocations before = Allocator.allocate(Fixtures.network(old), Allocations.none());
        final String given = before.tenants().get("old").publicAddress().orElseThrow().toString();
        final Tenant wants = withAddress(Fixtures.tenant("new", 101), given);
        assertThat(violations(Fixtures.network(old, wants), before)).containsExactly(
            "tenant new: nat / public-address: " + given + " is allocated to tenant old from its pool");

        // Nobody has it any more: the old tenant is gone, or takes another address in the same change.
        for (final Snapshot free : List.of(Fixtures.network(wants),
                Fixtures.network(withAddress(old, "203.0.113.200"), wants))) {
            assertThat(violations(free, before)).isEmpty();
            assertThat(Planner.plan(free, Allocator.allocate(free, before), Set.of(), "edge1").flows()).isNotEmpty();
        }
    }

    @Test
    void aBackboneRouteForAConnectedPrefixIsRefused() {
        final Snapshot plain = Fixtures.network();
        final Backbone backbone = new Backbone(plain.backbone().interfaces(),
            List.of(new Route(Prefix.parse("192.0.2.0/24"), Ipv4.parse("192.0.2.1"))));
        final Snapshot snapshot = new Snapshot(plain.nodes(), backbone, plain.pools(), plain.functions(),
            plain.chains(), plain.tenants(), plain.acls());
        assertThat(violations(snapshot, Allocations.none())).containsExactly(
            "backbone route 192.0.2.0/24: prefix: it is the subnet of interface edge1/up0");
    }

    @Test
    void moreBroadcastDomainsThanTheRegisterHoldsAreRefused() {
        final Tenant tenant = Fixtures.tenant("wide", 100);
        final List<Tenant.Attachment> attachments = IntStream.rangeClosed(1, 257)
            .mapToObj(number -> new Tenant.Attachment("a" + number, "edge1", "acc0", number)).toList();
        final Tenant tooMany = new Tenant("wide", attachments, List.of(), List.of(), tenant.nat(), Optional.empty(),
            Optional.empty());
        assertThat(violations(Fixtures.network(tooMany), Allocations.none())).containsExactly(
            "tenant wide: attachment: 257 attachments are more than 256");
        final Snapshot most = Fixtures.network(new Tenant("wide", attachments.subList(0, 256), List.of(), List.of(),
            tenant.nat(), Optional.empty(), Optional.empty()));
        assertThat(violations(most, Allocations.none())).isEmpty();
        assertThat(Fixtures.plan(most).flows()).isNotEmpty();
    }
}
