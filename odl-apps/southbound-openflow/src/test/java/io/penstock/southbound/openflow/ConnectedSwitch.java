// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.southbound.openflow.wire.PrivateSwitch;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

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

    /** Has the switch connect, and waits for it. */
    void connect() throws Exception {
        target.vsctl("set-controller", PrivateSwitch.BRIDGE, "tcp:127.0.0.1:" + plugin.port(), "--",
            "set", "controller", PrivateSwitch.BRIDGE, "max_backoff=1000");
        assertThat(connections.poll(2, TimeUnit.MINUTES)).isEqualTo("connected " + ID);
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
