// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.PortLine;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.Row;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists the ports of a switch with their counters. */
@Service
@Command(scope = "penstock", name = "interfaces", description = "Lists the ports of a node with what they carried")
public final class InterfacesCommand extends OperationsCommand {
    private static final List<String> COUNTERS = List.of("rx-packets", "rx-bytes", "rx-dropped", "rx-errors",
        "tx-packets", "tx-bytes", "tx-dropped", "tx-errors");

    @Argument(index = 0, name = "node", description = "Name of the node", required = true)
    @Completion(NodeCompleter.class)
    private String node;

    @Argument(index = 1, name = "port", description = "Only this port")
    private @Nullable String port;

    @Override
    public @Nullable Object execute() {
        final List<PortLine> ports = operations().portStatistics(node, Optional.ofNullable(port));
        final ShellTable table = table("port", "up", "resets");
        COUNTERS.forEach(counter -> table.column(counter.replace('-', ' ')));
        table.column("error");
        for (final PortLine each : ports) {
            final Row row = table.addRow();
            row.addContent(each.name(), each.up(), each.linkResets());
            COUNTERS.forEach(counter -> row.addContent(Optional.ofNullable(each.counters().get(counter))
                .map(Object::toString).orElse("-")));
            row.addContent(dash(each.error()));
        }
        return print(ports, table);
    }
}
