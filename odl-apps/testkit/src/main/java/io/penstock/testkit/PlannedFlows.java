// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import io.penstock.pipeline.flow.FlowText;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.PlannedFlow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the planned flow, and so its label, of what a switch shows. Immutable. */
public final class PlannedFlows {
    private static final Pattern PARSED = Pattern.compile(
        ": ADD (?:table:([0-9]+) )?priority=([0-9]+),?(\\S*)(?: cookie:\\S+)?(?: idle:[0-9]+)? actions=");
    private static final Pattern DUMPED = Pattern.compile(
        "table=([0-9]+), n_packets=([0-9]+),.* priority=([0-9]+),?(\\S*) actions=");

    /** A flow in the words of the switch. */
    record Key(int table, int priority, String match) { }

    private final OvsSandbox ovs;
    private final String bridge;
    private final Map<Key, PlannedFlow> flows = new HashMap<>();

    /** The flows of a plan; the switch need not have them yet. */
    public PlannedFlows(final OvsSandbox ovs, final NodePlan plan) {
        this.ovs = ovs;
        bridge = plan.bridge().name();
        final List<PlannedFlow> planned = List.copyOf(plan.flows().values());
        final Path file = ovs.directory().resolve("parsed.flows");
        try {
            Files.write(file, planned.stream().map(each -> FlowText.NUMBERS.render(each.flow())).toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int index = 0;
        final Matcher matcher = PARSED.matcher(ovs.ofctl("--no-names", "parse-flows", file.toString()));
        while (matcher.find()) {
            flows.put(new Key(Optional.ofNullable(matcher.group(1)).map(Integer::valueOf).orElse(0),
                Integer.parseInt(matcher.group(2)), matcher.group(3)), planned.get(index++));
        }
        if (flows.size() != planned.size()) {
            throw new AssertionError(planned.size() + " flows were planned, the switch reads " + flows.size());
        }
    }

    /** The planned flow, absent when the switch learned it. */
    Optional<PlannedFlow> find(final Key key) {
        return Optional.ofNullable(flows.get(key));
    }

    /**
     * How many packets have met the flows of a table that have this label until now. There has to be a flow at least.
     * What forwarding threads have counted is fetched first: else a flow could seem to have met nothing.
     */
    public long packets(final Table table, final String label) {
        if (flows.values().stream().noneMatch(each -> is(each, table, label))) {
            throw new AssertionError("no flow of " + table.text() + " is labelled '" + label + "'");
        }
        long sum = 0;
        ovs.appctl("revalidator/wait");
        final Matcher matcher =
            DUMPED.matcher(ovs.ofctl("--no-names", "dump-flows", bridge, "table=" + table.number()));
        while (matcher.find()) {
            final Key key = new Key(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(3)),
                matcher.group(4));
            if (find(key).filter(each -> is(each, table, label)).isPresent()) {
                sum += Long.parseLong(matcher.group(2));
            }
        }
        return sum;
    }

    private static boolean is(final PlannedFlow planned, final Table table, final String label) {
        return planned.flow().table() == table && planned.label().equals(label);
    }
}
