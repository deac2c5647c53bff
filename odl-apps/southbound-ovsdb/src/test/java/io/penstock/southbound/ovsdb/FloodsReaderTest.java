// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FloodsReaderTest {
    @Test
    void readsWhatTheAgentWrites() {
        assertThat(read("acc0/100 enp1s0f0.7/4094")).isEqualTo(Set.of("acc0/100", "enp1s0f0.7/4094"));
        assertThat(FloodsReader.read(Optional.of(new TableRow(new Ref("b"), Map.of())))).isEmpty();
        assertThat(FloodsReader.read(Optional.empty())).isEmpty();
    }

    @Test
    void nonsenseIsLeftOut() {
        assertThat(read("acc0 /100 acc0/ acc0/12345 acc0/x  acc1/7 a/b/1")).isEqualTo(Set.of("acc1/7"));
        assertThat(read("x".repeat(100) + "/1")).isEmpty();
    }

    @Test
    void thereIsAnEnd() {
        assertThat(read(IntStream.range(0, 1000).mapToObj(vlan -> "acc0/" + vlan).collect(Collectors.joining(" "))))
            .hasSize(256);
    }

    private static Set<String> read(final String text) {
        return FloodsReader.read(Optional.of(new TableRow(new Ref("b"),
            Map.of("external_ids", Map.of(NodeKeys.FLOODS, text)))));
    }
}
