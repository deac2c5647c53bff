// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.it.system.RestconfClient.Answer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What users of other roles than the provider's reach of another tenant, and of the controller, over HTTP. */
@Tag("safety")
@Tag("hostile")
@OnSystem
class RolesIT {
    private static final int VLAN = 100;
    private static final String PASSWORD = "a long password";
    private static final String JSON = "application/yang-data+json";
    private static final String RED = "/rests/data/penstock:network/tenant=red";

    /** Method, path and body of requests by the tenant red. */
    private static final List<String> BEYOND = List.of(
        "GET|/rests/data/penstock:network|",
        "GET|/rests/data/penstock:network?fields=tenant/name|",
        "GET|/rests/data?fields=penstock:network|",
        "GET|/rests/data?content=config|",
        "GET|/rests/data/penstock:network/tenant=blue|",
        "GET|/rests/data/penstock:network/tenant=%62lue|",
        "GET|/rests/data/penstock:network/tenant=red/../tenant=blue|",
        "GET|/rests/data/penstock:network/tenant=red/%2e%2e/tenant=blue|",
        "GET|/rests/data/penstock:network/tenant=red;/../tenant=blue|",
        "GET|//rests/data/penstock:network|",
        "GET|/rests/data/penstock-allocation:allocations|",
        "GET|/rests/data/penstock-access:accounts|",
        "DELETE|/rests/data/penstock:network/tenant=red|",
        "DELETE|/rests/data/penstock:network/tenant=blue|",
        "PUT|/rests/data/penstock:network/tenant=red/quota|{'penstock:quota': {'leases': 9}}",
        "PATCH|/rests/data/penstock:network/tenant=red|{'penstock:tenant': [{'name': 'blue', 'quota': {}}]}",
        "PATCH|/rests/data/penstock:network/tenant=red/dns|{'penstock:tenant': [{'name': 'blue', 'quota': {}}]}",
        "PUT|/rests/data/ietf-access-control-list:acls/acl=red:in|{'acl': [{'name': 'blue:in'}]}",
        "POST|/rests/operations/penstock-operations:leases|{'input': {'tenant': 'blue'}}",
        "POST|/rests/operations/penstock-operations:leases|{'input': {'tenant': 'red', 'tenant': 'blue'}}",
        "POST|/rests/operations/penstock-operations:leases|{'input': {}}",
        "POST|/rests/operations/penstock-operations:resync|{'input': {}}",
        "POST|/rests/operations/penstock-access:list-users|",
        "GET|/penstock/events|",
        "GET|/penstock/metrics|",
        "GET|/diagstatus|",
        "GET|/rests/streams/x|",
        "POST|/rests/operations/sal-remote:create-data-change-event-subscription|{}");
    private static final List<String> USED = List.of("/rests/data/penstock:network", "/rests/operations",
        "/rests/streams/x", "/rests/modules/x", "/.well-known/host-meta", "/penstock/events", "/penstock/metrics",
        "/diagstatus");
    private static final List<String> NOT_USED = List.of("/jolokia", "/jolokia/version", "/auth/v1/users", "/moon",
        "/apidoc", "/restconf");

    private final EdgeSystem system;

    RolesIT(final EdgeSystem system) {
        this.system = system;
    }

    @BeforeEach
    void users() {
        system.reset();
        for (final String tenant : List.of("red", "blue")) {
            system.restconf().put(Intent.path(tenant), Intent.tenants(List.of(Intent.tenant(tenant, system.first(),
                VLAN + tenant.length(), Intent.FIRST_POOL))));
        }
        set("red", "'role': 'tenant', 'tenant': ['red']");
        set("op", "'role': 'operator'");
        set("reader", "'role': 'reader'");
    }

    private void set(final String name, final String role) {
        system.restconf().call("penstock-access:set-user", "{'name': '" + name + "', 'is-new': true, 'password': '"
            + PASSWORD + "', " + role + "}");
    }

    @AfterEach
    void noUsers() {
        List.of("red", "op", "reader").forEach(name ->
            system.restconf().call("penstock-access:delete-user", "{'name': '" + name + "'}"));
    }

