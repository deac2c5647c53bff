// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where the server listens. */
@Timeout(720)
class OvsdbServerTest {
    private final RecordingListener listener = new RecordingListener();
    private final OvsdbServer server = new OvsdbServer(OvsdbServerOptions.DEFAULT);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void listensOnlyWhereItWasTold() throws Exception {
        server.start("127.0.0.2", 0);
        server.serve(listener, 1);
        try (Socket socket = new Socket("127.0.0.2", server.port())) {
            assertThat(socket.isConnected()).isTrue();
        }
        final int port = server.port();
        assertThatThrownBy(() -> new Socket("127.0.0.1", port).close()).isInstanceOf(ConnectException.class);
    }

    @Test
    void takenOrForeignAddressIsToldAndMayBeTriedAgain() throws Exception {
        assertThatThrownBy(() -> server.start("192.0.2.1", 0)).isInstanceOf(OvsdbException.class)
            .hasMessageContaining("192.0.2.1");
        final int port;
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress("127.0.0.1", 0));
            port = taken.getLocalPort();
            assertThatThrownBy(() -> server.start("127.0.0.1", port)).isInstanceOf(OvsdbException.class);
        }
        server.start("127.0.0.1", port);
        server.serve(listener, 1);
        assertThat(server.port()).isEqualTo(port);
    }
}
