// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.neighbour;

import static java.util.Objects.requireNonNull;

import io.penstock.engine.config.Desired;
import io.penstock.frames.Bytes;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The links of the nodes, and who is on them, as it is desired at the moment. Safe for all threads; never blocks. */
public final class Links {
    private static final Logger LOG = LoggerFactory.getLogger(Links.class);
    private static final int VLAN_BITS = 12;

    private final OpenFlowSouthbound southbound;
    private final Supplier<Desired> desired;

    /** Links to send frames by. */
    public Links(final OpenFlowSouthbound southbound, final Supplier<Desired> desired) {
        this.southbound = requireNonNull(southbound);
        this.desired = requireNonNull(desired);
    }

    /** What is desired at the moment. */
    public Desired desired() {
        return desired.get();
    }

    /** The attachment of a tenant from which a frame came. */
    public Optional<Tenant.Attachment> attachment(final String node, final Tenant tenant, final PacketIn packet) {
        final long place = packet.value(Register.IN_ATTACHMENT);
        final Map<String, Integer> ports = desired.get().allocations().ports().get(node);
        if (ports == null) {
            return Optional.empty();
        }
        return tenant.attachments().stream().filter(at -> at.vlan() == (place & (1 << VLAN_BITS) - 1)
            && Integer.valueOf((int) (place >> VLAN_BITS)).equals(ports.get(at.port()))).findFirst();
    }

    /** Sends a frame out of a port; VLAN 0 is untagged. Nothing happens when the port is gone. */
    public void send(final String node, final String port, final int vlan, final Bytes frame) {
        final Allocations allocations = desired.get().allocations();
        final Map<String, Integer> ports = allocations.ports().get(node);
        if (ports == null || !ports.containsKey(port)) {
            return;
        }
        final Action output = new Action.Output(ports.get(port));
        final List<Action> actions = vlan == 0 ? List.of(output)
            : List.of(new Action.PushVlan(), new Action.SetField(MatchField.VLAN_VID, vlan), output);
        southbound.packetOut(new SwitchId(Constants.datapathId(allocations.nodes().get(node))),
            OpenFlowSouthbound.NO_PORT, actions, frame.toArray()).exceptionally(e -> {
                LOG.debug("A frame on {} of {} was not sent", port, node, e);
                return null;
            });
    }
}
