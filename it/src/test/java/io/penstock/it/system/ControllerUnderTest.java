// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.CertificateAuthority;
import io.penstock.testkit.Namespace;
import io.penstock.testkit.Shell;
import io.penstock.testkit.TestRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The built distribution in a network namespace of its own, started and stopped by the tool that operators use. Nodes
 * connect by TLS.
 */
final class ControllerUnderTest implements TestRun.Closing {
    /** Where nodes find it. */
    static final String ADDRESS = "169.254.77.1";
    static final int OPENFLOW = 6653;
    static final int OVSDB = 6640;
    /** Where it has HTTPS. Its plain text is on loopback. */
    static final String NORTHBOUND = "169.254.79.2";
    static final int RESTCONF = 8181;
    /** Where other members would find it: on loopback. */
    static final int CLUSTER = 2550;
    /** Its name in its certificate. */
    static final String MEMBER = "ctl1";

    /** UDP ports in its namespace to which it sends NAT events. */
    static final int SYSLOG = 5514;
    static final int IPFIX = 4739;

    /** Top of the source tree. */
    static final Path ROOT = Path.of(System.getProperty("penstock.root")).toAbsolutePath().normalize();

    private static final String DISTRIBUTION =
        System.getProperty("penstock.distribution", ROOT.resolve("karaf/target/assembly").toString());
    /** How long the tool itself waits for a start, in seconds: enough for one that hangs and is started again. */
    private static final int START_SECONDS = 300;
    private static final Duration LIMIT = Duration.ofSeconds(START_SECONDS + 20);
    private static final int SHOWN_FRAMES = 12;

    private final TestRun run;
    private final Namespace namespace;
    private final Path directory;
    private final SmallDisk disk;
    private final CertificateAuthority authority;
    private final Path member;
    private final Shell shell = Shell.PLAIN.with("PYTHONPATH", ROOT.resolve("karaf").toString());
    private final RestconfClient restconf;

    /** Starts a controller that has never been, and waits until it is ready. */
    ControllerUnderTest(final TestRun run, final Namespace namespace) {
        this.run = run;
        this.namespace = namespace;
        directory = run.directory().resolve("controller");
        disk = run.closing(new SmallDisk(run, directory));
        for (final String address : List.of(ADDRESS, NORTHBOUND)) {
            namespace.shell().run("ip", "address", "add", address + "/32", "dev", "lo");
        }
        authority = CertificateAuthority.in(run.directory().resolve("pki"));
        member = authority.member(MEMBER, "127.0.0.1", NORTHBOUND, ADDRESS);
        run.closing(this);
        start();
        restconf = new RestconfClient(new Door(run, namespace, "127.0.0.1", RESTCONF), "admin", password(),
            this::works);
    }

    /** The password of the user admin. */
    String password() {
        try {
            return Files.readString(directory.resolve("password")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The authority that made its certificate and those of the nodes. */
    CertificateAuthority authority() {
        return authority;
    }

    /** Certificate, key and authority of this member. */
    Path member() {
        return member;
    }

    /** Starts it with what it has on disk; ready when this returns. */
    void start() {
        tool("start", "--listen", ADDRESS, "--northbound", NORTHBOUND, "--namespace", namespace.name(), "--model",
            "penstock-operations", "--timeout", Integer.toString(START_SECONDS), "--nat-syslog", "127.0.0.1:" + SYSLOG,
            "--nat-ipfix", "127.0.0.1:" + IPFIX, "--flow-check-seconds", "10", "--nodes", "any",
            "--tls-certificate", member.resolve("certificate.pem").toString(), "--tls-key",
            member.resolve("key.pem").toString(), "--tls-ca", member.resolve("ca.pem").toString(), "--tls-crl",
            authority.revoked().toString());
    }

    /** Ends it in good order. */
    void stop() {
        tool("stop");
    }

    /** kill -9. */
    void kill() {
        tool("kill");
    }

    /** The process that runs. */
    ProcessHandle process() {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(directory.resolve("pid")).strip())).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The upper frames of the threads that run code of Penstock; all threads are saved beside the log. */
    private String works() {
        final String jstack = Path.of(System.getProperty("java.home"), "bin", "jstack").toString();
        final String threads = Shell.PLAIN.attempt(jstack, Long.toString(process().pid())).output();
        final Path file = ROOT.resolve("it/target/system-threads.txt");
        try {
            Files.writeString(file, threads);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return "its threads, all of them in " + file + ":\n" + Arrays.stream(threads.split("\n\n"))
            .filter(thread -> thread.contains("at io.penstock."))
            .map(thread -> thread.lines().limit(SHOWN_FRAMES).collect(Collectors.joining("\n")))
            .collect(Collectors.joining("\n"));
    }

    /** Where it runs. */
    Namespace namespace() {
        return namespace;
    }

    /** Where all its files are. */
    SmallDisk disk() {
        return disk;
    }

    RestconfClient restconf() {
        return restconf;
    }

    /** Runs console commands, one a line, and gives what they print. */
    String console(final String... commands) {
        final Path input = run.directory().resolve("console-input");
        try {
            Files.write(input, List.of(commands));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        final List<String> line = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" < " + input, "sh"));
        line.addAll(command("console"));
        return shell.run(LIMIT, line.toArray(String[]::new));
    }

    /** What it has logged since it was first started. */
    String log() {
        try {
            return Files.readString(logFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The journal of public addresses. */
    Path natJournal() {
        return directory.resolve("nat-journal");
    }

    /** Saves its log beside that of the run, as that of a class which failed. */
    void keepLog(final String name) {
        copyLog("system-karaf-" + name + ".log");
    }

    private void copyLog(final String name) {
        try {
            Files.copy(logFile(), ROOT.resolve("it/target").resolve(name), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path logFile() {
        return directory.resolve("data/log/karaf.log");
    }

    private String tool(final String... arguments) {
        return shell.run(LIMIT, command(arguments).toArray(String[]::new));
    }

    private List<String> command(final String... arguments) {
        final List<String> line = new ArrayList<>(List.of("/usr/bin/python3", "-m", "penstock_controller",
            "--distribution", DISTRIBUTION, "--run-dir", directory.toString()));
        line.addAll(List.of(arguments));
        return line;
    }

    @Override
    public void close() {
        // A stop in good order takes seconds, and there is nothing to save.
        kill();
        copyLog("system-karaf.log");
    }
}
