// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.FlowLine;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists flows with table names and counters. */
@Service
@Command(scope = "penstock", name = "flow-list",
    description = "Lists the flows of the switches with table, tenant, counters and purpose")
public final class FlowListCommand extends OperationsCommand {
    @Argument(index = 0, name = "tenant", description = "Only flows of this tenant")
    @Completion(TenantCompleter.class)
    private @Nullable String tenant;

    @Option(name = "--node", description = "Only flows of this node")
    @Completion(NodeCompleter.class)
    private @Nullable String node;

    @Option(name = "--drops", description = "Only flows that drop packets")
    private boolean drops;

    @Option(name = "--text", description = "Print each flow in the syntax of ovs-ofctl instead of its purpose")
    private boolean text;

    @Override
    public @Nullable Object execute() {
        final List<FlowLine> flows = operations().flows(Optional.ofNullable(node), Optional.ofNullable(tenant), drops);
        final ShellTable table = table("node", "table", "tenant", "packets", "bytes", text ? "flow" : "purpose");
        flows.forEach(flow -> table.addRow().addContent(flow.node(), flow.table(), dash(flow.tenant()),
            flow.packets(), flow.bytes(), text ? flow.text() : flow.label()));
        return print(flows, table);
    }
}
