// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.flow.MeterSpec;
import io.penstock.pipeline.plan.BridgePlan;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Meter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Puts a plan on a switch by the tools of Open vSwitch, in place of the controller. Not for several threads. */
public final class FlowLoader {
    private static final Pattern DUMPED = Pattern.compile(
        "cookie=(\\S+), .*table=([0-9]+), .*?(idle_timeout=[0-9]+, )?(?:reset_counts )?(priority=\\S+) (actions=.*)");
    private static final Pattern PARSED = Pattern.compile(
        ": ADD (?:table:([0-9]+) )?(priority=\\S+) cookie:(\\S+) (?:idle:([0-9]+) )?(actions=.*)");

    private final OvsSandbox ovs;
    private final String bridge;
    private final Map<Integer, MeterSpec> meters = new HashMap<>();

    public FlowLoader(final OvsSandbox ovs, final String bridge) {
        this.ovs = ovs;
        this.bridge = bridge;
    }

    /** Makes the bridge as it is planned; on a switch without vhost-user, simulated ports take the place of such. */
    public static FlowLoader create(final OvsSandbox ovs, final BridgePlan plan) {
        final List<String> command = new ArrayList<>(List.of("--may-exist", "add-br", plan.name(),
            "--", "set", "Bridge", plan.name(), "datapath_type=" + ovs.flavour().datapath(), "fail_mode=secure",
            "protocols=OpenFlow13", "other_config:datapath-id=%016x".formatted(plan.datapathId()),
            // Its hidden flows would show in every cached flow of ARP.
            "other_config:disable-in-band=true"));
        new TreeMap<>(plan.tables()).forEach((number, table) -> command.addAll(List.of(
            "--", "--id=@table" + number, "create", "Flow_Table", "name=" + table.name(),
            "prefixes=[" + String.join(",", table.prefixes()) + "]",
            "--", "set", "Bridge", plan.name(), "flow_tables:" + number + "=@table" + number)));
        for (final BridgePlan.Port port : plan.ports()) {
            command.addAll(List.of("--", "add-port", plan.name(), port.name(), "--", "set", "Interface", port.name(),
                "ofport_request=" + port.number()));
            command.addAll(type(ovs, port));
            port.mtu().ifPresent(mtu -> command.add("mtu_request=" + mtu));
        }
        ovs.vsctl(command.toArray(String[]::new));
        final FlowLoader loader = new FlowLoader(ovs, plan.name());
        loader.setMeters(Arrays.stream(Meter.values()).map(Meter::spec).toList());
        return loader;
    }

    /** Makes meters, or gives those that are there another rate. Others stay: flows may name them still. */
    private void setMeters(final Collection<MeterSpec> wanted) {
        for (final MeterSpec meter : wanted) {
            final MeterSpec before = meters.put(meter.id(), meter);
            if (!meter.equals(before)) {
                ovs.ofctl(before == null ? "add-meter" : "mod-meter", bridge, meter.text());
            }
        }
    }

    private static List<String> type(final OvsSandbox ovs, final BridgePlan.Port port) {
        if (ovs.flavour() == OvsSandbox.Flavour.DPDK && port.type() == BridgePlan.Type.VHOST_USER_CLIENT) {
            return List.of("type=dpdkvhostuserclient", "options:vhost-server-path=" + port.detail());
        }
        return List.of("type=" + ovs.flavour().portType());
    }

    /** Makes the flows of the plan, and none beside them, the flows of the switch. What it learned is gone. */
    public void load(final NodePlan plan) {
        setMeters(plan.meters().values());
        load(plan.flowSpecs());
    }

    /** Makes these flows, and none beside them, the flows of the switch. */
    public void load(final Collection<FlowSpec> flows) {
        ovs.ofctl("--bundle", "replace-flows", bridge, write(flows));
    }

    /** Gives conntrack zones, and no others, the timeouts of a plan. */
    public void setTimeouts(final BridgePlan plan, final Collection<Integer> zones) {
        // The switch does not make the row of its datapath by itself.
        final String datapath = ovs.flavour().datapath();
        final List<String> command = new ArrayList<>(List.of("--id=@datapath", "create", "Datapath",
            "datapath_version=\"\"", "--", "set", "Open_vSwitch", ".", "datapaths:" + datapath + "=@datapath"));
        for (final int zone : zones) {
            command.addAll(List.of("--", "add-zone-tp", datapath, "zone=" + zone));
            new TreeMap<>(plan.zoneTimeouts()).forEach((name, seconds) -> command.add(name + "=" + seconds));
        }
        ovs.vsctl(command.toArray(String[]::new));
        // As the agent of a node does it: the switch applies to zones that it knows what differs from before.
        final var changed = plan.zoneTimeouts().entrySet().iterator().next();
        for (final String policy : ovs.vsctl("--bare", "--columns=_uuid", "list", "CT_Timeout_Policy").split("\\s+")) {
            for (final int seconds : List.of(changed.getValue() + 1, changed.getValue())) {
                ovs.vsctl("set", "CT_Timeout_Policy", policy, "timeouts:" + changed.getKey() + "=" + seconds);
            }
        }
    }

    /** The flows the switch has, one a line, without counters and times, sorted. */
    public List<String> dump() {
        return DUMPED.matcher(ovs.ofctl("--no-names", "dump-flows", bridge)).results()
            .map(flow -> line(flow.group(2), flow.group(4), flow.group(1),
                flow.group(3) == null ? "" : flow.group(3).replaceAll("[^0-9]", ""), flow.group(5)))
            .sorted().toList();
    }

    /** Flows as {@link #dump} would show them: a switch writes some matches and actions in words of its own. */
    public List<String> parse(final Collection<FlowSpec> flows) {
        return PARSED.matcher(ovs.ofctl("--no-names", "parse-flows", write(flows))).results()
            .map(flow -> line(flow.group(1) == null ? "0" : flow.group(1), flow.group(2), flow.group(3),
                flow.group(4) == null ? "" : flow.group(4), flow.group(5)))
            .sorted().toList();
    }

    private static String line(final String table, final String match, final String cookie, final String idle,
            final String actions) {
        return "table=" + table + " " + match + " cookie=" + cookie + (idle.isEmpty() ? "" : " idle=" + idle) + " "
            + actions;
    }

    private String write(final Collection<FlowSpec> flows) {
        final Path file = ovs.directory().resolve("planned.flows");
        try {
            Files.write(file, flows.stream().map(FlowText.NUMBERS::render).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return file.toString();
    }
}
