// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Receive queues of a port, as the node announces them, are what its database gets. */
@OnEdge
class QueuesIT {
    private static final String PORT = "nic0";
    private static final String OPTIONS = "options";
    private static final String SETTINGS = "other_config";

    private final DummyNode node;

    QueuesIT(final Edge edge) {
        node = edge.first();
    }

    @AfterEach
    void withoutThePort() {
        node.announce("");
        Await.until("the port has gone", () -> !node.ovs().vsctl("list-ports", "br-penstock").contains(PORT));
    }

    @Test
    void announcedQueuesAreSetAndChanged() {
        announce(", \"receive-queues\": 2, \"queue-cores\": [3, 1]");
        until(OPTIONS, "{dpdk-devargs=net_null0, n_rxq=\"2\"}");
        until(SETTINGS, "{pmd-rxq-affinity=\"0:3,1:1\"}");

        announce(", \"receive-queues\": 12, \"queue-cores\": [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2]");
        until(SETTINGS, "{pmd-rxq-affinity=\"0:0,1:1,2:2,3:3,4:0,5:1,6:2,7:3,8:0,9:1,10:2\"}");
        until(OPTIONS, "{dpdk-devargs=net_null0, n_rxq=\"12\"}");

        announce("");
        until(OPTIONS, "{dpdk-devargs=net_null0}");
        until(SETTINGS, "{}");
    }

    @Test
    void settingsOfOthersStay() {
        announce(", \"receive-queues\": 2");
        until(OPTIONS, "{dpdk-devargs=net_null0, n_rxq=\"2\"}");
        node.ovs().vsctl("set", "Interface", PORT, "other_config:lldp=on", "other_config:pmd-rxq-affinity=0:9");
        announce(", \"receive-queues\": 2, \"queue-cores\": [1]");
        until(SETTINGS, "{lldp=on, pmd-rxq-affinity=\"0:1\"}");
    }

    private void announce(final String queues) {
        node.announce(",{\"name\": \"%s\", \"role\": \"uplink\", \"type\": \"dpdk\", \"devargs\": \"net_null0\"%s}"
            .formatted(PORT, queues));
    }

    private void until(final String column, final String wanted) {
        Await.until(column + " is " + wanted, () -> wanted.equals(
            node.ovs().vsctl("--if-exists", "get", "Interface", PORT, column).strip()));
        assertThat(node.ovs().vsctl("get", "Interface", PORT, "type").strip()).isEqualTo("dpdk");
    }
}
