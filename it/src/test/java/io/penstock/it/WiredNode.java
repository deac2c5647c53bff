// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.NodePlan;
import io.penstock.pipeline.plan.Planner;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.pipeline.rules.Validator;
import io.penstock.testkit.Datapath;
import io.penstock.testkit.DpdkNode;
import io.penstock.testkit.FlowLoader;
import io.penstock.testkit.NodeFunctions;
import io.penstock.testkit.OpenVrfs;
import io.penstock.testkit.PlannedFlows;
import io.penstock.testkit.TestRun;
import io.penstock.testkit.Wire;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** A node with bare wires at its ports and a plan loaded by hand. All networks on it have the same functions. */
public final class WiredNode implements AutoCloseable {
    private final SharedNode shared = SharedNode.take();
    private final TestRun run = new TestRun();
    private final Wire wire;
    private final DpdkNode node;
    private FlowLoader loader;
    private PlannedFlows flows;
    private Set<VrfId> vrfs = Set.of();

    /** Takes the node that all packet tests share. */
    public WiredNode() {
        try {
            wire = Wire.to(run, shared.space(), SharedNode.PORTS);
            node = shared.up();
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    /** What the node would have to do for a network. */
    static NodePlan plan(final Snapshot snapshot) {
        final List<?> violations = Validator.validate(snapshot, Allocations.none());
        if (!violations.isEmpty()) {
            throw new AssertionError("no such network: " + violations);
        }
        return Planner.plan(snapshot, Allocator.allocate(snapshot, Allocations.none()), Set.of(), Networks.NODE);
    }

    /** Brings the switch to a network. It knows no host and no connection after that. */
    public void load(final Snapshot snapshot) {
        load(plan(snapshot));
    }

    /** Brings the switch to a plan likewise. */
    public void load(final NodePlan plan) {
        if (loader == null) {
            loader = FlowLoader.create(node.ovs(), plan.bridge());
        }
        loader.load(plan);
        vrfs = plan.vrfs();
        flows = new PlannedFlows(node.ovs(), plan);
        node.ovs().appctl("dpctl/flush-conntrack");
        datapath().clear();
    }

    /** Packets the flows of this label have met since they were loaded. */
    public long packets(final Table table, final String label) {
        return flows.packets(table, label);
    }

    /** Gives all VRFs of the network sessions. */
    public void openSessions() {
        OpenVrfs.open(node.ovs(), vrfs);
    }

    /** Its functions, which are to be started after the first network was loaded. */
    NodeFunctions functions() {
        return new NodeFunctions(run, PacketNode.ROOT, node);
    }

    Path vhostDirectory() {
        return node.vhostDirectory();
    }

    /** The far ends of its cables. */
    public Wire wire() {
        return wire;
    }

    Datapath datapath() {
        return new Datapath(node.ovs());
    }

    @Override
    public void close() {
        try {
            run.close();
        } finally {
            shared.giveBack();
        }
    }
}
