// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Route6;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Priority;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.rules.Validator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Scanner;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What holds for every plan. */
@Tag("safety")
class PlannerPropertyTest {
    private static final int PER_PLAIN_TENANT = flowsOf("UDP_SESSION_OUT");
    private static final int PER_TWICE = 6;
    private static final int PER_IPV6_SUBNET = 43;

    private static Stream<NodePlan> plans() {
        final Snapshot snapshot =
            DualStack.network(Fixtures.rich(), Fixtures.tenant("plain", 100), Fixtures.twiceChained(),
                DualStack.tenant(), DualStack.chained());
        return Stream.concat(GoldenCase.ALL.stream().map(GoldenCase::plan),
            Stream.of(Set.<String>of(), Set.of("fw"), Set.of("tap"), Set.of("fw", "tap"))
                .map(down -> Fixtures.plan(snapshot, down)));
    }

    @Test
    void eachTableHasOneFlowForAllOtherPackets() {
        final List<Table> planned = Arrays.stream(Table.values()).filter(table -> !table.isLearned()).toList();
        plans().forEach(plan -> assertThat(plan.flowSpecs().stream().filter(flow -> flow.priority() == Priority.MISS)
            .map(FlowSpec::table)).containsExactlyInAnyOrderElementsOf(planned));
    }

    @Test
    void everyPriorityIsARung() {
        final Set<Integer> rungs = Stream.of(IntStream.of(Priority.MISS, Priority.LOW, Priority.NORMAL, Priority.HIGH,
                Priority.BEFORE_HIGH, Priority.GUARD, Priority.FIRST, Priority.TOP),
            IntStream.rangeClosed(0, 128).map(Priority::prefix),
            IntStream.range(0, Priority.CHAIN_RULES).map(Priority::chainRule),
            IntStream.range(0, Priority.ACL_ENTRIES).map(Priority::aclEntry)).flatMap(IntStream::boxed)
            .collect(Collectors.toSet());
        plans().forEach(plan -> assertThat(plan.flowSpecs()).allMatch(flow -> rungs.contains(flow.priority())));
    }

    @Test
    void aPlainTenantCostsTheSameNumberOfFlowsWhereverItComes() {
        final int none = Fixtures.plan(Fixtures.network()).flows().size();
        assertThat(Fixtures.plan(Fixtures.network(Fixtures.tenants(1))).flows()).hasSize(none + PER_PLAIN_TENANT);
        assertThat(Fixtures.plan(Fixtures.network(Fixtures.tenants(200))).flows())
            .hasSize(none + 200 * PER_PLAIN_TENANT);
    }

    /** To look at the length of packets makes the datapath slower, so nobody pays for it who cannot need it. */
    @Test
    void lengthsAreLookedAtOnlyWhereAWayOutTakesLess() {
        final Tenant tenant = Fixtures.tenant("t", 100);
        final Tenant jumbo = new Tenant("t", tenant.attachments(),
            List.of(tenant.subnets().get(0).withMtu(9000)), tenant.routes(), tenant.nat(), Optional.empty(),
            Optional.empty());
        assertThat(looks(Fixtures.network(tenant))).isEmpty();
        assertThat(looks(Fixtures.withUplinkMtu(9000, Fixtures.network(jumbo)))).isEmpty();
        assertThat(looks(Fixtures.network(jumbo))).containsExactly("1514 to the backbone");
        assertThat(looks(Fixtures.withUplinkMtu(1400, Fixtures.network(tenant))))
            .containsExactly("1414 to the backbone");
        // From the backbone.
        assertThat(looks(Fixtures.withUplinkMtu(9000, Fixtures.network(tenant)))).containsExactly("1514 connected lan");
        assertThat(looks(Fixtures.narrow())).containsExactlyInAnyOrder("1414 to the backbone", "1414 to the backbone",
            "1514 connected wide");
    }

