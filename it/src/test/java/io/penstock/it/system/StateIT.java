// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.penstock.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The state as RESTCONF shows it. */
@OnSystem
class StateIT {
    private static final String STATE = "penstock-state:state";
    private static final int FIRST_VLAN = 1000;
    private static final int MANY = 100;

    private final EdgeSystem system;
    private final EdgeNode node;

    StateIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    private Optional<JsonObject> read(final String path) {
        final RestconfClient.Answer answer = system.restconf().data("GET", path, "");
        return answer.isGood() ? Optional.of(JsonParser.parseString(answer.body()).getAsJsonObject())
            : Optional.empty();
    }

    private JsonObject entry(final String list, final String name) {
        return read(STATE + "/" + list + "=" + name).orElseThrow().getAsJsonArray("penstock-state:" + list).get(0)
            .getAsJsonObject();
    }

    private List<JsonObject> tenants() {
        return read(STATE).map(state -> state.getAsJsonObject(STATE)).filter(state -> state.has("tenant")).stream()
            .flatMap(state -> state.getAsJsonArray("tenant").asList().stream()).map(JsonElement::getAsJsonObject)
            .toList();
    }

    @Test
    void eachTenantIsReadByItselfAndAllAtOnce() {
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", IntStream.range(0, MANY).mapToObj(index ->
            Intent.tenant("tenant-" + index, node, FIRST_VLAN + index, Intent.FIRST_POOL)).toList()));
        system.awaitApplied();
        Await.until("all are active", this::tenants, tenants -> tenants.size() == MANY
            && tenants.stream().allMatch(each -> each.get("status").getAsString().equals("active")));
        final long begun = System.nanoTime();
        final JsonObject one = entry("tenant", "tenant-7");
        Figures.tell("GET of the state of one tenant of " + MANY, Duration.ofNanos(System.nanoTime() - begun));
        assertThat(one.get("public-address").getAsString()).isEqualTo(system.tenant("tenant-7").orElseThrow()
            .get("public").getAsString());
        assertThat(entry("node", node.name()).get("in-sync").getAsBoolean()).isTrue();
    }

    @Test
    void theStateIsNoConfiguration() {
        Await.until("there is state", () -> read(STATE).isPresent());
        assertThat(system.restconf().data("PUT", STATE, "{'penstock-state:state': {}}").isGood()).isFalse();
        assertThat(system.restconf().data("DELETE", STATE, "").isGood()).isFalse();
        assertThat(read(STATE)).isPresent();
    }
}
