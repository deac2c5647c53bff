// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.plan.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule for protection and limits, each with leaf and words. */
class ProtectionRulesTest {
    private static final int NEW_SESSIONS = 10_000;
    private static final int FRAGMENTS = 250;
    /** The list of the fixtures, with its number of entries. */
    private static final String LIST = "web-only";

    static Stream<Arguments> bad() {
        final String range = "2147483647";
        return Stream.of(
            Arguments.of(protect(Optional.of("gone"), false, Quota.NONE), "ingress-acl", "there is no acl 'gone'"),
            Arguments.of(new Tenant("t", Fixtures.tenant("t", 100).attachments(), List.of(), List.of(),
                Optional.empty(), Optional.empty(), Optional.empty())
                .with(new Protection(Optional.of(LIST), false, Quota.NONE)), "ingress-acl", "the tenant has no nat"),
            Arguments.of(protect(Optional.empty(), true, Quota.NONE), "stateful",
                "needs an egress-acl or an ingress-acl"),
            quota(ints(15, null, null, null, null, null), "sessions", "15 is not in 16.." + range),
            quota(ints(null, 0, null, null, null, null), "new-sessions", "0 is not in 1..1000000"),
            quota(ints(null, 1_000_001, null, null, null, null), "new-sessions", "1000001 is not in 1..1000000"),
            quota(Quota.NONE.withFragments(99), "fragments", "99 is not in 100..1000000"),
            quota(Quota.NONE.withFragments(1_000_001), "fragments", "1000001 is not in 100..1000000"),
            quota(ints(null, null, 0, null, null, null), "controller-packets", "0 is not in 1..1000"),
            quota(ints(null, null, 1001, null, null, null), "controller-packets", "1001 is not in 1..1000"),
            quota(ints(null, null, null, 0, null, null), "acl-rules", "0 is not in 1.." + range),
            quota(ints(null, null, null, null, 0, null), "leases", "0 is not in 1.." + range),
            quota(ints(null, null, null, null, null, 0), "learned-hosts", "0 is not in 1.." + range),
            quota(bandwidth(63L, null), "bandwidth-out", "63 is not in 64..400000000"),
            quota(bandwidth(null, 400_000_001L), "bandwidth-in", "400000001 is not in 64..400000000"));
    }

    @ParameterizedTest(name = "{1}: {2}")
    @MethodSource("bad")
    void aBadLimitIsNamedWithLeafAndRule(final Tenant tenant, final String leaf, final String rule) {
        assertThat(Validator.validate(Fixtures.network(tenant), Allocations.none())).singleElement()
            .satisfies(violation -> {
                assertThat(violation.entry()).isEqualTo("tenant t");
                assertThat(violation.leaf()).isEqualTo(leaf);
                assertThat(violation.rule()).contains(rule);
            });
    }

    @Test
    void theSmallestAndTheLargestAreGood() {
        final Quota least = new Quota(Optional.of(16), Optional.of(1), Optional.of(64L), Optional.of(64L),
            Optional.of(1), Optional.of(1), Optional.of(1), Optional.of(1)).withFragments(100);
        final Quota most = new Quota(Optional.of(Integer.MAX_VALUE), Optional.of(1_000_000),
            Optional.of(400_000_000L), Optional.of(400_000_000L), Optional.of(1000), Optional.of(Integer.MAX_VALUE),
            Optional.of(Integer.MAX_VALUE), Optional.of(Integer.MAX_VALUE)).withFragments(1_000_000);
        assertThat(violations(protect(Optional.empty(), false, least))).isEmpty();
        assertThat(violations(protect(Optional.of(LIST), true, most))).isEmpty();
        assertThat(violations(protect(Optional.of(LIST), true, Fixtures.UNLIMITED))).isEmpty();
    }

    @Test
    void whatIsNotConfiguredHasItsDefault() {
        assertThat(Quota.NONE.mostSessions()).contains(Quota.DEFAULT_SESSIONS);
        assertThat(Quota.NONE.mostNewSessions(NEW_SESSIONS)).contains(NEW_SESSIONS);
        assertThat(Quota.NONE.mostLeases()).contains(Quota.DEFAULT_LEASES);
        assertThat(Quota.NONE.mostLearnedHosts()).isEqualTo(Quota.DEFAULT_LEARNED);
        final Quota own = ints(20, 30, null, null, 40, 50);
        assertThat(own.mostSessions()).contains(20);
        assertThat(own.mostNewSessions(NEW_SESSIONS)).contains(30);
        assertThat(own.mostLeases()).contains(40);
        assertThat(own.mostLearnedHosts()).isEqualTo(50);
        assertThat(Fixtures.UNLIMITED.mostSessions()).isEmpty();
        assertThat(Fixtures.UNLIMITED.mostNewSessions(NEW_SESSIONS)).isEmpty();
        assertThat(Fixtures.UNLIMITED.mostLeases()).isEmpty();
        assertThat(Quota.NONE.mostFragments(FRAGMENTS)).contains(FRAGMENTS);
        assertThat(Quota.NONE.withFragments(1000).mostFragments(FRAGMENTS)).contains(1000);
        assertThat(Quota.NONE.withFragments(Quota.UNLIMITED).mostFragments(FRAGMENTS)).isEmpty();
    }

