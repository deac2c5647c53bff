// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends frames to places. Safe for all threads; never blocks. */
public final class FrameOutlet {
    private static final Logger LOG = LoggerFactory.getLogger(FrameOutlet.class);

    private final OpenFlowSouthbound southbound;

    /** An outlet by the switches. */
    public FrameOutlet(final OpenFlowSouthbound southbound) {
        this.southbound = requireNonNull(southbound);
    }

    /** Sends an untagged frame to a place, with the tag of the place. What cannot be sent is lost. */
    public void send(final Place place, final byte[] frame) {
        send(place, frame, List.of());
    }

    /** The same, with actions on the tagged frame. */
    public void send(final Place place, final byte[] frame, final List<Action> last) {
        final List<Action> actions = new ArrayList<>();
        if (place.vlan() != 0) {
            actions.add(new Action.PushVlan());
            actions.add(new Action.SetField(MatchField.VLAN_VID, place.vlan()));
        }
        actions.addAll(last);
        actions.add(new Action.Output(place.port()));
        southbound.packetOut(place.node(), OpenFlowSouthbound.NO_PORT, actions, frame).exceptionally(e -> {
            LOG.debug("A frame to {} was not sent", place, e);
            return null;
        });
    }
}
