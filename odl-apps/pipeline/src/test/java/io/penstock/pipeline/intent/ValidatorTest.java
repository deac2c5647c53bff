// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Ipv4;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.plan.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule, each with the entry, the leaf and the words of its error. */
class ValidatorTest {
    @Test
    void aGoodNetworkBreaksNoRule() {
        assertThat(check(Fixtures.network(Fixtures.rich(), Fixtures.tenant("plain", 100)))).isEmpty();
    }

    static Stream<Arguments> badTenants() {
        final Tenant good = Fixtures.tenant("t", 100);
        return Stream.of(
            Arguments.of(at(good, "nowhere", "acc0", 100), "attachment lan / node", "there is no node 'nowhere'"),
            Arguments.of(at(good, "edge1", "acc9", 100), "attachment lan / port", "has no access port 'acc9'"),
            Arguments.of(at(good, "edge1", "up0", 100), "attachment lan / port", "has no access port 'up0'"),
            Arguments.of(at(good, "edge1", "acc0", 0), "attachment lan / vlan", "0 is not in 1..4094"),
            Arguments.of(at(good, "edge1", "acc0", 4095), "attachment lan / vlan", "4095 is not in 1..4094"),
            Arguments.of(subnets(good, subnet("a", "10.0.0.0/24", "10.0.1.1")), "subnet a / gateway",
                "10.0.1.1 is outside its subnet 10.0.0.0/24"),
            Arguments.of(subnets(good, subnet("a", "10.0.0.0/24", "10.0.0.255")), "subnet a / gateway",
                "network or broadcast address"),
            Arguments.of(subnets(good, subnet("a", "10.0.0.0/16", "10.0.0.1"), subnet("b", "10.0.9.0/24", "10.0.9.1")),
                "subnet b / prefix", "10.0.9.0/24 overlaps 10.0.0.0/16 of subnet a"),
            Arguments.of(subnets(good, new Tenant.Subnet("a", Prefix.parse("10.0.0.0/24"), Ipv4.parse("10.0.0.1"),
                List.of("gone"))), "subnet a / attachment", "has no attachment 'gone'"),
            Arguments.of(route(good, "172.16.0.0/12", "192.168.0.1"), "route 172.16.0.0/12 / next-hop",
                "192.168.0.1 is not in a subnet of the tenant"),
            Arguments.of(route(good, "172.16.0.0/12", "10.0.0.1"), "route 172.16.0.0/12 / next-hop",
                "is the VRF's own gateway"),
            Arguments.of(route(good, "10.0.0.0/24", "10.0.0.9"), "route 10.0.0.0/24 / prefix", "has a route"),
            Arguments.of(route(good, "0.0.0.0/0", "10.0.0.9"), "route 0.0.0.0/0 / prefix", "default route"),
            Arguments.of(names(good, "gone", null), "egress-acl", "there is no acl 'gone'"),
            Arguments.of(names(good, null, "gone"), "chain", "there is no chain 'gone'"),
            Arguments.of(nat(names(good, null, "secure"), null), "chain", "this tenant has no nat"),
            Arguments.of(nat(good, new Tenant.Nat(Optional.empty(), Optional.of("gone"))), "nat / pool",
                "there is no pool 'gone'"),
            Arguments.of(nat(good, address("192.0.2.2")), "nat / public-address", "is an address of the backbone"),
            Arguments.of(nat(good, address("192.0.2.1")), "nat / public-address", "is a transit gateway"));
    }

    @ParameterizedTest(name = "{1}: {2}")
    @MethodSource("badTenants")
    void aBadTenantIsNamedWithLeafAndRule(final Tenant tenant, final String leaf, final String rule) {
        assertThat(check(Fixtures.network(tenant))).anySatisfy(violation -> {
            assertThat(violation.entry()).isEqualTo("tenant t");
            assertThat(violation.leaf()).isEqualTo(leaf);
            assertThat(violation.rule()).contains(rule);
        });
    }

    @Test
    void whoeverWasThereFirstKeepsTheVlan() {
        final Snapshot one = Fixtures.network(Fixtures.tenant("z-first", 100));
        final Allocations allocations = Allocator.allocate(one, Allocations.none());
        final Snapshot two = Fixtures.network(Fixtures.tenant("z-first", 100), Fixtures.tenant("a-second", 100));
        assertThat(Validator.validate(two, allocations)).singleElement().satisfies(violation -> {
            assertThat(violation.entry()).isEqualTo("tenant a-second");
            assertThat(violation.rule()).contains("taken by tenant z-first");
        });
    }

