// SPDX-License-Identifier: Apache-2.0
package io.penstock.northbound.whole;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.Await;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A node of another release is served, and the operator is told of it. */
@OnEdge
class NodeProtocolIT {
    private final Edge edge;
    private final DummyNode node;

    NodeProtocolIT(final Edge edge) {
        this.edge = edge;
        node = edge.first();
    }

    @AfterEach
    void upgrade() {
        node.ovs().vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.PROTOCOL + "=" + NodeKeys.VERSION);
        Await.until("no warning", () -> warning().isEmpty());
    }

    @Test
    void theStatusTellsOfANodeThatSaysNoVersion() {
        assertThat(warning()).isEmpty();
        node.ovs().vsctl("remove", "Open_vSwitch", ".", "external_ids", NodeKeys.PROTOCOL);
        Await.until("a warning", () -> warning().isPresent());
        assertThat(warning()).contains("its agent speaks version 0 of the node protocol, this controller version "
            + NodeKeys.VERSION + ": upgrade the node");
        assertThat(edge.node(node).get("connected").getAsBoolean()).isTrue();
    }

    private Optional<String> warning() {
        return Optional.ofNullable(edge.node(node).get("warning")).map(JsonElement::getAsString);
    }
}
