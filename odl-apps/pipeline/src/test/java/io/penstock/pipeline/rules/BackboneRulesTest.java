// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every rule for uplinks, routes and pools of the backbone, alone, with entry and leaf. */
class BackboneRulesTest {
    private static final Backbone.Interface UPLINK = uplink("edge1", "up0", 0, "192.0.2.0/24", "192.0.2.2");
    private static final Route DEFAULT = route("0.0.0.0/0", "192.0.2.1");
    private static final String ENTRY = "backbone interface edge1/up0 ";

    private static Backbone.Interface uplink(final String node, final String port, final int vlan,
            final String prefix, final String address) {
        return new Backbone.Interface(node, port, vlan, Prefix.parse(prefix), Ipv4.parse(address), Optional.empty());
    }

    private static Route route(final String prefix, final String nextHop) {
        return new Route(Prefix.parse(prefix), Ipv4.parse(nextHop));
    }

    private static Node node(final String name) {
        return new Node(name, "/run/vhost", List.of(new Node.Port("acc0", Node.Role.ACCESS, Node.PortType.SYSTEM, ""),
            new Node.Port("up0", Node.Role.UPLINK, Node.PortType.SYSTEM, ""),
            new Node.Port("up1", Node.Role.UPLINK, Node.PortType.SYSTEM, "")));
    }

    private static List<String> check(final List<Backbone.Interface> uplinks, final List<Route> routes,
            final Pool... pools) {
        return Validator.validate(Snapshot.of(List.of(node("edge1"), node("edge2")), new Backbone(uplinks, routes),
            List.of(pools), List.of(), List.of(), List.of(),
            new ArrayList<>(Fixtures.network().acls().values())), Allocations.none()).stream()
            .map(violation -> violation.entry() + " " + violation.leaf()).toList();
    }

    private static List<String> check(final Backbone.Interface uplink) {
        return check(List.of(uplink), List.of());
    }

    private static Pool pool(final String name, final String... prefixes) {
        return new Pool(name, List.of(prefixes).stream().map(Prefix::parse).toList());
    }

    @Test
    void aGoodBackboneBreaksNoRule() {
        assertThat(check(List.of(UPLINK, uplink("edge1", "up1", 500, "198.18.0.0/31", "198.18.0.0"),
            uplink("edge2", "up0", 0, "192.0.2.0/24", "192.0.2.3")),
            List.of(DEFAULT, route("198.51.100.0/24", "198.18.0.1")), pool("a", "203.0.113.0/25"),
            pool("b", "203.0.113.128/25"))).isEmpty();
    }

    @Test
    void queuesAreThoseOfDpdkPorts() {
        final SortedMap<Integer, Integer> cores = new TreeMap<>(Map.of(0, 1, 2, 1));
        assertThat(queues(Node.PortType.DPDK, new Node.Queues(3, cores))).isEmpty();
        assertThat(queues(Node.PortType.DPDK, new Node.Queues(2, cores))).containsExactly(
            "node edge1: port up0 / queue-core 2: the port has 2 receive queues, 0..1");
        assertThat(queues(Node.PortType.SYSTEM, new Node.Queues(3, cores))).containsExactly(
            "node edge1: port up0 / receive-queues: a port of type system has one receive queue",
            "node edge1: port up0 / queue-core: no polling core reads the queue of a port of type system");
    }

    private static List<String> queues(final Node.PortType type, final Node.Queues queues) {
        final List<Violation> violations = new ArrayList<>();
        NodeRules.check(new Node("edge1", "", List.of(new Node.Port("up0", Node.Role.UPLINK, type, "x", queues))),
            violations);
        return violations.stream().map(Violation::toString).toList();
    }

    @Test
    void anUplinkIsAnUplinkPortOfAKnownNode() {
        assertThat(check(uplink("edge9", "up0", 0, "192.0.2.0/24", "192.0.2.2")))
            .containsExactly("backbone interface edge9/up0 node");
        assertThat(check(uplink("edge1", "up9", 0, "192.0.2.0/24", "192.0.2.2")))
            .containsExactly("backbone interface edge1/up9 port");
        assertThat(check(uplink("edge1", "acc0", 0, "192.0.2.0/24", "192.0.2.2")))
            .containsExactly("backbone interface edge1/acc0 port");
    }

