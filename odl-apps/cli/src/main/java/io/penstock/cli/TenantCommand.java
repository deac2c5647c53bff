// SPDX-License-Identifier: Apache-2.0
package io.penstock.cli;

import io.penstock.operations.FlowLine;
import io.penstock.operations.LearnedHost;
import io.penstock.operations.Limit;
import io.penstock.operations.TenantStatus;
import io.penstock.operations.TenantStatus.AgentStatus;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.completers.StringsCompleter;
import org.apache.karaf.shell.support.table.ShellTable;
import org.jspecify.annotations.Nullable;

/** Lists the tenants, or shows one and what its flows count. */
@Service
@Command(scope = "penstock", name = "tenant",
    description = "list: the tenants with VRF id, attachments, public address, chain and state; show: a "
        + "tenant, its sessions and resolver on each node, its hosts, what was dropped, and the "
        + "counters of its flows")
public final class TenantCommand extends OperationsCommand {
    @Argument(index = 0, name = "action", description = "list or show", required = true)
    @Completion(value = StringsCompleter.class, values = {"list", "show"})
    private String action;

    @Argument(index = 1, name = "tenant", description = "Name of the tenant to show")
    @Completion(TenantCompleter.class)
    private @Nullable String tenant;

    /** The tenant, its hosts, limits and flows, for JSON. */
    private record Shown(TenantStatus tenant, List<LearnedHost> hosts, List<Limit> limits,
            List<FlowLine> flows) { }

    @Override
    public @Nullable Object execute() {
        only(action, "list", "show");
        if (action.equals("list")) {
            return list();
        }
        if (tenant == null) {
            throw new IllegalArgumentException("show needs the name of a tenant");
        }
        return show(tenant);
    }

    private @Nullable Object list() {
        final List<TenantStatus> tenants = operations().tenants(Optional.empty());
        final ShellTable table = table("tenant", "VRF", "attachments", "public address", "chain", "state");
        tenants.forEach(each -> table.addRow().addContent(each.name(), each.vrf(),
            String.join(" ", each.attachments()), dash(each.publicAddress()), dash(each.chain()), each.state()));
        return print(tenants, table);
    }

    private @Nullable Object show(final String name) {
        final TenantStatus found = operations().tenants(Optional.of(name)).get(0);
        final List<FlowLine> flows = operations().flows(Optional.empty(), Optional.of(name), false);
        final List<LearnedHost> hosts = operations().learnedHosts(name);
        final List<Limit> limits = operations().limits(Optional.empty(), Optional.of(name));
        final ShellTable table = table("property", "value");
        table.addRow().addContent("tenant", found.name());
        table.addRow().addContent("state", found.state());
        table.addRow().addContent("VRF", found.vrf());
        table.addRow().addContent("attachments", String.join(" ", found.attachments()));
        table.addRow().addContent("public address", dash(found.publicAddress()));
        found.publicPrefixes().forEach(prefix -> table.addRow().addContent("public prefix", prefix));
        table.addRow().addContent("chain", dash(found.chain()));
        found.agents().forEach(agent -> show(agent, table));
        table.addRow().addContent("learned hosts", hosts.size());
        table.addRow().addContent("dropped by flows", flows.stream().filter(FlowLine::drop)
            .mapToLong(FlowLine::packets).sum() + " packets");
        limits.stream().filter(limit -> limit.droppedPackets() > 0).forEach(limit -> table.addRow().addContent(
            "dropped by limit " + limit.meter() + " on " + limit.node(), limit.droppedPackets() + " packets"));
        table.addRow().addContent("flows", flows.size());
        flows.stream().filter(flow -> flow.packets() > 0).forEach(flow -> table.addRow()
            .addContent(flow.table() + ": " + flow.label(), flow.packets() + " packets"));
        return print(new Shown(found, hosts, limits, flows), table);
    }

    private static void show(final AgentStatus agent, final ShellTable table) {
        if (agent.sessionLimit() > 0 || agent.sessionLimitSet() > 0) {
            final String limit = agent.sessionLimit() > 0 ? agent.sessions() + " of " + agent.sessionLimit()
                : agent.sessions() + ", no limit";
            final String set = agent.sessionLimitSet() > 0 ? "the switch has " + agent.sessionLimitSet()
                : "the switch has no limit";
            table.addRow().addContent("sessions on " + agent.node(),
                agent.sessionLimit() == agent.sessionLimitSet() ? limit : limit + "; " + set);
        }
        if (!agent.resolver().isEmpty()) {
            table.addRow().addContent("resolver on " + agent.node(), agent.resolver());
        }
    }
}
