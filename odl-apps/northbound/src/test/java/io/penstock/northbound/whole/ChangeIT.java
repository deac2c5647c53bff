// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.northbound.whole.DataClient.Answer;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a change must not write, whatever is around it: the error names the entry, the leaf and the rule. */
@OnEdge
@TestInstance(Lifecycle.PER_CLASS)
class ChangeIT {
    private static final int VLAN = 100;
    private static final String HOST_BITS = "has bits of hosts";
    private static final String MISSING = "is missing";
    private static final String ONLY_NODE = "is set by the node alone";

    private final Edge edge;
    private final DummyNode node;

    ChangeIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    /** An entry to refuse, and what the error has to name. */
    private record Bad(String list, String key, String entry, List<String> named) {
        @Override
        public String toString() {
            return String.join(" ", named);
        }
    }

    @BeforeAll
    void reset() {
        edge.reset();
        edge.client().put(Documents.path("resident"), Documents.tenants(List.of(
            Documents.tenant("resident", node.name(), VLAN, Documents.SMALL_POOL))));
    }

    private Bad tenant(final String from, final String to, final String... named) {
        final String good = Documents.tenant("newcomer", node.name(), VLAN + 1, Documents.FIRST_POOL);
        assertThat(good).contains(from);
        return new Bad("tenant", "newcomer", good.replace(from, to),
            Stream.concat(Stream.of("tenant newcomer"), Stream.of(named)).toList());
    }

    private Bad nat(final String nat, final String... named) {
        return tenant("{'pool': '" + Documents.FIRST_POOL + "'}", nat, named);
    }

    private static Bad entry(final String list, final String leaves, final String... named) {
        return new Bad(list, "odd", "{'name': 'odd'" + leaves + "}",
            Stream.concat(Stream.of(list + " odd"), Stream.of(named)).toList());
    }

    private Stream<Bad> missing() {
        return Stream.of(
            tenant(", 'vlan': 101", "", "attachment lan / vlan", MISSING),
            tenant(", 'port': 'acc0'", "", "attachment lan / port", MISSING),
            tenant("'node': '" + node.name() + "',", "", "attachment lan / node", MISSING),
            tenant(", 'gateway': '10.0.0.1'", "", "subnet lan / gateway", MISSING),
            tenant(", 'prefix': '10.0.0.0/24'", "", "subnet lan / prefix", MISSING),
            tenant("'nat':", "'route': [{'prefix': '10.1.0.0/16'}], 'nat':", "route 10.1.0.0/16 / next-hop", MISSING),
            tenant("'nat':", "'chain-rule': [{'name': 'r', 'acl': 'all'}], 'nat':", "chain-rule r / priority", MISSING),
            tenant("'nat':", "'chain-rule': [{'name': 'r', 'priority': 1}], 'nat':", "chain-rule r / acl", MISSING),
            nat("{'one-to-one': [{'inside-prefix': '10.0.0.8/30'}]}",
                "nat / one-to-one 10.0.0.8/30 / public-prefix", MISSING),
            nat("{'pool': 'public', 'port-forward': [{'name': 'web', 'protocol': 'tcp', 'public-port': 80}]}",
                "nat / port-forward web / inside-address", MISSING),
            tenant("'nat':", "'dns': {}, 'nat':", "dns / domain", MISSING),
            tenant("'nat':", "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', 'option': [{'code': 43}]}]}, 'nat':",
                "dhcp / subnet 10.0.0.0/24 / option 43 / type", MISSING, "option 43 / value: is missing"),
            tenant("'nat':", "'ipv6': {'route': [{'prefix': '2001:db8::/48'}]}, 'nat':",
                "ipv6 / route 2001:db8::/48 / next-hop", MISSING),
            entry("function", ", 'node': 'x', 'canary': {}", "canary / version", MISSING,
                "canary / instance: is missing"),
            entry("pool", ", 'notify-pool-usage': {'high-threshold': 9}", "notify-pool-usage / low-threshold", MISSING),
            entry("pool", "", "prefix", MISSING),
            entry("chain", "", "function", MISSING),
            entry("chain", ", 'function': ['mine'], 'branch': {'function': ['mine']}", "branch / at", MISSING),
            entry("function", "", "node", MISSING),
            entry("function", ", 'node': '" + node.name() + "', 'start': {'core': 1}", "start / function", MISSING),
            entry("node", ", 'port': [{'name': 'p'}]", "port p / role", MISSING),
            entry("node", ", 'port': [{'name': 'p', 'role': 'access', 'queue-core': [{'queue': 0}]}]",
                "port p / queue-core 0 / core", MISSING));
    }

