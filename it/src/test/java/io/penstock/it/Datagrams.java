// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.testkit.Host;
import java.time.Duration;

/** Datagrams to a server that sends them back. */
public final class Datagrams {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    /** For how many seconds what has to be answered may be late. */
    private static final String PATIENCE = "10";
    /** The same for what may well have no answer. */
    private static final String IMPATIENCE = "0.5";
    private static final String SILENCE = "2";
    private static final int FIRST_PORT = 20_000;
    /**
     * Sends from one socket, the next when the last came back; prints how many came back unharmed, and how many of them
     * too late. Once one is not back in time it is lost, and the others are waited for together.
     */
    private static final String STREAM = """
        import contextlib, socket, sys, time
        server, port, count, size, gap = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 40000))
        link.settimeout(float(sys.argv[6]))
        waiting, good = set(), 0
        for number in range(count):
            sent = number.to_bytes(4, "big") * (size // 4)
            waiting.add(sent)
            link.sendto(sent, (server, port))
            try:
                while sent in waiting:
                    waiting.discard(link.recv(65535))
                good += 1
            except TimeoutError:
                link.settimeout(0.01)
            time.sleep(gap)
        link.settimeout(0.5)
        with contextlib.suppress(TimeoutError):
            while waiting:
                waiting.discard(link.recv(65535))
        late = count - len(waiting) - good
        print(f"{good} and {late} late" if late else good)
        """;

    /** Sends a datagram from each of many ports; prints how many were answered until a silence, or until all were. */
    private static final String MANY_PORTS = """
        import select, socket, sys
        links = []
        for port in range(int(sys.argv[4]), int(sys.argv[4]) + int(sys.argv[3])):
            links.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            links[-1].bind(("", port))
            links[-1].sendto(b"?", (sys.argv[1], int(sys.argv[2])))
            select.select([], [], [], 0.005)
        answered = set()
        while len(answered) < len(links) and (ready := select.select(links, [], [], float(sys.argv[5]))[0]):
            for link in ready:
                link.recv(100)
                answered.add(link)
        print(len(answered))
        """;
    /** With room for what comes while it waits for its core; the kernel's default is some hundred small datagrams. */
    private static final String ECHO = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.setsockopt(socket.SOL_SOCKET, 33, 1 << 22)  # SO_RCVBUFFORCE: beyond net.core.rmem_max
        link.bind(("", int(sys.argv[1])))
        while True:
            link.sendto(*link.recvfrom(100))
        """;

    private Datagrams() {
        // Only functions.
    }

    /** Sends back what comes to a port, small datagrams only. */
    public static void echo(final Host server, final int port) {
        server.serve("/usr/bin/python3", "-c", ECHO, Integer.toString(port));
    }

    /** Like {@code answered} where some are to have no answer, or all are asked again: does not wait for long. */
    public static int answeredSoon(final Host host, final String server, final int port, final int count) {
        return answered(host, server, port, count, FIRST_PORT, SILENCE);
    }

    /** Sends a datagram from each of many ports, and returns how many were answered. */
    public static int answered(final Host host, final String server, final int port, final int count) {
        return answered(host, server, port, count, FIRST_PORT);
    }

    /** The same from other ports than those of the tests that do not care. */
    public static int answered(final Host host, final String server, final int port, final int count,
            final int firstPort) {
        return answered(host, server, port, count, firstPort, PATIENCE);
    }

    private static int answered(final Host host, final String server, final int port, final int count,
            final int firstPort, final String silence) {
        return Integer.parseInt(host.shell().run(LIMIT, "/usr/bin/python3", "-c", MANY_PORTS, server,
            Integer.toString(port), Integer.toString(count), Integer.toString(firstPort), silence));
    }

    /** Like {@code echoed} where none is to come back: does not wait for long. */
    public static String echoedInVain(final Host host, final String server, final int port, final int count,
            final int size, final String gap) {
        return echoed(host, server, port, count, size, gap, IMPATIENCE);
    }

    /**
     * Sends datagrams from one port, one after the other, and returns how many came back unharmed.
     *
     * @param size bytes of payload, a multiple of 4
     * @param gap seconds between two
     */
    public static String echoed(final Host host, final String server, final int port, final int count, final int size,
            final String gap) {
        return echoed(host, server, port, count, size, gap, PATIENCE);
    }

    private static String echoed(final Host host, final String server, final int port, final int count,
            final int size, final String gap, final String patience) {
        return host.shell().run(LIMIT, "/usr/bin/python3", "-c", STREAM, server, Integer.toString(port),
            Integer.toString(count), Integer.toString(size), gap, patience);
    }
}
