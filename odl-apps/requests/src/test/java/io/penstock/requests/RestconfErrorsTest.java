// SPDX-License-Identifier: Apache-2.0
package io.penstock.requests;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.penstock.requests.Refusal.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opendaylight.mdsal.binding.runtime.spi.BindingRuntimeHelpers;

/** Answers as netconf 5.0.9 gives them. */
class RestconfErrorsTest {
    private static final String TARGET = "/penstock:network/tenant=t";

    private static final RestconfErrors ERRORS = new RestconfErrors(new Subjects(
        () -> BindingRuntimeHelpers.createRuntimeContext().getEffectiveModelContext()));

    private static Optional<Refusal> refusal(final int status, final boolean isPatch, final String answer) {
        return ERRORS.refusal(TARGET, status, isPatch,
            answer.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static String error(final String tag, final String type, final String message) {
        return "{'errors': {'error': [{'error-tag': '" + tag + "', 'error-info': 'X', 'error-message': '" + message
            + "', 'error-type': '" + type + "'}]}}";
    }

    @Test
    void anOvertakenChangeIsInUse() {
        assertThat(refusal(500, false, "{'errors': {'error': [{'error-info': 'OptimisticLockFailedException{message="
            + "Optimistic lock failed for path /network'}]}}")).hasValueSatisfying(refusal -> {
                assertThat(refusal.status()).isEqualTo(409);
                assertThat(refusal.problems().get(0).tag()).isEqualTo("in-use");
                assertThat(refusal.message()).startsWith(TARGET).contains("repeat the request");
            });
    }

    @Test
    void bothLeavesOfAChoiceAreTold() {
        assertThat(RestconfErrors.cases(500, """
            cause=java.lang.IllegalArgumentException: Child (urn:penstock:network?revision=2026-11-21)pool (from case \
            org.opendaylight.CaseEnforcer@3cfabc4f) implies non-presence of child \
            (urn:penstock:network?revision=2026-11-21)public-address (from case org.opendaylight.CaseEnforcer@31), \
            which is""".getBytes(StandardCharsets.UTF_8))).hasValue(Set.of("pool", "public-address"));
        assertThat(RestconfErrors.cases(500, new byte[0])).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "{'patch-id':'p','errors':{'error':[{'error-tag':'invalid-value','error-message':'bad'}]},'edit-status':"
            + "{'edit':[{'edit-id':'e1','ok':[null]}]}}                                    | 400 | edit e1: bad",
        "{'patch-id':'p','errors':{'error':[{'error-tag':'invalid-value','error-message':'bad'}]},'edit-status':"
            + "{'edit':[{'edit-id':'e1','ok':[null]},{'edit-id':'e2','ok':[null]}]}}       | 400 | edits e1, e2: bad",
        "{'patch-id':'p','edit-status':{'edit':[{'edit-id':'e1','ok':[null]},{'edit-id':'e2','errors':{'error':"
            + "[{'error-tag':'data-missing','error-message':'none'}]}}]}}                  | 409 | edit e2: none",
        "<s><patch-id>p</patch-id><edit-status><edit><edit-id>e1</edit-id><errors><error-tag>data-exists</error-tag>"
            + "<error-message>is there</error-message></errors></edit></edit-status></s>   | 409 | edit e1: is there",
        "{'edit-status':{'edit':[{'edit-id':'m','errors':{'error':[{'error-tag':'operation-not-supported',"
            + "'error-message':'no'}]}}]}}                                                 | 405 | edit m: no"})
    void aRefusedPatchIsNoSuccess(final String answer, final int status, final String said) {
        assertThat(refusal(200, true, answer)).hasValueSatisfying(refusal -> {
            assertThat(refusal.status()).isEqualTo(status);
            assertThat(refusal.message()).isEqualTo(said);
        });
        assertThat(refusal(200, false, answer)).isEmpty();
    }

    @Test
    void successIsLeftAlone() {
        assertThat(refusal(200, true, "{'ietf-yang-patch:yang-patch-status':{'patch-id':'p','ok':[null]}}")).isEmpty();
        assertThat(refusal(201, false, "")).isEmpty();
        assertThat(refusal(400, false, "<errors><error/></errors>")).as("XML").isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "application | tenant t: vlan: taken          | tenant t: vlan: taken",
        "application | vlan is not in 1..4094         | /penstock:network/tenant=t: vlan is not in 1..4094",
        "protocol    | Error parsing input: null      | /penstock:network/tenant=t: the body is none for it",
        "protocol    | Error parsing input: no end    | /penstock:network/tenant=t: no end",
        "protocol    | Cannot invoke x()              | /penstock:network/tenant=t: the body is none for it",
        "protocol    | (urn:a?revision=1)b is unknown | /penstock:network/tenant=t: b is unknown"})
    void wordsOfJavaAreLeftOut(final String type, final String given, final String said) {
        assertThat(refusal(400, false, error("invalid-value", type, given)))
            .hasValueSatisfying(refusal -> {
                assertThat(refusal.message()).isEqualTo(said);
                assertThat(refusal.json()).doesNotContain("error-info");
            });
    }

