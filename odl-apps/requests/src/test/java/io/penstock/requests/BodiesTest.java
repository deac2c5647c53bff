// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.requests.LargestRequests.Kind;
import io.penstock.requests.LargestRequests.Request;
import io.penstock.requests.LargestRequests.Target;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;
import org.opendaylight.yangtools.yang.model.api.EffectiveModelContext;

/** What is said of values that are not of their type, by all models of the controller. */
class BodiesTest {
    private static final EffectiveModelContext MODELS =
        BindingRuntimeHelpers.createRuntimeContext().getEffectiveModelContext();
    private static final String NETWORK = "penstock:network";
    private static final String TENANT = NETWORK + "/tenant=t";

    private static Optional<String> refusal(final String method, final String path, final String document) {
        return new JudgedBodies(MODELS).refusal(method, path, document.replace('\'', '"'));
    }

    private static Optional<String> tenant(final String leaves) {
        return refusal("PUT", TENANT, "{'penstock:tenant': [{'name': 't', " + leaves + "}]}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "'attachment': [{'name': 'a', 'vlan': 4095}]      | attachment a / vlan: 4095 is not in 1..4094",
        "'attachment': [{'vlan': '0', 'name': 'a'}]       | attachment a / vlan: 0 is not in 1..4094",
        "'attachment': [{'name': 'a', 'vlan': 'ten'}]     | attachment a / vlan: 'ten' is not in 1..4094",
        "'attachment': [{'name': 'a', 'trusted': 'yes'}]  | attachment a / trusted: 'yes' is neither true nor false",
        "'attachment': [{'name': 'a', 'trusted': 1}]      | attachment a / trusted: 1 is neither true nor false",
        "'attachment': [{'name': 'a', 'vlan': {}}]        | attachment a / vlan: is not a value",
        "'attachment': [{'name': 'a', 'vlan': null}]      | attachment a / vlan: is not a value",
        "'attachment': [{'name': 'a', 'colour': 'red'}]   | attachment a / colour: is not in the model",
        "'attachment': [{'vlan': 7}]                      | attachment / name: is missing",
        "'attachment': [{'name': 'a', 'vlan': '0x7f'}]    | attachment a / vlan: '0x7f' is not a decimal number",
        "'attachment': [{'name': 'a', 'vlan': '010'}]     | attachment a / vlan: '010' is not a decimal number",
        "'attachment': [{'name': 'a', 'vlan': [7, 8]}]    | attachment a / vlan: is not one value",
        "'attachment': [{'name': 'a'}, {'name': 'a'}]     | attachment a / name: is the key of an entry before, too",
        "'subnet': [{'name': 's', 'attachment': ['a', 'a']}] | subnet s / attachment: a is there twice",
        "'stateful': true, 'penstock:stateful': true      | penstock:stateful: is there twice",
        "'nat': {'pool': 'p', 'public-address': '192.0.2.1'} | nat / pool: excludes public-address, and both are given",
        "'attachment': 'a'                                | attachment: is not a list",
        "'attachment': ['a']                              | attachment: is not an object with members",
        "'nat': 'pool'                                    | nat: is not an object with members",
        "'chain-rule': [{'name': 'r', 'priority': 65536}] | chain-rule r / priority: 65536 is not in 0..65535",
        "'chain-rule': [{'name': 'r', 'priority': 'p'}]   | chain-rule r / priority: 'p' is not a number",
        "'chain-rule': [{'name': 'r', 'direction': 'up'}] | "
            + "chain-rule r / direction: 'up' is none of both, to-backbone, to-tenant",
        "'subnet': [{'name': 's', 'attachment': 'a'}]     | subnet s / attachment: is not a list",
        "'subnet': [{'name': 's', 'gateway': 'x'}]        | subnet s / gateway: 'x' is not an IPv4 address",
        "'ipv6': {'route': [{'prefix': 'x'}]}             | ipv6 / route x / prefix: 'x' is not an IPv6 prefix",
        "'nat': {'public-address': '1.2.3.4.5.6'}         | nat / public-address: '1.2.3.4.5.6' is not an IPv4 address",
        "'nat': {'public-address': '010.0.0.1'}           | nat / public-address: '010.0.0.1' is not an IPv4 address",
        "'dns': {'upstream': [{'address': '1.2.3'}]} | dns / upstream 1.2.3 / address: '1.2.3' is not an IP address",
        "'nat': {'twice': [{'seen-prefix': '1.2.3.0/7'}]} | nat / twice 1.2.3.0/7 / seen-prefix: "
            + "'1.2.3.0/7' is shorter than /8",
        "'quota': {'sessions': 1} | quota / sessions: 1 is not in 16..2147483647, nor unlimited",
        "'quota': {'sessions': 'no'} | quota / sessions: 'no' is not in 16..2147483647, nor unlimited",
        "'dns': {'domain': 'a..b'} | dns / domain: 'a..b' is not a domain name (RFC 1123)",
        "'dns': {'upstream': [{'address': 'x'}]} | dns / upstream x / address: 'x' is not an IP address",
        "'dns': {'record': [{'name': 'a', 'type': 'A', 'data': '1', 'ttl': -1}]} | "
            + "dns / record a A 1 / ttl: -1 is not in 0..2147483647",
        "'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', 'reservation': [{'address': '10.0.0.1', 'mac': 'x'}]}]} | "
            + "dhcp / subnet 10.0.0.0/24 / reservation 10.0.0.1 / mac: 'x' is not a MAC address"})
    void entryLeafAndRuleAreNamed(final String leaves, final String said) {
        assertThat(tenant(leaves)).hasValue("tenant t: " + said);
    }

