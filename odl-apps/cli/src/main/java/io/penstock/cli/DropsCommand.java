// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.FlowLine;
import java.util.Comparator;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists flows that drop packets, with their counters. */
@Service
@Command(scope = "penstock", name = "drops",
    description = "Lists the flows that drop packets, with table, tenant, counters and reason")
public final class DropsCommand extends FlowsCommand {
    private static final Comparator<FlowLine> MOST_FIRST = Comparator.comparingLong(FlowLine::packets).reversed();

    @Option(name = "--nonzero", description = "Only those that have dropped packets, most first")
    private boolean nonzero;

    @Override
    public @Nullable Object execute() {
        final List<FlowLine> found = flows(true);
        final List<FlowLine> flows = nonzero
            ? found.stream().filter(flow -> flow.packets() > 0).sorted(MOST_FIRST).toList() : found;
        final ShellTable table = table("node", "table", "tenant", "packets", "bytes", "reason", "last dropped");
        flows.forEach(flow -> table.addRow().addContent(flow.node(), flow.table(), dash(flow.tenant()),
            flow.packets(), flow.bytes(), flow.label(),
            flow.lastDropped().map(last -> last.time() + " " + last.text()).orElse("-")));
        return print(flows, table);
    }
}
