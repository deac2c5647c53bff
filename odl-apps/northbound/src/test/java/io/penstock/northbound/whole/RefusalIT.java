// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.northbound.whole.DataClient.Answer;
import io.penstock.testkit.Documents;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What must be refused: the request fails, the error names the entry, the leaf and the rule, nothing is stored, and no
 * flow of any switch is touched.
 */
@OnEdge
@TestInstance(Lifecycle.PER_CLASS)
class RefusalIT {
    private static final int VLAN = 100;
    /** One more than there may be in a chain. */
    private static final int TOO_LONG = 9;

    private final Edge edge;
    private final DummyNode node;

    RefusalIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    /**
     * Something to refuse.
     *
     * @param list which list of the network the entry is for
     * @param key name of the entry, which must not exist
     * @param entry the entry
     * @param named what the error has to name
     */
    private record Bad(String what, String list, String key, String entry, List<String> named) {
        @Override
        public String toString() {
            return what;
        }
    }

    /**
     * A request to refuse.
     *
     * @param named what the error has to name
     */
    private record BadRequest(String what, String method, String path, String document, List<String> named) {
        @Override
        public String toString() {
            return what;
        }
    }

    /** A tenant and all that others could collide with, or take away. */
    @BeforeEach
    void reset() {
        if (!edge.client().has(Documents.path("resident"))) {
            edge.reset();
            final String network = Documents.NETWORK;
            edge.client().patch(network, Documents.patch("function", List.of(
                Documents.function("mine", node.name(), "closed", false),
                Documents.function("ours", node.name(), "open", true),
                Documents.function("far", edge.second().name(), "open", true))));
            edge.client().patch(network, Documents.patch("chain", List.of(Documents.chain("private", "mine"),
                Documents.chain("common", "ours"), Documents.chain("remote", "far"))));
            edge.client().patch(network, Documents.patch("tenant", List.of(
                Documents.tenant("resident", node.name(), VLAN, Documents.SMALL_POOL,
                    "'chain': 'private', 'egress-acl': '" + Documents.LIST + "'"),
                Documents.tenant("lodger", node.name(), VLAN + 1, Documents.SMALL_POOL))));
            edge.awaitSync();
        }
    }

    private Bad tenant(final String what, final String from, final String to, final String... named) {
        final String good = Documents.tenant("newcomer", node.name(), VLAN + 2, Documents.FIRST_POOL);
        final String bad = good.replace(from, to);
        assertThat(bad).isNotEqualTo(good);
        return new Bad(what, "tenant", "newcomer", bad, Stream.concat(Stream.of("tenant newcomer"),
            Stream.of(named)).toList());
    }

    private Bad nat(final String what, final String nat, final String... named) {
        return tenant(what, "{'pool': '" + Documents.FIRST_POOL + "'}", nat, named);
    }

    private Bad more(final String what, final String leaves, final String... named) {
        return tenant(what, "'nat':", leaves + ", 'nat':", named);
    }

