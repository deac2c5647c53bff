// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.engine.api.Operations;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;

/** Lists what is used of the public addresses. */
@Service
@Command(scope = "penstock", name = "nat-list",
    description = "Lists what is used of the public addresses, and who uses most")
public final class NatListCommand extends OperationsCommand {
    @Override
    public Object execute() {
        final Operations.NatUsage usage = operations().natUsage();
        final ShellTable table = table("owner", "public", "used", "of", "subscribers", "most");
        usage.pools().forEach(pool -> table.addRow().addContent("pool " + pool.name(), "-", pool.used(),
            pool.addresses() + " addresses", "-", "-"));
        usage.portBlocks().forEach(each -> table.addRow().addContent(each.tenant() + " " + each.inside(),
            each.outside(), each.used(), each.blocks() + " blocks", each.subscribers(), dash(each.top().stream()
                .limit(3).map(top -> top.owner() + " (" + top.blocks() + ")").collect(Collectors.joining(" ")))));
        return print(usage, table);
    }
}