    @Test
    void allFaultsAreNamedUpToTen() {
        final String attachments = IntStream.range(0, 13)
            .mapToObj(each -> "{'name': 'a%d', 'vlan': %d}".formatted(each, each == 5 ? 5 : 5000 + each))
            .collect(Collectors.joining(","));
        assertThat(tenant("'attachment': [" + attachments + "]")).hasValueSatisfying(text -> assertThat(text)
            .startsWith("tenant t: attachment a0 / vlan: 5000 is not in 1..4094; tenant t: attachment a1 / vlan: ")
            .contains("attachment a10 / vlan").doesNotContain("a5 /", "a11").endsWith("; and 2 more"));
    }

    @Test
    void aLongValueIsShortened() {
        assertThat(tenant("'dns': {'domain': '" + "x".repeat(5000) + "'}")).hasValueSatisfying(text ->
            assertThat(text).hasSizeLessThan(200).contains("xxx...' is not a domain name"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "PATCH | penstock:network | {'penstock:network': {'tenant': [LAN]}}",
        "PUT | penstock:network | {'penstock:network': {'tenant': [LAN]}}",
        "POST | penstock:network | {'penstock:tenant': [LAN]}",
        "POST | / | {'penstock:network': {'tenant': [LAN]}}",
        "POST | penstock:network/tenant=t | {'penstock:attachment': [{'name': 'lan', 'vlan': 5000}]}",
        "PUT | penstock:network/tenant=t/attachment=lan | {'penstock:attachment': [{'name': 'lan', 'vlan': 5000}]}",
        "PUT | penstock:network/tenant=t/attachment=lan | {'penstock:attachment': {'name': 'lan', 'vlan': 5000}}",
        "PUT | penstock:network/tenant=t/attachment=lan/vlan | {'penstock:vlan': 5000}",
        "PUT | penstock:network/tenant=%74/attachment=lan/vlan | {'penstock:vlan': [5000]}"})
    void whereverTheBodyGoesTheEntryIsNamed(final String method, final String path, final String body) {
        assertThat(refusal(method, path, body.replace("LAN", "{'name': 't', 'attachment': "
            + "[{'vlan': 5000, 'name': 'lan'}]}"))).hasValue("tenant t: attachment lan / vlan: 5000 is not in 1..4094");
    }

    @Test
    void treesAndTheirContainersAreNamedTheirOwnWay() {
        assertThat(refusal("PUT", NETWORK + "/resolver", "{'penstock:resolver': {'upstream': ['x']}}"))
            .hasValue("resolver: upstream: 'x' is not an IP address");
        assertThat(refusal("PUT", NETWORK + "/backbone/interface=n,u",
            "{'penstock:interface': [{'node': 'n', 'port': 'u', 'mtu': 70000}]}"))
            .hasValue("backbone: interface n u / mtu: 70000 is not in 576..9216");
        assertThat(refusal("PUT", "ietf-access-control-list:acls/acl=a", """
            {'ietf-access-control-list:acl': [{'name': 'a', 'aces': {'ace': [{'name': 'e', 'actions':
             {'forwarding': 'maybe'}, 'matches': {'ipv4': {'protocol': 256}}}]}}]}"""))
            .hasValueSatisfying(text -> assertThat(text)
                .startsWith("acl a: aces / ace e / actions / forwarding: 'maybe'")
                .endsWith("acl a: aces / ace e / matches / ipv4 / protocol: 256 is not in 0..255"));
    }

    /** RESTCONF says what is wrong with it, or nothing is. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "PUT | penstock:network/nothing | {'penstock:nothing': 5000}",
        "PUT | no-module:network | {'penstock:network': {'colour': 1}}",
        "PUT | / | {'ietf-restconf:data': {'penstock:network': {'colour': 1}}}",
        "PUT | opendaylight-inventory:nodes | {'opendaylight-inventory:nodes': {'colour': 1}}",
        "PUT | opendaylight-inventory:nodes/node=7 | {'opendaylight-inventory:node': [{'id': '7', 'colour': 1}]}",
        "POST | / | {'opendaylight-inventory:nodes': {'colour': 1}}",
        "PUT | penstock:network/tenant=t | {'penstock:tenant': [{'name': 't', '@colour': 1}]}"})
    void theRestIsLeftToRestconf(final String method, final String path, final String body) {
        assertThat(refusal(method, path, body == null ? "" : body)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"'attachment': [{'name': 'a', 'vlan': '7'}]", "'attachment': {'name': 'a', 'vlan': [7]}",
        "'quota': {'sessions': 'unlimited', 'leases': 1}",
        "'penstock:nat': {'penstock:pool': 'p', 'alg': ['ftp']}", "'nat': {'public-address': '192.0.2.1'}",
        "'ipv6': {'subnet': [{'prefix': '2001:DB8::/64', 'gateway': '::ffff:192.0.2.1'}]}"})
    void whatRestconfTakesIsTaken(final String leaves) {
        assertThat(tenant(leaves)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "PUT | penstock:network/tenant=t | {'penstock:tenant': [{'name': 't'}  | not JSON (RFC 8259): line 1 column 35",
        "PUT | penstock:network/tenant=t | {penstock:tenant: [{name: t}]}       | not JSON (RFC 8259): line 1 column 3",
        "PUT | penstock:network/tenant=t | {'penstock:tenant': [{'name': 't'}]}} | not JSON (RFC 8259): line 1 column",
        "PUT | penstock:network/tenant=t | [5000]                               | not an object with one member",
        "PUT | penstock:network/tenant=t | {}                                   | has no member",
        "PUT | penstock:network/tenant=t | {'penstock:tenant': [{'name': 't'}], 'penstock:pool': 1} | several members",
        "PUT | penstock:network/tenant=t | {'penstock:pool': [{'name': 't'}]}   | has penstock:pool, and the path",
        "PUT | penstock:network/tenant=t | {'penstock:tenant': [{'name': 't'}, {'name': 'u'}]} | has 2 entries",
        "POST | penstock:network         | {'penstock:tenant': []}              | network: tenant: has no entry",
        "POST | ietf-access-control-list:acls | {'ietf-access-control-list:acl': []} | acl: has no entry",
        "POST | penstock:network/tenant=t | {'penstock:name': 't'}              | a key is no child by itself",
        "POST | penstock:network         | {'penstock:tenant': [{'name': 't'}, {'name': 't'}]} | "
            + "tenant t: name: is the key of an entry before, too"})
    void aBodyIsOneResource(final String method, final String path, final String body, final String said) {
        assertThat(refusal(method, path, body == null ? "" : body)).hasValueSatisfying(text ->
            assertThat(text).contains(said));
    }

    @Test
    void aBodyIsUtf8() {
        assertThat(new Bodies(() -> MODELS).refusal(TENANT, false, new byte[] {'{', '"', (byte) 0xff}))
            .hasValueSatisfying(refusal -> assertThat(refusal.message()).contains("not UTF-8"));
    }

    @Test
    void thePathOfEachFaultIsTold() {
        assertThat(new Bodies(() -> MODELS).refusal(TENANT, false, """
            {"penstock:tenant": [{"attachment": [{"vlan": 0, "name": "a"}], "name": "t", "stateful": 7}]}"""
            .getBytes(StandardCharsets.UTF_8))).hasValueSatisfying(refusal -> assertThat(refusal.problems())
                .extracting(Refusal.Problem::path).containsExactly("/penstock:network/tenant[name='t']"
                    + "/attachment[name='a']/vlan", "/penstock:network/tenant[name='t']/stateful"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "chain-trace | {'source-port': 70000} | chain-trace: source-port: 70000 is not in",
        "status      | {'zz': 1}           | status: zz: is not in the model",
        "verify      | {'node': []}        | verify: node: is not one value"})
    void anInputIsJudgedLikeABody(final String rpc, final String leaves, final String said) {
        final byte[] body = ("{\"penstock-operations:input\": " + leaves.replace('\'', '"') + "}")
            .getBytes(StandardCharsets.UTF_8);
        assertThat(new Bodies(() -> MODELS).refusalOfInput("penstock-operations:" + rpc, body))
            .hasValueSatisfying(refusal -> assertThat(refusal.message()).startsWith(said));
        assertThat(new Bodies(() -> MODELS).refusalOfInput("others:" + rpc, body)).isEmpty();
    }

    /** Else their rules would not be reached by the tests that send them. */
    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = {"ODD", "EXTREME", "SAME"})
    void largestRequestsHaveValuesOfTheirTypes(final Kind kind) {
        final LargestRequests requests = new LargestRequests(MODELS, "edge1");
        for (final Target target : requests.targets()) {
            final Request request = requests.request(target, kind, 40);
            assertThat(new JudgedBodies(MODELS).refusal("PATCH", request.path(), request.document()))
                .as("%s", request).matches(refusal -> refusal.stream().flatMap(text -> Stream.of(text.split("; ")))
                    .allMatch(text -> text.endsWith("before, too") || text.endsWith("twice")
                        || text.startsWith("and ")));
        }
    }

    /** Else it is refused for that, and its size is not looked at. */
    @Test
    void largestRequestsHaveNoEntryTwice() {
        final LargestRequests requests = new LargestRequests(MODELS, "edge1");
        // There is one ALG.
        assertThat(requests.targets()).filteredOn(target -> !target.name().equals("tenant/nat/alg"))
            .extracting(target -> requests.request(target, Kind.DISTINCT, 40))
            .flatMap(request -> new JudgedBodies(MODELS).refusal("PATCH", request.path(), request.document()).stream()
                .map(refusal -> request.list() + ": " + refusal).toList())
            .isEmpty();
    }

    @Test
    void aValueOfEachOddShapeIsRefused() {
        final LargestRequests requests = new LargestRequests(MODELS, "edge1");
        for (final Target target : requests.targets()) {
            final Request request = requests.request(target, Kind.ODD, 40);
            assertThat(new Bodies(() -> MODELS).refusal(request.path(), false,
                request.document().getBytes(StandardCharsets.UTF_8))).as("%s", request)
                .hasValueSatisfying(refusal -> assertThat(Set.of(refusal.status())).containsExactly(400));
        }
    }
}
