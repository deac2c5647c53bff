// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Await;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The processes of a node under its supervision tree, to be killed. */
final class CrashVictims {
    /** Without these a node does not forward, or not at ports of the kernel. */
    static final List<String> CARRIERS = List.of("ovs-vswitchd", "ovsdb-server");
    /** The root of the tree. */
    static final String ROOT = "s6-svscan";
    static final String WATCH = "watch";
    /** What the supervisor of a service is called here begins with. */
    static final String SUPERVISOR = "s6-supervise ";

    private static final Duration BACK = Duration.ofSeconds(60);
    private static final List<String> SERVICES = List.of("ovs-vswitchd", "ovsdb-server", "agent", "functions-agent",
        WATCH);
    /** Of these one has to work, so that another is started again or goes on. */
    private static final List<String> GUARDS = List.of(ROOT, SUPERVISOR + WATCH, WATCH);

    private final Path directory;

    CrashVictims(final EdgeNode node) {
        directory = node.ovs().directory();
    }

    /** Names of all processes of a node that carry nothing. */
    static List<String> bystanders() {
        final List<String> names = new ArrayList<>(List.of(ROOT));
        SERVICES.forEach(service -> names.add(SUPERVISOR + service));
        SERVICES.stream().filter(service -> !CARRIERS.contains(service)).forEach(names::add);
        return names;
    }

    /** Waits until there is a process of this name, and sends it a signal; gives when (System.nanoTime). */
    long signal(final String name, final String signal) {
        if (GUARDS.contains(name) || signal.equals("STOP")) {
            // They look after each other: what ends all of them at once is for the operator, or for systemd.
            Await.until("the supervision of the node is whole, before " + name, BACK, () -> GUARDS.stream()
                .allMatch(guard -> find(guard).filter(CrashVictims::goesOn).isPresent())
                && find("agent").filter(CrashVictims::goesOn).isPresent());
        }
        while (true) {
            final long pid = Await.until(name + " runs", BACK, () -> find(name), Optional::isPresent).orElseThrow();
            final long now = System.nanoTime();
            if (Shell.PLAIN.attempt("kill", "-" + signal, Long.toString(pid)).isGood()) {
                return now;
            }
        }
    }

    /** Waits until each process is there once, and nothing is stopped. */
    void awaitWhole() {
        Await.until("each process of the node runs once", BACK, this::census, census -> census.size()
            == 1 + 2 * SERVICES.size() && census.values().stream().allMatch("1"::equals));
    }

    /** How many there are of each, with a word about those that are stopped. */
    SortedMap<String, String> census() {
        final SortedMap<String, String> found = new TreeMap<>();
        final List<String> names = new ArrayList<>(List.of(ROOT));
        SERVICES.forEach(service -> names.addAll(List.of(service, SUPERVISOR + service)));
        for (final String name : names) {
            final List<Long> all = all(name);
            found.put(name, all.size() + (all.stream().allMatch(CrashVictims::goesOn) ? "" : " stopped"));
        }
        return found;
    }

    /** Copies the logs of the node to a directory. */
    void keepLogs(final Path target) {
        Shell.PLAIN.run("sh", "-c", "mkdir -p " + target + " && cp " + directory + "/*.log " + target);
    }

    /** Asks the switch, which may not answer. */
    String ask(final List<String> command) {
        return find(CARRIERS.get(0)).map(pid -> tool("ovs-appctl", "-t",
            directory.resolve("ovs-vswitchd." + pid + ".ctl").toString(), command)).orElse("the switch does not run");
    }

    /** All flows with their counters, one a line. */
    List<String> flows() {
        return tool("ovs-ofctl", "-O", "OpenFlow13", List.of("--names", "dump-flows", "br-penstock")).lines().toList();
    }

    private String tool(final String program, final String option, final String value, final List<String> command) {
        final List<String> line = new ArrayList<>(List.of(program, option, value));
        line.addAll(command);
        return Shell.PLAIN.with("OVS_RUNDIR", directory.toString()).attempt(line.toArray(String[]::new)).output();
    }

    private Optional<Long> find(final String name) {
        if (SERVICES.contains(name) || name.equals(ROOT)) {
            final String file = name.equals(ROOT) ? "supervisor" : name;
            return read(directory.resolve(file + ".process")).map(text -> text.split("\\s", 2)[0])
                .filter(word -> !word.isEmpty()).map(Long::valueOf).filter(pid -> !commandLine(pid).isEmpty());
        }
        return all(name).stream().findFirst();
    }

    private List<Long> all(final String name) {
        try (Stream<Path> found = Files.list(Path.of("/proc"))) {
            return found.map(path -> path.getFileName().toString()).filter(word -> word.matches("[0-9]+"))
                .map(Long::valueOf).filter(pid -> is(pid, name)).toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Whether a process is one of this name of this node. */
    private boolean is(final long pid, final String name) {
        final List<String> words = List.of(commandLine(pid).split("\0"));
        if (name.startsWith(SUPERVISOR)) {
            return words.get(0).equals("s6-supervise") && works(pid, directory.resolve("supervised")
                .resolve(name.substring(SUPERVISOR.length())));
        }
        final String program = words.get(0).substring(words.get(0).lastIndexOf('/') + 1);
        final String here = directory.toString();
        return switch (name) {
            case ROOT -> program.equals(ROOT) && words.contains(directory.resolve("supervised").toString());
            case WATCH -> words.contains("penstock_node.node_watch") && words.contains(here);
            case "agent" -> words.contains("penstock_node.agent") && words.contains(here);
            case "functions-agent" -> words.contains("penstock_functions.agent")
                && words.contains(directory.getParent().toString());
            default -> program.equals(name) && words.stream().anyMatch(word -> word.contains(here + '/'));
        };
    }

    private static boolean works(final long pid, final Path folder) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "cwd")).equals(folder);
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether no signal has stopped it. */
    private static boolean goesOn(final long pid) {
        return read(Path.of("/proc", Long.toString(pid), "stat"))
            .map(text -> text.substring(text.lastIndexOf(')') + 2).charAt(0) != 'T').orElse(false);
    }

    private static String commandLine(final long pid) {
        return read(Path.of("/proc", Long.toString(pid), "cmdline")).orElse("");
    }

    private static Optional<String> read(final Path file) {
        try {
            return Optional.of(Files.readString(file));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
