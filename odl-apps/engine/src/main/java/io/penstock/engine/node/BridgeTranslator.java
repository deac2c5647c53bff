// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.node;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.plan.BridgePlan;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.stage.SessionOrder;
import io.penstock.southbound.ovsdb.BridgeSpec;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.southbound.ovsdb.OvsPortType;
import io.penstock.southbound.ovsdb.PortSpec;
import io.penstock.southbound.ovsdb.TableSpec;
import io.penstock.southbound.ovsdb.ZoneSpec;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The planned bridge in the words of the OVSDB adapter.
 *
 * @param controllers where the bridge finds this controller and those that stand by, such as
 *     {@code tcp:127.0.0.1:6653}; must not block
 */
public record BridgeTranslator(Supplier<Set<String>> controllers) {
    /**
     * Packets a second that a switch may send here. What a single tenant may send is in its meters; this is what the
     * controller takes from all of them, such as a thousand hosts that boot at once.
     */
    private static final int CONTROLLER_RATE = 5000;

    private static final String SESSION_FLOWS = AgentOrders.json(SessionOrder.content());

    public BridgeTranslator {
        requireNonNull(controllers);
    }

    /** Translates a plan of the node whose orders were translated before by the same {@code orders}. */
    BridgeSpec translate(final NodePlan plan, final AgentOrders orders) {
        orders.begin();
        final BridgePlan bridge = plan.bridge();
        return new BridgeSpec(bridge.name(), bridge.datapathId(), controllers.get(), CONTROLLER_RATE,
            bridge.ports().stream().map(BridgeTranslator::port).toList(), tables(bridge),
            Map.of(NodeKeys.SESSION_FLOWS, SESSION_FLOWS),
            plan.orders().entrySet().stream().map(zone -> new ZoneSpec(zone.getKey(), bridge.zoneTimeouts(),
                orders.of(zone.getValue()))).toList(), plan.keptZones());
    }

    private static Map<Integer, TableSpec> tables(final BridgePlan bridge) {
        return bridge.tables().entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey,
            table -> new TableSpec(table.getValue().name(), table.getValue().prefixes())));
    }

    private static PortSpec port(final BridgePlan.Port port) {
        return switch (port.type()) {
            case SYSTEM -> new PortSpec(port.name(), OvsPortType.SYSTEM, port.number(), Map.of());
            case DPDK -> new PortSpec(port.name(), OvsPortType.DPDK, port.number(), dpdk(port), affinity(port.queues()),
                Map.of(), Optional.empty());
            case VHOST_USER_CLIENT -> new PortSpec(port.name(), OvsPortType.VHOST_USER_CLIENT, port.number(),
                Map.of("vhost-server-path", port.detail()), Map.of(), port.order().map(order ->
                    Map.of(NodeKeys.FUNCTION, AgentOrders.function(order))).orElse(Map.of()), port.mtu());
        };
    }

    /** One queue is the default, so that a port which has one is not made anew by a controller that knows of more. */
    private static Map<String, String> dpdk(final BridgePlan.Port port) {
        final int queues = port.queues().number();
        return queues == 1 ? Map.of("dpdk-devargs", port.detail())
            : Map.of("dpdk-devargs", port.detail(), "n_rxq", String.valueOf(queues));
    }

    private static Map<String, String> affinity(final Node.Queues queues) {
        return queues.cores().isEmpty() ? Map.of() : Map.of(PortSpec.QUEUE_AFFINITY,
            queues.cores().entrySet().stream().map(queue -> queue.getKey() + ":" + queue.getValue())
                .collect(Collectors.joining(",")));
    }
}
