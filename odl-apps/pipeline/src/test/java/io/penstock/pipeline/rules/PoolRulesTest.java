// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.allocation.BlockAllocator;
import io.penstock.pipeline.allocation.Move;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Thresholds;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Public addresses that are drained, taken away, and watched. */
class PoolRulesTest {
    private static final Tenant FIRST = Fixtures.tenant("first", 100);
    private static final Tenant SECOND = Fixtures.tenant("second", 101);

    private static Snapshot network(final Pool pool, final Tenant... tenants) {
        final Snapshot base = Fixtures.network(tenants);
        return Snapshot.of(List.copyOf(base.nodes().values()), base.backbone(), List.of(pool),
            List.copyOf(base.functions().values()), List.copyOf(base.chains().values()), List.of(tenants),
            new ArrayList<>(base.acls().values()));
    }

    private static Pool pool(final String prefixes, final String drain, final boolean force) {
        return new Pool("public", prefixes(prefixes), prefixes(drain), force, Optional.empty());
    }

    private static List<Prefix> prefixes(final String text) {
        return Stream.of(text.split(" ")).filter(each -> !each.isEmpty()).map(Prefix::parse).toList();
    }

    private static Ipv4 address(final Allocations given, final Tenant tenant) {
        return given.tenants().get(tenant.name()).publicAddress().orElseThrow();
    }

    static Stream<Arguments> badValues() {
        return Stream.of(
            Arguments.of("203.0.114.0/32", 80, 70, "drain", "203.0.114.0/32 is not in 203.0.113.0/30"),
            Arguments.of("203.0.113.0/24", 80, 70, "drain", "203.0.113.0/24 is not in 203.0.113.0/30"),
            Arguments.of("203.0.113.0/31 203.0.113.1/32", 80, 70, "drain", "203.0.113.1/32 overlaps 203.0.113.0/31"),
            Arguments.of("", 0, 0, "notify-pool-usage / high-threshold", "0 is not in 1..100"),
            Arguments.of("", 101, 0, "notify-pool-usage / high-threshold", "101 is not in 1..100"),
            Arguments.of("", 80, 80, "notify-pool-usage / low-threshold", "80 is not in 0..79, below high-threshold"));
    }

    @ParameterizedTest(name = "{4}")
    @MethodSource("badValues")
    void aBadValueIsNamedWithItsLeaf(final String drain, final int high, final int low, final String leaf,
            final String rule) {
        final Optional<Thresholds> thresholds = Optional.of(new Thresholds(high, low));
        final Pool pool =
            new Pool("public", prefixes("203.0.113.0/30"), prefixes(drain), false, thresholds);
        assertThat(Validator.validate(network(pool), Allocations.none()))
            .contains(new Violation("pool public", leaf, rule));
        final Prefix inside = Prefix.parse("10.0.0.0/24");
        final Tenant tenant = FIRST.with(Fixtures.mapped(new Tenant.PortBlocks(inside,
            Prefix.parse("203.0.113.0/30"), 512, 4, false, prefixes(drain), thresholds, false)));
        assertThat(Validator.validate(network(pool("192.0.2.128/30", "", false), tenant), Allocations.none()))
            .contains(new Violation("tenant first", "nat / port-block 10.0.0.0/24 / " + leaf, rule));
    }

    @Test
    void nobodyNewGetsADrainedAddressAndWhoHasOneKeepsIt() {
        final Allocations given =
            Allocator.allocate(network(pool("203.0.113.0/30", "", false), FIRST), Allocations.none());
        final Snapshot drained = network(pool("203.0.113.0/30", "203.0.113.0/31", false), FIRST, SECOND);
        assertThat(Validator.validate(drained, given)).isEmpty();
        final Allocations after = Allocator.allocate(drained, given);
        assertThat(address(after, FIRST)).isEqualTo(Ipv4.parse("203.0.113.0"));
        assertThat(address(after, SECOND)).isEqualTo(Ipv4.parse("203.0.113.2"));
    }

    @Test
    void drainedAddressesDoNotCountForThoseWhoCome() {
        final Allocations given =
            Allocator.allocate(network(pool("203.0.113.0/31", "", false), FIRST), Allocations.none());
        final Snapshot drained = network(pool("203.0.113.0/31", "203.0.113.0/31", false), FIRST, SECOND);
        assertThat(Validator.validate(drained, given)).extracting(Violation::toString).containsExactly(
            "tenant second: nat / pool: pool public is exhausted: its size is 2, less 2 drained");
        final Snapshot half = network(pool("203.0.113.0/31", "203.0.113.0/32", false), FIRST, SECOND);
        assertThat(Validator.validate(half, given)).isEmpty();
    }

