// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;

/** The question why packets do not pass, on a node with a thousand other tenants that have limits and lists. */
@Tag("deep")
@Tag("scale")
@OnSystem
@TestInstance(Lifecycle.PER_CLASS)
class WhyScaleIT {
    private static final int VLAN = 181;
    private static final int FIRST_OF_MANY = 1000;
    private static final int MANY = 1000;
    private static final int QUESTIONS = 20;
    private static final String TENANT = "puzzled";
    private static final Duration LIMIT = Duration.ofSeconds(2);
    private static final String QUOTA = """
        'egress-acl': 'web', 'quota': {'sessions': 1000, 'bandwidth-out': 100000, 'bandwidth-in': 100000}""";

    private final EdgeSystem system;
    private final EdgeNode node;
    private final Host host;

    WhyScaleIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
        host = node.host(VLAN);
    }

    @BeforeAll
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void provision() {
        system.reset();
        system.restconf().put(Intent.ACLS + "/acl=web", """
            {'ietf-access-control-list:acl': [{'name': 'web', 'aces': {'ace': [{'name': 'all',
              'matches': {'ipv4': {}}, 'actions': {'forwarding': 'ietf-access-control-list:accept'}}]}}]}""");
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", Stream.concat(
            Stream.of(Intent.tenant(TENANT, node, VLAN, Intent.FIRST_POOL, QUOTA)),
            IntStream.range(0, MANY).mapToObj(index -> Intent.translated(
                Intent.tenant("tenant-" + index, node, FIRST_OF_MANY + index, Intent.FIRST_POOL, QUOTA),
                "{'public-address': '100.64.%d.%d'}".formatted(index >> Byte.SIZE, index & 0xff)))).toList()));
        system.awaitApplied();
        system.awaitSync();
        host.reaches(EdgeNetwork.SERVER);
    }

    @AfterAll
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void remove() {
        system.reset();
    }

    private Duration asked(final String more, final List<JsonObject> answers) {
        final long begun = System.nanoTime();
        answers.add(system.restconf().call("why", "{'tenant': '" + TENANT + "'" + more + "}"));
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void theAnswerComesSoonAndIsWhole() {
        for (final String question : List.of("", ", 'host': '10.0.0.5', 'destination': '" + EdgeNetwork.SERVER + "'",
                ", 'host': '10.0.0.77'")) {
            final List<JsonObject> answers = new ArrayList<>();
            final List<Duration> times = new ArrayList<>();
            for (int asked = 0; asked < QUESTIONS; asked++) {
                times.add(asked(question, answers));
            }
            Collections.sort(times);
            Figures.tell("why beside " + MANY + " tenants, median of '" + question + "'", times.get(QUESTIONS / 2));
            Figures.tell("why beside " + MANY + " tenants, longest of '" + question + "'", times.get(QUESTIONS - 1));
            assertThat(times.get(QUESTIONS - 1)).isLessThan(LIMIT);
            // A node that takes too long counts as not connected: a fast answer that knows nothing is none.
            assertThat(answers).allMatch(answer -> !"node-away".equals(answer.get("cause").getAsString()))
                .allMatch(answer -> question.contains("77")
                    == "host-silent".equals(answer.get("cause").getAsString()));
        }
    }
}
