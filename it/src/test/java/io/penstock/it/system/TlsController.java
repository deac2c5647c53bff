// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.southbound.ovsdb.NodeKeys;
import io.penstock.testkit.CertificateAuthority;
import io.penstock.testkit.OvsSandbox;
import io.penstock.testkit.Shell;
import io.penstock.testkit.TestRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A controller of its own with certificates, beside that of the other system tests, on free ports of loopback. */
final class TlsController implements TestRun.Closing {
    /** Where it has HTTPS; its plain text is on 127.0.0.1. */
    static final String NORTHBOUND = "169.254.79.2";
    static final String MEMBER = "ctl1";

    private static final Duration LIMIT = Duration.ofSeconds(320);
    private static final List<String> PORTS = List.of("openflow", "ovsdb", "restconf", "ssh", "cluster");

    private final CertificateAuthority authority;
    private final Path member;
    private final List<Integer> ports = freePorts();
    private final Path directory;

    TlsController(final TestRun run) {
        authority = CertificateAuthority.in(run.directory().resolve("pki"));
        member = authority.member(MEMBER, "127.0.0.1", NORTHBOUND);
        directory = run.directory().resolve("tls-controller");
        run.closing(this);
        final String[] forget = {"ip", "address", "delete", NORTHBOUND + "/32", "dev", "lo"};
        Shell.PLAIN.attempt(forget);
        Shell.PLAIN.run("ip", "address", "add", NORTHBOUND + "/32", "dev", "lo");
        run.afterCrash(forget);
        final List<String> words = new ArrayList<>(List.of("start", "--model", "penstock-operations", "--heap", "700m",
            "--northbound", NORTHBOUND, "--nodes", "any", "--tls-crl", authority.revoked().toString()));
        for (final String file : List.of("certificate", "key", "ca")) {
            words.addAll(List.of("--tls-" + file, member.resolve(file + ".pem").toString()));
        }
        for (int index = 0; index < PORTS.size(); index++) {
            words.addAll(List.of("--" + PORTS.get(index) + "-port", ports.get(index).toString()));
        }
        tool(words);
    }

    private static List<Integer> freePorts() {
        final List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int index = 0; index < PORTS.size(); index++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getByName("0.0.0.0")));
            }
            final List<Integer> found = sockets.stream().map(ServerSocket::getLocalPort).toList();
            for (final ServerSocket socket : sockets) {
                socket.close();
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void tool(final List<String> words) {
        Shell.PLAIN.with("PYTHONPATH", ControllerUnderTest.ROOT.resolve("karaf").toString()).run(LIMIT,
            Stream.concat(Stream.of("/usr/bin/python3", "-m", "penstock_controller", "--distribution",
                ControllerUnderTest.ROOT.resolve("karaf/target/assembly").toString(), "--run-dir",
                directory.toString()), words.stream()).toArray(String[]::new));
    }

    CertificateAuthority authority() {
        return authority;
    }

    /** Files of this member. */
    Path member() {
        return member;
    }

    int openflow() {
        return ports.get(0);
    }

    int ovsdb() {
        return ports.get(1);
    }

    int restconf() {
        return ports.get(2);
    }

    int cluster() {
        return ports.get(4);
    }

    /** What curl says to a request by HTTPS that believes this authority alone. */
    Shell.Result curl(final String path, final String... options) {
        final List<String> words = new ArrayList<>(List.of("curl", "-sS", "--cacert",
            member.resolve("ca.pem").toString(), "--user", "admin:" + password(),
            "https://" + NORTHBOUND + ":" + restconf() + path));
        words.addAll(List.of(options));
        return Shell.PLAIN.attempt(words.toArray(String[]::new));
    }

    private String password() {
        try {
            return Files.readString(directory.resolve("password")).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String log() {
        try {
            return Files.readString(directory.resolve("data/log/karaf.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A switch with simulated ports that connects with these files, and says that it is the node of this name. */
    OvsSandbox node(final TestRun place, final String name, final Path files) {
        final OvsSandbox ovs = OvsSandbox.dummy(place);
        ovs.vsctl("set-ssl", files.resolve("key.pem").toString(), files.resolve("certificate.pem").toString(),
            files.resolve("ca.pem").toString());
        ovs.vsctl("set", "Open_vSwitch", ".", "external_ids:" + NodeKeys.NODE + "=" + name,
            "external_ids:" + NodeKeys.PROTOCOL + "=" + NodeKeys.VERSION, "external_ids:" + NodeKeys.PORTS + "=\"[]\"",
            "external_ids:" + NodeKeys.VHOST_DIR + "=\"" + place.directory().resolve("vhost") + "\"", "--",
            "--id=@m", "create", "Manager", "target=\"ssl:127.0.0.1:" + ovsdb() + "\"", "max_backoff=1000", "--",
            "set", "Open_vSwitch", ".", "manager_options=@m");
        return ovs;
    }

    @Override
    public void close() {
        tool(List.of("kill"));
        Shell.PLAIN.run("ip", "address", "delete", NORTHBOUND + "/32", "dev", "lo");
    }
}
