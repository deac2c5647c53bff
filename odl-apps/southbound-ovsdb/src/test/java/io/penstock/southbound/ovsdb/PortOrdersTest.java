// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import static io.penstock.southbound.ovsdb.Specs.ordered;
import static io.penstock.southbound.ovsdb.Specs.system;
import static io.penstock.southbound.ovsdb.Specs.vhost;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Orders at ports, and what the node writes beside them. */
class PortOrdersTest {
    private static final String ORDER = "{\"function\":\"forwarder\"}";
    private static final String OTHER = "{\"function\":\"forwarder\",\"core\":2}";

    private final FakeDatabase database = new FakeDatabase();

    @Test
    void newPortComesWithItsOrderAndASecondPlanIsEmpty() {
        final BridgeSpec spec = bridge(ordered("fw-in", 10, ORDER));
        database.bringTo(spec);

        assertThat(ids("fw-in")).isEqualTo(Map.of(NodeKeys.FUNCTION, ORDER));
        assertThat(ids("acc0")).isEmpty();
        assertThat(database.bringTo(spec).changes()).isEmpty();
    }

    @Test
    void changeOfAnOrderIsOneKeyOfOneRow() {
        database.bringTo(bridge(ordered("fw-in", 10, ORDER)));
        nodeWrites("fw-in", NodeKeys.FUNCTION_STATE, "running");
        nodeWrites("fw-in", "owner", "ann");

        assertThat(database.bringTo(bridge(ordered("fw-in", 10, OTHER))).changes()).containsExactly(
            new RowChange.Mutate(OvsTables.INTERFACE, link("fw-in").ref(), "external_ids", Set.of(NodeKeys.FUNCTION),
                Map.of(NodeKeys.FUNCTION, OTHER)));
        assertThat(ids("fw-in")).isEqualTo(Map.of(NodeKeys.FUNCTION, OTHER, NodeKeys.FUNCTION_STATE, "running",
            "owner", "ann"));
    }

    @Test
    void orderComesToAPortThatIsThereAndGoesAgain() {
        final BridgeSpec without = bridge(vhost("fw-in", 10, "/run/ps"));
        database.bringTo(without);
        nodeWrites("fw-in", "owner", "ann");

        assertThat(database.bringTo(bridge(ordered("fw-in", 10, ORDER))).changes()).containsExactly(
            new RowChange.Mutate(OvsTables.INTERFACE, link("fw-in").ref(), "external_ids", Set.of(),
                Map.of(NodeKeys.FUNCTION, ORDER)));
        assertThat(database.bringTo(without).changes()).containsExactly(
            new RowChange.Mutate(OvsTables.INTERFACE, link("fw-in").ref(), "external_ids", Set.of(NodeKeys.FUNCTION),
                Map.of()));
        assertThat(ids("fw-in")).isEqualTo(Map.of("owner", "ann"));
    }

    @Test
    void whatOthersMakeOfAnOrderIsPutRight() {
        final BridgeSpec spec = bridge(ordered("fw-in", 10, ORDER));
        database.bringTo(spec);
        nodeWrites("fw-in", NodeKeys.FUNCTION, "{drift}");
        nodeWrites("acc0", NodeKeys.FUNCTION, ORDER);

        assertThat(database.bringTo(spec).changes()).hasSize(2);
        assertThat(ids("fw-in")).isEqualTo(Map.of(NodeKeys.FUNCTION, ORDER));
        assertThat(ids("acc0")).isEmpty();
    }

    @Test
    void portThatGoesTakesItsOrderAndReportAlong() {
        database.bringTo(bridge(ordered("fw-in", 10, ORDER)));
        nodeWrites("fw-in", NodeKeys.FUNCTION_STATE, "running");
        database.bringTo(Specs.bridge(List.of()));
        database.bringTo(bridge(vhost("fw-in", 10, "/run/ps")));

        assertThat(ids("fw-in")).isEmpty();
        assertThat(report()).isEqualTo(NodeReport.NONE);
    }

    @Test
    void reportsAreReadByPortAndFoundOnesOfTheBridge() {
        database.bringTo(bridge(ordered("fw-in", 10, ORDER)));
        database.addForeignBridge("br0", "x0");
        assertThat(report()).isEqualTo(NodeReport.NONE);
        nodeWrites("fw-in", NodeKeys.FUNCTION_STATE, "failed: no memory; next try in 4 s");
        nodeWrites("acc0", NodeKeys.FUNCTION_STATE, " ");
        database.nodeWrites(OvsTables.BRIDGE, bridgeRow("br-penstock"), NodeKeys.FUNCTIONS_FOUND, "old2, old1,,old2");
        database.nodeWrites(OvsTables.BRIDGE, bridgeRow("br0"), NodeKeys.FUNCTIONS_FOUND, "other");

        assertThat(report()).isEqualTo(new NodeReport(Map.of(),
            Map.of("fw-in", "failed: no memory; next try in 4 s"), List.of("old1", "old2")));
    }

    @Test
    void whatTheNodeWroteOnTheBridgeStays() {
        final BridgeSpec spec = bridge(ordered("fw-in", 10, ORDER));
        database.bringTo(spec);
        database.nodeWrites(OvsTables.BRIDGE, bridgeRow("br-penstock"), NodeKeys.FUNCTIONS_FOUND, "old");

        assertThat(database.bringTo(spec).changes()).isEmpty();
        assertThat(database.bringTo(bridge(ordered("fw-in", 10, OTHER))).changes()).hasSize(1);
        assertThat(report().found()).containsExactly("old");
    }

    @Test
    void orderOfAnotherNameIsRefused() {
        assertThatThrownBy(() -> new PortSpec("fw-in", OvsPortType.VHOST_USER_CLIENT, 10, Map.of(),
            Map.of(), Map.of(NodeKeys.FUNCTION_STATE, "running"), Optional.empty()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("bad order to port fw-in").hasMessageContaining(NodeKeys.FUNCTION);
    }

    private static BridgeSpec bridge(final PortSpec function) {
        return Specs.bridge(List.of(system("acc0", 1), function));
    }

    private NodeReport report() {
        return NodeReport.of(database.view(), "br-penstock");
    }

    private void nodeWrites(final String port, final String key, final String value) {
        database.nodeWrites(OvsTables.INTERFACE, link(port).ref(), key, value);
    }

    private Ref bridgeRow(final String name) {
        return database.view().named(OvsTables.BRIDGE, name).orElseThrow().ref();
    }

    private TableRow link(final String name) {
        return database.view().named(OvsTables.INTERFACE, name).orElseThrow();
    }

    private Map<?, ?> ids(final String port) {
        return link(port).map("external_ids");
    }
}