    @Test
    void eachViolationIsAnErrorWithItsPath() {
        assertThat(refusal(400, false, error("invalid-value", "application",
            "tenant t: vlan: taken\\ntenant u: nat / pool: none"))).hasValueSatisfying(refusal -> {
                assertThat(refusal.problems()).extracting(Problem::message)
                    .containsExactly("tenant t: vlan: taken", "tenant u: nat / pool: none");
                assertThat(refusal.problems()).extracting(Problem::path).containsExactly(
                    "/penstock:network/tenant[name='t']", "/penstock:network/tenant[name='u']/nat/pool");
                assertThat(JsonParser.parseString(refusal.json()).getAsJsonObject().getAsJsonObject("errors")
                    .getAsJsonArray("error")).hasSize(2);
            });
    }

    @Test
    void severalErrorsOfRestconfAreKept() {
        final String one = "{'error-tag': 'data-missing', 'error-type': 'protocol', 'error-message': 'no', "
            + "'error-path': '/a'}";
        assertThat(refusal(409, false, "{'errors': {'error': [" + (one + ",").repeat(14) + one + "]}}"))
            .hasValueSatisfying(refusal -> assertThat(refusal.problems()).hasSize(Refusal.MOST_PROBLEMS)
                .containsOnly(new Problem("data-missing", TARGET + ": no", "/a")));
        assertThat(refusal(409, false, "{'errors': {'error': [7]}}")).isEmpty();
    }

    @Test
    void theViolationsOfAPatchAreErrors() {
        assertThat(refusal(200, true, "{'patch-id':'p','errors':{'error':[{'error-tag':'invalid-value','error-message':"
            + "'tenant t: chain: x\\ntenant u: chain: y'}]},'edit-status':{'edit':[{'edit-id':'e1','ok':[null]}]}}"))
            .hasValueSatisfying(refusal -> assertThat(refusal.problems()).containsExactly(
                new Problem("invalid-value", "edit e1: tenant t: chain: x", "/penstock:network/tenant[name='t']/chain"),
                new Problem("invalid-value", "edit e1: tenant u: chain: y",
                    "/penstock:network/tenant[name='u']/chain")));
    }

    @Test
    void anEmptyAnswerGetsWords() {
        assertThat(refusal(405, false, "")).hasValueSatisfying(refusal ->
            assertThat(refusal.message()).isEqualTo(TARGET + ": the request is not possible here"));
        assertThat(refusal(401, false, "")).hasValueSatisfying(refusal ->
            assertThat(refusal.problems().get(0).tag()).isEqualTo("access-denied"));
    }

    @Test
    void wordsOfAClientAreNoError() {
        final String committed = "{'patch-id':'after-OptimisticLockFailedException','ok':[null]}";
        assertThat(refusal(200, true, committed)).isEmpty();
        assertThat(RestconfErrors.cases(200, "Child (a)b (from case c) implies non-presence of child (d)e ".getBytes(
            StandardCharsets.UTF_8))).isEmpty();
    }

    @Test
    void aLongIdOfAnEditIsRead() {
        final String edit = "e".repeat(100_000);
        assertThat(refusal(200, true, "{'edit-status':{'edit':[{'edit-id':'" + edit + "','errors':{'error':["
            + "{'error-tag':'invalid-value','error-message':'bad'}]}}]}}")).hasValueSatisfying(refusal ->
                assertThat(refusal.message()).endsWith(": bad"));
    }
}
