// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import io.penstock.testkit.Shell.Result;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** A computer of a customer or of the transit network: a network namespace with one device. */
public final class Host {
    /** Name of its device. */
    public static final String DEVICE = "eth0";

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int MILLIS_DIGITS = 3;
    private static final long SHORTEST_WAIT_MILLIS = 200;
    private static final long LONGEST_WAIT_MILLIS = 3200;

    /** Sends a datagram and prints what comes back, with all copies of it that come close behind. */
    private static final String ASK_UDP = """
        import socket, sys
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as link:
            link.settimeout(float(sys.argv[3]))
            link.connect((sys.argv[1], int(sys.argv[2])))
            link.send(b"?\\n")
            answers = []
            try:
                while True:
                    answers.append(link.recv(65535).decode("latin-1"))
                    link.settimeout(0.05)
            except (TimeoutError, ConnectionRefusedError):
                pass
            print(end="".join(answers))
            sys.exit(0 if answers else %d)
        """;
    private static final int NO_ANSWER = 10;
    private static final String TELL_SOURCE = "SYSTEM:read line; echo $SOCAT_PEERADDR";

    private final TestRun run;
    private final Servers servers;
    private final Namespace namespace;
    private final String address;

    /** A host without an address, for one that gets it by DHCP. */
    Host(final TestRun run, final Servers servers, final Namespace namespace) {
        this.run = run;
        this.servers = servers;
        this.namespace = namespace;
        address = "";
    }

    Host(final TestRun run, final Servers servers, final Namespace namespace, final String addressWithLength) {
        this.run = run;
        this.servers = servers;
        this.namespace = namespace;
        address = addressWithLength.substring(0, addressWithLength.indexOf('/'));
        shell().run("ip", "address", "add", addressWithLength, "dev", DEVICE);
    }

    /** Runs commands on it. */
    public Shell shell() {
        return namespace.shell();
    }

    /** Its network namespace. */
    public Namespace namespace() {
        return namespace;
    }

    /** The IPv4 address that it was given when it was made; empty if none was. */
    public String address() {
        return address;
    }

    /** Its MAC address. */
    public String mac() {
        return shell().run("cat", "/sys/class/net/" + DEVICE + "/address");
    }

    /** Sends a prefix, or {@code default}, to a next hop. */
    public Host route(final String prefix, final String nextHop) {
        shell().run("ip", "route", "replace", prefix, "via", nextHop);
        return this;
    }

    /** Forwards packets between its devices. */
    public Host router() {
        shell().run("sysctl", "-qw", "net.ipv4.ip_forward=1");
        return this;
    }

    /** Forgets MAC addresses, so that it asks again and a switch without a controller learns from that. */
    public void forgetNeighbours() {
        shell().run("ip", "neighbour", "flush", "dev", DEVICE);
    }

    /** Asks for the MAC address of a neighbour and pings it, so that a switch without a controller knows this host. */
    public void meets(final String neighbour) {
        forgetNeighbours();
        reaches(neighbour);
    }

    /** Pings until there is an answer, at most a minute. No other one is under way then. */
    public void reaches(final String destination) {
        // The first packet to a host that is not known is lost, and the answer of a busy machine may take a second.
        final AtomicLong wait = new AtomicLong(SHORTEST_WAIT_MILLIS);
        Await.until(this + " reaches " + destination, PATIENCE, () -> shell().attempt("ping", "-n", "-c", "1", "-W",
            seconds(Duration.ofMillis(wait.getAndUpdate(last -> Math.min(2 * last, LONGEST_WAIT_MILLIS)))),
            destination).isGood());
    }

    /** Pings an address three times and has to get no answer. */
    public void doesNotReach(final String destination) {
        if (ping(destination, 3)) {
            throw new AssertionError(this + " reaches " + destination);
        }
    }

    /** Whether there is an answer to one of some pings. */
    public boolean ping(final String destination, final int count) {
        return shell().attempt("ping", "-n", "-c", Integer.toString(count), "-i", "0.2", "-W", "1", destination)
            .isGood();
    }

    /** Serves TCP: tells every client the source address of its connection. */
    public void serveTcp(final int port) {
        serveTcp(port, TELL_SOURCE);
    }