    private Stream<Bad> entries() {
        final String subnet = "'gateway': '10.0.0.1'}";
        final String small = "'pool': '" + Documents.FIRST_POOL;
        final String[] functions = IntStream.range(0, TOO_LONG).mapToObj(each -> "f" + each).toArray(String[]::new);
        return Stream.of(
            tenant("VLAN taken", "'vlan': 102", "'vlan': 100", "attachment lan / vlan", "taken by tenant resident"),
            tenant("VLAN 0", "'vlan': 102", "'vlan': 0", "attachment lan / vlan", "0 is not in 1..4094"),
            tenant("VLAN 4095", "'vlan': 102", "'vlan': 4095", "attachment lan / vlan", "4095 is not in 1..4094"),
            tenant("VLAN 5000", "'vlan': 102", "'vlan': 5000", "attachment lan / vlan", "5000 is not in 1..4094"),
            tenant("overlapping prefixes", subnet, subnet
                + ", {'name': 'more', 'prefix': '10.0.0.128/25', 'gateway': '10.0.0.129'}", "/ prefix",
                "10.0.0.128/25", "10.0.0.0/24", "overlaps"),
            tenant("gateway outside", subnet, "'gateway': '10.0.1.1'}", "subnet lan / gateway",
                "10.0.1.1 is outside its subnet 10.0.0.0/24"),
            tenant("gateway is the network", subnet, "'gateway': '10.0.0.0'}", "subnet lan / gateway", "network or"),
            tenant("unknown node", "'node': '" + node.name() + "'", "'node': 'nowhere'", "attachment lan / node",
                "there is no node 'nowhere'"),
            tenant("unknown port", "'port': 'acc0'", "'port': 'acc9'", "attachment lan / port",
                "no access port 'acc9'"),
            tenant("uplink as access port", "'port': 'acc0'", "'port': 'up0'", "attachment lan / port",
                "no access port 'up0'"),
            more("unknown chain", "'chain': 'none'", "chain", "there is no chain 'none'"),
            more("unknown ACL", "'egress-acl': 'none'", "egress-acl", "there is no acl 'none'"),
            tenant("unknown pool", small, "'pool': 'none", "nat / pool", "there is no pool 'none'"),
            tenant("pool exhausted", small, "'pool': '" + Documents.SMALL_POOL, "nat / pool",
                "pool small is exhausted"),
            tenant("public address taken", "'" + small.substring(1) + "'", "'public-address': '198.51.100.0'",
                "nat / public-address", "198.51.100.0", "allocated to tenant"),
            more("function used twice", "'chain': 'private'", "chain", "function mine is not shared",
                "tenant resident"),
            more("chain on another node", "'chain': 'remote'", "chain", "function far is on node"),
            more("next hop outside", "'route': [{'prefix': '172.16.0.0/12', 'next-hop': '10.9.9.9'}]",
                "route 172.16.0.0/12 / next-hop", "10.9.9.9 is not in a subnet"),
            nat("NAT to nothing", "{}", "nat", "needs a public-address, a pool, one-to-one, deterministic or"),
            nat("one-to-one of another length", "{'one-to-one': [{'inside-prefix': '10.0.0.8/30', "
                + "'public-prefix': '192.88.99.0/29'}]}", "one-to-one 10.0.0.8/30 / public-prefix", "as long as"),
            nat("one-to-one in a pool", "{'one-to-one': [{'inside-prefix': '10.0.0.8/32', "
                + "'public-prefix': '198.51.100.1/32'}]}", "one-to-one 10.0.0.8/32 / public-prefix", "of pool small"),
            nat("one-to-one to nothing", "{'one-to-one': [{'inside-prefix': '10.0.0.8/32'}]}",
                "one-to-one 10.0.0.8/32 / public-prefix", "is missing"),
            nat("block of no power of two", "{'port-block': [{'inside-prefix': '10.0.0.0/25', "
                + "'public-prefix': '192.88.99.0/32', 'block-size': 500}]}",
                "port-block 10.0.0.0/25 / block-size", "500 is not a power of two"),
            nat("port forward out of the VRF", "{'pool': '" + Documents.FIRST_POOL
                + "', 'port-forward': [{'name': 'web', 'protocol': 'tcp', 'public-port': 80, "
                + "'inside-address': '10.0.1.5'}]}",
                "port-forward web / inside-address", "10.0.1.5 is not in a subnet or route"),
            nat("port forward from port 0", "{'pool': '" + Documents.FIRST_POOL
                + "', 'port-forward': [{'name': 'web', 'protocol': 'tcp', 'public-port': 0, "
                + "'inside-address': '10.0.0.5'}]}",
                "port-forward web / public-port", "0 is not in 1..65535"),
            nat("twice NAT without a source", "{'twice': [{'seen-prefix': '10.99.0.0/24', "
                + "'outside-prefix': '10.0.0.0/24'}]}", "nat", "needs a public-address, a pool"),
            nat("twice NAT into a subnet", "{'pool': '" + Documents.FIRST_POOL + "', 'twice': [{'seen-prefix': "
                + "'10.0.0.0/25', 'outside-prefix': '10.5.0.0/25'}]}", "nat / twice 10.0.0.0/25 / seen-prefix",
                "overlaps 10.0.0.0/24 of subnet lan"),
            nat("twice NAT of another length", "{'pool': '" + Documents.FIRST_POOL + "', 'twice': [{'seen-prefix': "
                + "'10.99.0.0/24', 'outside-prefix': '10.0.0.0/25'}]}", "nat / twice 10.99.0.0/24 / outside-prefix",
                "is not as long as"),
            nat("twice NAT of no prefix", "{'pool': '" + Documents.FIRST_POOL + "', 'twice': [{'seen-prefix': "
                + "'10.99.0.0/24', 'outside-prefix': '10.0.0.0/33'}]}", "nat / twice 10.99.0.0/24 / outside-prefix",
                "'10.0.0.0/33' is not an IPv4 prefix"),
            tenant("unknown attachment of a subnet", subnet, "'gateway': '10.0.0.1', 'attachment': ['attic']}",
                "subnet lan / attachment", "no attachment 'attic'"),
            new Bad("chain too long", "chain", "endless", Documents.chain("endless", functions),
                List.of("chain endless", "function", "more than 8")),
            new Bad("chain of unknown functions", "chain", "dream", Documents.chain("dream", "ghost"),
                List.of("chain dream", "function", "there is no function 'ghost'")),
            new Bad("function on an unknown node", "function", "lost",
                "{'name': 'lost', 'node': 'nowhere'}", List.of("function lost", "node", "nowhere")),
            new Bad("core of an instance without a start", "function", "fw9", "{'name': 'fw9', 'node': '"
                + node.name() + "', 'instance': [{'name': 'fw8', 'core': 1}]}",
                List.of("function fw9", "instance fw8 / core", "needs start")),
            new Bad("canary without probes", "function", "fw9", "{'name': 'fw9', 'node': '" + node.name()
                + "', 'instance': [{'name': 'fw7'}, {'name': 'fw8'}], 'canary': {'version': '2', 'instance': ['fw6']}}",
                List.of("function fw9", "canary: needs health-check", "canary / instance: there is no instance 'fw6'",
                    "known: fw7, fw8")));
    }

