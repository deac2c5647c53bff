// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow;

import io.penstock.pipeline.flow.FlowSpec;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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

    /** Packets that flows have counted. */
    public Map<FlowSpec.Key, Long> packets() {
        return flows.stream().collect(Collectors.toMap(installed -> installed.flow().key(), InstalledFlow::packets));
    }
}
