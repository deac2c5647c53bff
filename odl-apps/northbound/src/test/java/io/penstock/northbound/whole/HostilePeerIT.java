// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Documents;
import io.penstock.testkit.HostilePeers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Peers that send garbage, or stop in the middle of a message: nodes stay connected, and changes still arrive. */
@Tag("hostile")
@OnEdge
class HostilePeerIT {
    private static final int VLAN = 100;

    private final Edge edge;
    private final HostilePeers peers;

    HostilePeerIT(final Edge edge) {
        this.edge = edge;
        peers = new HostilePeers(() -> connect(edge.controller().openFlowPort()),
            () -> connect(edge.controller().ovsdbPort()));
    }

    @BeforeEach
    void reset() {
        edge.reset();
        edge.client().add("tenant", Documents.tenant("acme", edge.first().name(), VLAN, Documents.FIRST_POOL));
        edge.awaitApplied();
        edge.forgetSteps();
    }

    @AfterEach
    void hangUp() throws IOException {
        peers.close();
    }

    private static SocketChannel connect(final int port) throws IOException {
        return SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    private void othersDidNotNotice() {
        edge.client().add("tenant", Documents.tenant("late", edge.first().name(), VLAN + 1, Documents.FIRST_POOL));
        edge.awaitApplied();
        // A connection that is new costs a reading.
        assertThat(edge.steps(edge.first())).containsExactly("apply");
        assertThat(edge.steps(edge.second())).isEmpty();
        assertThat(edge.state("late")).isEqualTo("active");
        edge.awaitSync();
    }

    @Test
    void garbageForOpenFlow() {
        peers.garbageForOpenFlow();
        othersDidNotNotice();
    }

    @Test
    void garbageForOvsdb() {
        peers.garbageForOvsdb();
        othersDidNotNotice();
    }

    @Test
    void aCrowdThatSaysNothing() {
        peers.crowd();
        othersDidNotNotice();
    }
}
