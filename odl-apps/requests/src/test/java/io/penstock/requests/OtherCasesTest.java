// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;

class OtherCasesTest {
    private static final OtherCases CASES =
        new OtherCases(() -> BindingRuntimeHelpers.createRuntimeContext().getEffectiveModelContext());

    private static Optional<byte[]> patch(final String path, final String body) {
        return CASES.patch(path, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static List<JsonObject> edits(final String path, final String body) {
        return StreamSupport.stream(JsonParser.parseString(new String(patch(path, body).orElseThrow(),
                StandardCharsets.UTF_8)).getAsJsonObject().getAsJsonObject("ietf-yang-patch:yang-patch")
            .getAsJsonArray("edit").spliterator(), false).map(JsonElement::getAsJsonObject).toList();
    }

    private static List<String> removed(final String path, final String body) {
        return edits(path, body).stream().filter(edit -> edit.get("operation").getAsString().equals("remove"))
            .map(edit -> edit.get("target").getAsString()).toList();
    }

    @Test
    void theOtherCaseIsRemovedBeforeTheBodyIsMerged() {
        final String body = "{'penstock:tenant':[{'name':'t','nat':{'pool':'p','alg':['ftp']}}]}";
        final List<JsonObject> edits = edits("/penstock:network/tenant=t", body);
        assertThat(edits).hasSize(2).extracting(edit -> edit.get("target").getAsString())
            .containsExactly("/nat/public-address", "/");
        assertThat(edits.get(1).get("value")).isEqualTo(JsonParser.parseString(body.replace('\'', '"')));
        assertThat(edits.get(1).keySet().stream().toList()).as("RESTCONF reads a value by the target before it")
            .containsSubsequence("target", "value");
    }

    @Test
    void eachEntryHasItsOwn() {
        assertThat(removed("/penstock:network", "{'penstock:network':{'tenant':["
            + "{'penstock:name':'a b','nat':{'pool':'p'}},"
            + "{'name':'u','nat':{'public-address':'192.0.2.1'}},{'name':'v','stateful':true}]}}"))
            .containsExactly("/tenant=a%20b/nat/public-address", "/tenant=u/nat/pool");
    }

    @Test
    void choicesInCasesAreFollowed() {
        final String path = "/ietf-access-control-list:acls/acl=a/aces/ace=x/matches";
        final String matches = "{'ietf-access-control-list:matches':{'ipv4':{'protocol':6},"
            + "'tcp':{'source-port':{'operator':'eq','port':1}}}}";
        assertThat(removed(path, matches)).contains("/ipv6", "/udp", "/icmp", "/tcp/source-port/lower-port",
            "/tcp/source-port/upper-port").doesNotContain("/ipv4", "/tcp", "/tcp/source-port/port");
    }

    @Test
    void aBodyWithoutAChoiceIsLeftAlone() {
        assertThat(patch("/penstock:network/tenant=t", "{'penstock:tenant':[{'name':'t','stateful':true}]}")).isEmpty();
        assertThat(patch("/penstock:none", "{'penstock:none':{}}")).isEmpty();
        assertThat(patch("/penstock:network", "[")).isEmpty();
    }
}
