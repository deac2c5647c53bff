// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.neighbour;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.flow.Ipv4;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ArpRequestTest {
    @Test
    void isTheFrameOfRfc826() {
        final byte[] frame = ArpRequest.frame(0x025053000001L, Ipv4.parse("10.0.0.1"), Ipv4.parse("10.0.0.9"));
        assertThat(HexFormat.of().formatHex(frame)).isEqualTo("ffffffffffff" + "025053000001" + "0806"
            + "0001" + "0800" + "06" + "04" + "0001" + "025053000001" + "0a000001" + "000000000000" + "0a000009"
            + "00".repeat(18));
    }
}
