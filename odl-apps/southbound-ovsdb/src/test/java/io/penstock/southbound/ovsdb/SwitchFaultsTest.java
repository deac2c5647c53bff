// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SwitchFaultsTest {
    private static NodeAnnouncement node(final String version, final String... accepted) {
        return new NodeAnnouncement("edge1", List.of(), "", version, "", true, Optional.empty(), Set.of(),
            Set.of(accepted), new SpokenProtocol(NodeKeys.VERSION, OptionalInt.empty()));
    }

    /** The same versions as in test_switch_faults.py, which reads the same file. */
    @ParameterizedTest
    @CsvSource(nullValues = "-", value = {
        "2.17.9, fragments ftp", "3.1.0, fragments ftp", "3.2.9, ftp", "3.3.4, fragments ftp", "3.3.5, ftp",
        "3.3.8, ftp", "3.3.9, -", "3.4.2, fragments ftp", "3.4.6, -", "3.5.0, fragments ftp", "3.5.1, ftp",
        "3.5.4, -", "3.6.0, ftp", "3.6.3, -", "3.7.0, ftp", "3.7.1, -", "3.10.0, -", "4.0.0, -", "10.0.0, -",
        "'', fragments ftp", "4.0, fragments ftp",
        "4.0.0-rc1, fragments ftp", "99999.0.0, fragments ftp"})
    void faultsOfAVersion(final String version, final String expected) {
        final String refusal = SwitchFaults.refusal(node(version));
        final List<String> known = expected == null ? List.of() : List.of(expected.split(" "));
        assertThat(refusal.contains("fragments-reach-others") && refusal.contains("fragments-end-switch"))
            .isEqualTo(known.contains("fragments"));
        assertThat(refusal.contains("ftp-ends-switch")).isEqualTo(known.contains("ftp"));
        assertThat(refusal.isEmpty()).isEqualTo(known.isEmpty());
    }

    @Test
    void aNodeIsRefusedUntilItAcceptsAllFaults() {
        assertThat(SwitchFaults.refusal(node("3.1.0", "fragments-reach-others", "fragments-end-switch")))
            .contains("Open vSwitch 3.1.0", "a packet to the FTP helper can end the switch",
                "accepted-switch-faults: [ftp-ends-switch]").doesNotContain("fragments-reach-others");
        assertThat(SwitchFaults.refusal(node("3.1.0", SwitchFaults.names().toArray(String[]::new)))).isEmpty();
        assertThat(SwitchFaults.refusal(node(""))).contains("does not say the version");
    }

    @Test
    void whatIsOffDependsOnWhatIsAccepted() {
        assertThat(SwitchFaults.permitFtp(node("3.1.0", "fragments-reach-others"))).isTrue();
        assertThat(SwitchFaults.permitFtp(node("3.1.0", "ftp-ends-switch"))).isFalse();
        assertThat(SwitchFaults.warning(node("4.0.0"))).isEmpty();
        assertThat(SwitchFaults.warning(node("3.1.0", "ftp-ends-switch", "fragments-end-switch")))
            .contains("Open vSwitch 3.1.0", "fragments with a pause can end the switch").endsWith("fragments, ftp");
    }
}
