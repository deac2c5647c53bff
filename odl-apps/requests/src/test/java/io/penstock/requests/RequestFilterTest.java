// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.events.ConfigurationEvent;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests the filter refuses, and of which it tells. */
@Timeout(720)
class RequestFilterTest extends RequestFilterCase {
    @ParameterizedTest
    @CsvSource({"PUT, /pool=west/drain=203.0.113.64%2F30, /pool=west/drain=203.0.113.64/30: one value of a leaf-list",
        "DELETE, /pool=west/dra%69n=203.0.113.64%2F30, one value of a leaf-list",
        "PATCH, /pool=west/prefix=x, one value of a leaf-list",
        "POST, /pool=west/prefix=x, one value of a leaf-list",
        "PUT, /resolver/upstream=192.0.2.1, one value of a leaf-list",
        "PUT, /tenant=a/penstock:nat/alg=ftp, one value of a leaf-list",
        "PUT, //tenant=a//nat/alg=ftp/, one value of a leaf-list",
        "DELETE, /pool=west/name, a key cannot be changed or removed by itself",
        "PUT, /tenant=a/subnet=lan/name, a key cannot be changed or removed by itself"})
    void changesOfSingleValuesAndKeysAreRefused(final String method, final String path, final String rule)
            throws Exception {
        final HttpResponse<String> answer = send(method, NETWORK + path, JSON, "{}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(message(answer)).contains(rule);
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"DELETE, /rests/data;x/penstock:network/pool=west/drain=203.0.113.64%2F30",
        "DELETE, /rests/data/penstock:network;x/pool=west/drain=203.0.113.64%2F30",
        "PUT, /rests/data/penstock:network/pool;x=west/name", "PATCH, /rests;x/data/penstock:network",
        "POST, /rests/operations/penstock-operations:status;x"})
    void aPathWithParametersIsRefused(final String method, final String path) throws Exception {
        final HttpResponse<String> answer = send(method, path, JSON, "{}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(message(answer)).contains("a path has no parameters");
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"PUT, /penstock:network/tenant=a", "DELETE, /penstock:network/tenant=a", "POST, ''",
        "PATCH, /network-topology:network-topology"})
    void withoutRoomNothingIsChangedWhateverTheModule(final String method, final String path) throws Exception {
        shortage = Optional.of("the disk of / has 3 MB left, and 64 MB are needed: free some");
        final HttpResponse<String> answer = send(method, "/rests/data" + path, JSON, "{}");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(message(answer)).isEqualTo("the configuration cannot be changed: " + shortage.orElseThrow());
        assertThat(received).isEmpty();
        assertThat(send("GET", "/rests/data" + path, JSON, "").statusCode()).isEqualTo(204);
        assertThat(send("POST", "/rests/operations/penstock-operations:status", JSON, "{}").statusCode())
            .isEqualTo(204);
    }

    @Test
    void whoChangedTheConfigurationIsTold() throws Exception {
        changes.tellTo(told::add);
        assertThat(send("PUT", NETWORK + "/tenant=a", TEXT, "{}").statusCode()).isEqualTo(204);
        assertThat(send("DELETE", NETWORK + "/tenant=a", TEXT, "").statusCode()).isEqualTo(204);
        send("PUT", NETWORK + "/pool=west/name", TEXT, "{}");
        send("GET", NETWORK, JSON, "");
        send("POST", "/rests/operations/penstock-operations:status", JSON, "{}");
        client.send(request("PUT", NETWORK, JSON, BodyPublishers.ofString("{}"), MADE_UP), BodyHandlers.discarding());
        later.forEach(Runnable::run);
        assertThat(told).containsExactly(new ConfigurationEvent(Optional.of("x"), 2,
            List.of("PUT penstock:network/tenant=a", "DELETE penstock:network/tenant=a"), List.of("a")));
    }

    @Test
    void theNameBesideASessionIsNotTold() throws Exception {
        changes.tellTo(told::add);
        final String cookie = send("GET", "/rests/session", JSON, "").headers().firstValue("Set-Cookie").orElseThrow()
            .split(";")[0];
        client.send(HttpRequest.newBuilder(URI.create("http://" + connector.getHost() + ":" + connector.getLocalPort()
            + NETWORK)).header("Content-Type", TEXT).header("Authorization", OTHER_USER).header("Cookie", cookie)
            .PUT(BodyPublishers.ofString("{}")).build(), BodyHandlers.discarding());
        later.forEach(Runnable::run);
        assertThat(told).containsExactly(new ConfigurationEvent(Optional.empty(), 1, List.of("PUT penstock:network"),
            List.of()));
    }

