// SPDX-License-Identifier: Apache-2.0
package io.penstock.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("hostile")
@Tag("safety")
class AccessTest {
    private static final String JSON = "application/yang-data+json";
    private static final String PATCH = "application/yang-patch+json";
    private static final String NETWORK = "/rests/data/penstock:network";
    private static final String RED = NETWORK + "/tenant=red";
    private static final String LISTS = "/rests/data/ietf-access-control-list:acls";
    private static final String CALLS = "/rests/operations/penstock-operations:";

    private final Access access = new Access();

    private static User user(final Role role) {
        return new User("u", role, role == Role.TENANT ? Set.of("red", "rouge") : Set.of());
    }

    private boolean may(final Role role, final String method, final String path, final String type,
            final String body) {
        return access.refusal(user(role), new Call(method, path, type, body.getBytes(StandardCharsets.UTF_8)))
            .isEmpty();
    }

    private boolean may(final Role role, final String method, final String path) {
        return may(role, method, path, "", "");
    }

    private boolean changes(final Role role, final String method, final String path, final String body) {
        return may(role, method, path, JSON, body.replace('\'', '"'));
    }

    /** The table of docs/access.md. The letters are provider, operator, tenant and reader, those that may. */
    @ParameterizedTest
    @CsvSource({
        "/rests/data/penstock:network, por", "/rests/data/penstock:network/node=edge1, por",
        "/rests/data/penstock:network/tenant=red, port", "/rests/data/penstock:network/tenant=red/nat, port",
        "/rests/data/penstock:network/penstock:tenant=rouge/, port", "/rests/data/penstock:network/tenant=blue, por",
        "/rests/data/penstock:network/tenant, por", "/rests/data/penstock-state:state, por",
        "/rests/data/penstock-state:state/tenant=red, port", "/rests/data/penstock-state:state/tenant=blue, por",
        "/rests/data/ietf-access-control-list:acls, por", "/rests/data/ietf-access-control-list:acls/acl=red:in, port",
        "/rests/data/ietf-access-control-list:acls/acl=red%3Ain, port",
        "/rests/data/ietf-access-control-list:acls/acl=red, por",
        "/rests/data/ietf-access-control-list:acls/acl=blue:in, por",
        "/rests/data/penstock-allocation:allocations, p", "/rests/data/aaa-cert:aaa-cert-service-config, p",
        "/rests/data/opendaylight-inventory:nodes, p", "/rests/data, ''", "/rests/data/, ''",
        "/rests/data/penstock-access:accounts, ''", "/rests/data/penstock-access:accounts/user=op, ''",
        "/rests/data/ietf-yang-library:modules-state, por", "/rests/operations, por", "/rests/streams/x, p",
        "/rests/notif/x, p", "/penstock/events, por", "/penstock/metrics, por", "/diagstatus, por",
        "/.well-known/host-meta, port",
        "/jolokia/version, p", "/auth/v1/users, p", "/, p", "/rests, p", "/rests/modules/penstock-access, por"})
    void whoReadsWhat(final String path, final String roles) {
        assertThat(Stream.of(Role.values()).filter(role -> may(role, "GET", path)).map(role -> role.text().charAt(0)))
            .containsExactlyInAnyOrderElementsOf(roles.chars().mapToObj(each -> (char) each).toList());
        assertThat(Stream.of(Role.values()).filter(role -> may(role, "HEAD", path)).count())
            .isEqualTo(roles.length());
    }

