// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.pipeline.intent.Canary;
import io.penstock.pipeline.intent.Canary.Tolerance;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A new version of a function, from the configuration as RESTCONF takes it. */
class CanaryReaderTest {
    @Test
    void whatIsNotSaidHasADefault() throws Exception {
        assertThat(canary("{'version': 'v2', 'instance': ['b', 'a']}")).contains(
            new Canary("v2", List.of("b", "a"), 10, 300, new Tolerance(1, 200, 1), 100));
        assertThat(canary("{'version': 'v2', 'tolerance': {'latency': 400}}")).contains(
            new Canary("v2", List.of(), 10, 300, new Tolerance(1, 400, 1), 100));
    }

    @Test
    void everythingMayBeSaid() throws Exception {
        final Optional<Canary> read = canary("""
            {'version': '2.0_b', 'instance': ['a'], 'share': 50, 'duration': 5, 'least-packets': 4294967295,
             'tolerance': {'loss': 0, 'latency': 100, 'drops': 100}}""");
        assertThat(read).contains(
            new Canary("2.0_b", List.of("a"), 50, 5, new Tolerance(0, 100, 100), 4_294_967_295L));
    }

    @Test
    void theModelKnowsRanges() {
        for (final String bad : List.of("'share': 0", "'share': 51", "'duration': 4", "'duration': 86401",
                "'least-packets': 0", "'tolerance': {'loss': 101}", "'tolerance': {'latency': 99}",
                "'tolerance': {'drops': 101}", "'version': 'v 2'")) {
            assertThatThrownBy(() -> canary("{'version': 'v2', " + bad + "}")).as(bad)
                .isNotInstanceOf(UnreadableException.class);
        }
    }

    @Test
    void aVersionIsNeeded() {
        assertThatThrownBy(() -> canary("{'instance': ['a']}")).isInstanceOf(UnreadableException.class)
            .hasMessage("function fw: canary / version: is missing");
    }

    private static Optional<Canary> canary(final String content) throws Exception {
        return NetworkReaderTest.reader().read(Optional.of(NetworkReaderTest.parse("""
            {"penstock:network": {"function": [{"name": "fw", "node": "pe1", "canary": %s}]}}"""
            .formatted(content.replace('\'', '"')))), Optional.empty()).functions().get("fw").canary();
    }
}
