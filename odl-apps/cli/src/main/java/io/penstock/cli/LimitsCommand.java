// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.Limit;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists what tenants may send, and what was dropped beyond it. */
@Service
@Command(scope = "penstock", name = "limits",
    description = "Lists the limits of tenants with the packets that passed and that were dropped")
public final class LimitsCommand extends OperationsCommand {
    @Argument(index = 0, name = "tenant", description = "Only limits of this tenant")
    @Completion(TenantCompleter.class)
    private @Nullable String tenant;

    @Option(name = "--node", description = "Only limits of this node")
    @Completion(NodeCompleter.class)
    private @Nullable String node;

    @Override
    public @Nullable Object execute() {
        final List<Limit> limits = operations().limits(Optional.ofNullable(node), Optional.ofNullable(tenant));
        final ShellTable table =
            table("node", "tenant", "limit", "per second", "burst", "passed", "dropped", "dropped bytes");
        limits.forEach(limit -> table.addRow().addContent(limit.node(), dash(limit.tenant()), limit.meter(),
            limit.rate() + " " + limit.unit(), limit.burst(), limit.passedPackets(), limit.droppedPackets(),
            limit.droppedBytes()));
        return print(limits, table);
    }
}
