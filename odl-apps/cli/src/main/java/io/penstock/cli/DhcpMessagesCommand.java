// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.DhcpCount;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Counts the messages to DHCP servers by what became of them. */
@Service
@Command(scope = "penstock", name = "dhcp-messages",
    description = "Lists the number of messages to DHCP servers by result, since the start of the controller")
public final class DhcpMessagesCommand extends OperationsCommand {
    @Option(name = "--tenant", description = "Only messages of this tenant")
    @Completion(TenantCompleter.class)
    private @Nullable String tenant;

    @Override
    public @Nullable Object execute() {
        final List<DhcpCount> counts = operations().dhcpMessages(Optional.ofNullable(tenant));
        final ShellTable table = table("tenant", "message", "count");
        counts.forEach(count -> table.addRow().addContent(count.tenant(), count.message(), count.count()));
        return print(counts, table);
    }
}
