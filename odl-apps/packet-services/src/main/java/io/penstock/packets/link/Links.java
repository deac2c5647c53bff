// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.frames.Bytes;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.southbound.openflow.SwitchId;
import java.util.Map;
import java.util.function.Supplier;

/** The links of the nodes, and who is on them, as it is desired at the moment. Safe for all threads; never blocks. */
public final class Links {
    private final FrameOutlet outlet;
    private final Supplier<Desired> desired;

    /** Links to send frames by. */
    public Links(final FrameOutlet outlet, final Supplier<Desired> desired) {
        this.outlet = requireNonNull(outlet);
        this.desired = requireNonNull(desired);
    }

    /** What is desired at the moment. */
    public Desired desired() {
        return desired.get();
    }

    /** Sends a frame out of a port; VLAN 0 is untagged. Nothing happens when the port is gone. */
    public void send(final String node, final String port, final int vlan, final Bytes frame) {
        final Allocations allocations = desired.get().allocations();
        final Map<String, Integer> ports = allocations.ports().get(node);
        if (ports != null && ports.containsKey(port)) {
            outlet.send(new Place(new SwitchId(allocations.datapathId(node)), ports.get(port),
                vlan), frame.toArray());
        }
    }
}
