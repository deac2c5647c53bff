// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.requests.Refusal.Problem;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;

/** Where violations are, in the words that the rules have for it. */
class SubjectsTest {
    private static final Subjects SUBJECTS =
        new Subjects(() -> BindingRuntimeHelpers.createRuntimeContext().getEffectiveModelContext());

    private static List<Problem> problems(final String message) {
        return SUBJECTS.problems("invalid-value", message);
    }

    private static String path(final String message) {
        return problems(message).get(0).path();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "tenant t: attachment lan / vlan        | /tenant[name='t']/attachment[name='lan']/vlan",
        "tenant t: nat / pool                   | /tenant[name='t']/nat/pool",
        "tenant t: chain                        | /tenant[name='t']/chain",
        "tenant t: attachment / node            | /tenant[name='t']",
        "tenant t: nat / port-block 10.0.0.0/20 / drain | /tenant[name='t']/nat"
            + "/port-block[inside-prefix='10.0.0.0/20']/drain",
        "tenant t: nat / twice 10.0.0.0/8 / seen-prefix | /tenant[name='t']/nat/twice[seen-prefix='10.0.0.0/8']"
            + "/seen-prefix",
        "tenant t: dns / record a AAAA 2001:db8::1 / name | /tenant[name='t']/dns/record[name='a'][type='AAAA']"
            + "[data='2001:db8::1']/name",
        "tenant t: dns / record a TXT / type    | /tenant[name='t']/dns",
        "tenant t: dns / upstream 2001:db8::1 / inside | /tenant[name='t']/dns/upstream[address='2001:db8::1']/inside",
        "tenant t: ipv6 / subnet 2001:db8::/64 / gateway | /tenant[name='t']/ipv6"
            + "/subnet[prefix='2001:db8::/64']/gateway",
        "tenant t: (internal)                   | /tenant[name='t']",
        "pool p: drain 192.0.2.0/30             | /pool[name='p']/drain",
        "backbone interface edge1/p0: vlan      | /backbone/interface[node='edge1'][port='p0']/vlan",
        "backbone: interface edge1 p0 / vlan    | /backbone/interface[node='edge1'][port='p0']/vlan",
        "backbone ipv6 interface e/p: address   | /backbone/ipv6/interface[node='e'][port='p']/address",
        "backbone route 10.0.0.0/8: next-hop    | nowhere",
        "backbone: route 10.0.0.0/8 10.1.0.1    | /backbone/route[prefix='10.0.0.0/8'][next-hop='10.1.0.1']",
        "resolver: upstream                     | /resolver/upstream",
        "network: resolver / upstream           | /resolver/upstream",
        "network: (internal)                    | the tree",
        "node e: port p / queue-core 2          | /node[name='e']/port[name='p']/queue-core[queue='2']",
        "function f: canary / instance          | /function[name='f']/canary/instance",
        "chain c: function                      | /chain[name='c']/function"})
    void anEntryAndItsLeafAreFound(final String words, final String path) {
        final String known = path.equals("nowhere") ? ""
            : "/penstock:network" + path.replace("the tree", "");
        assertThat(path(words + ": is wrong")).isEqualTo(known);
    }

    @Test
    void listsOfOthersModelsAreFound() {
        assertThat(path("acl web: ace all / matches: no")).isEqualTo("/ietf-access-control-list:acls"
            + "/acl[name='web']/aces/ace[name='all']/matches");
        assertThat(path("acls: acl: too many")).isEqualTo("/ietf-access-control-list:acls");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no engine: it is down: a: b", "tenant bad name!: chain: none", "tenant: chain: none",
        "the disk is full", "acl/x: y: z", ""})
    void otherWordsLeadNowhere(final String message) {
        assertThat(problems(message)).containsExactly(new Problem("invalid-value", message, ""));
    }

    @Test
    void eachLineIsAProblem() {
        assertThat(problems("tenant a: chain: x; y\ntenant b: stateful: z")).containsExactly(
            new Problem("invalid-value", "tenant a: chain: x; y", "/penstock:network/tenant[name='a']/chain"),
            new Problem("invalid-value", "tenant b: stateful: z", "/penstock:network/tenant[name='b']/stateful"));
    }

    @Test
    void furtherOnesAreCounted() {
        final String ten = IntStream.range(0, 10).mapToObj(each -> "tenant t" + each + ": chain: x")
            .collect(Collectors.joining("\n"));
        assertThat(problems(ten + "\nand 7 more")).hasSize(10).last()
            .isEqualTo(new Problem("invalid-value", "tenant t9: chain: x; and 7 more",
                "/penstock:network/tenant[name='t9']/chain"));
    }
}
