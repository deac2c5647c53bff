// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Network functions beside a node, by {@code service-chains/functions}. Stopped at the end of the run. */
public final class NodeFunctions {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private final TestRun run;
    private final DpdkNode node;
    private final String tool;

    /** Functions of a node; {@code root} is the top of the source tree. */
    public NodeFunctions(final TestRun run, final Path root, final DpdkNode node) {
        this.run = run;
        this.node = node;
        tool = root.resolve("service-chains/functions").toString();
    }

    /**
     * Starts a function of the catalogue unless it runs, and waits until the switch has taken it up, so its ports have
     * to be there.
     *
     * @param name name of the instance; its ports are {@code name-in} and {@code name-out}
     */
    public void start(final String name, final String function) {
        // Beside busy builds an idle function gets no time at all.
        start(name, function, "low");
    }

    /**
     * The same with a precedence on its core: {@code idle}, {@code low} or {@code normal}. One of low precedence may
     * wait for a quarter of a second beside busy switches, and its queues overflow: packets are lost that tests count.
     */
    public void start(final String name, final String function, final String scheduling) {
        final TestRun.Closing stop = () -> stop(name);
        run.closing(stop);
        run.afterCrash(command("stop", name).toArray(String[]::new));
        final List<String> command = command("start", name);
        command.addAll(List.of("--function", function, "--core", "0", "--scheduling", scheduling, "--wait", "120"));
        Shell.PLAIN.run(LIMIT, command.toArray(String[]::new));
    }

    /** Stops a function; nothing happens when it does not run. */
    public void stop(final String name) {
        Shell.PLAIN.run(LIMIT, command("stop", name).toArray(String[]::new));
    }

    /** Starts the agent, which carries out orders in the node's database and says there what the node has. */
    public void startAgent() {
        final List<String> stop = agent("--stop");
        run.closing(() -> Shell.PLAIN.run(LIMIT, stop.toArray(String[]::new)));
        run.afterCrash(stop.toArray(String[]::new));
        Shell.PLAIN.run(LIMIT, agent("--detach").toArray(String[]::new));
    }

    /** Ends the agent when it has finished what it does; functions run on. Nothing happens when it does not run. */
    public void stopAgent() {
        Shell.PLAIN.run(LIMIT, agent("--stop").toArray(String[]::new));
    }

    /** Whether an instance runs, or has left anything. */
    public boolean has(final String name) {
        return Files.exists(node.runDirectory().resolve(node.name()).resolve("functions").resolve(name));
    }

    private List<String> agent(final String option) {
        return List.of(tool, "agent", option, "--node", node.name(), "--run-directory",
            node.runDirectory().toString());
    }

    private List<String> command(final String verb, final String name) {
        return new ArrayList<>(List.of(tool, verb, name, "--node", node.name(), "--run-directory",
            node.runDirectory().toString()));
    }

    /** Runs commands inside a function that has a namespace. */
    public Shell inside(final String name) {
        return Shell.PLAIN.inNamespace("psf-" + node.name() + "-" + name);
    }

    /** Records frames of a device inside a function that has a namespace: {@code inside} or {@code outside}. */
    public Capture capture(final String name, final String device, final String filter) {
        return new Capture(inside(name), run.directory().resolve("capture-" + name + "-" + device + "-"
            + System.nanoTime()), device, filter);
    }
}
