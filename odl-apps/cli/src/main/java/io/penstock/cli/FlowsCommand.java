// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.FlowLine;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.jspecify.annotations.Nullable;

/** Lists flows of switches, of one tenant or node if asked for. */
abstract class FlowsCommand extends OperationsCommand {
    @Argument(index = 0, name = "tenant", description = "Only flows of this tenant")
    @Completion(TenantCompleter.class)
    private @Nullable String tenant;

    @Option(name = "--node", description = "Only flows of this node")
    @Completion(NodeCompleter.class)
    private @Nullable String node;

    List<FlowLine> flows(final boolean dropsOnly) {
        return operations().flows(Optional.ofNullable(node), Optional.ofNullable(tenant), dropsOnly);
    }
}