    private Bad dhcp(final String what, final String leaves, final String... named) {
        return more(what, "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', " + leaves + "}]}", named);
    }

    private Stream<Bad> services() {
        final String lan = "dhcp / subnet 10.0.0.0/24 / ";
        return Stream.of(
            more("DHCP where the tenant is not", "'dhcp': {'subnet': [{'prefix': '10.7.0.0/24'}]}",
                "dhcp / subnet 10.7.0.0/24 / prefix", "is neither the prefix of a subnet"),
            more("DHCP for no prefix", "'dhcp': {'subnet': [{'prefix': 'lan'}]}", "dhcp / subnet lan / prefix",
                "'lan' is not an IPv4 prefix"),
            dhcp("pool outside", "'pool': [{'first': '10.0.0.9', 'last': '10.0.1.9'}]", lan + "pool 10.0.0.9 / last",
                "10.0.1.9 is outside its subnet"),
            dhcp("pool without an end", "'pool': [{'first': '10.0.0.9'}]", lan + "pool 10.0.0.9 / last",
                "is missing"),
            dhcp("reservation of no MAC address", "'reservation': [{'address': '10.0.0.9', 'mac': 'printer'}]",
                lan + "reservation 10.0.0.9 / mac", "'printer' is not a MAC address"),
            dhcp("reservation without a client", "'reservation': [{'address': '10.0.0.9'}]",
                lan + "reservation 10.0.0.9 / mac", "exactly one of mac, attachment and circuit-id"),
            dhcp("the protocol's own option", "'option': [{'code': 53, 'type': 'uint8', 'value': '1'}]",
                lan + "option 53 / code", "53 is the protocol's own"),
            dhcp("short lease", "'lease-time': 5", lan + "lease-time", "5 is not in 60.."),
            more("record of no address", "'dns': {'domain': 'example.net', 'record': [{'name': 'www', 'type': 'A', "
                + "'data': 'here'}]}", "dns / record www A / data", "'here' is not an IPv4 address"),
            more("records in no zone", "'dns': {'record': [{'name': 'www', 'type': 'A', 'data': '10.0.0.5'}]}",
                "dns / domain", "is missing"),
            more("upstream by name", "'dns': {'upstream': [{'address': 'dns.example.net'}]}",
                "dns / upstream dns.example.net / address", "is not an IP address"),
            more("unknown ingress ACL", "'ingress-acl': 'none'", "ingress-acl", "there is no acl 'none'"),
            more("stateful without a list", "'stateful': true", "stateful", "needs an egress-acl"),
            more("too few sessions", "'quota': {'sessions': 1}", "quota / sessions", "1 is not in 16.."),
            more("too much bandwidth", "'quota': {'bandwidth-in': 4000000000}", "quota / bandwidth-in",
                "4000000000 is not in 64..400000000"));
    }