    @Test
    void aPoolHasAnEnd() {
        final Tenant[] many = IntStream.range(0, 257).mapToObj(index -> Fixtures.tenant("t%03d".formatted(index),
            100 + index)).toArray(Tenant[]::new);
        assertThat(check(Fixtures.network(many))).singleElement().satisfies(violation ->
            assertThat(violation.rule()).isEqualTo("pool public is exhausted: it has 256 addresses"));
    }

    @Test
    void anAddressGivenByHandIsNotGivenTwice() {
        final Tenant one = nat(Fixtures.tenant("one", 100), address("203.0.113.9"));
        final Tenant two = nat(Fixtures.tenant("two", 101), address("203.0.113.9"));
        assertThat(check(Fixtures.network(one, two))).singleElement()
            .satisfies(violation -> assertThat(violation.rule()).contains("203.0.113.9 is taken by tenant"));
    }

    @Test
    void aChainOverTheRecirculationBudgetIsRefused() {
        final List<NetworkFunction> functions = IntStream.range(0, 7)
            .mapToObj(index -> new NetworkFunction("f" + index, "edge1", FailPolicy.OPEN, true)).toList();
        final Snapshot base = Fixtures.network();
        final Snapshot snapshot = Snapshot.of(List.of(Fixtures.edge()), base.backbone(), List.of(), functions,
            List.of(new Chain("long", functions.stream().map(NetworkFunction::name).toList())), List.of(),
            new ArrayList<>(base.acls().values()));
        assertThat(check(snapshot)).singleElement().satisfies(violation -> {
            assertThat(violation.entry()).isEqualTo("chain long");
            assertThat(violation.rule()).contains("over the recirculation budget of 6");
        });
    }

    @Test
    void aFunctionThatIsNotSharedServesOneTenant() {
        final Snapshot base = Fixtures.network(names(Fixtures.tenant("a", 100), null, "secure"),
            names(Fixtures.tenant("b", 101), null, "secure"));
        final Snapshot dedicated = base.withFunctions(List.of(
            new NetworkFunction("fw", "edge1", FailPolicy.CLOSED, false),
            new NetworkFunction("tap", "edge1", FailPolicy.OPEN, true)));
        assertThat(check(base)).isEmpty();
        assertThat(check(dedicated)).singleElement().satisfies(violation ->
            assertThat(violation.rule()).isEqualTo("function fw is not shared, and tenant a has it"));
    }

    @Test
    void anEntryTheDataPlaneCannotExpressIsRefused() {
        final Acl acl = new Acl("odd", List.of(new Acl.Entry("six", true, Optional.empty(), Optional.empty(),
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
            List.of("matches/ipv6/protocol"))));
        final Snapshot snapshot = Snapshot.of(List.of(), Backbone.NONE, List.of(), List.of(), List.of(), List.of(),
            List.of(acl));
        assertThat(check(snapshot)).singleElement().hasToString(
            "acl odd: ace six / matches/ipv6/protocol: the data plane cannot express it");
    }

    private static List<Violation> check(final Snapshot snapshot) {
        return Validator.validate(snapshot, Allocations.none());
    }

    private static Tenant at(final Tenant base, final String node, final String port, final int vlan) {
        return new Tenant(base.name(), List.of(new Tenant.Attachment("lan", node, port, vlan)), base.subnets(),
            base.routes(), base.nat(), base.egressAcl(), base.chain());
    }

    private static Tenant subnets(final Tenant base, final Tenant.Subnet... subnets) {
        return new Tenant(base.name(), base.attachments(), List.of(subnets), base.routes(), base.nat(),
            base.egressAcl(), base.chain());
    }

    private static Tenant route(final Tenant base, final String prefix, final String nextHop) {
        return new Tenant(base.name(), base.attachments(), base.subnets(),
            List.of(new Route(Prefix.parse(prefix), Ipv4.parse(nextHop))), base.nat(), base.egressAcl(),
            base.chain());
    }

    private static Tenant nat(final Tenant base, final Tenant.Nat nat) {
        return new Tenant(base.name(), base.attachments(), base.subnets(), base.routes(), Optional.ofNullable(nat),
            base.egressAcl(), base.chain());
    }

    private static Tenant names(final Tenant base, final String acl, final String chain) {
        return new Tenant(base.name(), base.attachments(), base.subnets(), base.routes(), base.nat(),
            Optional.ofNullable(acl), Optional.ofNullable(chain));
    }

    private static Tenant.Subnet subnet(final String name, final String prefix, final String gateway) {
        return new Tenant.Subnet(name, Prefix.parse(prefix), Ipv4.parse(gateway), List.of());
    }

    private static Tenant.Nat address(final String address) {
        return new Tenant.Nat(Optional.of(Ipv4.parse(address)), Optional.empty());
    }
}