    private Stream<Bad> impossible() {
        final String subnet = "'prefix': '10.0.0.0/24', 'gateway': '10.0.0.1'";
        return Stream.of(
            tenant("10.0.0.0/24", "10.0.0.7/24", "subnet lan / prefix", "10.0.0.7/24", HOST_BITS, "10.0.0.0/24"),
            tenant("'nat':", "'route': [{'prefix': '10.1.0.1/16', 'next-hop': '10.0.0.9'}], 'nat':",
                "route 10.1.0.1/16 / prefix", HOST_BITS, "10.1.0.0/16"),
            tenant("'nat':", "'dhcp': {'subnet': [{'prefix': '10.0.0.1/24'}]}, 'nat':", "dhcp / subnet 10.0.0.1/24",
                HOST_BITS),
            tenant("'nat':", "'ipv6': {'subnet': [{'prefix': '2001:db8::1/64'}]}, 'nat':",
                "ipv6 / subnet 2001:db8::1/64 / prefix", HOST_BITS, "2001:db8::"),
            nat("{'twice': [{'seen-prefix': '10.9.0.1/24', 'outside-prefix': '10.5.0.0/24'}]}",
                "nat / twice 10.9.0.1/24 / seen-prefix", HOST_BITS),
            nat("{'one-to-one': [{'inside-prefix': '10.0.0.8/30', 'public-prefix': '192.88.99.1/30'}]}",
                "nat / one-to-one 10.0.0.8/30 / public-prefix", HOST_BITS),
            entry("pool", ", 'prefix': ['198.19.0.1/24']", "prefix", HOST_BITS),
            entry("pool", ", 'prefix': ['198.19.0.0/24'], 'drain': ['198.19.0.1/30']", "drain", HOST_BITS),
            entry("pool", ", 'prefix': ['127.1.0.0/24']", "prefix", "overlaps 127.0.0.0/8"),
            entry("pool", ", 'prefix': ['169.254.7.0/24']", "prefix", "overlaps 169.254.0.0/16"),
            entry("pool", ", 'prefix': ['224.0.5.0/24']", "prefix", "overlaps 224.0.0.0/4"),
            nat("{'public-address': '127.0.0.1'}", "nat / public-address", "overlaps 127.0.0.0/8"),
            nat("{'public-address': '0.0.0.0'}", "nat / public-address", "overlaps 0.0.0.0/8"),
            nat("{'public-address': '169.254.1.1'}", "nat / public-address", "overlaps 169.254.0.0/16"),
            nat("{'public-address': '224.1.1.1'}", "nat / public-address", "overlaps 224.0.0.0/4"),
            nat("{'public-address': '255.255.255.255'}", "nat / public-address", "overlaps 240.0.0.0/4"),
            tenant(subnet, "'prefix': '0.0.0.0/0', 'gateway': '10.0.0.1'", "subnet lan / prefix", "overlaps 0.0.0.0/8"),
            tenant(subnet, "'prefix': '127.0.0.0/8', 'gateway': '127.0.0.1'", "subnet lan", "overlaps 127.0.0.0/8"),
            tenant(subnet, "'prefix': '224.0.0.0/24', 'gateway': '224.0.0.1'", "subnet lan", "overlaps 224.0.0.0/4"),
            tenant(subnet, "'prefix': '169.254.0.0/24', 'gateway': '169.254.0.1'", "subnet lan", "169.254.0.0/16"),
            tenant(subnet, "'prefix': '192.0.2.0/25', 'gateway': '192.0.2.9'", "subnet lan / prefix",
                "overlaps the transit network 192.0.2.0/24 of port up0 of node " + node.name()));
    }