    @Test
    void aResolverOfTheProviderIsAnAddress() {
        untouched(() -> refused("PUT", Documents.NETWORK + "/resolver",
            "{'penstock:resolver': {'upstream': ['dns.example.net']}}",
            List.of("resolver", "upstream", "'dns.example.net' is not an IP address")));
    }

    @ParameterizedTest
    @MethodSource({"entries", "services"})
    void aBadEntryIsRefusedHoweverItComes(final Bad bad) {
        final String entries = Documents.list(bad.list(), List.of(bad.entry()));
        final String path = Documents.NETWORK + "/" + bad.list() + "=" + bad.key();
        untouched(() -> {
            refused("PUT", path, entries, bad.named());
            refused("POST", Documents.NETWORK, entries, bad.named());
            refused("PATCH", Documents.NETWORK, Documents.patch(bad.list(), List.of(bad.entry())), bad.named());
            assertThat(edge.client().has(path)).isFalse();
        });
    }

    private static String ace(final String matches) {
        return ace(matches, "accept");
    }

    private static String ace(final String matches, final String forwarding) {
        return "{'ietf-access-control-list:acl': [{'name': 'odd', 'aces': {'ace': [{'name': 'ace1', 'matches': {"
            + matches + "}, 'actions': {'forwarding': 'ietf-access-control-list:" + forwarding + "'}}]}}]}";
    }

    private static Stream<BadRequest> lists() {
        final Function<String, Function<String, Function<String, BadRequest>>> list = what -> document -> leaf ->
            new BadRequest(what, "PUT", Documents.ACLS + "/acl=odd", document,
                List.of("acl odd", "ace ace1", leaf, "cannot express"));
        return Stream.of(
            list.apply("IPv6 flow label").apply(ace("'ipv6': {'flow-label': 7}")).apply("ipv6/flow-label"),
            list.apply("DSCP").apply(ace("'ipv4': {'dscp': 46}")).apply("ipv4/dscp"),
            list.apply("TCP flags").apply(ace("'tcp': {'flags': 'syn'}")).apply("tcp/flags"),
            list.apply("reject").apply(ace("'ipv4': {'protocol': 6}", "reject")).apply("forwarding reject"),
            list.apply("neq").apply(ace("'tcp': {'destination-port': {'operator': 'neq', 'port': 80}}"))
                .apply("operator neq"),
            list.apply("MAC address").apply(ace("'eth': {'source-mac-address': '02:00:00:00:00:01'}"))
                .apply("eth/source-mac-address"));
    }

    @ParameterizedTest
    @MethodSource("lists")
    void aListTheDataPlaneCannotExpressIsRefused(final BadRequest bad) {
        untouched(() -> {
            refused(bad.method(), bad.path(), bad.document(), bad.named());
            assertThat(edge.client().has(bad.path())).isFalse();
            // As an entry of a list that is in use.
            final String used = bad.document().replace("'odd'", "'" + Documents.LIST + "'");
            refused("PUT", Documents.ACLS + "/acl=" + Documents.LIST, used,
                List.of("acl " + Documents.LIST, "ace ace1"));
        });
    }

