// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests that each have a server and one node, {@code pe1}, whose database is connected to it. */
abstract class ConnectedNode {
    final RecordingListener listener = new RecordingListener();
    final OvsdbServer server = new OvsdbServer();
    OvsSandbox node;
    NodeSession session;

    @BeforeEach
    void connect() {
        server.start("127.0.0.1", 0);
        server.serve(listener, 1);
        node = new OvsSandbox();
        node.announce("pe1", server.port());
        session = listener.awaitNode("pe1");
    }

    @AfterEach
    void disconnect() {
        node.close();
        server.close();
    }
}