    private Stream<Bad> devices() {
        return Stream.of(
            entry("node", ", 'vhost-user-directory': '/etc'", "vhost-user-directory", ONLY_NODE),
            entry("node", ", 'port': [{'name': 'p', 'role': 'access', 'type': 'dpdk', 'devargs': "
                + "'net_pcap0,tx_pcap=/etc/cron.d/x'}]", "port p / devargs", ONLY_NODE));
    }

    @ParameterizedTest
    @MethodSource({"missing", "impossible", "devices"})
    void isRefused(final Bad bad) {
        for (final String method : List.of("PUT", "PATCH")) {
            final Answer answer = edge.client().data(method, Documents.NETWORK + "/" + bad.list() + "=" + bad.key(),
                Documents.list(bad.list(), List.of(bad.entry())));
            assertThat(answer.isRefusal()).as("%s: %s", method, answer).isTrue();
            assertThat(answer.messages()).contains(bad.named());
        }
        final Answer patch =
            edge.client().data("PATCH", Documents.NETWORK, Documents.patch(bad.list(), List.of(bad.entry())));
        assertThat(patch.messages()).contains(bad.named());
    }

    /** RFC 8519 makes these mandatory. */
    @Test
    void anAccessListWithoutANeededLeafIsRefused() {
        final String entry =
            "{'ietf-access-control-list:acl': [{'name': 'odd', 'aces': {'ace': [{'name': 'e', %s}]}}]}";
        final String ports = "'matches': {'udp': {'source-port': {%s}}}, "
            + "'actions': {'forwarding': 'ietf-access-control-list:drop'}";
        Map.of("'actions': {}", "ace e / actions / forwarding",
            ports.formatted("'operator': 'lte'"), "ace e / matches / udp / source-port / port",
            ports.formatted("'lower-port': 7"), "ace e / matches / udp / source-port / upper-port",
            ports.formatted("'upper-port': 7"), "ace e / matches / udp / source-port / lower-port")
            .forEach((leaves, named) -> List.of("PUT", "PATCH").forEach(method ->
                assertThat(edge.client().data(method, Documents.ACLS + "/acl=odd", entry.formatted(leaves)).messages())
                    .isEqualTo("acl odd: " + named + ": " + MISSING)));
    }

    @Test
    void whatIsUniqueIsJudgedByTheController() {
        final String rule = "{'name': '%s', 'priority': 7, 'acl': '" + Documents.LIST + "'}";
        assertThat(edge.client().data("PATCH", Documents.path("resident"), Documents.tenants(List.of(
            "{'name': 'resident', 'chain-rule': [" + rule.formatted("a") + ", " + rule.formatted("b") + "]}")))
            .messages()).contains("tenant resident: chain-rule b / priority");
    }

    @Test
    void aNeededLeafIsNotRemoved() {
        final Answer answer =
            edge.client().data("DELETE", Documents.path("resident") + "/subnet=lan/gateway", "");
        assertThat(answer.messages()).contains("tenant resident: subnet lan / gateway", MISSING);
    }

    @Test
    void whatANodeSaysOfItsDevicesStays() {
        final String path = Documents.NETWORK + "/node=" + node.name();
        node.announce(",{\"name\": \"nic\", \"role\": \"uplink\", \"type\": \"dpdk\", \"devargs\": \"net_null0\"}");
        Await.until("the port is stored", () -> edge.client().read(path).toString().contains("net_null0"));
        final String stored = edge.client().read(path).toString();
        assertThat(edge.client().data("PUT", path, stored.replace("net_null0", "net_null1")).messages())
            .contains("node " + node.name(), "port nic / devargs", ONLY_NODE);
        assertThat(edge.client().data("PUT", path, stored.replaceAll("user-directory\":\"[^\"]*", "$0x")).messages())
            .contains("node " + node.name(), "vhost-user-directory", ONLY_NODE);
        // As it announced itself it may be written, also after it was removed.
        assertThat(edge.client().data("PUT", path, stored).isGood()).isTrue();
        node.announce("");
        Await.until("the port has gone", () -> !edge.client().read(path).toString().contains("net_null0"));
        assertThat(edge.client().data("PUT", path, stored).messages()).contains("port nic / devargs", ONLY_NODE);
    }
}