    @ParameterizedTest
    @CsvSource({
        "/rests/data/penstock:network, p", "/rests/data/penstock:network/node=edge1, p",
        "/rests/data/penstock:network/penstock:node=edge1/port=p, p", "/rests/data/penstock:network/%6eode=edge1, p",
        "/rests/data/penstock:network/pool=p, po", "/rests/data/penstock:network/backbone, po",
        "/rests/data/penstock:network/tenant=red, po", "/rests/data/penstock:network/tenant=red/quota, po",
        "/rests/data/penstock:network/tenant=red/nat, po", "/rests/data/penstock:network/tenant=red/attachment=a, po",
        "/rests/data/penstock:network/tenant=red/nat/port-forward=web, pot",
        "'/rests/data/penstock:network/tenant=red/dns/record=www,a,10.0.0.1', pot",
        "/rests/data/penstock:network/tenant=red/dns, po", "/rests/data/penstock:network/tenant=red/egress-acl, po",
        "/rests/data/penstock:network/tenant=blue/nat/port-forward=web, po",
        "/rests/data/ietf-access-control-list:acls, po", "/rests/data/ietf-access-control-list:acls/acl=red:in, pot",
        "/rests/data/ietf-access-control-list:acls/acl=red:in/aces/ace=1, pot",
        "/rests/data/ietf-access-control-list:acls/acl=redder:in, po",
        "/rests/data/ietf-access-control-list:acls/acl=red, po", "/rests/data/penstock-allocation:allocations, p",
        "/rests/data/penstock-access:accounts/user=u, ''", "/rests/data, ''", "/rests/data/aaa:authorization, p"})
    void whoDeletesWhat(final String path, final String roles) {
        assertThat(Stream.of(Role.values()).filter(role -> may(role, "DELETE", path))
            .map(role -> role.text().charAt(0)))
            .containsExactlyInAnyOrderElementsOf(roles.chars().mapToObj(each -> (char) each).toList());
    }

    @ParameterizedTest
    @CsvSource({"status, po", "verify, po", "resync, po", "wait-applied, po", "nat-usage, po", "nat-preview, po",
        "port-statistics, po", "leases, pot", "lease-release, pot", "chain-trace, pot", "learned-hosts, pot",
        "dhcp-messages, pot", "flows, pot", "limits, pot", "why, pot", "capture, po",
        "unknown, p"})
    void whoCallsWhat(final String operation, final String roles) {
        assertThat(Stream.of(Role.values()).filter(role ->
                changes(role, "POST", CALLS + operation, "{'penstock-operations:input':{'tenant':'red'}}"))
            .map(role -> role.text().charAt(0)))
            .containsExactlyInAnyOrderElementsOf(roles.chars().mapToObj(each -> (char) each).toList());
        assertThat(changes(Role.TENANT, "POST", CALLS + operation, "{'input':{'tenant':'blue'}}")).isFalse();
    }

    /** It names accounts and addresses of the provider. */
    @ParameterizedTest
    @EnumSource(Role.class)
    void whoReadsTheHistory(final Role role) {
        assertThat(changes(role, "POST", "/rests/operations/penstock-access:history",
            "{'input':{'kind':'tenant','name':'red','tenant':'red'}}"))
            .isEqualTo(role == Role.PROVIDER || role == Role.OPERATOR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "[]", "{'input':{}}", "{'input':{'tenant':'blue'}}",
        "{'input':{'tenant':['red','blue']}}", "{'input':{'tenant':'red','tenant':'blue'}}",
        "{'input':{'tenant':'red','penstock-operations:tenant':'blue'}}", "{'input':{'tenant':'red '}}",
        "{'input':{'tenant':'red'},'input':{}}", "{'input':{'tenant':'red'},'penstock-operations:input':{}}",
        "{'input':{'tenant':'red'}}{'input':{}}", "{'input':{'tenant':{'tenant':'red'}}}", "{'input':['tenant','red']}",
        "{'input':{'Tenant':'red'}}", "{input:{tenant:red}}"})
    void anInputThatDoesNotNameOneTenantOfTheUserIsRefused(final String body) {
        assertThat(changes(Role.TENANT, "POST", CALLS + "leases", body)).isFalse();
    }

