// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Await;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** An agent of a node, and the resolvers, as processes. They write their ids into files of the node. */
final class NodeAgent {
    private final EdgeNode node;
    private final String name;
    private final Path directory;

    NodeAgent(final EdgeNode node) {
        this(node, "agent");
    }

    private NodeAgent(final EdgeNode node, final String name) {
        this.node = node;
        this.name = name;
        directory = node.ovs().directory();
    }

    /** The other agent of a node, which starts functions. */
    static NodeAgent ofFunctions(final EdgeNode node) {
        return new NodeAgent(node, "functions-agent");
    }

    /** The process that does the work. */
    Optional<ProcessHandle> worker() {
        return process(name);
    }

    /** kill -9, and it does not come back until {@link #start}. */
    void keepDown() {
        final ProcessHandle worker = worker().orElseThrow();
        // Once, and no more: what it does now it does not bring to an end.
        Shell.PLAIN.run("s6-svc", "-O", service());
        kill(worker);
    }

    /** Its supervisor has it run again. */
    void start() {
        Shell.PLAIN.run("s6-svc", "-u", service());
    }

    private String service() {
        return directory.resolve("supervised").resolve(name).toString();
    }

    /** The resolver of a VRF. */
    Optional<ProcessHandle> resolver(final int vrf) {
        return process(resolverDirectory(vrf) + "/process");
    }

    /** All processes that run as resolver of a VRF, whatever the files say. */
    List<ProcessHandle> resolvers(final int vrf) {
        final String configuration = resolverDirectory(vrf) + "/unbound.conf";
        return ProcessHandle.allProcesses().filter(process -> isAlive(process) && commandLine(process)
            .contains(directory.resolve(configuration).toString())).toList();
    }

    /** kill -9, and waits until it is dead. */
    static void kill(final ProcessHandle process) {
        process.destroyForcibly();
        Await.until("process " + process.pid() + " is dead", () -> !isAlive(process));
    }

    /** Whether a process runs: a dead one has no command line, though it may have its id for long. */
    static boolean isAlive(final ProcessHandle process) {
        return !commandLine(process).isEmpty();
    }

    /** Limits of tracked connections, as the switch has them, but those that let it count alone. */
    List<String> limits() {
        return node.ovs().appctl("dpctl/ct-get-limits").lines()
            .filter(line -> line.startsWith("zone=") && !line.contains("limit=4294967295,"))
            .map(line -> line.replaceAll(",count=.*", "")).sorted().toList();
    }

    private static String resolverDirectory(final int vrf) {
        return "dns/" + vrf;
    }

    private Optional<ProcessHandle> process(final String which) {
        final Path file = directory.resolve(which.contains("/") ? which : which + ".process");
        return text(file).filter(text -> !text.isBlank()).map(text -> Long.parseLong(text.split("\\s", 2)[0]))
            .flatMap(ProcessHandle::of).filter(NodeAgent::isAlive);
    }

    private static String commandLine(final ProcessHandle process) {
        return text(Path.of("/proc", Long.toString(process.pid()), "cmdline")).orElse("");
    }

    /** Nothing when the file, or the process that it is of, has gone. */
    private static Optional<String> text(final Path file) {
        try {
            return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
        } catch (IOException e) {
            if (Files.exists(file)) {
                throw new UncheckedIOException(e);
            }
            return Optional.empty();
        }
    }
}
