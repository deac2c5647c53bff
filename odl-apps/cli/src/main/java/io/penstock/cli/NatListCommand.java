// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.NatUsage;
import io.penstock.operations.NatUsage.AddressUsage;
import io.penstock.operations.NatUsage.Drained;
import java.time.Duration;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists what is used of the public addresses. */
@Service
@Command(scope = "penstock", name = "nat-list",
    description = "Lists the usage of public addresses and port blocks, and the subscribers with the most blocks")
public final class NatListCommand extends OperationsCommand {
    @Override
    public @Nullable Object execute() {
        final NatUsage usage = operations().natUsage();
        final ShellTable table = table("owner", "public", "used", "of", "subscribers", "most", "drained");
        usage.pools().forEach(pool -> table.addRow().addContent("pool " + pool.name(), "-", pool.used(),
            pool.addresses() + " addresses", "-", "-", dash(pool.drain().stream().map(NatListCommand::text)
                .collect(Collectors.joining(" ")))));
        usage.portBlocks().forEach(each -> table.addRow().addContent(each.tenant() + " " + each.inside(),
            each.outside(), each.used(), each.blocks() + " blocks", each.subscribers(), dash(each.top().stream()
                .limit(3).map(top -> top.subscriber() + " (" + top.blocks() + ")").collect(Collectors.joining(" "))),
            dash(each.addresses().stream().filter(AddressUsage::draining).map(NatListCommand::text)
                .collect(Collectors.joining(" ")))));
        return print(usage, table);
    }

    private static String text(final Drained drained) {
        return drained.prefix() + " (" + (drained.tenants().isEmpty() ? "empty"
            : String.join(" ", drained.tenants())) + ")";
    }

    private static String text(final AddressUsage address) {
        final String end = address.blocks() == 0 ? "empty" : address.emptyInSeconds().isEmpty()
            ? "no subscriber left yet"
            : "empty in about " + Duration.ofSeconds(address.emptyInSeconds().getAsLong()).toMinutes() + " min";
        return address.address() + " (" + end + ")";
    }
}
