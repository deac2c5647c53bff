// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.FunctionStatus;
import io.penstock.operations.Status;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists the chains with their functions and packet counts. */
@Service
@Command(scope = "penstock", name = "chain",
    description = "Lists the chains with their functions and the packets sent to them")
public final class ChainCommand extends OperationsCommand {
    @Argument(index = 0, name = "action", required = true, description = "list")
    @Completion(value = StringsCompleter.class, values = "list")
    private String action;

    @Override
    public @Nullable Object execute() {
        only(action, "list");
        final Status status = operations().status();
        final Map<String, String> states = status.functions().stream()
            .collect(Collectors.toMap(FunctionStatus::name, FunctionStatus::state));
        final ShellTable table = table("chain", "functions", "packets");
        status.chains().forEach(chain -> table.addRow().addContent(chain.name(), functions(chain.functions(), states)
            + (chain.branch().isEmpty() ? "" : ", branch: " + functions(chain.branch(), states)), chain.packets()));
        return print(status.chains(), table);
    }

    private static String functions(final List<String> names, final Map<String, String> states) {
        return names.stream().map(name -> name + " (" + states.getOrDefault(name, "unknown") + ")")
            .collect(Collectors.joining(" > "));
    }
}
