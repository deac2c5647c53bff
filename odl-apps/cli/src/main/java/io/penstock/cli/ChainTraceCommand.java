// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.TraceQuestion;
import io.penstock.operations.TraceReport;
import io.penstock.operations.TraceReport.TraceWay;
import io.penstock.operations.TraceReport.Verdict;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Tells which instances a connection passes, and fails when the switch does something else than planned. */
@Service
@Command(scope = "penstock", name = "chain-trace", description = "Shows the functions and instances that a packet "
    + "of a tenant and its reply pass, and compares the switch with it; fails if the switch differs")
public final class ChainTraceCommand extends OperationsCommand {
    private static final long LIMIT_SECONDS = 120;

    @Argument(index = 0, name = "tenant", required = true, description = "Name of a tenant")
    @Completion(TenantCompleter.class)
    private String tenant;

    @Argument(index = 1, name = "source", required = true, description = "IPv4 address of a host of the tenant")
    private String source;

    @Argument(index = 2, name = "destination", required = true, description = "IPv4 address of an external host")
    private String destination;

    @Argument(index = 3, name = "protocol", required = true, description = "tcp, udp, or icmp for an echo request")
    @Completion(value = StringsCompleter.class, values = {"tcp", "udp", "icmp"})
    private String protocol;

    @Argument(index = 4, name = "source-port", description = "Port of the host; 0 for icmp")
    private @Nullable Integer sourcePort;

    @Argument(index = 5, name = "destination-port", description = "Port of the external host; 0 for icmp")
    private @Nullable Integer destinationPort;

    @Override
    public @Nullable Object execute() throws InterruptedException, ExecutionException, TimeoutException {
        final TraceReport report = operations().chainTrace(new TraceQuestion(tenant, source, destination,
            protocol, port("source-port", sourcePort), port("destination-port", destinationPort)))
            .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        final ShellTable table =
            table("direction", "chain", "rule", "function", "instance", "reason", "port to", "port from");
        add(table, "outbound", report.outbound());
        add(table, "inbound", report.inbound());
        print(report, table);
        say(report.verdict().name().toLowerCase(Locale.ROOT).replace('_', '-')
            + (report.reason().isEmpty() ? "" : ": " + report.reason()));
        if (report.verdict() == Verdict.DIFFERS) {
            throw new IllegalStateException("the switch of node " + report.node() + " differs from the plan: "
                + report.reason());
        }
        return null;
    }

    private int port(final String name, final @Nullable Integer given) {
        if (given == null && !"icmp".equals(protocol)) {
            throw new IllegalArgumentException(name + ": is missing; protocol " + protocol + " needs both ports");
        }
        return given == null ? 0 : given;
    }

    private static void add(final ShellTable table, final String name, final TraceWay way) {
        if (way.hops().isEmpty()) {
            table.addRow().addContent(name, dash(way.chain()), dash(way.rule()), "-", "-", "passes no function", "-",
                "-");
        }
        way.hops().forEach(hop -> table.addRow().addContent(name, dash(way.chain()), dash(way.rule()), hop.function(),
            dash(hop.instance()), hop.reason(), dash(hop.portTo()), dash(hop.portFrom())));
    }
}
