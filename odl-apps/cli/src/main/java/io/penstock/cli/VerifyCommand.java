// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.FlowCounts;
import io.penstock.operations.Verification;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Compares the switches with the plan and lists what differs. */
@Service
@Command(scope = "penstock", name = "verify",
    description = "Compares the switches with the plan and lists the differences; changes nothing")
public final class VerifyCommand extends OperationsCommand {
    @Argument(index = 0, name = "node", description = "Name of a node; default: all nodes")
    @Completion(NodeCompleter.class)
    private @Nullable String node;

    @Override
    public @Nullable Object execute() {
        final List<Verification> results = operations().verify(Optional.ofNullable(node));
        final ShellTable table =
            table("node", "connected", "planned", "installed", "missing", "excess", "wrong", "difference");
        for (final Verification each : results) {
            final FlowCounts counts = each.flows();
            table.addRow().addContent(each.node(), each.connected(), counts.planned(), counts.installed(),
                counts.missing(), counts.excess(), counts.wrong(), each.differences().isEmpty() ? "none" : "");
            each.differences().forEach(difference -> table.addRow().addContent("", "", "", "", "", "", "",
                difference.kind() + ": " + difference.flow()));
        }
        return print(results, table);
    }
}
