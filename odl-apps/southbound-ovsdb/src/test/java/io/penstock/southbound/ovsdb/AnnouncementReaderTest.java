// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnnouncementReaderTest {
    @Test
    void readsEverything() {
        final NodeAnnouncement read = AnnouncementReader.read(row(Map.of(NodeKeys.NODE, "pe1",
            NodeKeys.VHOST_DIR, "/run/ps", NodeKeys.PORTS,
            "[{\"name\":\"acc0\",\"role\":\"access\",\"type\":\"system\",\"devargs\":\"\"},"
                + "{\"name\":\"up0\",\"role\":\"uplink\",\"type\":\"dpdk\",\"devargs\":\"0000:01:00.0\","
                + "\"receive-queues\":3,\"queue-cores\":[7,1]}]")));

        assertThat(read.name()).isEqualTo("pe1");
        assertThat(read.ports()).containsExactly(new AnnouncedPort("acc0", "access", "system", ""),
            new AnnouncedPort("up0", "uplink", "dpdk", "0000:01:00.0", 3, List.of(7, 1)));
        assertThat(read.vhostDirectory()).isEqualTo("/run/ps");
        assertThat(read.ovsVersion()).isEqualTo("3.1.0");
        assertThat(read.dpdkVersion()).isEmpty();
        assertThat(read.dpdkInitialized()).isTrue();
    }

    @Test
    void nameAloneIsEnough() {
        assertThat(AnnouncementReader.read(row(Map.of(NodeKeys.NODE, "pe1"))).ports()).isEmpty();
    }

    @Test
    void faultsThatNobodyKnowsAreNotAccepted() {
        final String names = "ftp-ends-switch,,x".repeat(1000) + ",ftp-ends-switch";
        assertThat(AnnouncementReader.read(row(Map.of(NodeKeys.NODE, "pe1", NodeKeys.ACCEPTED_FAULTS, names)))
            .acceptedFaults()).containsExactly("ftp-ends-switch");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../etc", ""})
    void badNameIsTold(final String name) {
        assertThatThrownBy(() -> AnnouncementReader.read(row(Map.of(NodeKeys.NODE, name))))
            .isInstanceOf(OvsdbException.class).hasMessageContaining("not a node name");
    }

    @Test
    void noNameIsTold() {
        assertThatThrownBy(() -> AnnouncementReader.read(row(Map.of("other", "x")))).isInstanceOf(OvsdbException.class)
            .hasMessageContaining("no " + NodeKeys.NODE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        [                                                   | not JSON
        {}                                                  | not a list
        [3]                                                 | bad name
        [{"name":"a","role":"boss","type":"system"}]        | bad role
        [{"name":"a","role":"access","type":"wifi"}]        | bad type
        [{"name":"a","role":"access","type":"dpdk","receive-queues":0}]                       | bad receive-queues
        [{"name":"a","role":"access","type":"dpdk","receive-queues":65}]                      | bad receive-queues
        [{"name":"a","role":"access","type":"dpdk","receive-queues":"2"}]                     | bad receive-queues
        [{"name":"a","role":"access","type":"dpdk","receive-queues":null}]                    | bad receive-queues
        [{"name":"a","role":"access","type":"dpdk","queue-cores":[-1]}]                       | bad queue-cores
        [{"name":"a","role":"access","type":"dpdk","queue-cores":[65536]}]                    | bad queue-cores
        [{"name":"a","role":"access","type":"dpdk","queue-cores":[1.5]}]                      | bad queue-cores
        [{"name":"a","role":"access","type":"dpdk","queue-cores":[1,2]}]                      | bad queue-cores
        [{"name":"a","role":"access","type":"dpdk","queue-cores":1}]                          | bad queue-cores
        [{"name":"a","role":"access","type":"dpdk","queue-cores":{"0":1}}]                    | bad queue-cores
        """)
    void badPortsAreTold(final String ports, final String message) {
        assertThatThrownBy(() -> AnnouncementReader.read(row(Map.of(NodeKeys.NODE, "a", NodeKeys.PORTS, ports))))
            .isInstanceOf(OvsdbException.class).hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        TEXT/ |                                                                   | not a node name
        a | [{"name":"a","role":"TEXT","type":"system"}]                          | bad role
        a | [{"name":"a","role":"access","type":"TEXT"}]                          | bad type
        a | [{"name":"a","role":"access","type":"dpdk","receive-queues":"TEXT"}]  | bad receive-queues
        a | [{"name":"a","role":"access","type":"dpdk","queue-cores":"TEXT"}]     | bad queue-cores
        a | TEXT                                                                  | not JSON
        """)
    void longTextsAreToldInPart(final String name, final String ports, final String message) {
        final String text = "x".repeat(1 << 20);
        final Map<String, String> ids = Map.of(NodeKeys.NODE, name.replace("TEXT", text), NodeKeys.PORTS,
            ports == null ? "" : ports.replace("TEXT", text));
        assertThatThrownBy(() -> AnnouncementReader.read(row(ids)))
            .isInstanceOf(OvsdbException.class).hasMessageContaining(message)
            .satisfies(error -> assertThat(error.getMessage()).hasSizeLessThan(600));
    }

    private static TableRow row(final Map<String, String> ids) {
        return new TableRow(new Ref("r"), Map.of("external_ids", ids, "ovs_version", Set.of("3.1.0"),
            "dpdk_version", Set.of("none"), "dpdk_initialized", true));
    }
}
