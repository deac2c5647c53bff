// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.testkit.NodeProtocol;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeKeysTest {
    private static final NodeProtocol PROTOCOL = NodeProtocol.DEFINED;

    @Test
    void theConstantsAreThoseOfTheProtocol() throws IllegalAccessException {
        final Map<String, Object> wanted = new HashMap<>(Map.of("VERSION", PROTOCOL.version()));
        PROTOCOL.keys().forEach(key -> wanted.put(NodeProtocol.constant(key), key));
        PROTOCOL.words("names").forEach((name, word) -> wanted.put(NodeProtocol.constant(name), word));
        final Map<String, Object> found = new HashMap<>();
        for (final Field field : NodeKeys.class.getDeclaredFields()) {
            found.put(field.getName(), field.get(null));
        }
        assertThat(found).isEqualTo(wanted);
    }

    @Test
    void whatIsNotDefinedIsFound() {
        assertThatThrownBy(() -> PROTOCOL.checkForm(NodeKeys.FUNCTION, "{\"function\":\"f\",\"memory\":1}"))
            .isInstanceOf(AssertionError.class).hasMessageContaining("memory");
        assertThatThrownBy(() -> PROTOCOL.check("function/usual", "{\"function\":\"other\"}"))
            .isInstanceOf(AssertionError.class).hasMessageContaining("forwarder");
        assertThatThrownBy(() -> PROTOCOL.checkForm(NodeKeys.TRACE, "x".repeat(37)
            + PROTOCOL.writtenByController().get("trace/full").value().substring(37).replace("rpl", "trk")))
            .isInstanceOf(AssertionError.class).hasMessageContaining("state");
    }

    @Test
    void ordersStandWhereTheProtocolHasThem() {
        assertThat(ZoneSpec.ORDERS).isEqualTo(PROTOCOL.ordersOf(OvsTables.ZONE));
        assertThat(PortSpec.ORDERS).isEqualTo(PROTOCOL.ordersOf(OvsTables.INTERFACE));
        assertThat(PROTOCOL.ordersOf(OvsTables.BRIDGE)).containsExactlyInAnyOrder(NodeKeys.SESSION_FLOWS,
            NodeKeys.TRACE, NodeKeys.CACHE, NodeKeys.ORDERS);
        assertThat(PROTOCOL.ordersOf(OvsTables.ROOT)).isEmpty();
    }
}