    @Test
    void aDrainedAddressThatAnotherTenantHasByHandIsKeptByNone() {
        final Pool pool = pool("203.0.113.0/31", "", false);
        final Allocations given = Allocator.allocate(network(pool, FIRST, SECOND), Allocations.none());
        final Snapshot drained = network(pool("203.0.113.0/31", "203.0.113.0/32", false), FIRST, SECOND);
        final Snapshot byHand = drained.with(List.of(byHand("third", "203.0.113.0")), Set.of("first"));
        final Validator validator = new Validator();
        for (final Snapshot good : List.of(drained, byHand)) {
            assertThat(validator.validateAgain(good, drained, given, NodeFacts.UNKNOWN)).isEmpty();
        }
        // The first tenant is stored again before its address was taken back.
        assertThat(validator.validateAgain(byHand.with(FIRST), drained, given, NodeFacts.UNKNOWN))
            .extracting(Violation::toString).containsExactly(
                "tenant first: nat / pool: pool public is exhausted: its size is 2, less 1 drained");
    }

    @Test
    void aTenantThatLeavesADrainedAddressForOneByHandTakesThatFromThePool() {
        final Tenant third = Fixtures.tenant("third", 102);
        final Allocations given = Allocator.allocate(network(pool("203.0.113.0/30", "", false), FIRST, SECOND, third),
            Allocations.none());
        final Snapshot drained = network(pool("203.0.113.0/30", "203.0.113.0/32", false), FIRST, SECOND, third);
        final Snapshot full = drained.with(Fixtures.tenant("last", 103));
        final Validator validator = new Validator();
        for (final Snapshot good : List.of(drained, full)) {
            assertThat(validator.validateAgain(good, drained, given, NodeFacts.UNKNOWN)).isEmpty();
        }
        assertThat(validator.validateAgain(full.with(byHand("first", "203.0.113.3")), drained, given,
            NodeFacts.UNKNOWN)).extracting(Violation::toString).containsExactly("tenant first: nat / public-address: "
                + "pool public is exhausted: its size is 4, less 1 drained");
    }

    private static Tenant byHand(final String name, final String address) {
        return Fixtures.tenant(name, name.equals("first") ? 100 : 110)
            .with(new Tenant.Nat(Optional.of(Ipv4.parse(address)), Optional.empty()));
    }

    @Test
    void whatIsStoredMayHaveTenantsWithDrainedAddresses() {
        final Allocations given =
            Allocator.allocate(network(pool("203.0.113.0/31", "", false), FIRST, SECOND), Allocations.none());
        final Snapshot drained = network(pool("203.0.113.0/31", "203.0.113.0/32", false), FIRST, SECOND);
        assertThat(Validator.validate(drained, given)).isEmpty();
        assertThat(Validator.validateStored(drained, given)).isEmpty();
        final Snapshot tooMany =
            network(pool("203.0.113.0/31", "203.0.113.0/32", false), FIRST, SECOND, Fixtures.tenant("third", 102));
        assertThat(Validator.validateStored(tooMany, given)).extracting(Violation::toString)
            .containsExactly("tenant third: nat / pool: pool public is exhausted: its size is 2");
    }

    @Test
    void whoWasStoredAnewBetweenCheckAndCommitGetsADrainedAddress() {
        final Allocations given =
            Allocator.allocate(network(pool("203.0.113.0/31", "", false), FIRST, SECOND), Allocations.none());
        final Pool drained = pool("203.0.113.0/31", "203.0.113.0/32", false);
        final Allocations removed = Allocator.allocate(network(drained, SECOND), given);
        assertThat(address(Allocator.allocate(network(drained, FIRST, SECOND), removed), FIRST))
            .isEqualTo(Ipv4.parse("203.0.113.0"));
    }