    /**
     * Serves TCP with an address of socat(1) for each connection: {@code PIPE} sends everything back.
     *
     * @throws AssertionError if the port has a server already, which would answer in place of this one
     */
    public void serveTcp(final int port, final String answer) {
        serveSocat("-Hltn", port, "TCP4-LISTEN:" + port + ",reuseaddr,fork,backlog=100", answer);
    }

    /**
     * Serves UDP: tells every client the source address of its datagram.
     *
     * @throws AssertionError if the port has a server already, which would answer in place of this one
     */
    public void serveUdp(final int port) {
        serveUdp(port, TELL_SOURCE);
    }

    /**
     * Serves UDP with an address of socat(1) for each datagram: {@code PIPE} sends it back.
     *
     * @throws AssertionError if the port has a server already, which would answer in place of this one
     */
    public void serveUdp(final int port, final String answer) {
        serveSocat("-Hlun", port, "UDP4-RECVFROM:" + port + ",fork", answer);
    }

    private void serveSocat(final String sockets, final int port, final String listen, final String answer) {
        if (isServed(sockets, port)) {
            throw new AssertionError(this + " has a server on port " + port + " already");
        }
        // Datagrams of any size, also those that come in pieces.
        serve("socat", "-b", "65535", listen, answer);
        Await.until("port " + port + " has a server", () -> isServed(sockets, port));
    }

    private boolean isServed(final String sockets, final int port) {
        return shell().run("ss", sockets, "sport = " + port).contains(":" + port);
    }

    /** Runs a server until the servers of the network are stopped; gives the file that its output goes to. */
    public Path serve(final String... command) {
        final Path output = file("server");
        servers.add(shell().start(output, command));
        return output;
    }

    /** Asks a server of {@link #serveTcp}, patiently. */
    public String askTcp(final String server, final int port) {
        final Result result = ask(server, port, PATIENCE, PATIENCE);
        if (!result.isGood() || result.output().isEmpty()) {
            throw new AssertionError("TCP port " + port + " of " + server + " does not answer " + this + "\n"
                + result.output());
        }
        return result.output();
    }

    /** Asks a server of {@link #serveUdp}, patiently. */
    public String askUdp(final String server, final int port) {
        return Await.until("UDP port " + port + " of " + server + " answers " + this, PATIENCE,
            () -> askOnce(server, port, "0.5"), Result::isGood).output();
    }

    /** Sends one datagram. Ends with {@link #NO_ANSWER} when none, or a refusal, comes back in time. */
    private Result askOnce(final String server, final int port, final String seconds) {
        return shell().attempt("/usr/bin/python3", "-S", "-c", ASK_UDP.formatted(NO_ANSWER), server,
            Integer.toString(port), seconds);
    }

    /** Asks by TCP and has to get no answer for a while. */
    public void getsNoTcpAnswer(final String server, final int port) {
        final Result result = ask(server, port, Duration.ofMillis(1500), Duration.ofSeconds(2));
        if (result.isGood() && !result.output().isEmpty()) {
            throw new AssertionError(this + " gets an answer from TCP port " + port + " of " + server + ": "
                + result.output());
        }
    }

    /** Asks by UDP and has to get no answer for a while. */
    public void getsNoUdpAnswer(final String server, final int port) {
        final Result result = askOnce(server, port, "2");
        if (result.status() != NO_ANSWER) {
            throw new AssertionError(this + " asks UDP port " + port + " of " + server + ", which gives "
                + result.output());
        }
    }

    /** The answer of a server, with limits for the connection and for the answer on it. */
    private Result ask(final String server, final int port, final Duration connected, final Duration answered) {
        return shell().attempt("sh", "-c", "echo ? | socat -t %s - TCP4:%s:%d,connect-timeout=%s"
            .formatted(seconds(answered), server, port, seconds(connected)));
    }

    private static String seconds(final Duration time) {
        return BigDecimal.valueOf(time.toMillis(), MILLIS_DIGITS).toPlainString();
    }

    /** Records frames of its device that fit a filter in the words of pcap-filter(7). */
    public Capture capture(final String filter) {
        return new Capture(shell(), file("capture"), DEVICE, filter);
    }

    /** A file of its own that does not exist yet, gone at the end. */
    public Path file(final String kind) {
        return run.directory().resolve(kind + "-" + UUID.randomUUID());
    }

    @Override
    public String toString() {
        return namespace.name() + " (" + address + ")";
    }
}
