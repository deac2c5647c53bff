// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.singleton.common.api.ServiceGroupIdentifier;
import org.opendaylight.openflowplugin.api.openflow.device.DeviceInfo;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.Node;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.NodeKey;
import org.opendaylight.yangtools.yang.binding.KeyedInstanceIdentifier;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint64;
import org.opendaylight.yangtools.yang.common.Uint8;

/** Nobody waits for the answer of a switch that is gone. */
class ConnectionsTest {
    private static final SwitchId SWITCH = new SwitchId(7);

    private final Connections connections = new Connections(() -> { });
    private final CompletableFuture<String> asked = new CompletableFuture<>();

    @Test
    void anAnswerComesThrough() {
        connections.onBecomeOwner(new Device());
        final CompletableFuture<String> answer = connections.whileConnected(SWITCH, asked);
        asked.complete("yes");
        assertThat(answer).isCompletedWithValue("yes");
        connections.onLoseOwnership(new Device());
        assertThat(answer).isCompletedWithValue("yes");
    }

    @Test
    void theEndOfTheConnectionIsTheAnswer() {
        connections.onBecomeOwner(new Device());
        final CompletableFuture<String> answer = connections.whileConnected(SWITCH, asked);
        assertThat(answer).isNotDone();
        connections.onLoseOwnership(new Device());
        isRefused(answer);
    }

    @Test
    void aNewConnectionEndsTheOldOne() {
        connections.onBecomeOwner(new Device());
        final CompletableFuture<String> answer = connections.whileConnected(SWITCH, asked);
        connections.onBecomeOwner(new Device());
        isRefused(answer);
        assertThat(connections.whileConnected(SWITCH, asked)).isNotDone();
    }

    @Test
    void aSwitchThatIsNotThereIsNotWaitedFor() {
        isRefused(connections.whileConnected(SWITCH, asked));
    }

    private static void isRefused(final CompletableFuture<String> answer) {
        assertThat(answer).isCompletedExceptionally();
        assertThatThrownBy(answer::join).isInstanceOf(CompletionException.class)
            .hasCauseInstanceOf(SwitchException.class).hasMessageContaining(SWITCH.toString());
    }

    private static final class Device implements DeviceInfo {
        @Override
        public Uint64 getDatapathId() {
            return Uint64.valueOf(SWITCH.datapathId());
        }

        @Override
        public NodeId getNodeId() {
            throw new UnsupportedOperationException();
        }

        @Override
        public KeyedInstanceIdentifier<Node, NodeKey> getNodeInstanceIdentifier() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Uint8 getVersion() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ServiceGroupIdentifier getServiceIdentifier() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Uint32 reserveXidForDeviceMessage() {
            throw new UnsupportedOperationException();
        }
    }
}
