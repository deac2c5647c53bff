// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A node as an operator starts it: Open vSwitch with DPDK in a network namespace, by {@code ovs-config up}. Whoever
 * loads flows makes the bridge, a test or a controller.
 */
public final class DpdkNode implements TestRun.Closing {
    private static final Duration START_LIMIT = Duration.ofMinutes(4);
    private static final int MEMORY_MEGABYTES = 832;
    /** Idle polling threads sleep: the machine has few cores and many tests. */
    private static final int SLEEP_MICROSECONDS = 1000;

    private final TestRun run;
    private final Shell controllerSide;
    private final Path tool;
    private final OvsSandbox ovs;

    private DpdkNode(final TestRun run, final Shell controllerSide, final Path tool) {
        this.run = run;
        this.controllerSide = controllerSide;
        this.tool = tool;
        ovs = OvsSandbox.running(runDirectory(run).resolve(run.name()), OvsSandbox.Flavour.DPDK);
    }

    /**
     * Starts a node.
     *
     * @param root the top of the source tree
     * @param namespace where the network devices of the ports are
     * @param ovsdbPort TCP port of the controller, which need not be there
     */
    public static DpdkNode start(final TestRun run, final Path root, final Namespace namespace,
            final List<String> accessPorts, final List<String> uplinkPorts, final int ovsdbPort) {
        return start(run, root, Shell.PLAIN, namespace, accessPorts, uplinkPorts, "ovsdb-port: " + ovsdbPort, "");
    }

    /**
     * Starts a node.
     *
     * @param controllerSide runs commands where the controller is, or would be
     * @param controller what the profile says of the controller
     * @param more further lines of the profile
     */
    public static DpdkNode start(final TestRun run, final Path root, final Shell controllerSide,
            final Namespace namespace, final List<String> accessPorts, final List<String> uplinkPorts,
            final String controller, final String more) {
        final String text = """
            name: %s
            namespace: %s
            run-directory: %s
            pmd-cores: [1]
            hugepage-memory-mb: %d
            pmd-maxsleep-us: %d
            access-ports: [%s]
            uplink-ports: [%s]
            controller: {%s}
            %s
            """.formatted(run.name(), namespace.name(), runDirectory(run), MEMORY_MEGABYTES, SLEEP_MICROSECONDS,
            names(accessPorts), names(uplinkPorts), controller, more);
        try {
            Files.writeString(profile(run), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        final DpdkNode node = run.closing(new DpdkNode(run, controllerSide, root.resolve("ovs-config/ovs-config")));
        run.afterCrash(node.downCommand());
        node.up();
        return node;
    }

    /** Starts what does not run. */
    public void up() {
        controllerSide.run(START_LIMIT, tool.toString(), "up", profile(run).toString());
    }

    private static Path profile(final TestRun run) {
        return run.directory().resolve("node.yaml");
    }

    private static String names(final List<String> ports) {
        return ports.stream().map(port -> "{name: " + port + "}").collect(Collectors.joining(", "));
    }

    private static Path runDirectory(final TestRun run) {
        return run.directory().resolve("nodes");
    }

    /** What the tools call the run directory. */
    Path runDirectory() {
        return runDirectory(run);
    }

    /** Its name. */
    public String name() {
        return run.name();
    }

    /** Where the sockets of vhost-user ports are. */
    public Path vhostDirectory() {
        return ovs.directory().resolve("vhost");
    }

    /** Its switch. */
    public OvsSandbox ovs() {
        return ovs;
    }

    /** Names of the functions that run on it, or have left anything there. */
    public List<String> runningFunctions() {
        final Path functions = ovs.directory().resolve("functions");
        if (!Files.exists(functions)) {
            return List.of();
        }
        try (Stream<Path> found = Files.list(functions)) {
            return found.map(path -> path.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String[] downCommand() {
        return new String[] {tool.toString(), "down", name(), "--run-directory", runDirectory(run).toString()};
    }

    @Override
    public void close() {
        controllerSide.run(downCommand());
    }
}