    @ParameterizedTest
    @CsvSource({"-1, false", "0, true", "1, true", "4094, true", "4095, false"})
    void anUplinkIsUntaggedOrOnAVlan(final int vlan, final boolean good) {
        assertThat(check(uplink("edge1", "up0", vlan, "192.0.2.0/24", "192.0.2.2")))
            .isEqualTo(good ? List.of() : List.of(ENTRY + "vlan"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"})
    void theAddressOfAnUplinkIsOfAHostInItsSubnet(final String address) {
        assertThat(check(uplink("edge1", "up0", 0, "192.0.2.0/24", address))).containsExactly(ENTRY + "address");
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.0/30, 192.0.2.1, true", "192.0.2.0/30, 192.0.2.2, true", "192.0.2.0/30, 192.0.2.3, false",
        "192.0.2.0/31, 192.0.2.0, true", "192.0.2.0/31, 192.0.2.1, true", "192.0.2.0/32, 192.0.2.0, true"})
    void aSubnetOfTwoHostsHasNoBroadcastAddress(final String prefix, final String address, final boolean good) {
        assertThat(check(uplink("edge1", "up0", 0, prefix, address)).isEmpty()).isEqualTo(good);
    }

    @Test
    void theSubnetsOfANodeAreApart() {
        assertThat(check(List.of(UPLINK, uplink("edge1", "up1", 0, "192.0.2.128/25", "192.0.2.130")), List.of()))
            .containsExactly("backbone interface edge1/up1 prefix");
        assertThat(check(List.of(UPLINK, uplink("edge1", "up1", 0, "192.0.3.0/24", "192.0.3.2")), List.of()))
            .isEmpty();
    }

    @Test
    void theListOfAnUplinkIsKnown() {
        for (final String name : List.of("web-only", "gone")) {
            final Backbone.Interface listed = new Backbone.Interface("edge1", "up0", 0, UPLINK.prefix(),
                UPLINK.address(), Optional.of(name));
            assertThat(check(listed)).isEqualTo(name.equals("gone") ? List.of(ENTRY + "egress-acl") : List.of());
        }
    }

    @Test
    void aRouteHasOneNextHopOfANodeThatIsNotItsOwnAddress() {
        assertThat(check(List.of(UPLINK), List.of(route("0.0.0.0/0", "198.51.100.1"))))
            .containsExactly("backbone route 0.0.0.0/0 next-hop");
        assertThat(check(List.of(UPLINK), List.of(DEFAULT, route("0.0.0.0/0", "192.0.2.9"))))
            .containsExactly("backbone route 0.0.0.0/0 next-hop");
        assertThat(check(List.of(UPLINK), List.of(route("0.0.0.0/0", "192.0.2.2"))))
            .containsExactly("backbone route 0.0.0.0/0 next-hop");
        assertThat(check(List.of(UPLINK, uplink("edge2", "up0", 0, "198.18.0.0/24", "198.18.0.2")),
            List.of(DEFAULT, route("0.0.0.0/0", "198.18.0.1")))).as("one of each node").isEmpty();
    }

    @Test
    void aRouteIsNotTheSubnetOfAnUplinkOfItsNode() {
        final Backbone.Interface other = uplink("edge2", "up0", 0, "198.18.0.0/24", "198.18.0.2");
        assertThat(check(List.of(UPLINK, other), List.of(route("192.0.2.0/24", "192.0.2.1"))))
            .containsExactly("backbone route 192.0.2.0/24 prefix");
        assertThat(check(List.of(UPLINK, other), List.of(route("198.18.0.0/24", "192.0.2.1"))))
            .as("that of another node").isEmpty();
    }

    @Test
    void poolsAreApartFromEachOtherAndFromTheBackbone() {
        assertThat(check(List.of(UPLINK), List.of(DEFAULT), pool("a", "203.0.113.0/24"), pool("b", "203.0.113.9/32")))
            .containsExactly("pool b prefix");
        assertThat(check(List.of(UPLINK), List.of(DEFAULT), pool("a", "203.0.113.0/24", "203.0.113.0/25")))
            .containsExactly("pool a prefix");
        assertThat(check(List.of(UPLINK), List.of(DEFAULT), pool("a", "192.0.2.2/32")))
            .containsExactly("pool a prefix");
        assertThat(check(List.of(UPLINK), List.of(DEFAULT), pool("a", "192.0.2.1/32")))
            .containsExactly("pool a prefix");
        assertThat(check(List.of(UPLINK), List.of(DEFAULT), pool("a", "192.0.2.3/32"))).isEmpty();
    }
}
