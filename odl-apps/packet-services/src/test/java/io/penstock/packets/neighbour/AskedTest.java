// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.neighbour;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.SwitchId;
import org.junit.jupiter.api.Test;

class AskedTest {
    private static final SwitchId NODE = new SwitchId(1);

    private long nanos;
    private final Asked<Long> asked = new Asked<>(new Ticker() {
        @Override
        public long read() {
            return nanos;
        }
    });

    @Test
    void theSameIsAskedForOnceInAWhile() {
        assertThat(asked.first(NODE, new VrfId(2), 10L)).isTrue();
        nanos = Asked.QUIET.toNanos() - 1;
        assertThat(asked.first(NODE, new VrfId(2), 10L)).isFalse();
        nanos++;
        assertThat(asked.first(NODE, new VrfId(2), 10L)).isTrue();
    }

    @Test
    void anotherIsAskedForAtOnce() {
        assertThat(asked.first(NODE, new VrfId(2), 10L)).isTrue();
        assertThat(asked.first(NODE, new VrfId(2), 11L)).isTrue();
        assertThat(asked.first(NODE, new VrfId(3), 10L)).isTrue();
        assertThat(asked.first(new SwitchId(2), new VrfId(2), 10L)).isTrue();
    }
}
