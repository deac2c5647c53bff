// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Bytes;
import io.penstock.frames.Ethernet;
import io.penstock.pipeline.intent.NetworkFunction.Routed;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProbeFrameTest {
    private static final ProbeFrame REQUEST = new ProbeFrame(false, 0xfff1, 0xfffe, 0x8877665544332211L);

    @Test
    void isReadAsItWasWritten() {
        assertThat(ProbeFrame.parse(REQUEST.bytes(Optional.empty()))).contains(REQUEST);
        assertThat(ProbeFrame.parse(REQUEST.answer().bytes(Optional.empty()))).contains(REQUEST.answer());
    }

    @Test
    void goesToTheAddressOfARouterOnItsSide() {
        final Optional<Routed> router = Optional.of(Routed.DEFAULT);
        final Bytes request = REQUEST.bytes(router);
        assertThat(Ethernet.parse(request).orElseThrow().destination()).isEqualTo(0x025053ff0101L);
        assertThat(Ethernet.parse(REQUEST.answer().bytes(router)).orElseThrow().destination())
            .isEqualTo(0x025053ff0102L);
        assertThat(ProbeFrame.parse(request)).contains(REQUEST);
    }

    @Test
    void isNotReadFromOtherFrames() {
        final byte[] frame = REQUEST.bytes(Optional.empty()).toArray();
        for (int at = 12; at < frame.length; at++) {
            final byte[] other = frame.clone();
            other[at] ^= 0x40;
            // The padding is not looked at, nor what the checksum of IPv4 makes good.
            assertThat(ProbeFrame.parse(Bytes.of(other))).as("byte " + at)
                .satisfiesAnyOf(read -> assertThat(read).isEmpty(), read -> assertThat(read).contains(REQUEST));
            assertThat(ProbeFrame.parse(REQUEST.bytes(Optional.empty()).part(0, at))).satisfiesAnyOf(
                read -> assertThat(read).isEmpty(), read -> assertThat(read).contains(REQUEST));
        }
    }
}
