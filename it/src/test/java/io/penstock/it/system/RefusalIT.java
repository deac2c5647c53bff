// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.system.RestconfClient.Answer;
import io.penstock.testkit.Await;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * A refusal of each kind over RESTCONF: the request fails, the error names the entry, the leaf and the rule, nothing is
 * stored, and no flow of any switch is touched. All rules are in {@code RefusalIT} of the engine.
 */
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class RefusalIT {
    private static final int VLAN = 100;

    private final EdgeSystem system;
    private final EdgeNode node;

    RefusalIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    /** A tenant and all that others could collide with, or take away. */
    @BeforeAll
    void configure() {
        system.reset();
        system.restconf().patch(Intent.NETWORK, Intent.patch("function", List.of(
            Intent.function("mine", node, "closed", false))));
        system.restconf().patch(Intent.NETWORK, Intent.patch("chain", List.of(Intent.chain("private", "mine"))));
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(
            Intent.tenant("resident", node, VLAN, Intent.FIRST_POOL, "'chain': 'private'"))));
        system.awaitSync();
        // Flows of the tenants that classes before it removed go when their connections are forgotten.
        system.awaitApplied();
    }

    @Test
    void aBadEntryIsRefusedHoweverItComes() {
        final String bad = Intent.tenant("newcomer", node, VLAN, Intent.FIRST_POOL);
        final String[] named = {"tenant newcomer", "attachment lan / vlan", "taken by tenant resident"};
        untouched(() -> {
            refused("PUT", Intent.path("newcomer"), Intent.tenants(List.of(bad)), named);
            refused("POST", Intent.NETWORK, Intent.tenants(List.of(bad)), named);
            refused("PATCH", Intent.NETWORK, Intent.patch("tenant", List.of(bad)), named);
            assertThat(system.restconf().has(Intent.path("newcomer"))).isFalse();
        });
    }

    @Test
    void aListTheDataPlaneCannotExpressIsRefused() {
        final String path = Intent.ACLS + "/acl=odd";
        untouched(() -> {
            refused("PUT", path, """
                {'ietf-access-control-list:acl': [{'name': 'odd', 'aces': {'ace': [{'name': 'ace1', 'matches': {'ipv4':
                  {'dscp': 46}}, 'actions': {'forwarding': 'ietf-access-control-list:accept'}}]}}]}""",
                "acl odd", "ace ace1", "ipv4/dscp", "cannot express");
            assertThat(system.restconf().has(path)).isFalse();
        });
    }

    @Test
    void aRefusalIsALineOfTheLogWithoutAStack() {
        final int before = system.controller().log().length();
        refused("DELETE", Intent.NETWORK + "/chain=private", "", "there is no chain 'private'");
        refused("PUT", Intent.NETWORK + "/pool=odd",
            "{'penstock:pool': [{'name': 'odd', 'prefix': ['203.0.113.800/30']}]}", "is not an IPv4 prefix");
        Await.until("both are in the log", () -> system.controller().log().substring(before).contains("Refused PUT"));
        assertThat(system.controller().log().substring(before)).contains("Refused a change: ")
            .doesNotContain("\tat ", "Exception");
    }

    @Test
    void whatIsInUseIsNotRemoved() {
        final String path = Intent.NETWORK + "/chain=private";
        untouched(() -> {
            refused("DELETE", path, "", "tenant resident", "chain", "there is no chain 'private'");
            assertThat(system.restconf().has(path)).isTrue();
        });
    }

    private void untouched(final Runnable requests) {
        final List<List<String>> flows = system.nodes().stream().map(EdgeNode::flows).toList();
        final String allocations = system.allocations();
        requests.run();
        assertThat(system.nodes().stream().map(EdgeNode::flows).toList()).isEqualTo(flows);
        assertThat(system.allocations()).isEqualTo(allocations);
    }

    @Test
    void eachViolationIsAnErrorWithItsPath() {
        final String bad = Intent.tenant("newcomer", node, VLAN, "none", "'chain': 'absent'");
        final Answer answer = system.restconf().data("PUT", Intent.path("newcomer"), Intent.tenants(List.of(bad)));
        final String tenant = "/penstock:network/tenant[name='newcomer']";
        assertThat(answer.paths()).as("%s", answer).contains(tenant + "/nat/pool", tenant + "/chain",
            tenant + "/attachment[name='lan']/vlan");
        final Answer deleted = system.restconf().data("DELETE", Intent.NETWORK + "/chain=private", "");
        assertThat(deleted.paths()).as("%s", deleted)
            .containsExactly("/penstock:network/tenant[name='resident']/chain");
    }

    private void refused(final String method, final String path, final String document, final String... named) {
        final Answer answer = system.restconf().data(method, path, document);
        assertThat(answer.isRefusal()).as(method + " " + path + ": " + answer).isTrue();
        assertThat(answer.messages()).as(method + " " + path).contains(named);
    }
}
