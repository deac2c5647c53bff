// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.WhyQuestion;
import io.penstock.operations.WhyReport;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Tells why packets of a tenant do not pass. */
@Service
@Command(scope = "penstock", name = "why", description = "Tells why packets of a tenant do not pass, and what to do")
public final class WhyCommand extends OperationsCommand {
    @Argument(index = 0, name = "tenant", required = true, description = "Name of a tenant")
    @Completion(TenantCompleter.class)
    private String tenant;

    @Argument(index = 1, name = "host", description = "Address, MAC address, lease host name, or attachment of the "
        + "host; - for all hosts")
    private @Nullable String host;

    @Argument(index = 2, name = "destination", description = "IP address of the destination, as the host sees it")
    private @Nullable String destination;

    @Argument(index = 3, name = "port", description = "Destination port; without one a ping is meant")
    private @Nullable Integer port;

    @Option(name = "--inbound", description = "The host is an external one, and the destination a public address")
    private boolean inbound;

    @Option(name = "--protocol", description = "tcp, udp or icmp; the default is tcp with a port, and icmp without one")
    @Completion(value = StringsCompleter.class, values = {"tcp", "udp", "icmp"})
    private @Nullable String protocol;

    @Override
    public @Nullable Object execute() {
        final WhyReport report = operations().why(new WhyQuestion(tenant,
            Optional.ofNullable(host).filter(name -> !"-".equals(name)), Optional.ofNullable(destination),
            Optional.ofNullable(protocol), port == null ? OptionalInt.empty() : OptionalInt.of(port), inbound));
        say(report.answer());
        if (!report.remedy().isEmpty()) {
            say(report.remedy());
        }
        say("");
        final ShellTable table = table("stage", "verdict", "cause", "finding");
        report.steps().forEach(step -> table.addRow().addContent(step.stage(),
            step.verdict().name().toLowerCase(Locale.ROOT), dash(step.cause()), step.text()));
        return print(report, table);
    }
}
