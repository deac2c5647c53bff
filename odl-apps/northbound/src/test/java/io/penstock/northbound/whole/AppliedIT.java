// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.northbound.whole.DataClient.Answer;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.testkit.Await;
import io.penstock.testkit.Documents;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code wait-applied}: when it says so, the switches have what was configured, and it never says so before. */
@OnEdge
@Tag("safety")
class AppliedIT {
    private static final int VLAN = 100;
    private static final int ROUNDS = 20;
    private static final String UNLIMITED = "'unlimited'";
    /** The longest that can be asked for; what is not waited for comes before. */
    private static final String LONGEST = "{'timeout-milliseconds': 600000}";
    private static final Duration MUCH_LESS = Duration.ofMinutes(5);
    private static final String SHORT = "{'timeout-milliseconds': 1000}";

    private final Edge edge;
    private final DummyNode node;

    AppliedIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @BeforeEach
    void reset() {
        node.agent().answer(true);
        node.agent().progress("");
        edge.reset();
    }

    @AfterEach
    void answer() {
        node.agent().answer(true);
        node.agent().progress("");
    }

    @Test
    void whatWasAnsweredIsOnTheSwitchWhenTheWaitEnds() {
        // Nothing is awaited here but the answer.
        for (int round = 0; round < ROUNDS; round++) {
            final int vlan = VLAN + round;
            put(vlan);
            edge.awaitApplied();
            assertThat(node.isClassified(vlan)).isTrue();
            put(vlan + 1);
            edge.awaitApplied();
            assertThat(node.isClassified(vlan)).isFalse();
            assertThat(node.isClassified(vlan + 1)).isTrue();
            assertThat(edge.tenant("acme").orElseThrow().get("state").getAsString()).isEqualTo("active");
            edge.client().delete(Documents.path("acme"));
            edge.awaitApplied();
            assertThat(node.isClassified(vlan + 1)).isFalse();
        }
        assertThat(Edge.isClean(edge.verify(node))).isTrue();
    }

    @Test
    void aSwitchThatDoesNotConfirmIsNotYet() {
        final Duration limit = Duration.ofSeconds(1);
        node.ovs().freezeSwitch(true);
        try {
            put(VLAN);
            final long begun = System.nanoTime();
            final JsonObject answer = call(SHORT);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(limit);
            assertThat(answer.get("applied").getAsBoolean()).isFalse();
            assertThat(states(answer)).containsEntry(node.name(), "not-yet");
            Await.until("the other is not held up", () -> states(call(SHORT)),
                Map.of(node.name(), "not-yet", edge.second().name(), "applied")::equals);
        } finally {
            node.ovs().freezeSwitch(false);
        }
        edge.awaitApplied();
        assertThat(node.isClassified(VLAN)).isTrue();
    }

    @Test
    void aNodeThatIsAwayIsNotWaitedFor() {
        final String other = edge.second().name();
        final Map<String, String> expected = Map.of(node.name(), "not-connected", other, "applied");
        node.ovs().killSwitch();
        try {
            Await.until("the controller has noticed", () -> states(call("{}")), expected::equals);
            put(VLAN);
            final JsonObject answer = callWithoutWaiting();
            assertThat(answer.get("applied").getAsBoolean()).isFalse();
            assertThat(states(answer)).isEqualTo(expected);
            assertThat(call("{'node': '" + other + "'}").get("applied").getAsBoolean()).isTrue();
        } finally {
            node.ovs().up();
        }
    }

    @Test
    void anAgentThatIsNotDoneIsWaitedForAndNamed() {
        node.agent().answer(false);
        limit(1000);
        final Map<String, String> expected = Map.of(node.name(), "not-yet", edge.second().name(), "applied");
        Await.until("all wait for the agent", () -> call(SHORT), answer -> states(answer).equals(expected)
            && reason(answer).equals("the agent of the node does not answer"));
        assertThat(node.isClassified(VLAN)).as("the switch does not wait for it").isTrue();
        node.agent().answer(true);
        node.agent().progress(", \"waiting\": {\"%d\": \"the resolver starts\"}, \"more\": 2"
            .formatted(edge.vrf("acme")));
        final JsonObject answer = Await.until("it is named", () -> call(SHORT), each -> reason(each)
            .equals("the agent of the node works on tenant acme: the resolver starts; and 2 more"));
        assertThat(states(answer)).containsEntry(node.name(), "not-yet");
        node.agent().progress("");
        edge.awaitApplied();
    }