    /** All zones of a tenant together leave the others 95 % of what the switch tracks. */
    @Test
    void theDefaultOfSessionsLeavesTheOthersTheirShare() {
        final int tracked = 3_000_000;
        final int zones = 3;
        assertThat(zones * Quota.DEFAULT_SESSIONS).isLessThanOrEqualTo(tracked / 20);
    }

    /** A tenant that has more leases than the default after an upgrade can still be changed. */
    @Test
    void aDefaultRefusesNoChange() {
        final Tenant server = ServiceFixtures.with(ServiceFixtures.pools("10.0.0.0/16", "10.0.1.0-10.0.99.0"));
        final List<Lease> many = IntStream.rangeClosed(0, Quota.DEFAULT_LEASES)
            .mapToObj(index -> new Lease(Ipv4.parse("10.0.1.0").plus(index), Lease.State.BOUND, "01", new Mac(index),
            "lan",
                "", 0)).toList();
        final List<String> found = new ArrayList<>();
        ProtectionRules.checkUse(server, many, (leaf, rule) -> found.add(leaf + ": " + rule));
        ProtectionRules.checkUse(limited(server, Quota.UNLIMITED), many, (leaf, rule) -> found.add(leaf + ": " + rule));
        assertThat(found).isEmpty();
        ProtectionRules.checkUse(limited(server, Quota.DEFAULT_LEASES), many,
            (leaf, rule) -> found.add(leaf + ": " + rule));
        assertThat(found).containsExactly("quota / leases: 4096 is below what is bound now: 4097 leases");
    }

    @Test
    void fewerRulesThanItsListsHaveAreRefused() {
        final Tenant plain = Fixtures.tenant("t", 100);
        final int size = Fixtures.network().acls().get(LIST).entries().size();
        final Tenant listed = new Tenant("t", plain.attachments(), plain.subnets(), plain.routes(), plain.nat(),
            Optional.of(LIST), Optional.empty());
        for (final boolean both : new boolean[] {false, true}) {
            final int entries = both ? 2 * size : size;
            final Optional<String> ingress = both ? Optional.of(LIST) : Optional.empty();
            assertThat(violations(listed.with(new Protection(ingress, false,
                ints(null, null, null, entries, null, null))))).isEmpty();
            assertThat(violations(listed.with(new Protection(ingress, false,
                ints(null, null, null, entries - 1, null, null))))).containsExactly(
                    "tenant t: quota / acl-rules: " + (entries - 1) + " is below the " + entries
                        + " entries of its lists: " + size + " of " + LIST + (both ? " and " + size + " of " + LIST
                        : ""));
        }
    }

    @Test
    void fewerLeasesThanAreBoundAreRefused() {
        final Tenant server = ServiceFixtures.with(ServiceFixtures.pools("10.0.0.0/24", "10.0.0.10-10.0.0.99"));
        final Allocations none = Allocator.allocate(Fixtures.network(server), Allocations.none());
        final TenantAllocation given = none.tenants().get("t").withLeases(List.of(lease("10.0.0.10", Lease.State.BOUND),
            lease("10.0.0.11", Lease.State.BOUND), lease("10.0.0.12", Lease.State.FREE),
            lease("10.0.0.13", Lease.State.DECLINED), lease("10.0.1.14", Lease.State.BOUND)));
        final Allocations allocations = new Allocations(none.lastVrf(), new TreeMap<>(none.nodes()),
            new TreeMap<>(none.ports()), Map.of("t", given));
        assertThat(Validator.validate(Fixtures.network(limited(server, 2)), allocations)).isEmpty();
        assertThat(Validator.validate(Fixtures.network(limited(server, 1)), allocations))
            .extracting(Violation::toString)
            .containsExactly("tenant t: quota / leases: 1 is below what is bound now: 2 leases");
        assertThat(Validator.validate(Fixtures.network(limited(server, 1)), none)).isEmpty();
        // The leases end with the server.
        assertThat(Validator.validate(Fixtures.network(limited(ServiceFixtures.tenant(), 1)), allocations)).isEmpty();
    }

    private static Tenant limited(final Tenant tenant, final int leases) {
        return tenant.with(new Protection(Optional.empty(), false, ints(null, null, null, null, leases, null)));
    }

    private static Lease lease(final String address, final Lease.State state) {
        return new Lease(Ipv4.parse(address), state, "01", new Mac(1), "lan", "", 0);
    }

    private static List<String> violations(final Tenant tenant) {
        return Validator.validate(Fixtures.network(tenant), Allocations.none()).stream().map(Violation::toString)
            .toList();
    }

    private static Tenant protect(final Optional<String> acl, final boolean stateful, final Quota quota) {
        return Fixtures.tenant("t", 100).with(new Protection(acl, stateful, quota));
    }

    private static Arguments quota(final Quota quota, final String leaf, final String rule) {
        return Arguments.of(protect(Optional.empty(), false, quota), "quota / " + leaf, rule);
    }

    private static Quota bandwidth(final Long out, final Long in) {
        return new Quota(Optional.empty(), Optional.empty(), Optional.ofNullable(out), Optional.ofNullable(in),
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Whichever is not null. */
    private static Quota ints(final Integer sessions, final Integer newSessions, final Integer packets,
            final Integer rules, final Integer leases, final Integer hosts) {
        return new Quota(Optional.ofNullable(sessions), Optional.ofNullable(newSessions), Optional.empty(),
            Optional.empty(), Optional.ofNullable(packets), Optional.ofNullable(rules), Optional.ofNullable(leases),
            Optional.ofNullable(hosts));
    }
}
