// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.registry.Constants;
import io.penstock.southbound.openflow.SwitchId;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which switches a node may connect. */
@Tag("safety")
class OwnSwitchesTest {
    private static final String SECRET = "a".repeat(64);

    private final OwnSwitches switches = new OwnSwitches(() ->
        new Allocations(0, new TreeMap<>(Map.of("edge1", 1, "edge2", 2)), new TreeMap<>(), new TreeMap<>())
            .withSecret(SECRET));

    private static SwitchId id(final int node, final String secret) {
        return new SwitchId(Constants.datapathId(node, secret));
    }

    @Test
    void aNodeConnectsItsOwnSwitch() {
        assertThat(switches.denies("edge1", id(1, SECRET))).isEmpty();
        assertThat(switches.denies("edge1", id(2, SECRET))).hasValue(
            "its certificate is that of node edge1, and this is the datapath id of node edge2");
        assertThat(switches.denies("edge9", id(2, SECRET))).isPresent();
    }

    @Test
    void aSwitchOfARemovedNodeIsLetInForNoNodeThatIsThere() {
        assertThat(switches.denies("edge9", id(9, SECRET))).isEmpty();
        assertThat(switches.denies("edge1", id(9, SECRET))).isPresent();
    }

    @Test
    void anIdThatTheControllerHasNotMadeIsRefused() {
        assertThat(switches.denies("edge1", id(1, "b".repeat(64)))).hasValue(
            "its certificate is that of node edge1, which has another datapath id");
        assertThat(switches.denies("edge9", new SwitchId(1))).isPresent();
    }
}
