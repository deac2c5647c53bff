// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.util.concurrent.Futures;
import io.penstock.southbound.openflow.wire.PrivateSwitch;
import io.penstock.testkit.Await;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.opendaylight.mdsal.binding.api.ReadTransaction;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.NodeId;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.Nodes;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.Node;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.NodeKey;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;

/** An Open vSwitch of its own, and OpenFlowPlugin in this JVM for it to connect to. */
final class ConnectedSwitch implements AutoCloseable {
    static final SwitchId ID = new SwitchId(0x0050534e00000001L);

    private final BlockingQueue<String> connections = new LinkedBlockingQueue<>();
    private final PrivateSwitch target;
    private final MdSalInProcess mdsal = new MdSalInProcess();
    private final PluginInProcess plugin;

    /** Starts both in an empty directory. */
    ConnectedSwitch(final Path directory) throws Exception {
        target = new PrivateSwitch(directory);
        plugin = new PluginInProcess(mdsal);
        plugin.southbound().listen(new ConnectionListener() {
            @Override
            public void onConnected(final SwitchId connected) {
                connections.add("connected " + connected);
            }

            @Override
            public void onDisconnected(final SwitchId disconnected) {
                connections.add("disconnected " + disconnected);
            }
        });
    }

    /**
     * Has the switch connect, and waits until the plugin has taken it up: it closes a connection of which it has not
     * learned all within nine seconds (DeviceContextImpl), which a busy machine may need when it loads the classes.
     */
    void connect() throws Exception {
        target.vsctl("set-controller", PrivateSwitch.BRIDGE, "tcp:127.0.0.1:" + plugin.port(), "--",
            "set", "controller", PrivateSwitch.BRIDGE, "max_backoff=1000");
        assertThat(connections.poll(2, TimeUnit.MINUTES)).isEqualTo("connected " + ID);
        Await.until("the plugin has taken the switch up", this::isTakenUp);
        connections.clear();
    }

    private boolean isTakenUp() {
        try (ReadTransaction transaction = mdsal.broker().newReadOnlyTransaction()) {
            return Futures.getUnchecked(transaction.exists(LogicalDatastoreType.OPERATIONAL,
                InstanceIdentifier.create(Nodes.class).child(Node.class, new NodeKey(new NodeId(ID.toString())))));
        }
    }

    PrivateSwitch target() {
        return target;
    }

    OpenFlowSouthbound southbound() {
        return plugin.southbound();
    }

    FlowSender plainSender() {
        return plugin.plainSender();
    }

    /** What became of the connection since the start, as {@code connected ID} and {@code disconnected ID}. */
    BlockingQueue<String> connections() {
        return connections;
    }

    /** Takes away all flows and meters. */
    void clear() throws Exception {
        target.ofctl("del-flows");
        target.ofctl("del-meters");
    }

    /** Waits for an answer. */
    static <T> T get(final CompletableFuture<T> future) {
        return future.orTimeout(2, TimeUnit.MINUTES).join();
    }

    @Override
    public void close() throws Exception {
        plugin.close();
        mdsal.close();
        target.close();
    }
}
