// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.Resync;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Reads the switches again and mends what differs from the plan. */
@Service
@Command(scope = "penstock", name = "resync",
    description = "Reads the switches again and repairs all differences from the plan")
public final class ResyncCommand extends OperationsCommand {
    @Argument(index = 0, name = "node", description = "Name of a node; default: all nodes")
    @Completion(NodeCompleter.class)
    private @Nullable String node;

    @Override
    public @Nullable Object execute() {
        final List<Resync> results = operations().resync(Optional.ofNullable(node));
        final ShellTable table = table("node", "added", "removed");
        results.forEach(each -> table.addRow().addContent(each.node(), each.added(), each.removed()));
        return print(results, table);
    }
}
