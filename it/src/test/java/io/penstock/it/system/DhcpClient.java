// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Await;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import io.penstock.testkit.TestRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The DHCP clients that Debian has on a host that begins without an address: those of busybox (udhcpc) and of the ISC
 * (dhclient). What they are told is what the resource {@code dhcp/client-script} has kept of their last event.
 */
final class DhcpClient {
    private static final Path SCRIPT =
        ControllerUnderTest.ROOT.resolve("it/src/test/resources/dhcp/client-script");
    private static final Duration PATIENCE = Await.PATIENCE;
    /** So many messages a client sends, one every two seconds, that has to get a lease. */
    private static final int MESSAGES = 30;
    private static final String EVENT = "event";

    private final Host host;
    private final Path told;
    private final Path leases;

    /** A host that has asked for nothing yet. */
    DhcpClient(final Host host) {
        this.host = host;
        told = host.file("told");
        leases = host.file("leases");
    }

    Host host() {
        return host;
    }

    /** Has udhcpc get a lease, or fails; it goes on its own way with the lease then. */
    String udhcpc(final String... more) {
        final Shell.Result result = tryUdhcpc(MESSAGES, more);
        if (!result.isGood()) {
            throw new AssertionError(host + " got no lease\n" + result.output());
        }
        return address();
    }

    /** Has udhcpc try to get a lease with three messages; it fails if it gets none. */
    Shell.Result tryUdhcpc(final String... more) {
        return tryUdhcpc(3, more);
    }

    private Shell.Result tryUdhcpc(final int messages, final String... more) {
        final List<String> line = udhcpcLine(more);
        line.addAll(List.of("-n", "-q", "-t", Integer.toString(messages), "-T", "2"));
        return attempt(line);
    }

    /** Keeps udhcpc running until the end, or until it is closed, which releases nothing. */
    Running startUdhcpc(final String... more) {
        final List<String> line = udhcpcLine(more);
        line.addAll(List.of("-f", "-t", Integer.toString(MESSAGES), "-T", "2"));
        return new Running(line);
    }

    private static List<String> udhcpcLine(final String... more) {
        final List<String> line =
            new ArrayList<>(List.of("busybox", "udhcpc", "-i", Host.DEVICE, "-s", SCRIPT.toString()));
        line.addAll(List.of(more));
        return line;
    }

    /** Has dhclient get a lease, the one in its file if there is one; it does not look after it. */
    String dhclient(final String configuration) {
        final Path file = host.file("dhclient.conf");
        try {
            Files.writeString(file, "timeout 60;\nretry 1;\ninitial-interval 1;\n" + configuration);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        final Shell.Result result = attempt(dhclientLine("-1", "-cf", file.toString()));
        // With a lease it goes to the background.
        stopDhclient();
        if (!result.isGood()) {
            throw new AssertionError(host + " got no lease\n" + result.output());
        }
        return address();
    }

    /** Has dhclient release its lease. */
    String releaseDhclient() {
        return attempt(dhclientLine("-r")).output();
    }

    private List<String> dhclientLine(final String... more) {
        final List<String> line = new ArrayList<>(List.of("dhclient", "-4", "-v", "-sf", SCRIPT.toString(), "-lf",
            leases.toString(), "-pf", leases + ".pid", "-e", "TOLD=" + told));
        line.addAll(List.of(more));
        line.add(Host.DEVICE);
        return line;
    }

    private void stopDhclient() {
        host.shell().attempt("sh", "-c", "kill $(cat " + leases + ".pid)");
    }

    private Shell.Result attempt(final List<String> line) {
        return environment().attempt(line.toArray(String[]::new));
    }

    private Shell environment() {
        return host.shell().with("TOLD", told.toString());
    }

    /** What the client was told last, by the names that it has for it; nothing before the first lease. */
    Map<String, String> told() {
        try {
            return Files.exists(told) ? Files.readAllLines(told).stream().filter(line -> line.contains("="))
                .collect(Collectors.toMap(line -> line.substring(0, line.indexOf('=')),
                    line -> line.substring(line.indexOf('=') + 1), (first, second) -> second)) : Map.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The address that the device has now; empty if none. */
    String address() {
        return host.shell().run("sh", "-c",
            "ip -o -4 address show dev " + Host.DEVICE + " | awk '{print $4}' | cut -d/ -f1 | head -1");
    }

    /** A udhcpc that runs. */
    final class Running implements TestRun.Closing {
        private final Path output = host.file("udhcpc");
        private final Process process;

        private Running(final List<String> line) {
            process = environment().start(output, line.toArray(String[]::new));
        }

        /** Waits for an event of the script. */
        void await(final String event) {
            Await.until(host + " has " + event, PATIENCE, DhcpClient.this::told,
                found -> event.equals(found.get(EVENT)));
        }

        /** Asks for what was got before now. */
        void renew() {
            signal("USR1");
        }

        /** Gives its address back and waits for another word. */
        void release() {
            signal("USR2");
        }

        private void signal(final String signal) {
            // "ip netns exec" becomes the client.
            Shell.PLAIN.run("kill", "-" + signal, Long.toString(process.pid()));
        }

        /** What it has printed. */
        String output() {
            try {
                return Files.readString(output);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            Shell.stop(process);
        }
    }
}
