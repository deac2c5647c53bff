// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.FlowLine;
import java.util.List;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists flows with table names and counters. */
@Service
@Command(scope = "penstock", name = "flow-list",
    description = "Lists the flows of the switches with table, tenant, counters and purpose")
public final class FlowListCommand extends FlowsCommand {
    @Option(name = "--text", description = "Print each flow in the syntax of ovs-ofctl instead of its purpose")
    private boolean text;

    @Override
    public @Nullable Object execute() {
        final List<FlowLine> flows = flows(false);
        final ShellTable table = table("node", "table", "tenant", "packets", "bytes", text ? "flow" : "purpose");
        flows.forEach(flow -> table.addRow().addContent(flow.node(), flow.table(), dash(flow.tenant()),
            flow.packets(), flow.bytes(), text ? flow.text() : flow.label()));
        return print(flows, table);
    }
}