    @ParameterizedTest
    @CsvSource({"PUT, /pool=west", "PUT, /pool=drain", "DELETE, /tenant=a/nat/public-address", "PUT, /nothing/drain=1",
        "DELETE, /tenant=a%2Fprefix%3D1", "POST, ''", "GET, /pool=west/drain=203.0.113.64%2F30", "PUT, /:/=/%2F",
        "PUT, /tenant=a+b/quota/sessions", "PUT, /tenant=a%3Bb"})
    void otherRequestsPass(final String method, final String path) throws Exception {
        assertThat(send(method, NETWORK + path, TEXT, "{}").statusCode()).isEqualTo(204);
        assertThat(received).containsExactly(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/pool=west/drain=203.0.113.64%2F30", "/penstock:pool=west/name"})
    void aPatchWithSuchATargetIsRefused(final String target) throws Exception {
        final String json = """
            {"ietf-yang-patch:yang-patch": {"patch-id": "p", "edit": [
              {"edit-id": "1", "operation": "delete", "target": "/pool=east"},
              {"edit-id": "2", "operation": "merge", "target": "%s", "value": {"a": [1, true, null]}}]}}"""
            .formatted(target);
        final String xml = """
            <yang-patch xmlns="urn:ietf:params:xml:ns:yang:ietf-yang-patch"><patch-id>p</patch-id>
            <edit><edit-id>1</edit-id><operation>delete</operation><target>%s</target></edit></yang-patch>"""
            .formatted(target);
        assertThat(message(send("PATCH", NETWORK, "application/yang-patch+json", json))).contains("by itself");
        assertThat(message(send("PATCH", NETWORK, "application/yang-patch+xml", xml))).contains("by itself");
        assertThat(received).isEmpty();
        final String good = json.replace(target, "/pool=west").replace("{\"a\": [1, true, null]}",
            "{\"penstock:pool\": [{\"name\": \"west\"}]}");
        assertThat(send("PATCH", NETWORK, "application/yang-patch+json", good).statusCode()).isEqualTo(204);
        for (final String bad : new String[] {json.replace(target, "/pool=west"), "{'broken", "[1, 2", "{}"}) {
            assertThat(send("PATCH", NETWORK, "application/yang-patch+json", bad).statusCode()).isEqualTo(400);
        }
        assertThat(send("PATCH", NETWORK, "application/yang-patch+xml", "<broken").statusCode()).isEqualTo(204);
    }

    @Test
    void aValueThatIsNotOfItsTypeIsNamed() throws Exception {
        final String bad = "{\"penstock:tenant\": [{\"name\": \"a\", \"stateful\": 1}]}";
        final HttpResponse<String> answer = send("PUT", NETWORK + "/tenant=a", JSON, bad);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(message(answer)).isEqualTo("tenant a: stateful: 1 is neither true nor false");
        assertThat(received).isEmpty();
        // Of XML RESTCONF tells what is wrong, and it judges long bodies of users that are not known yet.
        final String large = bad + " ".repeat(1 << 16);
        assertThat(send("PUT", NETWORK + "/tenant=a", "application/xml", "<a/>").statusCode()).isEqualTo(204);
        assertThat(message(send("PATCH", NETWORK, "application/yang-patch+json", """
            {"ietf-yang-patch:yang-patch": {"patch-id": "p", "edit": [{"edit-id": "e1", "operation": "merge",
             "target": "/tenant=a", "value": %s}]}}""".formatted(bad))))
            .isEqualTo("edit e1: tenant a: stateful: 1 is neither true nor false");
        assertThat(client.send(request("PUT", NETWORK + "/tenant=a", JSON, BodyPublishers.ofString(large), OTHER_USER),
            BodyHandlers.ofString()).statusCode()).as("a stranger").isEqualTo(204);
        assertThat(client.send(request("PUT", NETWORK + "/tenant=a", JSON, BodyPublishers.ofString(large), OTHER_USER),
            BodyHandlers.ofString()).statusCode()).as("known now").isEqualTo(400);
    }

    @Test
    void whatRestconfSaysIsToldInWordsOfTheModel() throws Exception {
        final String body = "{\"penstock:tenant\": [{\"name\": \"%s\", \"nat\": {\"public-address\": \"192.0.2.1\"}}]}";
        final HttpResponse<String> overtaken =
            send("PUT", NETWORK + "/tenant=overtaken", JSON, body.formatted("overtaken"));
        assertThat(overtaken.statusCode()).isEqualTo(409);
        assertThat(message(overtaken)).contains("tenant=overtaken", "another client");
        final HttpResponse<String> chosen = send("PUT", NETWORK + "/tenant=chosen", JSON, body.formatted("chosen"));
        assertThat(chosen.statusCode()).isEqualTo(400);
        assertThat(message(chosen)).startsWith("tenant chosen: nat / public-address: of pool and public-address")
            .contains("by PUT");
        assertThat(message(send("PATCH", NETWORK + "/tenant=chosen", TEXT, "x"))).contains("tenant=chosen: of pool");
    }

    @Test
    void aPatchToTheOtherCaseOfAChoiceIsSentAsAYangPatch() throws Exception {
        final String body = "{\"penstock:tenant\": [{\"name\": \"chosen\", \"nat\": {\"pool\": \"p\"}}]}";
        final HttpResponse<String> answer = send("PATCH", NETWORK + "/tenant=chosen", JSON, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.body()).isEmpty();
        assertThat(received).hasSize(2).first().isEqualTo(body.length());
    }

    @ParameterizedTest
    @CsvSource({"GET, /tenant=a/nat=1, nat is not a list", "DELETE, /tenant=a/nat=, nat is not a list",
        "PUT, /tenant=a/subnet=b/gateway=1, gateway is not a list", "GET, /tenant=%FF, ASCII",
        "GET, /tenant=%0A, ASCII", "FOO, '', is no method of RFC 8040", "PUT, '', needs a body"})
    void oddPathsAndMethodsAreRefused(final String method, final String path, final String rule) throws Exception {
        final HttpResponse<String> answer = send(method, NETWORK + path, TEXT, "");
        assertThat(answer.statusCode()).isEqualTo(method.equals("FOO") ? 405 : 400);
        assertThat(message(answer)).contains(rule);
        assertThat(received).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {"POST | application/yang-data+json | {\"a:b\": [ ]}",
        "POST | application/json | {a: [/**/]}", "PATCH | application/yang-patch+json | "
            + "{\"ietf-yang-patch:yang-patch\": {\"edit\": [{\"value\": {\"a:b\": []}}]}}"})
    void aListWithoutAnEntryIsRefusedWhoeverSendsIt(final String method, final String type, final String body)
            throws Exception {
        // Of strangers the values of long bodies are not judged.
        assertThat(message(send(method, NETWORK, type, body + " ".repeat(1 << 16)))).contains("without an entry");
        assertThat(received).isEmpty();
    }
}
