// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.FunctionStatus;
import io.penstock.operations.FunctionStatus.InstanceStatus;
import io.penstock.operations.FunctionStatus.ProbeStatus;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists the network functions and their instances. */
@Service
@Command(scope = "penstock", name = "function",
    description = "Lists the network functions and their instances; lost, mean and longest are of the last hundred "
        + "probes, times in milliseconds")
public final class FunctionCommand extends OperationsCommand {
    @Argument(index = 0, name = "action", required = true, description = "list")
    @Completion(value = StringsCompleter.class, values = "list")
    private String action;

    private static final double MICROS = 1000;

    @Override
    public @Nullable Object execute() {
        only(action, "list");
        final List<FunctionStatus> functions = operations().status().functions();
        final ShellTable table = table("function", "state", "instance", "instance state", "process", "packets in",
            "out", "lost", "mean", "longest");
        functions.forEach(function -> function.instances().forEach(instance -> table.addRow().addContent(
            function.name(), function.state(), instance.name(), instance.state(), dash(instance.process()),
            instance.packetsIn(), instance.packetsOut(),
            probes(instance, probe -> probe.lost() + " of " + probe.sent()),
            probes(instance, probe -> millis(probe.meanMicros())),
            probes(instance, probe -> millis(probe.mostMicros())))));
        return print(functions, table);
    }

    private static String probes(final InstanceStatus instance, final Function<ProbeStatus, String> text) {
        return instance.probes().map(text).orElse("-");
    }

    private static String millis(final long micros) {
        return String.format(Locale.ROOT, "%.1f", micros / MICROS);
    }
}