    @Test
    void aRangeUpsideDownIsRefused() {
        // RFC 8519 has a must statement for it, which the datastore does not check.
        untouched(() -> refused("PUT", Documents.ACLS + "/acl=odd",
            ace("'tcp': {'destination-port': {'lower-port': 90, 'upper-port': 80}}"), List.of("port")));
        assertThat(edge.client().has(Documents.ACLS + "/acl=odd")).isFalse();
    }

    private Stream<BadRequest> removals() {
        final String network = Documents.NETWORK;
        return Stream.of(
            new BadRequest("node", "DELETE", network + "/node=" + node.name(), "",
                List.of("tenant resident", "attachment lan / node", node.name())),
            new BadRequest("port", "DELETE", network + "/node=" + node.name() + "/port=acc0", "",
                List.of("tenant resident", "attachment lan / port", "acc0")),
            new BadRequest("chain", "DELETE", network + "/chain=private", "",
                List.of("tenant resident", "chain", "there is no chain 'private'")),
            new BadRequest("pool", "DELETE", network + "/pool=small", "",
                List.of("tenant resident", "nat / pool", "there is no pool 'small'")),
            new BadRequest("list", "DELETE", Documents.ACLS + "/acl=" + Documents.LIST, "",
                List.of("tenant resident", "egress-acl", "there is no acl '" + Documents.LIST + "'")),
            new BadRequest("function", "DELETE", network + "/function=mine", "",
                List.of("chain private", "function", "there is no function 'mine'")));
    }

    @ParameterizedTest
    @MethodSource("removals")
    void whatIsInUseIsNotRemoved(final BadRequest bad) {
        untouched(() -> {
            refused(bad.method(), bad.path(), bad.document(), bad.named());
            assertThat(edge.client().has(bad.path())).isTrue();
        });
    }

    @Test
    void aGoodEntryBesideABadOneIsNotStoredEither() {
        final String good = Documents.tenant("good", node.name(), VLAN + 3, Documents.FIRST_POOL);
        final String bad = Documents.tenant("bad", node.name(), VLAN, Documents.FIRST_POOL);
        untouched(() -> refused("PATCH", Documents.NETWORK, Documents.patch("tenant", List.of(good, bad)),
            List.of("tenant bad", "vlan", "resident")));
        assertThat(edge.client().has(Documents.path("good"))).isFalse();
        assertThat(edge.client().has(Documents.path("bad"))).isFalse();
    }

    @Test
    void twoNewcomersOnOneVlanAreRefused() {
        untouched(() -> refused("PATCH", Documents.NETWORK, Documents.patch("tenant", List.of(
            Documents.tenant("one", node.name(), VLAN + 4, Documents.FIRST_POOL),
            Documents.tenant("two", node.name(), VLAN + 4, Documents.FIRST_POOL))),
            List.of("tenant two", "vlan", "tenant one")));
    }

    @Test
    void aChangeForTheWorseIsRefusedAndTheOldStays() {
        final String before = edge.client().read(Documents.path("resident")).toString();
        untouched(() -> refused("PUT", Documents.path("resident"), Documents.tenants(List.of(
            Documents.tenant("resident", node.name(), VLAN + 1, Documents.SMALL_POOL))),
            List.of("vlan", "taken by tenant")));
        assertThat(edge.client().read(Documents.path("resident"))).hasToString(before);
    }

    private void untouched(final Runnable requests) {
        final List<List<String>> flows = edge.nodes().stream().map(DummyNode::flows).toList();
        final String allocations = edge.allocations();
        requests.run();
        assertThat(edge.nodes().stream().map(DummyNode::flows).toList()).isEqualTo(flows);
        assertThat(edge.allocations()).isEqualTo(allocations);
    }

    private void refused(final String method, final String path, final String document, final List<String> named) {
        final Answer answer = edge.client().data(method, path, document);
        assertThat(answer.isRefusal()).as(method + " " + path + ": " + answer).isTrue();
        assertThat(answer.messages()).as(method + " " + path).contains(named);
    }
}