    private Answer send(final String user, final String method, final String path, final String type,
            final String body) {
        return system.restconf().as(user, PASSWORD).raw(method, path, type,
            body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private String stored() {
        return system.restconf().data("GET", Intent.NETWORK + "?content=config", "").body()
            + system.restconf().data("GET", "ietf-access-control-list:acls?content=config", "").body();
    }

    @Test
    void aTenantReadsAndChangesItsOwn() {
        assertThat(send("red", "GET", RED, JSON, "").isGood()).isTrue();
        assertThat(send("red", "GET", "/rests/data/penstock-state:state/tenant=red", JSON, "").status())
            .isIn(200, 404, 409);
        final Answer list = send("red", "PUT", "/rests/data/ietf-access-control-list:acls/acl=red:in", JSON,
            "{'ietf-access-control-list:acl': [{'name': 'red:in', 'type': 'ietf-access-control-list:ipv4-acl-type'}]}");
        assertThat(list.isGood()).as("%s", list).isTrue();
        final Answer leases = send("red", "POST", "/rests/operations/penstock-operations:leases", JSON,
            "{'penstock-operations:input': {'tenant': 'red'}}");
        assertThat(leases.isGood()).as("%s", leases).isTrue();
        assertThat(send("red", "DELETE", "/rests/data/ietf-access-control-list:acls/acl=red:in", JSON, "").isGood())
            .isTrue();
    }

    /** What `./penstock hosts`, `leases`, `drops`, `limits` and `why` call. */
    @Test
    void aTenantListsItsOwnAndNoOther() {
        for (final String rpc : List.of("learned-hosts", "leases", "flows", "limits", "why")) {
            final String path = "/rests/operations/penstock-operations:" + rpc;
            final Answer own = send("red", "POST", path, JSON, "{'penstock-operations:input': {'tenant': 'red'}}");
            assertThat(own.isGood()).as("%s: %s", rpc, own).isTrue();
            assertThat(own.body()).as(rpc).doesNotContain("blue");
            for (final String input : List.of("{'tenant': 'blue'}", "{}")) {
                final Answer other = send("red", "POST", path, JSON, "{'penstock-operations:input': " + input + "}");
                assertThat(other.status()).as("%s: %s", rpc, other).isEqualTo(403);
                assertThat(other.messages()).contains("one of red").doesNotContain("blue");
            }
        }
    }

    @Test
    void aTenantReachesNothingElse() {
        final String before = stored();
        for (final String request : BEYOND) {
            final String[] parts = request.split("\\|", 3);
            final Answer answer = send("red", parts[0], parts[1], JSON, parts[2]);
            assertThat(answer.status()).as("%s: %s", request, answer).isIn(400, 403);
        }
        assertThat(stored()).isEqualTo(before);
    }

    @Test
    void aTenantSendsNoXml() {
        final Answer answer = send("red", "PUT", RED + "/dns/record=a,A,10.0.0.1", "application/xml",
            "<record xmlns='urn:penstock:network'><name>a</name></record>");
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.messages()).contains("user red, role tenant, path " + RED);
    }

    @Test
    void anOperatorChangesNoNodeAndAReaderNothing() {
        final String node = "/rests/data/penstock:network/node=" + system.first().name();
        for (final String user : List.of("op", "reader")) {
            assertThat(send(user, "GET", node, JSON, "").isGood()).isTrue();
            assertThat(send(user, "DELETE", node, JSON, "").status()).isEqualTo(403);
            assertThat(send(user, "PATCH", "/rests/data/penstock:network", JSON,
                "{'penstock:network': {'node': [{'name': 'x'}]}}").status()).isEqualTo(403);
            assertThat(send(user, "DELETE", "/rests/data/penstock:network", JSON, "").status()).isEqualTo(403);
        }
        assertThat(send("reader", "DELETE", RED, JSON, "").status()).isEqualTo(403);
        assertThat(send("op", "DELETE", RED, JSON, "").isGood()).isTrue();
    }

    /** No page answers a client without login, and none that Penstock does not use answers the provider. */
    @Test
    void onlyWhatIsUsedAnswers() {
        for (final String path : USED) {
            assertThat(system.restconf().as("", "").raw("GET", path, JSON, new byte[0]).status()).as(path)
                .isEqualTo(401);
        }
        for (final String path : NOT_USED) {
            assertThat(system.restconf().as("", "").raw("GET", path, JSON, new byte[0]).status()).as(path)
                .isIn(401, 404);
            assertThat(system.restconf().raw("GET", path, JSON, new byte[0]).status()).as(path).isEqualTo(404);
        }
    }
}
