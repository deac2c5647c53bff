// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpokenProtocolTest {
    private static final String OURS = Integer.toString(NodeKeys.VERSION);

    @Test
    void programsOfThisReleaseAreAllRight() {
        assertThat(of(Map.of(NodeKeys.PROTOCOL, OURS), Map.of(NodeKeys.NODE_FUNCTIONS, "{}",
            NodeKeys.FUNCTIONS_PROTOCOL, OURS)).difference()).isEmpty();
        assertThat(of(Map.of(NodeKeys.PROTOCOL, OURS), Map.of()).functions()).isEmpty();
        assertThat(of(Map.of(NodeKeys.PROTOCOL, OURS), Map.of()).difference()).isEmpty();
    }

    @Test
    void aFormerReleaseSaysNothing() {
        final SpokenProtocol former = of(Map.of(), Map.of(NodeKeys.NODE_FUNCTIONS, "{}"));
        assertThat(former).isEqualTo(new SpokenProtocol(0, OptionalInt.of(0)));
        assertThat(former.difference()).contains("its agent speaks version 0 of the node protocol, this controller "
            + "version 1: upgrade the node; its functions agent speaks version 0 of the node protocol, this controller "
            + "version 1: upgrade the node");
    }

    @Test
    void aLaterReleaseNeedsALaterController() {
        assertThat(of(Map.of(NodeKeys.PROTOCOL, "7"), Map.of(NodeKeys.FUNCTIONS_PROTOCOL, OURS)).difference())
            .contains("its agent speaks version 7 of the node protocol, this controller version 1: upgrade the "
                + "controller");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "one", "-1", "1.5", "12345678901234567890"})
    void whatIsNoVersionIsZero(final String text) {
        assertThat(of(Map.of(NodeKeys.PROTOCOL, text), Map.of()).agent()).isZero();
    }

    private static SpokenProtocol of(final Map<String, String> root, final Map<String, String> bridge) {
        return SpokenProtocol.of(row(root), Optional.of(row(bridge)));
    }

    private static TableRow row(final Map<String, String> ids) {
        return new TableRow(new Ref("r"), Map.of(OvsTables.EXTERNAL_IDS, ids));
    }
}