    @Test
    void lengthsOfIpv6AreHeldAgainstWhatHostsAreTold() {
        final Tenant small = Fixtures.tenant("t", 100);
        final Tenant narrow = new Tenant("t", small.attachments(), List.of(small.subnets().get(0).withMtu(1400)),
            small.routes(), small.nat(), Optional.empty(), Optional.empty());
        // Hosts send IPv6 packets of 1500 bytes, whatever their IPv4 takes.
        assertThat(looks(Fixtures.withUplinkMtu(1400, DualStack.network(narrow.with(side(Optional.empty()))))))
            .containsExactlyInAnyOrder("1414 to the backbone", "1414 IPv6 to the backbone", "1414 connected lan");
        assertThat(looks(DualStack.network(small.with(side(Optional.empty()))))).isEmpty();
        assertThat(looks(DualStack.network(small.with(side(Optional.of(1400))))))
            .containsExactlyInAnyOrder("1414 connected 2001:db8:1::/64", "1414 route 2001:db8:2::/48");
        assertThat(looks(DualStack.network(small.with(side(Optional.of(65535)))))).containsExactlyInAnyOrder(
            "1514 connected lan", "1514 to the backbone", "1514 IPv6 to the backbone");
    }

    private static Ipv6Side side(final Optional<Integer> mtu) {
        final Ipv6Side.Advertisement plain = Ipv6Side.Advertisement.PLAIN;
        return new Ipv6Side(List.of(new Ipv6Side.Subnet(Prefix6.parse("2001:db8:1::/64"),
            Ipv6.parse("2001:db8:1::1"), List.of(), new Ipv6Side.Advertisement(plain.slaac(), plain.otherConfig(),
                plain.interval(), plain.lifetime(), mtu, List.of(), List.of(), List.of()))),
            List.of(new Route6(Prefix6.parse("2001:db8:2::/48"), Ipv6.parse("2001:db8:1::9"))));
    }

    private static List<String> looks(final Snapshot snapshot) {
        return Fixtures.plan(snapshot).flows().values().stream().flatMap(planned -> planned.flow().actions().stream()
            .filter(Action.CheckPktLarger.class::isInstance)
            .map(look -> ((Action.CheckPktLarger) look).bytes() + " " + planned.label())).toList();
    }

    @Test
    void aTenantWithIpv6CostsTheSameNumberOfFlowsWhereverItComes() {
        final int none = Fixtures.plan(DualStack.network()).size();
        for (final int count : List.of(1, 100)) {
            final List<Tenant> tenants = new ArrayList<>();
            for (final Tenant tenant : Fixtures.tenants(count)) {
                tenants.add(tenant.with(DualStack.side("2001:db8:0:%x::/64".formatted(0x100 + tenants.size()))));
            }
            final Snapshot snapshot = DualStack.network(tenants.toArray(Tenant[]::new));
            assertThat(Validator.validate(snapshot, Allocations.none())).isEmpty();
            assertThat(Fixtures.plan(snapshot).flows()).hasSize(none + count * (PER_PLAIN_TENANT + PER_IPV6_SUBNET));
        }
    }

    @Test
    void aNetworkThatIsSeenElsewhereCostsThreeFlowsForEachDirection() {
        for (final Tenant tenant : List.of(Fixtures.twice(), Fixtures.twiceChained())) {
            final Tenant less = tenant.with(tenant.nat().orElseThrow().with(List.of()));
            assertThat(Fixtures.plan(Fixtures.network(tenant)).flows())
                .hasSize(Fixtures.plan(Fixtures.network(less)).flows().size() + 2 * PER_TWICE);
        }
    }

    @Test
    void limitsCostAFlowForEachThatNeedsOne() {
        final int without = Fixtures.plan(Fixtures.network(Fixtures.published().with(
            new Protection(Optional.empty(), false, Fixtures.UNLIMITED)))).flows().size();
        final int plain = Fixtures.plan(Fixtures.network(Fixtures.published())).flows().size();
        // Two flows tell known connections from new ones, and two those of an ALG; what comes has one of its own.
        assertThat(plain).isEqualTo(without + 4);
        assertThat(Fixtures.plan(Fixtures.network(Fixtures.limited())).flows()).hasSize(plain + 1);
    }

