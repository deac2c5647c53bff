// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInfo;

/** Tests that all have one node with the hosts of two tenants. What is loaded is theirs to say. */
abstract class PairOnNode {
    /** Tag of classes whose node runs the machine's own Open vSwitch. */
    static final String OF_MACHINE = "switch-of-machine";

    static PacketNode node;
    static TenantPair pair;

    @BeforeAll
    static void makeNode(final TestInfo test) {
        node = test.getTags().contains(OF_MACHINE) ? new PacketNode(RestrictedSwitchPacketsIT.PROFILE)
            : new PacketNode();
        pair = new TenantPair(node.network());
    }

    @AfterAll
    static void closeNode() {
        node.close();
        node = null;
    }

    /** Waits until a connection of the first tenant comes to an instance, as a filter sees it on the inside. */
    static void awaitConnection(final String instance, final String filter) {
        try (Capture here = node.functions().capture(instance, "inside", filter)) {
            Await.until("a connection through " + instance, () -> {
                pair.first().askTcp(EdgeNetwork.SERVER, TenantPair.WEB);
                return here.frames();
            }, frames -> !frames.isEmpty());
        }
    }
}
