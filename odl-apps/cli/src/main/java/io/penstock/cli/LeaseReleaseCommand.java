// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.LeaseLine;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Ends a lease of a DHCP server without telling the host. */
@Service
@Command(scope = "penstock", name = "lease-release",
    description = "Ends a lease, or frees a declined address for allocation; the client is not notified")
public final class LeaseReleaseCommand extends OperationsCommand {
    @Argument(index = 0, name = "tenant", required = true, description = "Name of a tenant")
    @Completion(TenantCompleter.class)
    private String tenant;

    @Argument(index = 1, name = "address", required = true, description = "Address of the lease")
    private String address;

    @Override
    public @Nullable Object execute() {
        final LeaseLine was = operations().releaseLease(tenant, address);
        final ShellTable table = table("tenant", "address", "state before", "mac");
        table.addRow().addContent(was.tenant(), was.address(), was.state(), was.mac());
        return print(was, table);
    }
}
