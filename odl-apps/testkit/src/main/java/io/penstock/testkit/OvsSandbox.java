// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** A private Open vSwitch whose files are all in one directory. Touches nothing of the system's own. */
public final class OvsSandbox implements TestRun.Closing {
    /** The virtual switches there are. */
    public enum Flavour {
        /** No packets but simulated ones; needs neither root nor a network. */
        DUMMY("dummy", "dummy"),
        /** The userspace datapath without DPDK. */
        USERSPACE("netdev", "system"),
        /** The userspace datapath with DPDK, as a node has it. */
        DPDK("netdev", "system");

        private final String datapath;
        private final String portType;

        Flavour(final String datapath, final String portType) {
            this.datapath = datapath;
            this.portType = portType;
        }

        /** Datapath type of a bridge. */
        String datapath() {
            return datapath;
        }

        /** Interface type of an ordinary port. */
        String portType() {
            return portType;
        }
    }

    private static final String DATABASE = "ovsdb-server";
    private static final String SWITCH = "ovs-vswitchd";

    private final Path directory;
    private final Flavour flavour;
    private final SwitchProgram program;
    private final Shell shell;
    /** What runs here by the name of the program, in the order of the start; nothing of what others started. */
    private final Map<String, Process> processes = new LinkedHashMap<>();
    private Shell place;
    private List<String> options = List.of();

    private OvsSandbox(final Path directory, final Flavour flavour, final SwitchProgram program) {
        this.directory = directory;
        this.flavour = flavour;
        this.program = program;
        Shell environment = Shell.PLAIN;
        for (final String name : List.of("OVS_RUNDIR", "OVS_DBDIR", "OVS_LOGDIR", "OVS_SYSCONFDIR")) {
            environment = environment.with(name, directory.toString());
        }
        shell = environment;
        place = environment;
    }

    /** A switch with simulated ports. */
    public static OvsSandbox dummy(final TestRun run) {
        return dummy(run, Optional.empty(), SwitchProgram.ofNodes());
    }

    /** A switch with simulated ports that connects within a network namespace. */
    public static OvsSandbox dummy(final TestRun run, final Namespace namespace) {
        return dummy(run, Optional.of(namespace), SwitchProgram.ofNodes());
    }

    private static OvsSandbox dummy(final TestRun run, final Optional<Namespace> namespace,
            final SwitchProgram program) {
        return start(run, "dummy", Flavour.DUMMY, program, namespace, "--enable-dummy=override", "--disable-system");
    }

    /** The same with the machine's own Open vSwitch, which releases fragments with packets of others. */
    public static OvsSandbox dummyOfMachine(final TestRun run) {
        return dummy(run, Optional.empty(), SwitchProgram.ofMachine());
    }

    /** A switch with the userspace datapath in a network namespace. */
    static OvsSandbox userspace(final TestRun run, final Namespace namespace) {
        return start(run, "userspace", Flavour.USERSPACE, SwitchProgram.ofNodes(), Optional.of(namespace));
    }

    /** A switch that runs already and is stopped by who started it. */
    static OvsSandbox running(final Path directory, final Flavour flavour) {
        return new OvsSandbox(directory, flavour, SwitchProgram.ofNodes());
    }

    private static OvsSandbox start(final TestRun run, final String name, final Flavour flavour,
            final SwitchProgram program, final Optional<Namespace> namespace, final String... options) {
        final OvsSandbox sandbox = new OvsSandbox(run.directory().resolve(name), flavour, program);
        run.closing(sandbox);
        sandbox.start(namespace, options);
        return sandbox;
    }