    @Test
    void anAgentThatFailsIsNotWaitedFor() {
        limit(1000);
        edge.awaitApplied();
        node.agent().progress(", \"waiting\": {}, \"failed\": {\"%d\": \"no\\nmemory\", \"%d\": \"lists\", "
            .formatted(edge.vrf("acme"), new VrfId(edge.vrf("acme")).aclZone()) + "\"9999\": \"\"}");
        limit(2000);
        final JsonObject answer = callWithoutWaiting();
        assertThat(answer.get("applied").getAsBoolean()).isFalse();
        assertThat(states(answer)).containsEntry(node.name(), "failed");
        assertThat(reason(answer))
            .isEqualTo("the node cannot do it for tenant acme: no memory; tenant of zone 9999: ; tenant acme: lists");
        node.agent().progress("");
        edge.awaitApplied();
    }

    @Test
    void anAgentIsAskedOnlyWhenItsOrdersHaveChanged() {
        limit(1000);
        edge.awaitApplied();
        node.agent().answer(false);
        edge.client().add("tenant", Documents.tenant("other", node.name(), VLAN + 1, Documents.SECOND_POOL,
            quota(UNLIMITED)));
        edge.awaitApplied();
        limit(UNLIMITED);
        final JsonObject answer = call("{'timeout-milliseconds': 500}");
        assertThat(reason(answer)).as("a limit that is taken away").isNotEmpty();
        node.agent().answer(true);
        edge.awaitApplied();
        node.agent().answer(false);
        edge.client().delete(Documents.path("acme"));
        edge.awaitApplied();
    }

    private void limit(final Object sessions) {
        edge.client().put(Documents.path("acme"), Documents.tenants(List.of(Documents.tenant("acme", node.name(), VLAN,
            Documents.FIRST_POOL, quota(sessions)))));
    }

    private static String quota(final Object sessions) {
        return "'quota': {'sessions': %s}".formatted(sessions);
    }

    private String reason(final JsonObject answer) {
        return StreamSupport.stream(answer.getAsJsonArray("node").spliterator(), false)
            .map(JsonElement::getAsJsonObject).filter(each -> each.get("name").getAsString().equals(node.name()))
            .map(each -> each.has("reason") ? each.get("reason").getAsString() : "").findFirst().orElseThrow();
    }

    @Test
    void anUnknownNodeIsRefused() {
        assertThat(refused("{'node': 'nowhere'}").messages()).contains("there is no node 'nowhere'");
    }

    private Answer refused(final String input) {
        final Answer answer = edge.client().operation("wait-applied", input);
        assertThat(answer.isRefusal()).as(answer.toString()).isTrue();
        return answer;
    }

    private void put(final int vlan) {
        edge.client().put(Documents.path("acme"),
            Documents.tenants(List.of(Documents.tenant("acme", node.name(), vlan, Documents.FIRST_POOL))));
    }

    /** The answer, which comes long before its limit. */
    private JsonObject callWithoutWaiting() {
        final long begun = System.nanoTime();
        final JsonObject answer = call(LONGEST);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).as("%s", answer).isLessThan(MUCH_LESS);
        return answer;
    }

    private JsonObject call(final String input) {
        return edge.client().call("wait-applied", input);
    }

    private static Map<String, String> states(final JsonObject answer) {
        return StreamSupport.stream(answer.getAsJsonArray("node").spliterator(), false)
            .map(JsonElement::getAsJsonObject)
            .collect(Collectors.toMap(each -> each.get("name").getAsString(), each -> each.get("state").getAsString()));
    }
}
