// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Chained;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.rules.Validator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who gets which VRF id and address. */
@Tag("safety")
class AllocatorTest {
    private static final int TAGS = VrfId.LAST_TAG - VrfId.FIRST + 1;

    private static Tenant plain(final int number) {
        return new Tenant("t%05d".formatted(number), List.of(), List.of(), List.of(), Optional.empty(),
            Optional.empty(), Optional.empty());
    }

    private static Tenant withChain(final String name) {
        final Tenant tenant = Fixtures.tenant(name, 100);
        return new Tenant(name, tenant.attachments(), tenant.subnets(), tenant.routes(), tenant.nat(),
            Optional.empty(), Optional.of("secure"));
    }

    private static Snapshot network(final List<Tenant> plain, final Tenant... more) {
        final List<Tenant> all = new ArrayList<>(plain);
        all.addAll(List.of(more));
        return Fixtures.network(all.toArray(Tenant[]::new));
    }

    @Test
    void moreTenantsThanTagsHaveIdsAboveThem() {
        final List<Tenant> many = IntStream.range(0, 5000).mapToObj(AllocatorTest::plain).toList();
        final Allocations given = Allocator.allocate(network(many), Allocations.none());
        assertThat(given.tenants().values()).extracting(TenantAllocation::id).doesNotHaveDuplicates()
            .allMatch(vrf -> vrf >= VrfId.FIRST && vrf <= VrfId.LAST)
            .filteredOn(vrf -> vrf > VrfId.LAST_TAG).hasSize(5000 - TAGS);
        assertThat(Allocator.allocate(network(many), given)).isEqualTo(given);
    }

    @Test
    void tenantsThatWereRemovedBeforeAStartHaveNothing() {
        final Snapshot both = Snapshot.empty().withTenants(List.of(plain(1), plain(2)));
        final Allocations before = Allocator.allocate(both, Allocations.none());
        assertThat(Allocator.allocate(both.with(List.of(), Set.of("t00002")), before).tenants())
            .containsOnlyKeys("t00001");
    }

    @Test
    void aTenantThatWasFrozenIsLookedAtAgain() {
        final Tenant holder = Fixtures.tenant("holder", 100);
        final Snapshot start = Fixtures.network(holder);
        final Allocations before = Allocator.allocate(start, Allocations.none());
        final Ipv4 address = before.tenants().get("holder").publicAddress().orElseThrow();
        final Tenant byHand = Fixtures.tenant("by-hand", 101)
            .with(new Tenant.Nat(Optional.of(address), Optional.empty()));
        final Snapshot frozen = start.with(List.of(byHand, new Tenant("holder", List.of(), List.of(), List.of(),
            Optional.empty(), Optional.empty(), Optional.empty())), Set.of()).freezing(Set.of("holder"));
        final Allocations between = Allocator.allocate(frozen, before, start);
        assertThat(between.tenants().get("holder").publicAddress()).contains(address);
        final Snapshot next = frozen.with(holder).freezing(Set.of());
        final Allocations after = Allocator.allocate(next, between, frozen);
        assertThat(after.tenants().get("by-hand").publicAddress()).contains(address);
        assertThat(after.tenants().get("holder").publicAddress().orElseThrow()).isNotEqualTo(address);
        final Snapshot same = start.freezing(Set.of("holder"));
        assertThat(Allocator.allocate(start, before.withTenants(Map.of("holder", new TenantAllocation(
            before.tenants().get("holder").id(), Optional.empty()))), same).tenants().get("holder").publicAddress())
            .as("the same object").isPresent();
    }

    @Test
    void theIdOfARemovedNodeIsGivenOutAsLateAsPossible() {
        final Allocations before = Allocator.allocate(named("a", "b"), Allocations.none());
        assertThat(before.nodes()).isEqualTo(Map.of("a", 1, "b", 2));
        final Allocations one = Allocator.allocate(named("a"), before.withSecret("0".repeat(64)));
        assertThat(one.wasOfNode(Constants.datapathId(2, one.secret()))).isTrue();
        assertThat(one.wasOfNode(Constants.datapathId(1, one.secret()))).as("there").isFalse();
        assertThat(one.wasOfNode(Constants.datapathId(2, "1".repeat(64)))).as("of another controller").isFalse();
        final Allocations again = Allocator.allocate(named("a", "b", "c"), one);
        assertThat(again.nodes()).isEqualTo(Map.of("a", 1, "b", 3, "c", 4));
        final Allocations last = new Allocations(0, before.nodes(), before.ports(), Map.of(), before.canaries(), "",
            65_535, 0);
        assertThat(Allocator.allocate(named("a", "b", "c"), last).nodes()).isEqualTo(Map.of("a", 1, "b", 2, "c", 3));
    }