    @Test
    void trackedListsHaveZonesOfTheirOwn() {
        final NodePlan plan = Fixtures.plan(Fixtures.network(Fixtures.guarded(), Fixtures.tenant("plain", 100)));
        assertThat(plan.vrfs()).containsExactly(new VrfId(2), new VrfId(3));
        assertThat(plan.orders().keySet()).containsExactly(2, 3, new VrfId(2).aclZone());
        assertThat(Fixtures.plan(Fixtures.network(Fixtures.guardedChained())).orders()).containsOnlyKeys(2);
        assertThat(new VrfId(VrfId.LAST).aclZone()).isLessThan(0xffff);
    }

    @RepeatedTest(20)
    void orderOfInputIsIrrelevant(final RepetitionInfo repetition) {
        final List<Tenant> tenants = new ArrayList<>(Arrays.asList(Fixtures.tenants(10)));
        tenants.add(Fixtures.rich());
        final Snapshot sorted = Fixtures.network(tenants.toArray(Tenant[]::new));
        Collections.shuffle(tenants, new Random(repetition.getCurrentRepetition()));
        final Snapshot shuffled = Fixtures.network(tenants.toArray(Tenant[]::new));
        assertThat(Fixtures.plan(shuffled)).isEqualTo(Fixtures.plan(sorted));
    }

    @RepeatedTest(20)
    void addingAndRemovingIsNothing(final RepetitionInfo repetition) {
        final Random random = new Random(repetition.getCurrentRepetition());
        Snapshot snapshot = Fixtures.network(Fixtures.tenants(5));
        Allocations allocations = Allocator.allocate(snapshot, Allocations.none());
        final NodePlan before = Planner.plan(snapshot, allocations, Set.of(), "edge1");
        final List<Tenant> original = List.copyOf(snapshot.tenants().values());
        for (int step = 0; step < 20; step++) {
            final List<Tenant> more = new ArrayList<>(original);
            for (int index = 0; index < random.nextInt(8); index++) {
                more.add(Fixtures.tenant("x" + index, 1000 + index));
            }
            if (random.nextBoolean()) {
                more.add(Fixtures.rich());
            }
            snapshot = snapshot.withTenants(more);
            assertThat(Validator.validate(snapshot, allocations)).isEmpty();
            allocations = Allocator.allocate(snapshot, allocations);
        }
        snapshot = snapshot.withTenants(original);
        allocations = Allocator.allocate(snapshot, allocations);
        final NodePlan after = Planner.plan(snapshot, allocations, Set.of(), "edge1");
        assertThat(after).isEqualTo(before);
        assertThat(PlanDiff.between(after, before.flowSpecs()).isEmpty()).isTrue();
    }

    @Test
    void aFreedVrfIdIsNotGivenOutAtOnce() {
        final Snapshot one = Fixtures.network(Fixtures.tenant("one", 100));
        final Allocations first = Allocator.allocate(one, Allocations.none());
        final Allocations gone = Allocator.allocate(Fixtures.network(), first);
        final Allocations second = Allocator.allocate(Fixtures.network(Fixtures.tenant("two", 100)), gone);
        assertThat(gone.tenants()).isEmpty();
        assertThat(second.tenants().get("two").id()).isNotEqualTo(first.tenants().get("one").id());
    }

    /** OpenFlow flows of a tenant in a scenario of {@code cost-budget.txt}, where they stand for all who need them. */
    private static int flowsOf(final String scenario) {
        try (Scanner lines = new Scanner(PlannerPropertyTest.class.getResourceAsStream("/cost-budget.txt"),
                StandardCharsets.UTF_8).useDelimiter("\\R")) {
            return lines.tokens().map(line -> line.split(" *\\| *")).filter(cells -> cells[0].equals(scenario))
                .map(cells -> Integer.parseInt(cells[1])).findFirst().orElseThrow();
        }
    }
}
