// SPDX-License-Identifier: Apache-2.0
package io.penstock.southbound.ovsdb;

import io.penstock.testkit.SwitchProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An ovsdb-server and, if asked for, an ovs-vswitchd with the dummy datapath, in a private directory: touches neither
 * the machine's own Open vSwitch nor its network, needs no root.
 */
final class OvsSandbox implements AutoCloseable {
    private static final int COMMAND_SECONDS = 120;

    private final Path directory;
    private Process server;
    private Process daemon;

    OvsSandbox() {
        try {
            directory = Files.createTempDirectory("ps-ovs");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        run(true, "ovsdb-tool", "create", database().toString(), SwitchProgram.ofNodes().schema());
        startServer();
        vsctl("init");
    }

    Path database() {
        return directory.resolve("conf.db");
    }

    void startServer() {
        server = launch("ovsdb-server", database().toString(), "--remote=punix:" + socket(),
            "--remote=db:Open_vSwitch,Open_vSwitch,manager_options", "--private-key=db:Open_vSwitch,SSL,private_key",
            "--certificate=db:Open_vSwitch,SSL,certificate", "--ca-cert=db:Open_vSwitch,SSL,ca_cert",
            "--unixctl=" + directory.resolve("server.ctl"));
        Await.until("database up", () -> Files.exists(socket()) && tryRun("ovs-vsctl", "--db=unix:" + socket(),
            "--no-wait", "get-manager"));
    }

    void startDaemon() {
        daemon = launch(Stream.concat(SwitchProgram.ofNodes().words().stream(), Stream.of("--enable-dummy=override",
            "--disable-system", "--unixctl=" + directory.resolve("daemon.ctl"), "unix:" + socket()))
            .toArray(String[]::new));
    }

    void killServer() {
        kill(server);
        tryRun("rm", "-f", socket().toString());
    }

    void killDaemon() {
        kill(daemon);
    }

    /** Stops the database without closing its connections, as a host that hangs would. */
    void freezeServer() {
        run(true, "kill", "-STOP", Long.toString(server.pid()));
    }

    void thawServer() {
        run(true, "kill", "-CONT", Long.toString(server.pid()));
    }

    /** Announces the node and points its database to the controller. */
    void announce(final String name, final int port) {
        vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.NODE + "=" + name);
        manage(port);
    }

    void manage(final int port) {
        manage("tcp:127.0.0.1:" + port);
    }

    void manage(final String target) {
        vsctl("--", "--id=@m", "create", "Manager", "target=\"" + target + "\"", "max_backoff=1000", "--",
            "set", "Open_vSwitch", ".", "manager_options=@m");
    }

    /** Has another client take a lock of the database, and be gone two seconds later. */
    void steal(final String lock) {
        tryRun("timeout", "2", "ovsdb-client", "steal", "unix:" + socket(), lock);
    }

    /** Announces the node, with certificates that its database has in these files. */
    void announceByTls(final String name, final int port, final Path files) {
        vsctl("set-ssl", files.resolve("key.pem").toString(), files.resolve("certificate.pem").toString(),
            files.resolve("ca.pem").toString());
        vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.NODE + "=" + name);
        manage("ssl:127.0.0.1:" + port);
    }

    /** What a program has logged, such as {@code ovsdb-server}. */
    String output(final String program) {
        try {
            return Files.readString(directory.resolve(program + ".log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String vsctl(final String... arguments) {
        return vsctl(List.of("--no-wait"), arguments);
    }

    private String vsctl(final List<String> options, final String... arguments) {
        final List<String> command = new ArrayList<>(List.of("ovs-vsctl", "--db=unix:" + socket()));
        command.addAll(options);
        command.addAll(List.of(arguments));
        return run(true, command.toArray(String[]::new));
    }

    /** Has the daemon apply the timeouts of new zones, as the agent of a node does: it applies what changes. */
    void applyTimeouts() {
        for (final String policy : vsctl("--bare", "--columns=_uuid", "list", "CT_Timeout_Policy").split("\\s+")) {
            vsctl(List.of(), "set", "CT_Timeout_Policy", policy, "timeouts:icmp_first=7");
            vsctl(List.of(), "remove", "CT_Timeout_Policy", policy, "timeouts", "icmp_first");
        }
    }

    String appctl(final String... arguments) {
        final List<String> command = new ArrayList<>(List.of("ovs-appctl", "-t",
            directory.resolve("daemon.ctl").toString()));
        command.addAll(List.of(arguments));
        return run(true, command.toArray(String[]::new));
    }

    String ofctl(final String command, final String... arguments) {
        final List<String> all = new ArrayList<>(List.of("ovs-ofctl", "-O", "OpenFlow13", command));
        all.addAll(List.of(arguments));
        return run(true, all.toArray(String[]::new));
    }

    /** Lets a UDP packet of 10.0.0.1 come in at a port of the dummy datapath. */
    void receiveUdp(final String port, final int destination) {
        appctl("netdev-dummy/receive", port, "in_port(1),eth(src=02:00:00:00:00:01,dst=02:00:00:00:00:02),"
            + "eth_type(0x0800),ipv4(src=10.0.0.1,dst=10.0.0.2,proto=17,tos=0,ttl=64,frag=no),udp(src=1000,dst="
            + destination + ")");
    }

    /** What the controller wrote, in a form that does not depend on UUIDs or order. */
    String configuration() {
        return Stream.of("br:Bridge:name,datapath_type,fail_mode,protocols,other_config",
                "port:Port:name", "if:Interface:name,type,options,ofport_request",
                "ctl:Controller:target,connection_mode,controller_rate_limit,inactivity_probe",
                "table:Flow_Table:name", "tp:CT_Timeout_Policy:timeouts")
            .map(item -> item.split(":"))
            .flatMap(item -> vsctl("--format=csv", "--no-headings", "--columns=" + item[2], "list", item[1]).lines()
                .map(line -> item[0] + ": " + line))
            .sorted().collect(Collectors.joining("\n"));
    }

    /** The transactions of the database, each with its rows. */
    String log() {
        return run(true, "ovsdb-tool", "-mm", "show-log", database().toString());
    }

    @Override
    public void close() {
        kill(daemon);
        kill(server);
        try (Stream<Path> files = Files.walk(directory)) {
            files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path socket() {
        return directory.resolve("db.sock");
    }

    private static void kill(final Process process) {
        if (process != null) {
            process.destroyForcibly().onExit().join();
        }
    }

    private Process launch(final String... command) {
        try {
            return builder(command).redirectOutput(ProcessBuilder.Redirect.appendTo(directory.resolve(command[0]
                + ".log").toFile())).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean tryRun(final String... command) {
        return run(false, command) != null;
    }

    private String run(final boolean must, final String... command) {
        try {
            final Process process = builder(command).start();
            process.getOutputStream().close();
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0) {
                return output.strip();
            }
            process.destroyForcibly();
            if (must) {
                throw new AssertionError(List.of(command) + " failed: " + output);
            }
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private ProcessBuilder builder(final String... command) {
        final ProcessBuilder result = new ProcessBuilder(command).redirectErrorStream(true)
            .directory(directory.toFile());
        for (final String name : List.of("OVS_RUNDIR", "OVS_DBDIR", "OVS_LOGDIR", "OVS_SYSCONFDIR")) {
            result.environment().put(name, directory.toString());
        }
        // The daemons are in sbin, which is not on everybody's path.
        result.environment().merge("PATH", "/usr/sbin:/sbin", (path, more) -> path + ':' + more);
        return result;
    }
}