    @Test
    void aRefusalNamesTheTenantsOfTheAccountAndNoOther() {
        assertThat(access.refusal(user(Role.TENANT), new Call("POST", CALLS + "leases", JSON,
            "{\"input\":{\"tenant\":\"blue\"}}".getBytes(StandardCharsets.UTF_8)))).hasValue("the input, in JSON, has "
            + "to name a tenant of the account in the leaf tenant, one of red, rouge");
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/xml", "application/yang-data+xml", "text/plain", "",
        "application/xml;application/json", "application/yang-data+json2"})
    void restrictedRolesSendJson(final String type) {
        assertThat(may(Role.TENANT, "POST", CALLS + "leases", type, "{\"input\":{\"tenant\":\"red\"}}")).isFalse();
        assertThat(may(Role.OPERATOR, "PUT", NETWORK + "/pool=p", type, "{\"pool\":[{\"name\":\"p\"}]}")).isFalse();
        assertThat(may(Role.PROVIDER, "PUT", NETWORK + "/pool=p", type, "")).isTrue();
    }

    @Test
    void parametersOfATypeDoNotMatter() {
        assertThat(may(Role.OPERATOR, "PUT", NETWORK + "/pool=p", "Application/YANG-data+JSON; charset=utf-8",
            "{\"pool\":[{\"name\":\"p\"}]}")).isTrue();
    }

    /** Spellings that a server may read as another path, and such as are none. */
    @ParameterizedTest
    @ValueSource(strings = {NETWORK + "/tenant=red/../tenant=blue", NETWORK + "/tenant=red/%2e%2e/tenant=blue",
        NETWORK + "/./tenant=red", NETWORK + "//tenant=red", NETWORK + "/tenant=red//", "//rests/data",
        NETWORK + ";x=/tenant=red", NETWORK + "/tenant=red;/../tenant=blue", NETWORK + "/tenant=red%",
        NETWORK + "/tenant=%zz", NETWORK + "/tenant=red%00", NETWORK + "/tenant=%ff", NETWORK + "/tenant=r\\ed",
        NETWORK + "/tenant=%c0%ae", "rests/data", "*", "", NETWORK + "/=red", NETWORK + "/tenant=red%0d%0a"})
    void anotherSpellingIsRefusedToAll(final String path) {
        assertThat(access.isCanonical(new Call("GET", path, "", new byte[0]))).isFalse();
        for (final Role role : Role.values()) {
            assertThat(may(role, "GET", path)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {NETWORK + "/tenant=red,blue", NETWORK + "/tenant=red%2Cblue", NETWORK + "/tenant=",
        NETWORK + "/tenant=red%2F..%2Ftenant=blue", NETWORK + "/tenant%3Dred", NETWORK + "/tenant=RED",
        NETWORK + "/Tenant=red", "/rests/data/penstock:Network/tenant=red", "/rests/data/network/tenant=red",
        "/rests/data/penstock:network%2Ftenant=red", "/RESTS/data/penstock:network/tenant=red",
        "/rests/data/penstock:network=x/tenant=blue", "/rests/data/other:network/tenant=red",
        "/rests/operations/penstock:network/tenant=red", "/rests/data/penstock:network/tenant=%2572ed",
        "/rests/data/ietf-access-control-list:acls/acl=red:in,x"})
    void aPathThatIsNotATenantsOwnIsRefused(final String path) {
        assertThat(may(Role.TENANT, "GET", path)).isFalse();
    }

    @Test
    void encodedLettersAreTheLettersThatTheyStandFor() {
        assertThat(may(Role.TENANT, "GET", NETWORK + "/tenant=r%65d")).isTrue();
        assertThat(may(Role.TENANT, "GET", NETWORK + "/tenant=%62lue")).isFalse();
        assertThat(may(Role.OPERATOR, "DELETE", "/rests/data/penstock%3Anetwork/%6Eode=x")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "POST|/nat|{'penstock:port-forward':[{'name':'w'}]}|true", "POST|/nat|{'penstock:twice':[{}]}|false",
        "POST||{'penstock:nat':{}}|false", "POST|/dns|{'record':[{'name':'w'}]}|true",
        "POST|/dns|{'upstream':[{}]}|false", "POST|/dns|{'record':[{}],'upstream':[{}]}|false",
        "PATCH|/dns|{'penstock:dns':{'record':[]}}|true",
        "PATCH|/dns|{'penstock:dns':{'record':[],'domain':'x'}}|false",
        "PATCH|/dns|{'penstock:nat':{'record':[]}}|false", "PATCH|/dns|{'dns':{'@record':[]}}|false",
        "PATCH||{'penstock:tenant':[{'name':'red','nat':{'port-forward':[]}}]}|false",
        "PUT|/nat|{'nat':{'port-forward':[]}}|false", "PUT|/nat/port-forward=w|{'port-forward':[{'name':'w'}]}|true",
        "PUT|/nat/port-forward=w|{'quota':{'leases':9}}|false", "PUT|/nat/port-forward=w|{}|false",
        "PATCH|/nat/port-forward=w|{'port-forward':[{'name':'w'}]}|true",
        "PATCH|/nat/port-forward=w|{'tenant':[{'name':'blue'}]}|false", "MOVE|/nat/port-forward=w|{'a':1}|false",
        "PUT|/quota|{'quota':{'leases':9}}|false", "PUT|/attachment=a|{'attachment':[{'name':'a'}]}|false"})
    void changesByATenant(final String method, final String path, final String body, final boolean granted) {
        assertThat(changes(Role.TENANT, method, RED + (path == null ? "" : path), body)).isEqualTo(granted);
    }

    /** The path is a tenant's own, and the body another's. */
    @Test
    void aListIsNotRenamedByItsBody() {
        final String path = LISTS + "/acl=red:in";
        assertThat(changes(Role.TENANT, "PUT", path, "{'acl':[{'name':'red:in','aces':{}}]}")).isTrue();
        for (final String method : Set.of("PUT", "PATCH")) {
            assertThat(changes(Role.TENANT, method, path, "{'acl':[{'name':'blue:in'}]}")).isFalse();
            assertThat(changes(Role.TENANT, method, path, "{'acl':{'name':'blue:in'}}")).isFalse();
            assertThat(changes(Role.TENANT, method, path, "{'acl':[{'name':'red:in'},{'name':'blue:in'}]}")).isFalse();
            assertThat(changes(Role.TENANT, method, path,
                "{'acl':[{'name':'red:in','ietf-access-control-list:name':'blue:in'}]}")).isFalse();
        }
        assertThat(changes(Role.TENANT, "POST", LISTS, "{'acl':[{'name':'red:in'}]}")).isFalse();
        assertThat(changes(Role.TENANT, "PATCH", LISTS, "{'acls':{'acl':[{'name':'red:in'}]}}")).isFalse();
        assertThat(changes(Role.OPERATOR, "POST", LISTS, "{'acl':[{'name':'red:in'}]}")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "PUT|/penstock:network|{'network':{'pool':[]}}|false", "PATCH|/penstock:network|{'network':{'pool':[]}}|true",
        "PATCH|/penstock:network|{'network':{'pool':[],'node':[]}}|false",
        "PATCH|/penstock:network|{'network':{'penstock:node':[]}}|false",
        "PATCH|/penstock:network|{'network':{'pool':[],'pool':[]}}|false",
        "POST|/penstock:network|{'penstock:tenant':[{'name':'x'}]}|true",
        "POST|/penstock:network|{'penstock:node':[{'name':'x'}]}|false", "POST||{'penstock:network':{}}|false",
        "POST||{'ietf-access-control-list:acls':{}}|true", "PUT||{'ietf-restconf:data':{}}|false",
        "PATCH||{'ietf-restconf:data':{'penstock:network':{}}}|false",
        "PUT|/penstock:network/tenant=x|{'tenant':[{'name':'x'}]}|true",
        "PUT|/penstock:network/node=x|{'node':[{'name':'x'}]}|false"})
    void changesByAnOperator(final String method, final String path, final String body, final boolean granted) {
        assertThat(changes(Role.OPERATOR, method, "/rests/data" + (path == null ? "" : path), body))
            .isEqualTo(granted);
        assertThat(changes(Role.READER, method, "/rests/data" + (path == null ? "" : path), body)).isFalse();
    }

    private static String patch(final String edits) {
        return ("{'ietf-yang-patch:yang-patch':{'patch-id':'p','edit':[" + edits + "]}}").replace('\'', '"');
    }

    private static String edit(final String operation, final String target, final String value) {
        return "{'edit-id':'e','operation':'" + operation + "','target':'" + target + "'"
            + (value.isEmpty() ? "" : ",'value':" + value) + "}";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "replace|/nat/port-forward=w|{'port-forward':[{'name':'w'}]}|true", "remove|/nat/port-forward=w||true",
        "delete|nat/port-forward=w||true", "remove|/||false", "remove|||false", "remove|/quota||false",
        "merge|/nat|{'nat':{'port-forward':[]}}|false", "replace|/nat/port-forward=w|{'quota':{}}|false",
        "replace|/nat/port-forward=w||false", "remove|/nat/port-forward=w|{'port-forward':[]}|false",
        "remove|/nat/port-forward=w/../../quota||false", "remove|/../tenant=blue/nat/port-forward=w||false",
        "remove|//nat/port-forward=w||false", "drop|/nat/port-forward=w||false",
        "remove|/penstock:network/tenant=blue||false", "move|/dns/record=a,a,1||true"})
    void editsByATenant(final String operation, final String target, final String value, final boolean granted) {
        final String edit = edit(operation, target == null ? "" : target, value == null ? "" : value);
        assertThat(may(Role.TENANT, "PATCH", RED, PATCH, patch(edit))).isEqualTo(granted);
        final String good = edit("remove", "/nat/port-forward=x", "");
        assertThat(may(Role.TENANT, "PATCH", RED, PATCH, patch(good + "," + edit))).isEqualTo(granted);
    }

    @Test
    void anEditIsReadInOneWay() {
        final String twice = "{'edit-id':'e','operation':'remove','target':'/nat/port-forward=w','target':'/quota'}";
        assertThat(may(Role.TENANT, "PATCH", RED, PATCH, patch(twice))).isFalse();
        assertThat(may(Role.TENANT, "PATCH", RED, PATCH, patch(""))).isFalse();
        assertThat(may(Role.TENANT, "PATCH", RED, "application/yang-patch+xml", "<a/>")).isFalse();
        assertThat(may(Role.OPERATOR, "PATCH", "/rests/data", PATCH,
            patch(edit("remove", "/penstock:network/node=x", "")))).isFalse();
        assertThat(may(Role.OPERATOR, "PATCH", "/rests/data", PATCH,
            patch(edit("remove", "/penstock:network/pool=x", "")))).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Role.class)
    void accountsAreClosedToAll(final Role role) {
        final String accounts = "{'penstock-access:accounts':{}}";
        assertThat(changes(role, "PUT", "/rests/data/penstock-access:accounts", accounts)).isFalse();
        assertThat(changes(role, "PUT", "/rests/data/penstock-access%3Aaccounts", accounts)).isFalse();
        assertThat(changes(role, "POST", "/rests/data", accounts)).isFalse();
        assertThat(may(role, "POST", "/rests/data", "application/xml", "<accounts/>")).isFalse();
        assertThat(changes(role, "PATCH", "/rests/data", "{'ietf-restconf:data':" + accounts + "}")).isFalse();
        assertThat(changes(role, "PUT", "/rests/data", "{'ietf-restconf:data':" + accounts + "}")).isFalse();
        assertThat(may(role, "PATCH", "/rests/data", PATCH,
            patch(edit("remove", "/penstock-access:accounts/user=op", "")))).isFalse();
        assertThat(may(role, "PATCH", "/rests/data", PATCH, patch(edit("remove", "/", "")))).isFalse();
        assertThat(changes(role, "POST", "/rests/operations/sal-remote:create-data-change-event-subscription", "{}"))
            .isFalse();
        assertThat(changes(role, "POST", "/rests/operations/penstock-access:set-user", "{'input':{}}"))
            .isEqualTo(role == Role.PROVIDER);
    }

    @Test
    void theProviderMakesTreesAtTheRoot() {
        assertThat(changes(Role.PROVIDER, "POST", "/rests/data", "{'penstock:network':{}}")).isTrue();
        assertThat(may(Role.PROVIDER, "PATCH", "/rests/data", PATCH,
            patch(edit("remove", "/penstock:network", "")))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"GET,/rests/data/x,false", "PUT,/rests/data/x,true", "DELETE,/rests/data/x,true",
        "POST,/rests/operations/penstock-operations:status,false",
        "POST,/rests/operations/penstock-operations:resync,true",
        "POST,/rests/operations/penstock-operations:lease-release,true",
        "POST,/rests/operations/penstock-operations:capture,true",
        "POST,/rests/operations/penstock-access:list-users,false",
        "POST,/rests/operations/penstock-access:history,false",
        "POST,/rests/operations/penstock-access:set-user,true", "POST,/rests/operations/sal-flow:add-flow,true",
        "POST,/rests/operations/status,true", "POST,/diagstatus,true"})
    void whatIsLogged(final String method, final String path, final boolean hasEffect) {
        assertThat(access.hasEffect(new Call(method, path, JSON, new byte[0]))).isEqualTo(hasEffect);
    }
}
