// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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
            Arguments.of(subnets(good, subnet("a", "10.0.0.0/24", "10.0.0.1").withMtu(575)), "subnet a / mtu",
                "575 is not in 576..9216"),
            Arguments.of(route(good, "172.16.0.0/12", "192.168.0.1"), "route 172.16.0.0/12 / next-hop",
                "192.168.0.1 is not in a subnet of the tenant"),
            Arguments.of(route(good, "172.16.0.0/12", "10.0.0.1"), "route 172.16.0.0/12 / next-hop",
                "is the VRF's own gateway"),
            Arguments.of(route(good, "10.0.0.0/24", "10.0.0.9"), "route 10.0.0.0/24 / prefix", "has a route"),
            Arguments.of(route(good, "0.0.0.0/0", "10.0.0.9"), "route 0.0.0.0/0 / prefix", "default route"),
            Arguments.of(names(good, "gone", null), "egress-acl", "there is no acl 'gone'"),
            Arguments.of(names(good, null, "gone"), "chain", "there is no chain 'gone'"),
            Arguments.of(nat(names(good, null, "secure"), null), "chain", "the tenant has no nat"),
            Arguments.of(nat(good, new Tenant.Nat(Optional.empty(), Optional.of("gone"))), "nat / pool",
                "there is no pool 'gone'"),
            Arguments.of(nat(good, address("192.0.2.2")), "nat / public-address", "is an address of the backbone"),
            Arguments.of(nat(good, address("192.0.2.1")), "nat / public-address", "is a transit gateway"));
    }

    private static Arguments oneToOne(final String inside, final String outside, final String leaf,
            final String rule) {
        return Arguments.of(nat(Fixtures.tenant("t", 100), mapped(inside, outside)),
            "nat / one-to-one " + inside + " / " + leaf, rule);
    }

    private static Arguments deterministic(final String inside, final String outside, final String leaf,
            final String rule) {
        return Arguments.of(nat(Fixtures.tenant("t", 100), Fixtures.mapped(subscribers(inside, outside))),
            "nat / deterministic " + inside + " / " + leaf, rule);
    }

    private static Arguments blocks(final String inside, final String outside, final int size, final int most,
            final String leaf, final String rule) {
        return Arguments.of(nat(Fixtures.tenant("t", 100), Fixtures.mapped(
            new Tenant.PortBlocks(Prefix.parse(inside), Prefix.parse(outside), size, most))),
            "nat / port-block " + inside + " / " + leaf, rule);
    }

    @Test
    void anUplinkTakesPacketsOfEthernet() {
        for (final int good : List.of(576, 1500, 9216)) {
            assertThat(Validator.validate(Fixtures.withUplinkMtu(good, Fixtures.network()), Allocations.none()))
                .isEmpty();
        }
        for (final int bad : List.of(0, 575, 9217)) {
            assertThat(Validator.validate(Fixtures.withUplinkMtu(bad, Fixtures.network()), Allocations.none()))
                .singleElement().isEqualTo(new Violation("backbone interface edge1/up0", "mtu",
                    bad + " is not in 576..9216"));
        }
    }

    @Test
    void aChangeThatCutsBlocksHasToBeForced() {
        final Tenant.PortBlocks had =
            new Tenant.PortBlocks(Prefix.parse("10.0.0.0/24"), Prefix.parse("198.51.100.0/32"), 512, 4);
        final Snapshot before = Fixtures.network(onDemand(had));
        final Allocations empty = Allocator.allocate(before, Allocations.none());
        final Allocations given = new Allocations(empty.lastVrf(), empty.nodes(), empty.ports(),
            Map.of("t", empty.tenants().get("t").withBlocks(List.of(
                new Allocations.Block(Ipv4.parse("10.0.0.5"), Ipv4.parse("198.51.100.0"), 1024, 512),
                new Allocations.Block(Ipv4.parse("10.0.0.5"), Ipv4.parse("198.51.100.0"), 1536, 512)))));
        assertThat(Validator.validate(before, given)).isEmpty();
        for (final String change : List.of("198.51.100.1/32 512", "198.51.100.0/32 256")) {
            final Prefix outside = Prefix.parse(change.split(" ")[0]);
            final int size = Integer.parseInt(change.split(" ")[1]);
            assertThat(Validator.validate(
                Fixtures.network(onDemand(new Tenant.PortBlocks(had.inside(), outside, size, 4))), given))
                .singleElement().satisfies(violation -> {
                    assertThat(violation.leaf()).isEqualTo("nat / port-block 10.0.0.0/24 / "
                        + (size == 512 ? "public-prefix" : "block-size"));
                    assertThat(violation.rule()).contains("takes 2 port blocks from 1 subscriber and", "force");
                });
            assertThat(Validator.validate(
                Fixtures.network(onDemand(new Tenant.PortBlocks(had.inside(), outside, size, 4).force(true))), given))
                .isEmpty();
        }
        // Fewer blocks for each are no reason to take one away, and who takes the entry away means it.
        assertThat(Validator.validate(
            Fixtures.network(onDemand(new Tenant.PortBlocks(had.inside(), had.outside(), 512, 1))), given)).isEmpty();
        assertThat(Validator.validate(Fixtures.network(Fixtures.tenant("t", 100)), given)).isEmpty();
    }

    private static Tenant onDemand(final Tenant.PortBlocks mapping) {
        return nat(Fixtures.tenant("t", 100), Fixtures.mapped(mapping));
    }

    private static Tenant.Deterministic subscribers(final String inside, final String outside) {
        return new Tenant.Deterministic(Prefix.parse(inside), Prefix.parse(outside));
    }

    private static Arguments forward(final Tenant.PortForward forward, final String leaf, final String rule) {
        return Arguments.of(nat(Fixtures.tenant("t", 100), new Tenant.Nat(Optional.empty(), Optional.of("public"),
            List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.9/32"), Prefix.parse("198.51.100.9/32"))),
            List.of(new Tenant.PortForward("first", 6, 80, Ipv4.parse("10.0.0.5"), 80), forward))),
            "nat / port-forward web / " + leaf, rule);
    }

    private static Arguments twice(final String leaf, final String rule, final String... seenAndOutside) {
        final List<Tenant.Twice> mappings = Stream.of(seenAndOutside).map(each -> each.split(" "))
            .map(each -> new Tenant.Twice(Prefix.parse(each[0]), Prefix.parse(each[1]))).toList();
        final Tenant base = route(Fixtures.tenant("t", 100), "172.16.0.0/16", "10.0.0.9");
        return Arguments.of(nat(base, mapped("10.0.0.8/32", "198.51.100.8/32").with(mappings)),
            "nat / twice " + mappings.get(mappings.size() - 1).seen() + " / " + leaf, rule);
    }

    static Stream<Arguments> badTwice() {
        final String good = "10.99.0.0/24 10.0.0.0/24";
        return Stream.of(
            twice("seen-prefix", "is shorter than /8", "10.0.0.0/7 172.0.0.0/7"),
            twice("outside-prefix", "10.0.0.0/23 is not as long as 10.99.0.0/24", "10.99.0.0/24 10.0.0.0/23"),
            twice("seen-prefix", "10.0.0.128/25 overlaps 10.0.0.0/24 of subnet lan", "10.0.0.128/25 10.5.0.0/25"),
            twice("seen-prefix", "10.0.0.0/16 overlaps 10.0.0.0/24 of subnet lan", "10.0.0.0/16 10.5.0.0/16"),
            twice("seen-prefix", "10.0.0.1/32 overlaps 10.0.0.0/24 of subnet lan", "10.0.0.1/32 10.5.0.1/32"),
            twice("seen-prefix", "172.16.5.0/24 overlaps the route 172.16.0.0/16", "172.16.5.0/24 10.0.0.0/24"),
            twice("seen-prefix", "10.99.0.128/25 overlaps the seen-prefix 10.99.0.0/24", good,
                "10.99.0.128/25 10.5.0.0/25"),
            twice("outside-prefix", "10.0.0.0/25 overlaps 10.0.0.0/24, which is seen at 10.99.0.0/24", good,
                "10.98.0.0/25 10.0.0.0/25"),
            twice("seen-prefix", "10.98.0.0/24 overlaps the outside-prefix 10.98.0.0/24", "10.98.0.0/24 10.98.0.0/24"),
            twice("seen-prefix", "10.97.0.0/24 overlaps the outside-prefix 10.97.0.0/24", "10.98.0.0/24 10.97.0.0/24",
                "10.97.0.0/24 10.96.0.0/24"),
            twice("outside-prefix", "203.0.0.0/16 overlaps 203.0.113.0/24 of pool public", "10.99.0.0/16 203.0.0.0/16"),
            twice("outside-prefix", "203.0.113.9/32 overlaps 203.0.113.0/24 of pool public",
                "10.99.0.9/32 203.0.113.9/32"),
            twice("outside-prefix", "198.51.100.0/24 overlaps 198.51.100.8/32 of tenant t",
                "10.99.0.0/24 198.51.100.0/24"),
            twice("seen-prefix", "0.0.0.0/8 overlaps 0.0.0.0/8, which is not a prefix", "0.0.0.0/8 11.0.0.0/8"),
            twice("seen-prefix", "127.0.1.0/24 overlaps 127.0.0.0/8, which", "127.0.1.0/24 10.0.0.0/24"),
            twice("outside-prefix", "239.0.0.0/8 overlaps 224.0.0.0/4, which", "11.0.0.0/8 239.0.0.0/8"),
            twice("outside-prefix", "255.255.255.255/32 overlaps 240.0.0.0/4", "10.99.0.1/32 255.255.255.255/32"));
    }

    @Test
    void networksThatAreSeenElsewhereMayBeInsideToo() {
        final List<Tenant.Twice> mappings = List.of(
            new Tenant.Twice(Prefix.parse("10.99.0.0/24"), Prefix.parse("10.0.0.0/24")),
            new Tenant.Twice(Prefix.parse("10.99.1.1/32"), Prefix.parse("172.16.0.1/32")),
            new Tenant.Twice(Prefix.parse("11.0.0.0/8"), Prefix.parse("12.0.0.0/8")));
        final Tenant one = nat(route(Fixtures.tenant("one", 100), "172.16.0.0/16", "10.0.0.9"),
            Fixtures.fromPool().orElseThrow().with(mappings));
        final Tenant two = nat(Fixtures.tenant("two", 101), mapped("10.0.0.8/32", "198.51.100.8/32").with(mappings));
        assertThat(check(Fixtures.network(one, two, Fixtures.twice()))).isEmpty();
    }

    @Test
    void aPublicAddressIsOfNoNetworkThatIsSeenElsewhere() {
        final Tenant seer = nat(Fixtures.tenant("seer", 100), Fixtures.fromPool().orElseThrow()
            .with(List.of(new Tenant.Twice(Prefix.parse("10.99.0.0/24"), Prefix.parse("198.51.100.0/24")))));
        final Tenant address = nat(Fixtures.tenant("other", 101), address("198.51.100.7"));
        assertThat(check(Fixtures.network(seer, address))).extracting(Violation::toString).containsExactly(
            "tenant seer: nat / twice 10.99.0.0/24 / outside-prefix: 198.51.100.0/24 contains the public address "
                + "198.51.100.7 of tenant other");
        final Tenant prefix = nat(Fixtures.tenant("other", 101), mapped("10.0.0.0/29", "198.51.100.0/29"));
        assertThat(check(Fixtures.network(seer, prefix))).extracting(Violation::toString).containsExactly(
            "tenant seer: nat / twice 10.99.0.0/24 / outside-prefix: 198.51.100.0/24 overlaps 198.51.100.0/29 of "
                + "tenant other");
    }

    private static Tenant.PortForward web(final int publicPort, final String address, final int port) {
        return new Tenant.PortForward("web", 6, publicPort, Ipv4.parse(address), port);
    }

    static Stream<Arguments> badTranslations() {
        return Stream.of(
            oneToOne("10.0.0.0/23", "198.51.100.0/23", "inside-prefix", "is shorter than /24"),
            oneToOne("10.0.0.0/30", "198.51.100.0/29", "public-prefix", "is not as long as 10.0.0.0/30"),
            oneToOne("10.0.1.0/30", "198.51.100.0/30", "inside-prefix", "is not in a subnet or route"),
            oneToOne("10.0.0.0/30", "203.0.113.0/30", "public-prefix", "overlaps 203.0.113.0/24 of pool public"),
            oneToOne("10.0.0.0/30", "192.0.2.0/30", "public-prefix", "contains the backbone address 192.0.2.2"),
            oneToOne("10.0.0.0/30", "192.0.2.0/30", "public-prefix", "contains the transit gateway 192.0.2.1"),
            Arguments.of(nat(Fixtures.tenant("t", 100), Fixtures.mapped(
                new Tenant.OneToOne(Prefix.parse("10.0.0.0/30"), Prefix.parse("198.51.100.0/30")),
                new Tenant.OneToOne(Prefix.parse("10.0.0.2/32"), Prefix.parse("198.51.100.9/32")))),
                "nat / one-to-one 10.0.0.2/32 / inside-prefix", "overlaps 10.0.0.0/30"),
            deterministic("10.0.0.0/19", "198.51.100.0/24", "inside-prefix", "is shorter than /20"),
            deterministic("10.0.0.0/24", "198.51.100.0/23", "public-prefix", "has to be 0 to 9 bits longer"),
            deterministic("10.0.0.0/22", "198.51.100.0/32", "public-prefix", "has to be 0 to 9 bits longer"),
            deterministic("10.0.1.0/24", "198.51.100.0/32", "inside-prefix", "is not in a subnet or route"),
            deterministic("10.0.0.0/24", "203.0.113.7/32", "public-prefix", "overlaps 203.0.113.0/24 of pool public"),
            Arguments.of(nat(Fixtures.tenant("t", 100), new Tenant.Nat(Optional.empty(), Optional.of("public"),
                List.of(), List.of(subscribers("10.0.0.0/24", "198.51.100.0/32")), List.of(), List.of(),
                Set.of(Alg.FTP))), "nat / alg", "has no gateway for deterministic"),
            blocks("10.0.0.0/15", "198.51.100.0/32", 512, 4, "inside-prefix", "is shorter than /16"),
            blocks("10.0.1.0/24", "198.51.100.0/32", 512, 4, "inside-prefix", "is not in a subnet or route"),
            blocks("10.0.0.0/24", "198.51.0.0/23", 512, 4, "public-prefix", "is shorter than /24"),
            blocks("10.0.0.0/24", "203.0.113.7/32", 512, 4, "public-prefix", "overlaps 203.0.113.0/24 of pool"),
            blocks("10.0.0.0/24", "198.51.100.0/32", 500, 4, "block-size", "500 is not a power of two from 16 to"),
            blocks("10.0.0.0/24", "198.51.100.0/32", 8, 4, "block-size", "8 is not a power of two"),
            blocks("10.0.0.0/24", "198.51.100.0/32", 32768, 4, "block-size", "32768 is not a power of two"),
            blocks("10.0.0.0/24", "198.51.100.0/32", 512, 0, "most-blocks", "0 is not in 1..4"),
            blocks("10.0.0.0/24", "198.51.100.0/32", 512, 5, "most-blocks", "5 is not in 1..4"),
            Arguments.of(nat(Fixtures.tenant("t", 100), new Tenant.Nat(Optional.empty(), Optional.empty(),
                mapped("10.0.0.8/32", "198.51.100.0/32").oneToOne(), List.of(), List.of(), List.of(),
                Set.of(Alg.FTP))),
                "nat / alg", "needs a public-address or a pool"),
            Arguments.of(nat(Fixtures.tenant("t", 100), Fixtures.mapped(
                new Tenant.OneToOne(Prefix.parse("10.0.0.8/32"), Prefix.parse("198.51.100.9/32")),
                subscribers("10.0.0.0/24", "198.51.100.0/32"))),
                "nat / deterministic 10.0.0.0/24 / inside-prefix", "overlaps 10.0.0.8/32 of one-to-one"),
            forward(web(0, "10.0.0.5", 80), "public-port", "0 is not in 1..65535"),
            forward(web(81, "10.0.0.5", 0), "inside-port", "0 is not in 1..65535"),
            forward(web(80, "10.0.0.6", 80), "public-port", "80 is taken by port-forward first"),
            forward(web(81, "10.0.1.5", 80), "inside-address", "10.0.1.5 is not in a subnet or route of the tenant"),
            forward(web(81, "10.0.0.1", 80), "inside-address", "is the VRF's own gateway"),
            forward(web(81, "10.0.0.9", 80), "inside-address", "has a public address of its own"),
            Arguments.of(nat(Fixtures.tenant("t", 100), new Tenant.Nat(Optional.empty(), Optional.empty(), List.of(),
                List.of(web(81, "10.0.0.5", 80)))), "nat / port-forward web / public-port", "needs a public-address"));
    }

    @ParameterizedTest(name = "{1}: {2}")
    @MethodSource({"badTenants", "badTranslations", "badTwice"})
    void aBadTenantIsNamedWithLeafAndRule(final Tenant tenant, final String leaf, final String rule) {
        assertThat(check(Fixtures.network(tenant))).anySatisfy(violation -> {
            assertThat(violation.entry()).isEqualTo("tenant t");
            assertThat(violation.leaf()).isEqualTo(leaf);
            assertThat(violation.rule()).contains(rule);
        });
    }

    @Test
    void aTenantHasAsManySubnetsAsItsResolverTellsApart() {
        final Tenant.Subnet[] many = IntStream.rangeClosed(0, Constants.MOST_SUBNETS).mapToObj(index ->
            subnet("s" + index, "10.%d.%d.0/24".formatted(index >> 8, index & 0xff),
                "10.%d.%d.1".formatted(index >> 8, index & 0xff))).toArray(Tenant.Subnet[]::new);
        final Tenant none = new Tenant("t", Fixtures.tenant("t", 100).attachments(), List.of(), List.of(),
            Optional.empty(), Optional.empty(), Optional.empty());
        assertThat(check(Fixtures.network(subnets(none, Arrays.copyOf(many, Constants.MOST_SUBNETS))))).isEmpty();
        assertThat(check(Fixtures.network(subnets(none, many)))).singleElement().satisfies(violation -> {
            assertThat(violation.leaf()).isEqualTo("subnet");
            assertThat(violation.rule()).isEqualTo("257 subnets are more than 256");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.0/8", "10.%d.%d.0/24"})
    void aHundredThousandSubnetsAreJudgedByTheirNumber(final String prefix) {
        final Tenant.Subnet[] many = IntStream.range(0, 100_000).mapToObj(index -> subnet("s" + index,
            prefix.formatted(index >> 8 & 0xff, index & 0xff), "10.0.0.1")).toArray(Tenant.Subnet[]::new);
        final Snapshot network = Fixtures.network(subnets(Fixtures.tenant("t", 100), many));
        assertThat(check(network)).singleElement()
            .satisfies(violation -> assertThat(violation.rule()).isEqualTo("100000 subnets are more than 256"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.1", "127.0.0.1", "224.1.1.1", "240.0.0.1", "255.255.255.255"})
    void someAddressesAreOfNoHost(final String address) {
        final Tenant tenant = nat(Fixtures.tenant("t", 100), address(address));
        assertThat(check(Fixtures.network(tenant))).singleElement().satisfies(violation -> {
            assertThat(violation.leaf()).isEqualTo("nat / public-address");
            assertThat(violation.rule()).contains("which is not a prefix for hosts");
        });
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0/0, 10.0.0.1", "127.0.0.0/8, 127.0.0.1", "224.0.0.0/24, 224.0.0.1"})
    void aSubnetIsOfHosts(final String prefix, final String gateway) {
        assertThat(check(Fixtures.network(subnets(Fixtures.tenant("t", 100), subnet("odd", prefix, gateway)))))
            .anySatisfy(violation -> {
                assertThat(violation.leaf()).isEqualTo("subnet odd / prefix");
                assertThat(violation.rule()).contains("which is not a prefix for hosts");
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
            assertThat(violation.rule()).isEqualTo("pool public is exhausted: its size is 256"));
    }

    @Test
    void anAddressGivenByHandIsNotGivenTwice() {
        final Tenant one = nat(Fixtures.tenant("one", 100), address("203.0.113.9"));
        final Tenant two = nat(Fixtures.tenant("two", 101), address("203.0.113.9"));
        assertThat(check(Fixtures.network(one, two))).singleElement()
            .satisfies(violation -> assertThat(violation.rule()).contains("203.0.113.9 is taken by tenant"));
    }

    @Test
    void aPublicPrefixIsNotGivenTwice() {
        final Tenant old = nat(Fixtures.tenant("z-old", 100), mapped("10.0.0.0/29", "198.51.100.0/29"));
        final Allocations allocations = Allocator.allocate(Fixtures.network(old), Allocations.none());
        final Tenant within = nat(Fixtures.tenant("a-new", 101), mapped("10.0.0.7/32", "198.51.100.7/32"));
        assertThat(Validator.validate(Fixtures.network(old, within), allocations)).extracting(Violation::toString)
            .containsExactly("tenant a-new: nat / one-to-one 10.0.0.7/32 / public-prefix: 198.51.100.7/32 overlaps "
                + "198.51.100.0/29 of tenant z-old");
        final Tenant beside = nat(Fixtures.tenant("a-new", 101), mapped("10.0.0.8/32", "198.51.100.8/32"));
        assertThat(Validator.validate(Fixtures.network(old, beside), allocations)).isEmpty();
        final Tenant address = nat(Fixtures.tenant("a-new", 101), address("198.51.100.7"));
        assertThat(Validator.validate(Fixtures.network(old, address), allocations)).extracting(Violation::rule)
            .containsExactly("198.51.100.7 is in 198.51.100.0/29 of tenant z-old");
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

    private static Tenant.Nat mapped(final String inside, final String outside) {
        return new Tenant.Nat(Optional.empty(), Optional.empty(),
            List.of(new Tenant.OneToOne(Prefix.parse(inside), Prefix.parse(outside))), List.of());
    }

    private static Tenant.Nat address(final String address) {
        return new Tenant.Nat(Optional.of(Ipv4.parse(address)), Optional.empty());
    }
}
