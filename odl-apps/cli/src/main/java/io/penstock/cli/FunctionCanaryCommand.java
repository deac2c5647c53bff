// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.CanaryStatus;
import io.penstock.operations.CanaryStatus.CanarySide;
import io.penstock.operations.FunctionStatus;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists new versions of network functions, what was measured of them, and what became of them. */
@Service
@Command(scope = "penstock", name = "function-canary",
    description = "Lists new versions of network functions beside the old ones, with measurements and verdicts; "
        + "times are in milliseconds")
public final class FunctionCanaryCommand extends OperationsCommand {
    private static final double MICROS = 1000;

    @Argument(index = 0, name = "function", description = "Only versions of this function")
    @Completion(FunctionCompleter.class)
    private @Nullable String function;

    @Override
    public @Nullable Object execute() {
        final List<FunctionStatus> found = operations().status().functions().stream()
            .filter(each -> function == null || each.name().equals(function)).toList();
        if (function != null && found.isEmpty()) {
            throw new IllegalArgumentException("there is no function '" + function + "'");
        }
        final SortedMap<String, List<CanaryStatus>> canaries = new TreeMap<>();
        found.forEach(each -> canaries.put(each.name(), each.canaries()));
        final ShellTable table = table("function", "version", "state", "side", "instances", "packets in", "out",
            "dropped", "probes lost", "median", "99 %", "reason");
        canaries.forEach((name, list) -> list.forEach(canary -> {
            row(table, name, canary.version(), state(canary), "new", canary.canary(), canary.reason());
            row(table, "", "", "", "old", canary.old(), "");
        }));
        return print(canaries, table);
    }

    private static String state(final CanaryStatus canary) {
        return canary.state() + (canary.decided().isEmpty() ? ", " + canary.secondsLeft() + " s left"
            : " " + canary.decided()) + (canary.configured() ? "" : ", not configured");
    }

    private static void row(final ShellTable table, final String name, final String version, final String state,
            final String side, final CanarySide measured, final String why) {
        table.addRow().addContent(name, version, state, side, dash(String.join(" ", measured.instances())),
            measured.packetsIn(), measured.packetsOut(), percent(measured.droppedPercent()),
            measured.lost() + " of " + measured.probes(), millis(measured.medianMicros()),
            millis(measured.highMicros()), why);
    }

    private static String percent(final double value) {
        return String.format(Locale.ROOT, "%.1f %%", value);
    }

    private static String millis(final long micros) {
        return micros == 0 ? "-" : String.format(Locale.ROOT, "%.1f", micros / MICROS);
    }
}
