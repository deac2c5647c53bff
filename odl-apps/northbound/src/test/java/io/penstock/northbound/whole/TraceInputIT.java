// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Documents;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code chain-trace} refuses. */
@OnEdge
class TraceInputIT {
    private static final String QUESTION = """
        {'tenant': 'traced', 'source-address': '10.0.0.5', 'destination-address': '198.18.0.1', 'protocol': 'tcp', \
        'source-port': 31000, 'destination-port': 80}""";

    private final Edge edge;

    TraceInputIT(final Edge edge) {
        this.edge = edge;
    }

    @BeforeEach
    void configure() {
        if (!edge.client().has(Documents.path("traced"))) {
            edge.reset();
            edge.client().add("function", Documents.function("fw", edge.first().name(), "closed", true));
            edge.client().add("chain", Documents.chain("walled", "fw"));
            edge.client().add("tenant", Documents.tenant("traced", edge.first().name(), 105, Documents.FIRST_POOL,
                "'chain': 'walled'"));
            edge.awaitApplied();
        }
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '"', delimiter = '|', textBlock = """
        10.0.0.5             | 10.9.9.9  | source-address: 10.9.9.9 is in no subnet
        198.18.0.1           | 10.0.0.9  | destination-address: 10.0.0.9 is inside the VRF
        'tcp'                | 'gre'     | protocol: 'gre'
        'traced'             | 'nothing' | tenant: there is no
        "'protocol': 'tcp'," | ""        | protocol: is missing
        """)
    void mistakesAreNamed(final String good, final String bad, final String named) {
        assertThat(QUESTION).contains(good);
        final DataClient.Answer answer = edge.client().operation("chain-trace", QUESTION.replace(good, bad));
        assertThat(answer.isRefusal()).isTrue();
        assertThat(answer.messages()).contains(named);
    }

    @Test
    void withoutAMistakeThereIsAnAnswer() {
        assertThat(edge.client().call("chain-trace", QUESTION).getAsJsonObject("outbound").getAsJsonArray("hop"))
            .hasSize(1);
    }
}
