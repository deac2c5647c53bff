// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.openflow.wire;

import io.penstock.testkit.SwitchProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An Open vSwitch of its own, with a dummy datapath: needs no rights, touches nothing of the system's. */
public final class PrivateSwitch implements AutoCloseable {
    /** The bridge; it has the ports 1 and 2. */
    public static final String BRIDGE = "br0";

    private static final int LEAST_INTERVAL = 5000;

    private final Path directory;
    private int intervals;
    private final List<Process> processes = new ArrayList<>();

    /** Starts it in an empty directory. */
    public PrivateSwitch(final Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        run("ovsdb-tool", "create", path("conf.db"), SwitchProgram.ofNodes().schema());
        start("ovsdb-server", path("conf.db"), "--remote=punix:" + path("db.sock"), "--unixctl=" + path("db.ctl"));
        vsctl("--retry", "--no-wait", "init");
        startSwitch();
        vsctl("add-br", BRIDGE, "--", "set", "bridge", BRIDGE, "datapath_type=dummy", "protocols=OpenFlow13",
            "fail_mode=secure", "other_config:datapath-id=0050534e00000001",
            "--", "add-port", BRIDGE, "p1", "--", "set", "interface", "p1", "type=dummy", "ofport_request=1",
            "--", "add-port", BRIDGE, "p2", "--", "set", "interface", "p2", "type=dummy", "ofport_request=2");
    }

    private void startSwitch() throws IOException {
        start(with(SwitchProgram.ofNodes().words(), "unix:" + path("db.sock"), "--enable-dummy=override",
            "--disable-system", "--unixctl=" + path("vswitchd.ctl")));
    }

    /** Lets the switch do nothing more; its connections stay. */
    public void freeze() throws IOException, InterruptedException {
        run("kill", "-STOP", Long.toString(last().pid()));
    }

    /** kill -9 of the switch, and a new one with the same bridge. */
    public void restart() throws IOException, InterruptedException {
        final Process dead = last();
        dead.destroyForcibly().waitFor();
        processes.remove(dead);
        startSwitch();
    }

    private Process last() {
        return processes.get(processes.size() - 1);
    }

    /** Socket on which the bridge speaks OpenFlow. */
    public Path managementSocket() {
        return directory.resolve(BRIDGE + ".mgmt");
    }

    /** Runs ovs-vsctl. */
    public String vsctl(final String... arguments) throws IOException, InterruptedException {
        return run(with(List.of("ovs-vsctl", "--timeout=120", "--db=unix:" + path("db.sock")), arguments));
    }

    /**
     * A column of the row of the controller. The switch writes it every five seconds, and at once when that interval is
     * another one than before.
     */
    public String controller(final String column) throws IOException, InterruptedException {
        vsctl("set", "Open_vSwitch", ".", "other_config:stats-update-interval=" + (LEAST_INTERVAL + ++intervals % 2));
        return vsctl("get", "controller", BRIDGE, column).strip();
    }

    /** Runs ovs-ofctl with OpenFlow 1.3. */
    public String ofctl(final String command, final String... arguments) throws IOException, InterruptedException {
        return run(with(List.of("ovs-ofctl", "-O", "OpenFlow13", command, managementSocket().toString()), arguments));
    }

    /** Lets a packet that is described like a flow of the datapath come in at a port some times in a row. */
    public void receive(final String port, final String packet, final int length, final int times)
            throws IOException, InterruptedException {
        run(with(List.of("ovs-appctl", "--target=" + path("vswitchd.ctl"), "netdev-dummy/receive", port),
            Collections.nCopies(times, List.of(packet, "--len", Integer.toString(length))).stream()
                .flatMap(List::stream).toArray(String[]::new)));
    }

    /** What ovs-ofctl reads in a message. */
    public String print(final byte[] message) throws IOException, InterruptedException {
        return run("ovs-ofctl", "ofp-print", HexFormat.of().formatHex(message));
    }

    private static String[] with(final List<String> first, final String... arguments) {
        final List<String> all = new ArrayList<>(first);
        all.addAll(List.of(arguments));
        return all.toArray(String[]::new);
    }

    private String path(final String name) {
        return directory.resolve(name).toString();
    }

    private ProcessBuilder builder(final String... command) {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        for (final String variable : List.of("OVS_RUNDIR", "OVS_DBDIR", "OVS_LOGDIR", "OVS_SYSCONFDIR")) {
            builder.environment().put(variable, directory.toString());
        }
        return builder;
    }

    private void start(final String... command) throws IOException {
        processes.add(builder(command)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(command[0] + ".out").toFile()))
            .start());
    }

    private String run(final String... command) throws IOException, InterruptedException {
        final Process process = builder(command).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
        return output;
    }

    @Override
    public void close() throws InterruptedException {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).destroy();
            if (!processes.get(i).waitFor(1, TimeUnit.MINUTES)) {
                processes.get(i).destroyForcibly();
            }
        }
    }
}
