// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.rules.Validator;
import io.penstock.testkit.Await;
import io.penstock.testkit.Datapath;
import io.penstock.testkit.DpdkNode;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.FlowLoader;
import io.penstock.testkit.Namespace;
import io.penstock.testkit.NodeFunctions;
import io.penstock.testkit.OpenVrfs;
import io.penstock.testkit.PlannedFlows;
import io.penstock.testkit.Shell;
import io.penstock.testkit.TestRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A node with hosts around it, and a plan loaded by hand: no controller takes part. */
final class PacketNode implements AutoCloseable {
    /** Top of the source tree. */
    static final Path ROOT = Path.of(System.getProperty("penstock.root"));

    private final TestRun run = new TestRun();
    private final Runnable end;
    private final EdgeNetwork network;
    private final DpdkNode node;
    private final NodeFunctions functions;
    private FlowLoader loader;
    private PlannedFlows flows;
    private Allocations allocations = Allocations.none();

    /** Makes the surroundings of the node that all tests share; it has no bridge yet. */
    PacketNode() {
        final SharedNode shared = SharedNode.take();
        end = shared::giveBack;
        try {
            network = surroundings(shared.space());
            node = shared.up();
        } catch (AssertionError e) {
            close();
            throw e;
        }
        functions = new NodeFunctions(run, ROOT, node);
    }

    /** Makes a node of its own and its surroundings. profile: further lines of its profile. */
    PacketNode(final String profile) {
        end = () -> { };
        try {
            final Namespace space = run.namespace("node");
            network = surroundings(space);
            node = DpdkNode.start(run, ROOT, Shell.PLAIN, space, SharedNode.ACCESS_PORTS, List.of(EdgeNetwork.UPLINK),
                "ovsdb-port: " + SharedNode.NO_CONTROLLER, profile);
        } catch (AssertionError e) {
            close();
            throw e;
        }
        functions = new NodeFunctions(run, ROOT, node);
    }

    private EdgeNetwork surroundings(final Namespace space) {
        return new EdgeNetwork(run, space, SharedNode.ACCESS_PORTS, Networks.BACKBONE_ADDRESS,
            List.of(Networks.PUBLIC_PREFIX));
    }

    /** Brings the switch to a network, everything up. All VRFs have sessions. */
    void load(final Snapshot snapshot) {
        load(snapshot, Set.of());
    }

    /** Brings the switch to a network, some functions down. What the switch learned is gone, what it tracks is not. */
    void load(final Snapshot snapshot, final Set<String> functionsDown) {
        final List<?> violations = Validator.validate(snapshot, allocations);
        if (!violations.isEmpty()) {
            throw new AssertionError("no such network: " + violations);
        }
        allocations = Allocator.allocate(snapshot, allocations);
        final NodePlan plan = Planner.plan(snapshot, allocations, functionsDown, Networks.NODE);
        if (loader == null) {
            loader = FlowLoader.create(node.ovs(), plan.bridge());
        }
        loader.load(plan);
        loader.setTimeouts(plan.bridge(), plan.orders().keySet());
        OpenVrfs.open(node.ovs(), plan.vrfs());
        // As the agent of a node does: what was cached may be of the plan before (ADR 26).
        new Datapath(node.ovs()).purge();
        flows = new PlannedFlows(node.ovs(), plan);
        // Somebody has to ask by ARP for what is not known; without a controller the others speak first.
        network.transit().meets(Networks.BACKBONE_ADDRESS);
    }

    TestRun run() {
        return run;
    }

    EdgeNetwork network() {
        return network;
    }

    DpdkNode node() {
        return node;
    }

    /** Starts functions behind ports that are loaded. */
    NodeFunctions functions() {
        return functions;
    }

    /** Packets the flows of this label have met since they were loaded. */
    long packets(final Table table, final String label) {
        return flows.packets(table, label);
    }

    /** Packets that a tenant's meter has dropped since the plan was loaded. */
    long dropped(final String tenant, final TenantMeter meter) {
        return count(tenant, meter, "bands:\\s*0: packet_count:(\\d+)");
    }

    /** Packets that have met a tenant's meter since the plan was loaded. */
    long metered(final String tenant, final TenantMeter meter) {
        return count(tenant, meter, "packet_in_count:(\\d+)");
    }

    private long count(final String tenant, final TenantMeter meter, final String count) {
        final int id = meter.number(
            new VrfId(Objects.requireNonNull(allocations.tenants().get(tenant)).id()));
        final String stats = node.ovs().ofctl("meter-stats", Constants.BRIDGE, "meter=" + id);
        final Matcher matcher = Pattern.compile("meter:" + id + "\\s[^#]*?" + count).matcher(stats);
        if (!matcher.find()) {
            throw new AssertionError("no count of " + meter + " in " + stats);
        }
        return Long.parseLong(matcher.group(1));
    }

    /** Connections the switch tracks, a line each, that have all of these words. */
    List<String> connections(final String... words) {
        return node.ovs().appctl("dpctl/dump-conntrack", "-s").lines()
            .filter(line -> List.of(words).stream().allMatch(line::contains)).toList();
    }

    /**
     * Seconds after which the switch forgets the only connection that has all of these words. A packet that a host has
     * just sent may be on its way: the host may ask for its gateway first.
     */
    int timeout(final String... words) {
        final List<String> found = Await.until("one connection with " + List.of(words), () -> connections(words),
            lines -> lines.size() == 1);
        return Integer.parseInt(found.get(0).replaceAll(".*[,(]timeout=([0-9]+).*", "$1"));
    }

    @Override
    public void close() {
        try {
            run.close();
        } finally {
            end.run();
        }
    }
}
