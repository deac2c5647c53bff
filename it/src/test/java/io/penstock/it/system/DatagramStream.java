// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Shell;

/** Datagrams of connections of one host to a server, until it is closed. The ports are used in turn. */
final class DatagramStream implements AutoCloseable {
    private static final String SCRIPT = """
        import socket, sys, time
        links = []
        for port in range(40000, 40000 + int(sys.argv[2])):
            links.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            links[-1].bind(("", port))
        while True:
            for link in links:
                try:
                    link.sendto(b"?", (sys.argv[1], 9))
                except OSError:
                    pass
            time.sleep(float(sys.argv[3]))
        """;

    private final Process process;

    /** Starts. Each connection sends a datagram, and then there is a pause. */
    DatagramStream(final EdgeNode node, final int vlan, final String server, final int connections,
            final double pauseSeconds) {
        process = node.host(vlan).shell().start(node.file("datagrams-" + System.nanoTime()), "/usr/bin/python3", "-c",
            SCRIPT, server, Integer.toString(connections), Double.toString(pauseSeconds));
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