    @Test
    void aPoolThatLosesAddressesOfTenantsNeedsForce() {
        final Snapshot before = network(pool("203.0.113.0/31", "", false), FIRST, SECOND);
        final Allocations given = Allocator.allocate(before, Allocations.none());
        final Snapshot smaller = network(pool("203.0.113.1/32 203.0.113.8/31", "", false), FIRST, SECOND);
        assertThat(Validator.validate(smaller, before, given)).extracting(Violation::toString).containsExactly(
            "pool public: prefix: the change takes the addresses of 1 tenant and ends their connections;"
                + " set force to true to permit it");
        final Snapshot forced = network(pool("203.0.113.1/32 203.0.113.8/31", "", true), FIRST, SECOND);
        assertThat(Validator.validate(forced, before, given)).isEmpty();
        assertThat(Move.of(forced, given)).containsExactly(new Move("first", Optional.empty(),
            Ipv4.parse("203.0.113.0"), Optional.of(Ipv4.parse("203.0.113.8")), List.of()));
        final Allocations after = Allocator.allocate(forced, given);
        assertThat(address(after, FIRST)).isEqualTo(Ipv4.parse("203.0.113.8"));
        assertThat(address(after, SECOND)).isEqualTo(Ipv4.parse("203.0.113.1"));
    }

    @Test
    void aTenantThatTakesAnotherPoolNeedsNoForce() {
        final Pool pool = pool("203.0.113.0/31", "", false);
        final Tenant byHand = FIRST.with(
            new Tenant.Nat(Optional.of(Ipv4.parse("198.51.100.7")), Optional.empty()));
        final Snapshot before = network(pool, byHand);
        final Allocations given = Allocator.allocate(before, Allocations.none());
        assertThat(Validator.validate(network(pool, FIRST), before, given)).isEmpty();
    }

    @Test
    void aSubscriberGetsItsFirstBlockOfAnotherAddressAndMoreOfItsOwn() {
        final Ipv4 inside = Ipv4.parse("10.0.0.0");
        final Ipv4 outside = Ipv4.parse("198.51.100.4");
        final Tenant.PortBlocks mapping = new Tenant.PortBlocks(new Prefix(inside, 24), new Prefix(outside, 31), 512, 4,
            false, List.of(Prefix.host(outside)), Optional.empty(), false);
        assertThat(BlockAllocator.give(mapping, List.of(), Set.of(), inside))
            .contains(new Block(inside, outside.plus(1), 1024, 512));
        final List<Block> had = List.of(new Block(inside, outside, 1024, 512));
        assertThat(BlockAllocator.give(mapping, had, Set.of(), inside))
            .contains(new Block(inside, outside, 1536, 512));
        final Tenant.PortBlocks all = new Tenant.PortBlocks(mapping.inside(), mapping.outside(), 512, 4, false,
            List.of(mapping.outside()), Optional.empty(), false);
        assertThat(BlockAllocator.give(all, had, Set.of(), inside.plus(1))).isEmpty();
    }

    @Test
    void subscribersMoveWithTheBlocksTheyLose() {
        final Ipv4 inside = Ipv4.parse("10.0.0.0");
        final Ipv4 outside = Ipv4.parse("198.51.100.4");
        final Tenant.PortBlocks mapping =
            new Tenant.PortBlocks(new Prefix(inside, 24), new Prefix(outside, 31), 512, 4);
        final Pool pool = pool("203.0.113.0/30", "", false);
        final Snapshot before = network(pool, FIRST.with(Fixtures.mapped(mapping)));
        final Allocations empty = Allocator.allocate(before, Allocations.none());
        final Block one = new Block(inside.plus(5), outside, 1024, 512);
        final Block two = new Block(inside.plus(5), outside, 1536, 512);
        final Block other = new Block(inside.plus(6), outside.plus(1), 1024, 512);
        final Allocations given = new Allocations(empty.lastVrf(), empty.nodes(), empty.ports(),
            Map.of("first", empty.tenants().get("first").withBlocks(List.of(one, two, other))));
        final Snapshot smaller = network(pool, FIRST.with(Fixtures.mapped(
            new Tenant.PortBlocks(mapping.inside(), Prefix.host(outside.plus(1)), 512, 4).force(true))));
        assertThat(Move.of(before, given)).isEmpty();
        assertThat(Move.of(smaller, given)).containsExactly(
            new Move("first", Optional.of(inside.plus(5)), outside, Optional.empty(), List.of(one, two)));
        assertThat(Move.of(network(pool), given)).as("the tenant goes").hasSize(2);
    }

    @Test
    void percentAreRoundedDown() {
        assertThat(Thresholds.percent(0, 8)).isZero();
        assertThat(Thresholds.percent(7, 8)).isEqualTo(87);
        assertThat(Thresholds.percent(8, 8)).isEqualTo(100);
        assertThat(Thresholds.percent(0, 0)).isEqualTo(100);
    }
}
