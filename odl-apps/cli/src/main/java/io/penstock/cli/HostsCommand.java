// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.LearnedHost;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists the hosts of a tenant that switches have learned. */
@Service
@Command(scope = "penstock", name = "hosts",
    description = "Lists the hosts of a tenant that the switches have learned")
public final class HostsCommand extends OperationsCommand {
    @Argument(index = 0, name = "tenant", description = "Name of the tenant", required = true)
    @Completion(TenantCompleter.class)
    private String tenant;

    @Override
    public @Nullable Object execute() {
        final List<LearnedHost> hosts = operations().learnedHosts(tenant);
        final ShellTable table = table("node", "attachment", "mac", "addresses", "learned, seconds ago");
        hosts.forEach(host -> table.addRow().addContent(host.node(), host.attachment(), host.mac(),
            dash(String.join(" ", host.addresses())), host.ageSeconds()));
        return print(hosts, table);
    }
}