    private static Snapshot named(final String... nodes) {
        return Snapshot.of(Arrays.stream(nodes).map(name -> new Node(name, "", List.of())).toList(),
            new Backbone(List.of(), List.of()), List.of(), List.of(), List.of(), List.of(), List.of());
    }

    @Test
    void spreadFunctionsKeepTheirPlaceWhenOthersComeAndGo() {
        final Snapshot one = Chained.spread();
        final Allocations before = Allocator.allocate(one, Allocations.none());
        assertThat(before.tenants().get("rich").places()).isEqualTo(Map.of("fw", 0));
        final NetworkFunction fw = one.functions().get("fw");
        final NetworkFunction tap = one.functions().get("tap").spread(
            new NetworkFunction.Instance("tap1", NetworkFunction.State.IN_SERVICE, 1));
        final Allocations both = Allocator.allocate(one.withFunctions(List.of(fw, tap)), before);
        assertThat(both.tenants().get("rich").places()).isEqualTo(Map.of("fw", 0, "tap", 1));
        final Allocations last = Allocator.allocate(one.withFunctions(List.of(
            new NetworkFunction("fw", "edge1", NetworkFunction.FailPolicy.CLOSED, true), tap)), both);
        assertThat(last.tenants().get("rich").places()).isEqualTo(Map.of("tap", 1));
    }

    @Test
    void whoComesWithAChainGetsAnIdThatIsATag() {
        final List<Tenant> many = IntStream.range(0, 5000).mapToObj(AllocatorTest::plain).toList();
        final Snapshot together = network(many, withChain("z"));
        assertThat(Validator.validate(together, Allocations.none())).isEmpty();
        final Allocations given = Allocator.allocate(together, Allocations.none());
        assertThat(given.tenants().get("z").id()).isLessThanOrEqualTo(VrfId.LAST_TAG);
        assertThat(Planner.plan(together, given, Set.of(), "edge1").vrfs())
            .containsExactly(new VrfId(given.tenants().get("z").id()));
    }

    @Test
    void addressesOfAPoolAreGivenInOrderAndKept() {
        final Snapshot two = Fixtures.network(Fixtures.tenants(2));
        final Allocations first = Allocator.allocate(two, Allocations.none());
        final Ipv4 lowest = Prefix.parse("203.0.113.0/24").address();
        assertThat(first.tenants().values()).extracting(TenantAllocation::publicAddress)
            .containsExactlyInAnyOrder(Optional.of(lowest), Optional.of(lowest.plus(1)));
        final Allocations more = Allocator.allocate(Fixtures.network(Fixtures.tenants(100)), first);
        first.tenants().forEach((name, given) -> assertThat(more.tenants().get(name)).isSameAs(given));
        assertThat(more.tenants().values()).extracting(TenantAllocation::publicAddress).doesNotHaveDuplicates()
            .allMatch(address -> address.orElseThrow().minus(lowest) < 100);
    }

    @Test
    void anAddressThatAnotherTenantWasGivenByHandIsLeftToIt() {
        final Snapshot before = Fixtures.network(Fixtures.tenant("pooled", 100), Fixtures.tenant("second", 101));
        final Allocations had = Allocator.allocate(before, Allocations.none());
        final Optional<Ipv4> address = had.tenants().get("pooled").publicAddress();
        final Tenant second = Fixtures.tenant("second", 101);
        final Tenant fixed = new Tenant("fixed", Fixtures.tenant("fixed", 102).attachments(), second.subnets(),
            List.of(), Optional.of(new Tenant.Nat(address, Optional.empty(), List.of(), List.of())),
            Optional.empty(), Optional.empty());
        final Allocations now =
            Allocator.allocate(Fixtures.network(Fixtures.tenant("pooled", 100), second, fixed), had);
        assertThat(now.tenants().get("fixed").publicAddress()).isEqualTo(address);
        assertThat(now.tenants().get("second")).isSameAs(had.tenants().get("second"));
        assertThat(now.tenants().values()).extracting(TenantAllocation::publicAddress).doesNotHaveDuplicates();
    }
}
