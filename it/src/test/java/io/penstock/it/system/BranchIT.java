// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** A chain with a branch, as an operator sees it: web connections pass {@code scrub}, all others {@code post}. */
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class BranchIT {
    private static final String TENANT = "branching";
    private static final int VLAN = 111;
    private static final int WEB = 80;
    private static final int OTHER = 9018;
    private static final List<String> FUNCTIONS = List.of("div", "post", "scrub");

    private final EdgeSystem system;
    private final EdgeNode node;
    private Host host;

    BranchIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeAll
    void provision() {
        system.reset();
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of(
            "{'name': 'div', 'node': '" + node.name() + "', 'second-output': true, 'health-check': {}}",
            Intent.function("post", node, "closed", true), Intent.function("scrub", node, "closed", true))));
        chain("'scrub'");
        system.restconf().put(Intent.path(TENANT), Intent.tenants(List.of(
            Intent.tenant(TENANT, node, VLAN, Intent.FIRST_POOL, "'chain': 'branching'"))));
        host = node.host(VLAN);
        for (final int port : List.of(WEB, OTHER)) {
            node.network().server().serveTcp(port, "PIPE");
        }
        node.functions().start("div", "packet-divert-ct");
        node.functions().start("post", "packet-filter");
        node.functions().start("scrub", "packet-filter");
        FUNCTIONS.forEach(function -> Await.until(function + " is up", () -> system.instance(function, function)
            .get("state").getAsString(), "in-service"::equals));
        system.awaitState(TENANT, "active");
        system.awaitApplied();
        host.reaches(EdgeNetwork.SERVER);
    }

    @AfterAll
    void stopFunctions() {
        FUNCTIONS.forEach(node.functions()::stop);
    }

    private void chain(final String branch) {
        system.restconf().put(Intent.NETWORK + "/chain=branching", Intent.list("chain", List.of("{'name': 'branching', "
            + "'function': ['div', 'post'], 'branch': {'at': 'div', 'function': [" + branch + "]}}")));
    }

    private JsonObject trace(final int from, final int to) {
        return system.restconf().call("chain-trace", ("{'tenant': '%s', 'source-address': '10.0.0.5', "
            + "'destination-address': '%s', 'protocol': 'tcp', 'source-port': %d, 'destination-port': %d}")
            .formatted(TENANT, EdgeNetwork.SERVER, from, to));
    }

    /** The functions of a trace that the switch agrees with, there and back. */
    private static List<String> functions(final JsonObject trace, final String direction) {
        assertThat(trace.get("verdict").getAsString()).as("%s", trace).isEqualTo("agrees");
        return StreamSupport.stream(trace.getAsJsonObject(direction).getAsJsonArray("hop").spliterator(), false)
            .map(hop -> hop.getAsJsonObject().get("function").getAsString()).toList();
    }

    /** What a server says from a port; another test may have one there already that says something else. */
    private String ask(final int from, final int to) {
        return host.shell().run("sh", "-c", "echo hello | socat -t 60 - TCP4:%s:%d,sourceport=%d"
            .formatted(EdgeNetwork.SERVER, to, from)).strip();
    }

    @Test
    void connectionsTakeTheirWayAndATraceTellsIt() {
        try (Capture scrubbed = node.functions().capture("scrub", "inside", "vlan and tcp");
                Capture passed = node.functions().capture("post", "inside", "vlan and tcp")) {
            assertThat(ask(32_001, WEB)).isNotEmpty();
            assertThat(ask(32_002, OTHER)).isNotEmpty();
            assertThat(scrubbed.all()).isNotEmpty().allMatch(frame -> Capture.isOfPort(frame, WEB));
            assertThat(passed.all()).isNotEmpty().allMatch(frame -> Capture.isOfPort(frame, OTHER));
        }
        // Conntrack knows them for a while yet.
        final JsonObject web = trace(32_001, WEB);
        assertThat(functions(web, "outbound")).containsExactly("div", "scrub");
        assertThat(functions(web, "inbound")).containsExactly("scrub", "div");
        final JsonObject other = trace(32_002, OTHER);
        assertThat(functions(other, "outbound")).containsExactly("div", "post");
        assertThat(functions(other, "inbound")).containsExactly("post", "div");
    }

    @Test
    void theBranchIsEditedWhileItIsUsed() {
        chain("");
        try {
            system.awaitApplied();
            try (Capture scrubbed = node.functions().capture("scrub", "inside", "vlan and tcp")) {
                assertThat(ask(32_003, WEB)).isNotEmpty();
                assertThat(scrubbed.all()).isEmpty();
            }
            assertThat(functions(trace(32_003, WEB), "outbound")).containsExactly("div");
        } finally {
            chain("'scrub'");
            system.awaitApplied();
        }
        assertThat(ask(32_004, WEB)).isNotEmpty();
        assertThat(functions(trace(32_004, WEB), "outbound")).containsExactly("div", "scrub");
    }
}
