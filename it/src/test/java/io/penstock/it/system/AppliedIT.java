// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.it.system.RestconfClient.Answer;
import io.penstock.testkit.Await;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code wait-applied}: when it says so, the switches have what was configured, and it never says so before. */
@OnSystem
class AppliedIT {
    private static final int VLAN = 100;
    private static final int ROUNDS = 20;

    private final EdgeSystem system;
    private final EdgeNode node;

    AppliedIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    @Test
    void whatWasAnsweredIsOnTheSwitchWhenTheWaitEnds() {
        // Nothing is awaited here but the answer.
        for (int round = 0; round < ROUNDS; round++) {
            final int vlan = VLAN + round;
            put(vlan);
            system.awaitApplied();
            assertThat(isClassified(vlan)).isTrue();
            put(vlan + 1);
            system.awaitApplied();
            assertThat(isClassified(vlan)).isFalse();
            assertThat(isClassified(vlan + 1)).isTrue();
            assertThat(system.tenant("acme").orElseThrow().get("state").getAsString()).isEqualTo("active");
            system.restconf().delete(Intent.path("acme"));
            system.awaitApplied();
            assertThat(isClassified(vlan + 1)).isFalse();
        }
        assertThat(EdgeSystem.isClean(system.verify(node))).isTrue();
    }

    @Test
    void aSwitchThatDoesNotConfirmIsNotYet() {
        final Duration limit = Duration.ofSeconds(1);
        node.freezeSwitch(true);
        try {
            put(VLAN);
            final Instant begun = Instant.now();
            final JsonObject answer = call("{'timeout-milliseconds': " + limit.toMillis() + "}");
            assertThat(Duration.between(begun, Instant.now())).isBetween(limit, limit.multipliedBy(4));
            assertThat(answer.get("applied").getAsBoolean()).isFalse();
            assertThat(states(answer)).isEqualTo(Map.of(node.name(), "not-yet", system.second().name(), "applied"));
        } finally {
            node.freezeSwitch(false);
        }
        system.awaitApplied();
        assertThat(isClassified(VLAN)).isTrue();
    }

    @Test
    void aNodeThatIsAwayIsNotWaitedFor() {
        final String other = system.second().name();
        final Map<String, String> expected = Map.of(node.name(), "not-connected", other, "applied");
        node.killSwitch();
        try {
            Await.until("the controller has noticed", () -> states(call("{}")), expected::equals);
            put(VLAN);
            final Instant begun = Instant.now();
            final JsonObject answer = call("{'timeout-milliseconds': 60000}");
            assertThat(Duration.between(begun, Instant.now())).isLessThan(Duration.ofSeconds(10));
            assertThat(answer.get("applied").getAsBoolean()).isFalse();
            assertThat(states(answer)).isEqualTo(expected);
            assertThat(call("{'node': '" + other + "'}").get("applied").getAsBoolean()).isTrue();
        } finally {
            node.up();
        }
    }

    @Test
    void aNodeThatNobodyKnowsIsRefused() {
        assertThat(refused("{'node': 'nowhere'}").messages()).contains("there is no node 'nowhere'");
    }

    @Test
    void aTimeLimitThatIsTooLongIsRefusedByItsName() {
        assertThat(refused("{'timeout-milliseconds': 600001}").messages())
            .contains("timeout-milliseconds is not in 0..600000");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "'soon'", "1.5"})
    void aBadTimeLimitIsRefused(final String limit) {
        refused("{'timeout-milliseconds': " + limit + "}");
    }

    private Answer refused(final String input) {
        final Answer answer = system.restconf().operation("wait-applied", input);
        assertThat(answer.isRefusal()).as(answer.toString()).isTrue();
        return answer;
    }

    private void put(final int vlan) {
        system.restconf().put(Intent.path("acme"),
            Intent.tenants(List.of(Intent.tenant("acme", node, vlan, Intent.FIRST_POOL))));
    }

    private boolean isClassified(final int vlan) {
        return node.flows().stream().anyMatch(flow -> flow.contains("dl_vlan=" + vlan + " "));
    }

    private JsonObject call(final String input) {
        return system.restconf().call("wait-applied", input);
    }

    private static Map<String, String> states(final JsonObject answer) {
        return StreamSupport.stream(answer.getAsJsonArray("node").spliterator(), false)
            .map(JsonElement::getAsJsonObject)
            .collect(Collectors.toMap(each -> each.get("name").getAsString(), each -> each.get("state").getAsString()));
    }
}
