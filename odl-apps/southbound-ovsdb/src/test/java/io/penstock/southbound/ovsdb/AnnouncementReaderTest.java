// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnnouncementReaderTest {
    @Test
    void readsEverything() {
        final NodeAnnouncement read = AnnouncementReader.read(row(Map.of("penstock-node", "pe1",
            "penstock-vhost-dir", "/run/ps", "penstock-ports",
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
        assertThat(AnnouncementReader.read(row(Map.of("penstock-node", "pe1"))).ports()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        other         | x                                                   | no penstock-node
        penstock-node | '../etc'                                            | not a node name
        penstock-node | ''                                                  | not a node name
        """)
    void badNameIsTold(final String key, final String value, final String message) {
        assertThatThrownBy(() -> AnnouncementReader.read(row(Map.of(key, value)))).isInstanceOf(OvsdbException.class)
            .hasMessageContaining(message);
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
        assertThatThrownBy(() -> AnnouncementReader.read(row(Map.of("penstock-node", "a", "penstock-ports", ports))))
            .isInstanceOf(OvsdbException.class).hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        penstock-node  | TEXT/                                                       | not a node name
        penstock-ports | [{"name":"a","role":"TEXT","type":"system"}]                | bad role
        penstock-ports | [{"name":"a","role":"access","type":"TEXT"}]                | bad type
        penstock-ports | [{"name":"a","role":"access","type":"dpdk","receive-queues":"TEXT"}] | bad receive-queues
        penstock-ports | [{"name":"a","role":"access","type":"dpdk","queue-cores":"TEXT"}]    | bad queue-cores
        penstock-ports | TEXT                                                        | not JSON
        """)
    void longTextsAreToldInPart(final String key, final String value, final String message) {
        final String longValue = value.replace("TEXT", "x".repeat(1 << 20));
        final Map<String, String> ids = new HashMap<>(Map.of("penstock-node", "a"));
        ids.put(key, longValue);
        assertThatThrownBy(() -> AnnouncementReader.read(row(ids)))
            .isInstanceOf(OvsdbException.class).hasMessageContaining(message)
            .satisfies(error -> assertThat(error.getMessage()).hasSizeLessThan(600));
    }

    private static TableRow row(final Map<String, String> ids) {
        return new TableRow(new Ref("r"), Map.of("external_ids", ids, "ovs_version", Set.of("3.1.0"),
            "dpdk_version", Set.of("none"), "dpdk_initialized", true));
    }
}
