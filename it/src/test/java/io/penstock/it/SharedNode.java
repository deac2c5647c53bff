// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.testkit.Await;
import io.penstock.testkit.DpdkNode;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Namespace;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.TestRun;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The one node of all packet tests of a JVM: a process that is expensive to start. Classes use it one after the other.
 * Each lays cables of its own, and gives the node back as if it had just been started.
 *
 * <p>Connections, limits, timeouts, cached flows and settings belong to the datapath, which Open vSwitch destroys with
 * the last bridge. So a node without a bridge remembers nothing, and {@code ovs-config up} prepares it again as an
 * operator's.
 */
final class SharedNode {
    static final List<String> ACCESS_PORTS = List.of("acc0", "acc1");
    static final List<String> PORTS = List.of("acc0", "acc1", EdgeNetwork.UPLINK);
    /** No controller listens there. */
    static final int NO_CONTROLLER = 9;
    /** Devices of a namespace that no test has made: loopback, and what connects the node with its controller. */
    private static final String OWN_DEVICES = "lo|mgmt0|ovs-netdev|ovs-tap.*";

    private static SharedNode current;

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(SharedNode::end, "end of the shared node"));
    }

    private final TestRun run = new TestRun();
    private final Namespace space = run.namespace("node");
    private DpdkNode node;
    private boolean taken;

    private SharedNode() {
        // Only take() makes one.
    }

    /** The node, for one user at a time, who lays cables in its {@link #space} and then calls {@link #up}. */
    static synchronized SharedNode take() {
        if (current == null) {
            current = new SharedNode();
        }
        if (current.taken) {
            throw new IllegalStateException("another test has the node: it did not close its PacketNode or WiredNode");
        }
        current.taken = true;
        return current;
    }

    /** The network namespace of its ports. */
    Namespace space() {
        return space;
    }

    /** Starts it, or has an operator's command prepare the one that runs. Its ports have to be there. */
    DpdkNode up() {
        if (node == null) {
            node = DpdkNode.start(run, Path.of(System.getProperty("penstock.root")), space, ACCESS_PORTS,
                List.of(EdgeNetwork.UPLINK), NO_CONTROLLER);
        } else {
            node.up();
        }
        // What asks for counters waits for the end of a round of revalidators: ten a second, the most that the switch
        // permits. None has rare flows dropped because it takes half as long.
        node.ovs().vsctl("set", "Open_vSwitch", ".", "other_config:max-revalidator=100",
            "other_config:min-revalidate-pps=0");
        return node;
    }

    /** Takes away all that its user has made. A node that does not come clean fails the class, and is used no more. */
    synchronized void giveBack() {
        boolean clean = false;
        try {
            PORTS.forEach(port -> space.shell().attempt("ip", "link", "delete", port));
            if (node != null) {
                reset(node.ovs());
            }
            Await.until("nothing of the test is left on the node", this::leftovers, List::isEmpty);
            clean = true;
            taken = false;
        } finally {
            if (!clean) {
                forget();
                run.close();
            }
        }
    }

    private static synchronized void forget() {
        current = null;
    }

    private static void reset(final OvsSandbox ovs) {
        ovs.vsctl("list-br").lines().forEach(bridge -> ovs.vsctl("del-br", bridge));
        ovs.vsctl("clear", "Open_vSwitch", ".", "datapaths");
    }

    /** What a test could have left on a node that should be as new. */
    private List<String> leftovers() {
        final List<String> left = new ArrayList<>(space.shell().run("ip", "-o", "link").lines()
            .map(line -> line.split(": ")[1].replaceAll("@.*", ""))
            .filter(device -> !device.matches(OWN_DEVICES)).map(device -> "device " + device).toList());
        if (node != null) {
            node.ovs().appctl("dpif/show").lines().map(line -> "datapath " + line).forEach(left::add);
            node.ovs().vsctl("--columns=_uuid", "--format=csv", "--no-headings", "list", "Datapath").lines()
                .map(row -> "row of a datapath " + row).forEach(left::add);
            node.runningFunctions().stream().map(name -> "function " + name).forEach(left::add);
        }
        return left;
    }

    /** Stops the node when the JVM ends. Where two share the classes, JUnit runs each class as a plan of its own. */
    private static synchronized void end() {
        if (current != null) {
            current.run.close();
            current = null;
        }
    }
}
