// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.NodeStatus;
import io.penstock.operations.Status;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists the compute nodes and how their flows compare with the plan. */
@Service
@Command(scope = "penstock", name = "node",
    description = "Lists the nodes with the differences between their flows and the plan")
public final class NodeCommand extends OperationsCommand {
    @Argument(index = 0, name = "action", required = true, description = "list")
    @Completion(value = StringsCompleter.class, values = "list")
    private String action;

    @Override
    public @Nullable Object execute() {
        only(action, "list");
        final Status status = operations().status();
        final List<NodeStatus> nodes = status.nodes();
        final ShellTable table =
            table("node", "connected", "datapath", "Open vSwitch", "DPDK", "planned", "installed", "missing", "excess",
                "wrong", "repairs", "compared");
        nodes.forEach(node -> table.addRow().addContent(node.name(), node.warning().isEmpty() ? node.connected()
            : node.connected() + ", but " + node.warning(), dash(node.datapath()),
            dash(node.openVswitch()), dash(node.dpdk()), node.flows().planned(), node.flows().installed(),
            node.flows().missing(), node.flows().excess(), node.flows().wrong(), node.repairs(),
            dash(node.lastCompared())));
        status.refused().forEach(peer -> table.addRow().addContent(peer.name() + " at " + peer.address(),
            "refused: " + peer.reason(), dash(""), dash(""), dash(""), dash(""), dash(""), dash(""), dash(""), dash(""),
            dash(""), dash("")));
        return print(nodes, table);
    }
}
