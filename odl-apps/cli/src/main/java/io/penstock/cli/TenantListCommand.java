// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.TenantStatus;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists the tenants with their VRFs and public addresses. */
@Service
@Command(scope = "penstock", name = "tenant-list",
    description = "Lists the tenants with VRF id, attachments, public address, chain and state")
public final class TenantListCommand extends OperationsCommand {
    @Override
    public @Nullable Object execute() {
        final List<TenantStatus> tenants = operations().tenants(Optional.empty());
        final ShellTable table = table("tenant", "VRF", "attachments", "public address", "chain", "state");
        tenants.forEach(tenant -> table.addRow().addContent(tenant.name(), tenant.vrf(),
            String.join(" ", tenant.attachments()), dash(tenant.publicAddress()), dash(tenant.chain()),
            tenant.state()));
        return print(tenants, table);
    }
}
