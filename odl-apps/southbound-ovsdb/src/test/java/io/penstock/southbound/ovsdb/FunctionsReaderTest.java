// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FunctionsReaderTest {
    @Test
    void readsWhatTheAgentWrites() {
        assertThat(read("""
            {"cores":[0,3],"functions":{"forwarder":{"form":"container","mode":"transparent","shared":true},\
            "divert":{"form":"container","mode":"transparent","shared":true,"outputs":2},\
            "router-vm":{"form":"vm","mode":"routed","shared":false}}}""")).contains(new NodeFunctions(Set.of(0, 3),
                Map.of("forwarder", new NodeFunctions.Entry(true, false, false), "router-vm",
                    new NodeFunctions.Entry(false, true, false), "divert",
                    new NodeFunctions.Entry(true, false, true))));
    }

    @Test
    void emptyCatalogueIsSomethingElseThanNone() {
        assertThat(read("{\"cores\":[0],\"functions\":{}}")).contains(new NodeFunctions(Set.of(0), Map.of()));
        assertThat(read(" ")).isEmpty();
        assertThat(FunctionsReader.read(Optional.of(new TableRow(new Ref("b"), Map.of())))).isEmpty();
        assertThat(FunctionsReader.read(Optional.empty())).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        {                                                | not JSON
        3                                                | names no cores
        {"functions":{}}                                 | names no cores
        {"cores":[],"functions":{}}                      | names no cores
        {"cores":["a"],"functions":{}}                   | not a number of a core: "a"
        {"cores":[0]}                                    | names no functions
        {"cores":[0],"functions":["forwarder"]}          | names no functions
        {"cores":[0],"functions":{"f":{"shared":"yes"}}} | whether f is shared
        {"cores":[0],"functions":{"f":{"shared":true}}}  | the mode of f
        {"cores":[0],"functions":{"f":true}}             | whether f is shared
        """)
    void nonsenseIsTold(final String text, final String message) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(OvsdbException.class).hasMessageContaining(message);
    }

    private static Optional<NodeFunctions> read(final String text) {
        return FunctionsReader.read(Optional.of(new TableRow(new Ref("b"),
            Map.of("external_ids", Map.of(NodeKeys.NODE_FUNCTIONS, text)))));
    }
}
