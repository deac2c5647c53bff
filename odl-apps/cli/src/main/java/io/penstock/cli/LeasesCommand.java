// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.LeaseLine;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists addresses that DHCP servers have given, or remember. */
@Service
@Command(scope = "penstock", name = "leases",
    description = "Lists the leases of DHCP servers, and addresses whose last client they remember")
public final class LeasesCommand extends OperationsCommand {
    @Argument(index = 0, name = "tenant", description = "Only leases of this tenant")
    @Completion(TenantCompleter.class)
    private @Nullable String tenant;

    @Override
    public @Nullable Object execute() {
        final List<LeaseLine> leases = operations().leases(Optional.ofNullable(tenant));
        final ShellTable table =
            table("tenant", "address", "state", "mac", "attachment", "host name", "expires");
        leases.forEach(lease -> table.addRow().addContent(lease.tenant(), lease.address(), lease.state(), lease.mac(),
            dash(lease.attachment()), dash(lease.hostName()), lease.expires()));
        return print(leases, table);
    }
}