    private void start(final Optional<Namespace> namespace, final String... more) {
        place = namespace.map(space -> shell.inNamespace(space.name())).orElse(shell);
        options = List.of(more);
        try {
            Files.createDirectory(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        shell.run("ovsdb-tool", "create", database().toString(), program.schema());
        up();
    }

    /** Starts what {@link #killDatabase} and {@link #killSwitch} ended. */
    public void up() {
        if (!processes.containsKey(DATABASE)) {
            startDatabase();
        }
        if (!processes.containsKey(SWITCH)) {
            startSwitch();
        }
    }

    private void startDatabase() {
        launch(DATABASE, place, List.of(DATABASE), database().toString(), "--remote=punix:" + socket(),
            "--remote=db:Open_vSwitch,Open_vSwitch,manager_options",
            "--private-key=db:Open_vSwitch,SSL,private_key", "--certificate=db:Open_vSwitch,SSL,certificate",
            "--ca-cert=db:Open_vSwitch,SSL,ca_cert",
            "--unixctl=" + directory.resolve("ovsdb-server.1.ctl"));
        Await.until("database is up", () -> Files.exists(socket())
            && shell.attempt("ovs-vsctl", "--db=unix:" + socket(), "--no-wait", "init").isGood());
    }

    private void startSwitch() {
        final List<String> arguments = new ArrayList<>(List.of("unix:" + socket(),
            "--unixctl=" + directory.resolve("ovs-vswitchd.1.ctl"), "--verbose=console:warn"));
        arguments.addAll(options);
        launch(SWITCH, place, program.words(), arguments.toArray(String[]::new));
        // A change that it has taken up: so the bridges of before a restart are there again, too.
        Await.until("switch is up", () -> Files.exists(directory.resolve("ovs-vswitchd.1.ctl"))
            && shell.attempt("ovs-vsctl", "--db=unix:" + socket(), "--timeout=5", "set", "Open_vSwitch", ".",
                "ovs_version=" + program.version(),
                "other_config:started=" + requireNonNull(processes.get(SWITCH)).pid()).isGood());
    }

    private void launch(final String name, final Shell where, final List<String> first, final String... arguments) {
        final List<String> command = new ArrayList<>(first);
        command.addAll(List.of(arguments));
        processes.put(name, where.start(directory.resolve(name + ".log"), command.toArray(String[]::new)));
    }

    /** Ends the database at once, as kill -9 does. */
    public void killDatabase() {
        Shell.stop(requireNonNull(processes.remove(DATABASE)));
        delete(socket());
    }

    /** Ends the switch at once, as kill -9 does. */
    public void killSwitch() {
        Shell.stop(requireNonNull(processes.remove(SWITCH)));
        delete(directory.resolve("ovs-vswitchd.1.ctl"));
    }

    /** Has the sockets of the switch hold packets for seconds. */
    void widenSockets() {
        WideSockets.of(requireNonNull(processes.get(SWITCH)).toHandle());
    }

    /** Stops the switch where it is, with its connections open, or lets it go on. */
    public void freezeSwitch(final boolean frozen) {
        shell.run("kill", frozen ? "-STOP" : "-CONT", Long.toString(requireNonNull(processes.get(SWITCH)).pid()));
    }

    private static void delete(final Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Which switch it is. */
    Flavour flavour() {
        return flavour;
    }

    /** Where the files are. */
    public Path directory() {
        return directory;
    }

    /** Runs ovs-vsctl and waits until the switch has taken the change up. */
    public String vsctl(final String... arguments) {
        return run(List.of("ovs-vsctl", "--timeout=20", "--db=unix:" + socket()), arguments);
    }

    /** Runs ovs-ofctl with OpenFlow 1.3, what the controller speaks. */
    public String ofctl(final String... arguments) {
        return run(List.of("ovs-ofctl", "-O", "OpenFlow13"), arguments);
    }

    /** Runs a command inside the switch process, as ovs-appctl does. */
    public String appctl(final String... words) {
        return ControlSocket.call(control(), List.of(words));
    }

    private String run(final List<String> command, final String... arguments) {
        final List<String> line = new ArrayList<>(command);
        line.addAll(List.of(arguments));
        return shell.run(line.toArray(String[]::new));
    }

    private Path control() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(path -> path.toString().matches(".*/ovs-vswitchd[^/]*\\.ctl")).findFirst()
                .orElseThrow(() -> new AssertionError("no switch runs in " + directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path socket() {
        return directory.resolve("db.sock");
    }

    private Path database() {
        return directory.resolve("conf.db");
    }

    @Override
    public void close() {
        final List<Process> lastFirst = new ArrayList<>(processes.values());
        Collections.reverse(lastFirst);
        lastFirst.forEach(Shell::stop);
    }
}
