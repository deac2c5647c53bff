// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import java.util.List;

/**
 * All flows of a switch, or all that were asked for.
 *
 * @param flows flows that compare with planned ones, learned flows among them
 * @param foreign the others
 */
public record FlowDump(List<InstalledFlow> flows, List<ForeignFlow> foreign) {
    public FlowDump {
        flows = List.copyOf(flows);
        foreign = List.copyOf(foreign);
    }
}
