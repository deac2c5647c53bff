// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
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

/** Switches are used with one epoch, and the answer of one that is gone is not waited for. */
@Tag("safety")
class ConnectionsTest {
    private static final SwitchId SWITCH = new SwitchId(7);

    /** Answers to the requests for the role, in their order. */
    private final List<CompletableFuture<Void>> roles = new ArrayList<>();
    private final List<Long> epochs = new ArrayList<>();
    private final List<String> heard = new ArrayList<>();
    /** Epochs with which it was asked to take no orders; the switch has taken epoch 5. */
    private final List<Long> slaves = new ArrayList<>();
    private final Connections connections = new Connections(() -> { }, new Connections.Roles() {
        @Override
        public CompletableFuture<Void> master(final SwitchId target, final long epoch) {
            epochs.add(epoch);
            roles.add(new CompletableFuture<>());
            return roles.get(roles.size() - 1);
        }

        @Override
        public CompletableFuture<Void> slave(final SwitchId target, final long epoch) {
            slaves.add(epoch);
            return epoch < 5 ? CompletableFuture.failedFuture(new SwitchException("OFPRRFC_STALE"))
                : CompletableFuture.completedFuture(null);
        }
    });
    private final CompletableFuture<String> asked = new CompletableFuture<>();

    private boolean mayUse = true;

    @BeforeEach
    void listen() {
        connections.listen(new ConnectionListener() {
            @Override
            public void onConnected(final SwitchId connected) {
                heard.add("connected");
            }

            @Override
            public void onDisconnected(final SwitchId disconnected) {
                heard.add("disconnected");
            }
        });
    }

    private void lead(final long epoch) {
        connections.lead(epoch, id -> mayUse);
    }

    private void connect() {
        connections.onBecomeOwner(new Device());
        roles.get(roles.size() - 1).complete(null);
    }

    @Test
    void aSwitchIsUsedWhenItHasTakenTheEpoch() {
        connections.onBecomeOwner(new Device());
        assertThat(roles).as("no engine").isEmpty();
        lead(5);
        assertThat(epochs).containsExactly(5L);
        assertThat(heard).isEmpty();
        roles.get(0).complete(null);
        assertThat(heard).containsExactly("connected");
        connections.rest();
        assertThat(connections.connected()).isEmpty();
        lead(9);
        roles.get(1).complete(null);
        assertThat(epochs).containsExactly(5L, 9L);
        assertThat(heard).containsExactly("connected", "disconnected", "connected");
    }

    @Test
    void aSwitchThatHasTakenALaterEpochIsNotUsed() {
        lead(5);
        connections.onBecomeOwner(new Device());
        roles.get(0).completeExceptionally(new SwitchException("OFPRRFC_STALE"));
        assertThat(connections.connected()).isEmpty();
        assertThat(heard).isEmpty();
    }

    @Test
    void anAnswerToAnEarlierEpochOrConnectionCountsForNothing() {
        lead(5);
        connections.onBecomeOwner(new Device());
        connections.rest();
        roles.get(0).complete(null);
        assertThat(heard).isEmpty();
        lead(6);
        connections.onLoseOwnership(new Device());
        roles.get(1).complete(null);
        assertThat(connections.connected()).isEmpty();
    }

    @Test
    void aSwitchIsUsedOnceItMayBe() {
        mayUse = false;
        connections.onBecomeOwner(new Device());
        lead(5);
        connections.reconsider(SWITCH);
        assertThat(epochs).isEmpty();
        mayUse = true;
        connections.reconsider(SWITCH);
        connections.reconsider(SWITCH);
        assertThat(epochs).as("asked once").containsExactly(5L);
        roles.get(0).complete(null);
        assertThat(connections.connected()).containsExactly(SWITCH);
        connections.onBecomeOwner(new Device());
        assertThat(epochs).as("another connection").containsExactly(5L, 5L);
    }

    @Test
    void aMemberThatStandsByIsTheSlaveOfEachSwitch() {
        connections.onBecomeOwner(new Device());
        connections.standBy(4);
        connections.standBy(6);
        assertThat(slaves).as("refused the first one").containsExactly(4L, 6L);
        connections.standBy(7);
        assertThat(slaves).as("is one").hasSize(2);
        connections.onBecomeOwner(new Device());
        assertThat(slaves).as("by each connection").containsExactly(4L, 6L, 7L);
        assertThat(heard).isEmpty();

        lead(8);
        roles.get(0).complete(null);
        assertThat(heard).containsExactly("connected");
        connections.onBecomeOwner(new Device());
        assertThat(slaves).as("leads").hasSize(3);
        connections.rest();
        connections.standBy(9);
        assertThat(slaves).as("has led").containsExactly(4L, 6L, 7L, 9L);
    }

    @Test
    void anAnswerComesThrough() {
        lead(1);
        connect();
        final CompletableFuture<String> answer = connections.whileConnected(SWITCH, asked);
        asked.complete("yes");
        assertThat(answer).isCompletedWithValue("yes");
        connections.onLoseOwnership(new Device());
        assertThat(answer).isCompletedWithValue("yes");
    }

    @Test
    void theEndOfTheConnectionIsTheAnswer() {
        lead(1);
        connect();
        final CompletableFuture<String> answer = connections.whileConnected(SWITCH, asked);
        assertThat(answer).isNotDone();
        connections.onLoseOwnership(new Device());
        isRefused(answer);
    }

    @Test
    void aNewConnectionEndsTheOldOne() {
        lead(1);
        connect();
        final CompletableFuture<String> answer = connections.whileConnected(SWITCH, asked);
        connect();
        isRefused(answer);
        assertThat(connections.whileConnected(SWITCH, asked)).isNotDone();
    }

    @Test
    void aSwitchThatIsNotThereIsNotWaitedFor() {
        isRefused(connections.whileConnected(SWITCH, asked));
    }

    @Test
    void aMemberThatStandsByMayAskUntilTheConnectionEnds() {
        connections.standBy(3);
        isRefused(connections.whilePresent(SWITCH, asked));
        connections.onBecomeOwner(new Device());
        isRefused(connections.whileConnected(SWITCH, asked));
        final CompletableFuture<String> answer = connections.whilePresent(SWITCH, asked);
        assertThat(answer).isNotDone();
        connections.onLoseOwnership(new Device());
        isRefused(answer);
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
