// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.it.system.RestconfClient.Answer;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Faults of a customer's network, each made with real hosts, and the reason that the controller tells. */
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class WhyIT {
    private static final int VLAN = 181;
    private static final int WRONG_VLAN = 182;
    private static final String TENANT = "puzzled";

    private final EdgeSystem system;
    private final EdgeNode node;
    private final Host host;

    WhyIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        host = node.host(VLAN);
    }

    @BeforeAll
    void reset() {
        system.reset();
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of(
            Intent.function("absent", node, "closed", false))));
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain("guarded", "absent"))));
    }

    @BeforeEach
    void provision() {
        put("");
        host.reaches(EdgeNetwork.SERVER);
    }

    /** Its counters go with it: what a test has had dropped is no fault of the next one. */
    @AfterEach
    void remove() {
        system.restconf().delete(Intent.path(TENANT));
        system.awaitApplied();
    }

    private void put(final String more) {
        system.restconf().put(Intent.path(TENANT), Intent.tenants(List.of(Intent.tenant(TENANT, node, VLAN,
            Intent.FIRST_POOL, more))));
        system.awaitApplied();
    }

    /** The answer to a question. How soon it comes is in {@link WhyScaleIT}. */
    private JsonObject why(final String more) {
        return system.restconf().call("why", "{'tenant': '" + TENANT + "'" + more + "}");
    }

    private static String cause(final JsonObject answer) {
        return answer.get("cause").getAsString();
    }

    private static Stream<JsonObject> steps(final JsonObject answer) {
        return StreamSupport.stream(answer.getAsJsonArray("step").spliterator(), false)
            .map(step -> step.getAsJsonObject());
    }

    /** What packets do not pass; notices are left out, which tests before may have caused. */
    private static List<String> faults(final JsonObject answer) {
        return steps(answer).filter(step -> List.of("fails", "unknown").contains(step.get("verdict").getAsString()))
            .map(step -> step.get("text").getAsString()).toList();
    }

    /** A switch without a core may not answer in the time that a question has, and the next one is answered. */
    private void is(final String cause, final String more, final String... words) {
        is(cause, () -> why(more), words);
    }

    private static void is(final String cause, final Supplier<JsonObject> asked, final String... words) {
        final JsonObject answer = Await.until("the cause is " + cause, asked, each -> cause(each).equals(cause));
        assertThat(answer.get("answer").getAsString()).contains(words);
        assertThat(answer.get("remedy").getAsString()).isNotEmpty();
    }

    private void isNot(final String cause, final String more) {
        Await.until("the cause is not " + cause, () -> cause(why(more)), each -> !each.equals(cause));
    }

    private JsonObject awaitNoFault(final String more) {
        return Await.until("no fault is found", () -> why(more), answer -> faults(answer).isEmpty());
    }

    private static String from(final String host, final String... destination) {
        return ", 'host': '" + host + "'" + (destination.length > 0 ? ", 'destination': '" + destination[0] + "'" : "")
            + (destination.length > 1 ? ", 'port': " + destination[1] : "");
    }

    @Test
    void whereAllIsWellNoFaultIsFound() {
        final JsonObject answer = awaitNoFault(from("10.0.0.5", EdgeNetwork.SERVER, "80"));
        final List<String> texts = steps(answer).map(step -> step.get("text").getAsString()).toList();
        assertThat(texts).anyMatch(text -> text.contains("has learned " + host.mac().strip() + " at attachment lan"))
            .contains("The source is translated to " + system.publicAddress(TENANT) + ".",
                "Next hop " + EdgeNetwork.TRANSIT + " is known to the switch, by uplink up0.");
        List.of("", from(host.mac().strip()), from("lan")).forEach(this::awaitNoFault);
    }

    @Test
    void aHostThatIsOffAndOneThatIsElsewhere() {
        is("host-silent", from("10.0.0.77", EdgeNetwork.SERVER), "No ARP of host 10.0.0.77 was accepted at attachment "
            + "lan");
        is("destination-silent", from("10.0.0.5", "10.0.0.78"), "10.0.0.78 is inside the VRF");
    }

    @Test
    void aWrongVlan() {
        final Host lost = node.network().host(EdgeNode.ACCESS, WRONG_VLAN, "10.0.0.6/24", Intent.GATEWAY);
        lost.doesNotReach(Intent.GATEWAY);
        is("host-silent", from("10.0.0.6"), "No ARP of host 10.0.0.6 was accepted", "port acc0 of node " + node.name()
            + " gets frames with a VLAN that no attachment has", "attachment lan has VLAN " + VLAN);
    }

    @Test
    void aNodeThatReportsDropsNamesTheLastPacket() {
        final String reports = Intent.NETWORK + "/node=" + node.name() + "/drop-reports";
        system.restconf().put(reports, "{'penstock:drop-reports': true}");
        system.awaitApplied();
        try {
            final Host lost = node.network().host(EdgeNode.ACCESS, WRONG_VLAN, "10.0.0.7/24", Intent.GATEWAY);
            lost.doesNotReach(Intent.GATEWAY);
            is("host-silent", from("10.0.0.7"), "the last one reported: port acc0, VLAN " + WRONG_VLAN + ", MAC "
                + lost.mac() + ", 10.0.0.7 to 10.0.0.1, EtherType 0x0806, at 2");
            assertThat(lastDropped("unknown VLAN on acc0")).isEqualTo(lost.mac());
            host.reaches(EdgeNetwork.SERVER);
        } finally {
            system.restconf().delete(reports);
            system.awaitApplied();
        }
        assertThat(lastDropped("unknown VLAN on acc0")).isEmpty();
    }

    /** The sender of the last packet that a flow of the node has dropped; empty if none is known. */
    private String lastDropped(final String label) {
        return StreamSupport.stream(system.restconf().call("flows", "{'drops-only': true, 'node': '" + node.name()
            + "'}").getAsJsonArray("flow").spliterator(), false).map(flow -> flow.getAsJsonObject())
            .filter(flow -> flow.get("label").getAsString().equals(label) && flow.has("last-dropped"))
            .map(flow -> flow.getAsJsonObject("last-dropped").get("source-mac").getAsString())
            .collect(Collectors.joining(" "));
    }

    @Test
    void aForeignSourceAndAnAddressWithoutALease() {
        put("'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', 'pool': [{'first': '10.0.0.100', 'last': '10.0.0.109'}]}]}");
        host.shell().run("ip", "address", "add", "10.99.0.1/32", "dev", Host.DEVICE);
        try {
            host.shell().attempt("ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", "-I", "10.99.0.1",
                EdgeNetwork.SERVER);
        } finally {
            host.shell().run("ip", "address", "del", "10.99.0.1/32", "dev", Host.DEVICE);
        }
        is("foreign-source", "", "A host of tenant " + TENANT, "packets were dropped");
        is("foreign-source", from("10.99.0.1", EdgeNetwork.SERVER), "Address 10.99.0.1 is in no subnet and no route");
        final Host fixed = node.network().host(EdgeNode.ACCESS, VLAN, "10.0.0.103/24", Intent.GATEWAY);
        fixed.doesNotReach(EdgeNetwork.SERVER);
        is("no-lease", from("10.0.0.103", EdgeNetwork.SERVER), "Address 10.0.0.103 belongs to the DHCP pool");
    }

    @Test
    void aPoolThatIsUsedUp() {
        put("'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', 'pool': [{'first': '10.0.0.100', 'last': '10.0.0.100'}]}]}");
        final DhcpClient first = new DhcpClient(node.network().host(EdgeNode.ACCESS, VLAN));
        assertThat(first.udhcpc()).isEqualTo("10.0.0.100");
        final DhcpClient second = new DhcpClient(node.network().host(EdgeNode.ACCESS, VLAN));
        assertThat(second.tryUdhcpc().isGood()).isFalse();
        is("dhcp-pool-empty", "", "The only address of the DHCP pool of subnet 10.0.0.0/24 is in use");
    }

    @Test
    void aListThatForgetsAPort() {
        system.restconf().put(Intent.ACLS + "/acl=web-only", webOnly("web-only"));
        put("'egress-acl': 'web-only'");
        node.network().server().serveTcp(8443);
        host.getsNoTcpAnswer(EdgeNetwork.SERVER, 8443);
        is("list-denies", from("10.0.0.5", EdgeNetwork.SERVER, "8443"), "List web-only of tenant " + TENANT
            + " drops packets from 10.0.0.5 to " + EdgeNetwork.SERVER + ", TCP port 8443: no entry permits them.");
        awaitTraced(from("10.0.0.5", EdgeNetwork.SERVER, "8443"),
            "The trace of the switch agrees: the packet is dropped in table tenant_acl.");
        assertThat(cause(why(from("10.0.0.5", EdgeNetwork.SERVER, "80")))).isNotEqualTo("list-denies");
    }

    @Test
    void aFunctionThatIsDown() {
        put("'chain': 'guarded'");
        host.doesNotReach(EdgeNetwork.SERVER);
        is("function-down", from("10.0.0.5", EdgeNetwork.SERVER), "Function absent is down (absent has no link), and "
            + "its fail policy is closed");
        is("function-down", "", "Function absent is down");
    }

    @Test
    void aRouterInsideThatIsDead() {
        put("'route': [{'prefix': '172.16.0.0/12', 'next-hop': '10.0.0.99'}]");
        is("next-hop-silent", from("10.0.0.5", "172.16.1.1"), "has the next hop 10.0.0.99, which has not answered ARP");
        is("next-hop-silent", "", "10.0.0.99");
    }

    @Test
    void aTransitGatewayThatDiesWhileItIsUsed() {
        final String way = from("10.0.0.5", EdgeNetwork.SERVER, "80");
        isNot("gateway-silent", way);
        final Host transit = node.network().transit();
        transit.shell().run("ip", "link", "set", "dev", Host.DEVICE, "arp", "off");
        try {
            is("gateway-silent", way, "Transit gateway " + EdgeNetwork.TRANSIT + " does not answer ARP on uplink up0 "
                + "of node " + node.name());
            is("gateway-silent", "", "Transit gateway " + EdgeNetwork.TRANSIT);
        } finally {
            transit.shell().run("ip", "link", "set", "dev", Host.DEVICE, "arp", "on");
        }
        isNot("gateway-silent", way);
    }

    @Test
    void aQuotaThatIsReached() {
        put("'quota': {'bandwidth-out': 64}");
        host.shell().attempt("ping", "-n", "-q", "-c", "200", "-i", "0.002", "-W", "1", "-s", "1400",
            EdgeNetwork.SERVER);
        is("limit-reached", "", "has reached its limit out", "64 kilobits/s of packets to the backbone");
    }

    /** The controller repairs such a flow within a minute; it is asked before, or the flow is added again. */
    @Test
    void aFlowThatWasAddedByHand() {
        final String question = from("10.0.0.5", EdgeNetwork.SERVER, "80");
        awaitTraced(question, "The trace of the switch agrees: the packet leaves by port up0.");
        final String flow = "table=" + Table.VRF_ROUTE.number() + ",priority=65535,ip,nw_dst=" + EdgeNetwork.SERVER;
        try {
            is("switch-disagrees", () -> {
                node.ovs().ofctl("add-flow", Constants.BRIDGE, flow + ",actions=drop");
                return why(question);
            }, "The controller finds that packets from 10.0.0.5 to " + EdgeNetwork.SERVER
                + ", TCP port 80 pass, but by the trace of the switch the packet is dropped in table vrf_route");
        } finally {
            node.ovs().ofctl("--strict", "del-flows", Constants.BRIDGE, flow);
        }
        awaitTraced(question, "The trace of the switch agrees: the packet leaves by port up0.");
    }

    /** A busy switch may have no time to trace. */
    private void awaitTraced(final String question, final String text) {
        Await.until(text, () -> steps(why(question)).map(step -> step.get("text").getAsString()).toList(),
            texts -> texts.contains(text));
    }

    @Test
    void anUpstreamThatDoesNotAnswer() {
        put("'dns': {'domain': 'corp.example', 'upstream': [{'address': '10.0.0.98', 'inside': true}]}");
        Await.until("a host asks in vain", () -> {
            host.shell().attempt("dig", "+tries=1", "+timeout=4", "@" + Intent.GATEWAY, "www.elsewhere.example");
            return cause(why(""));
        }, "upstream-silent"::equals);
        is("upstream-silent", "", "Upstream 10.0.0.98 of the resolver of tenant " + TENANT + " on node " + node.name()
            + " did not answer when last asked");
    }

    private void publish(final String more) {
        system.restconf().put(Intent.path(TENANT), Intent.tenants(List.of(Intent.translated(Intent.tenant(TENANT, node,
            VLAN, Intent.FIRST_POOL, more), "{'pool': 'first', 'port-forward': [{'name': 'web', 'protocol': 'tcp', "
            + "'public-port': 80, 'inside-address': '10.0.0.5', 'inside-port': 8080}, {'name': 'gone', 'protocol': "
            + "'tcp', 'public-port': 81, 'inside-address': '10.0.0.76'}]}"))));
        system.awaitApplied();
    }

    private String inbound(final int port) {
        return from(EdgeNetwork.SERVER, system.publicAddress(TENANT), Integer.toString(port)) + ", 'inbound': true";
    }

    @Test
    void connectionsFromOutside() {
        publish("");
        host.serveTcp(8080);
        final Host outside = node.network().server();
        final String published = system.publicAddress(TENANT);
        assertThat(outside.askTcp(published, 80)).isNotEmpty();
        awaitNoFault(inbound(80));
        outside.getsNoTcpAnswer(published, 82);
        is("not-published", inbound(82), published + " is the public address of tenant " + TENANT, "no port forward is "
            + "for TCP port 82", "web (TCP port 80)");
        outside.getsNoTcpAnswer(published, 81);
        is("host-silent", inbound(81), "No ARP of host 10.0.0.76 was accepted");
        system.restconf().put(Intent.ACLS + "/acl=inward", webOnly("inward"));
        publish("'ingress-acl': 'inward'");
        outside.getsNoTcpAnswer(published, 80);
        is("list-denies", inbound(80), "List inward of tenant " + TENANT + " drops packets from " + EdgeNetwork.SERVER
            + " to 10.0.0.5, TCP port 8080: no entry permits them.");
    }

    private static String webOnly(final String name) {
        return """
            {'ietf-access-control-list:acl': [{'name': '%s', 'aces': {'ace': [{'name': 'web',
              'matches': {'ipv4': {'protocol': 6}, 'tcp': {'destination-port': {'operator': 'eq', 'port': 80}}},
              'actions': {'forwarding': 'ietf-access-control-list:accept'}}]}}]}""".formatted(name);
    }

    @Test
    void aCableThatIsRemoved() {
        node.network().nodeSpace().shell().run("ip", "link", "set", EdgeNode.ACCESS, "down");
        try {
            is("port-down", from("10.0.0.5"), "Port acc0 of node " + node.name() + ", where attachment lan is, "
                + "has no link.");
        } finally {
            node.network().nodeSpace().shell().run("ip", "link", "set", EdgeNode.ACCESS, "up");
        }
        host.reaches(EdgeNetwork.SERVER);
        awaitNoFault(from("10.0.0.5"));
    }

    @Test
    void whatWillNotDoIsRefused() {
        for (final String each : List.of("'tenant': 'nobody'|tenant: there is no tenant 'nobody'",
                "'tenant': 'puzzled', 'host': 'printer'|host: 'printer' is no address, and tenant puzzled has no "
                    + "attachment",
                "'tenant': 'puzzled', 'host': 'lan', 'inbound': true|host: 'lan' is no IP address",
                "'tenant': 'puzzled', 'destination': '10.0.0'|destination: '10.0.0' is no IP address",
                "'host': '10.0.0.5'|tenant: is missing")) {
            final Answer answer = system.restconf().operation("why", "{" + each.split("\\|", 2)[0] + "}");
            assertThat(answer.status()).as("%s", answer).isEqualTo(400);
            assertThat(answer.body()).contains(each.split("\\|", 2)[1]);
        }
    }
}
