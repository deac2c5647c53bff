// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import static java.util.Objects.requireNonNull;

import java.util.Collection;
import org.opendaylight.mdsal.binding.api.DataBroker;
import org.opendaylight.mdsal.binding.api.DataTreeChangeListener;
import org.opendaylight.mdsal.binding.api.DataTreeIdentifier;
import org.opendaylight.mdsal.binding.api.DataTreeModification;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.inventory.rev130819.FlowCapableNodeConnector;
import org.opendaylight.yang.gen.v1.urn.opendaylight.flow.types.port.rev130925.flow.capable.port.State;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.Nodes;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.node.NodeConnector;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.node.NodeConnectorKey;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.Node;
import org.opendaylight.yang.gen.v1.urn.opendaylight.inventory.rev130819.nodes.NodeKey;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.common.Uint32;

/** Tells one listener of the ports that OpenFlowPlugin writes to the data tree, which it does at each port status. */
final class Ports implements DataTreeChangeListener<FlowCapableNodeConnector> {
    private static final InstanceIdentifier<FlowCapableNodeConnector> ALL = InstanceIdentifier.builder(Nodes.class)
        .child(Node.class).child(NodeConnector.class).augmentation(FlowCapableNodeConnector.class).build();

    private final PortListener listener;

    private Ports(final PortListener listener) {
        this.listener = requireNonNull(listener);
    }

    static OpenFlowSouthbound.Registration listen(final DataBroker broker, final PortListener listener) {
        return broker.registerDataTreeChangeListener(
            DataTreeIdentifier.create(LogicalDatastoreType.OPERATIONAL, ALL), new Ports(listener))::close;
    }

    @Override
    public void onDataTreeChanged(final Collection<DataTreeModification<FlowCapableNodeConnector>> changes) {
        for (final DataTreeModification<FlowCapableNodeConnector> change : changes) {
            final InstanceIdentifier<?> path = change.getRootPath().getRootIdentifier();
            final NodeKey node = path.firstKeyOf(Node.class);
            final NodeConnectorKey port = path.firstKeyOf(NodeConnector.class);
            if (node == null || port == null) {
                continue;
            }
            final SwitchId owner = SwitchId.ofNodeId(node.getId().getValue());
            final String id = port.getId().getValue();
            final FlowCapableNodeConnector after = change.getRootNode().getDataAfter();
            if (after == null) {
                listener.onPortRemoved(owner, id);
            } else if (after.getPortNumber() != null && after.getName() != null) {
                listener.onPort(owner, status(id, after));
            }
        }
    }

    private static PortStatus status(final String id, final FlowCapableNodeConnector port) {
        final Uint32 number = port.getPortNumber().getUint32();
        final State state = port.getState();
        // Reserved ports have a name instead of a number.
        return new PortStatus(id, number == null ? 0 : number.toJava(), port.getName(),
            state != null && !Boolean.TRUE.equals(state.getLinkDown()));
    }
}
