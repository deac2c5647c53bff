// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import io.penstock.pipeline.rules.NodeFacts;
import io.penstock.southbound.ovsdb.AnnouncedPort;
import io.penstock.southbound.ovsdb.NodeAnnouncement;
import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.southbound.ovsdb.SwitchFaults;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.Name;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.Node;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.NodeBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.node.Port;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.node.PortBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.node.port.QueueCore;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.node.port.QueueCoreBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.network.rev261121.network.node.port.QueueCoreKey;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint8;

/** What a node says of itself, in the words of the model. */
final class NodeRegistration {
    private NodeRegistration() {
        // Only functions.
    }

    /**
     * The entry for a node.
     *
     * @param stored the former one, whose leaves that are the operator's stay
     * @throws IllegalArgumentException when the announcement has values the model does not allow
     */
    static Node of(final NodeAnnouncement announcement, final Optional<Node> stored) {
        return stored.map(NodeBuilder::new).orElseGet(NodeBuilder::new)
            .setName(new Name(announcement.name()))
            // What is read has the default where nothing is stored.
            .setDropReports(stored.map(Node::getDropReports).filter(Boolean.TRUE::equals).orElse(null))
            .setVhostUserDirectory(announcement.vhostDirectory().isEmpty() ? null : announcement.vhostDirectory())
            .setFtpHelper(SwitchFaults.permitFtp(announcement) ? null : Boolean.FALSE)
            .setPort(announcement.ports().stream().map(NodeRegistration::port).collect(BindingMap.toMap()))
            .build();
    }

    /** What nodes have for functions, as the rules know it, by the name of the node; only nodes that have said so. */
    static Map<String, NodeFacts> facts(final Collection<NodeAnnouncement> nodes) {
        final Map<String, NodeFacts> facts = new HashMap<>();
        nodes.forEach(announcement -> facts(announcement).ifPresent(known -> facts.put(announcement.name(), known)));
        return facts;
    }

    private static Optional<NodeFacts> facts(final NodeAnnouncement announcement) {
        return announcement.functions().map(functions -> {
            final SortedMap<String, NodeFacts.Entry> catalogue = new TreeMap<>();
            functions.catalogue().forEach((name, entry) -> catalogue.put(name,
                new NodeFacts.Entry(entry.shared(), entry.routed(), entry.twoOutputs())));
            return new NodeFacts(new TreeSet<>(functions.cores()), catalogue,
                SwitchFaults.permitServiceHeader(announcement));
        });
    }

    /** What nodes have said of their devices, by the name of the node. */
    static Map<String, NodeDevices> devices(final Collection<NodeAnnouncement> nodes) {
        return nodes.stream().collect(Collectors.toMap(NodeAnnouncement::name, NodeDevices::of,
            (first, second) -> second));
    }

    private static Port port(final AnnouncedPort port) {
        return new PortBuilder()
            .setName(port.name())
            .setRole(role(port))
            .setType(port.type().equals(NodeKeys.TYPE_DPDK) ? Port.Type.Dpdk : Port.Type.System)
            .setDevargs(port.devargs().isEmpty() ? null : port.devargs())
            .setReceiveQueues(port.receiveQueues() == 1 ? null : Uint8.valueOf(port.receiveQueues()))
            .setQueueCore(port.queueCores().isEmpty() ? null : queueCores(port.queueCores()))
            .build();
    }

    private static Map<QueueCoreKey, QueueCore> queueCores(final List<Integer> cores) {
        return IntStream.range(0, cores.size()).mapToObj(queue -> new QueueCoreBuilder()
            .setQueue(Uint8.valueOf(queue)).setCore(Uint16.valueOf(cores.get(queue))).build())
            .collect(BindingMap.toMap());
    }

    private static Port.Role role(final AnnouncedPort port) {
        return switch (port.role()) {
            case NodeKeys.ROLE_ACCESS -> Port.Role.Access;
            case NodeKeys.ROLE_UPLINK -> Port.Role.Uplink;
            case NodeKeys.ROLE_SERVICE -> Port.Role.Service;
            default -> throw new IllegalArgumentException("port " + port.name() + " has the role " + port.role());
        };
    }
}
