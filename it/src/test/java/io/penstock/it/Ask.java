// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;

/** Asks the server of {@link NatPair} who asks. */
final class Ask {
    private static final String UDP = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(60)
        for port in sys.argv[3:]:
            link.sendto(b"?", (sys.argv[2], int(port)))
            print(link.recv(100).decode())
        """;
    private static final String TCP = """
        import socket, sys
        links = []
        for port in sys.argv[3:]:
            link = socket.socket()
            link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            link.bind(("", int(sys.argv[1])))
            link.settimeout(60)
            link.connect((sys.argv[2], int(port)))
            link.sendall(b"?")
            print(link.recv(100).decode().strip())
            links.append(link)
        """;

    private Ask() {
        // Only functions.
    }

    /** From one UDP port asks ports of the server in turn; returns the public address and port for each. */
    static List<String> udp(final Host host, final int port, final int... serverPorts) {
        return ask(UDP, host, port, serverPorts);
    }

    /** From one TCP port connects to ports of the server in turn; returns the public address and port for each. */
    static List<String> tcp(final Host host, final int port, final int... serverPorts) {
        return ask(TCP, host, port, serverPorts);
    }

    private static List<String> ask(final String program, final Host host, final int port, final int... serverPorts) {
        final Object[] arguments = new Object[serverPorts.length + 2];
        arguments[0] = port;
        arguments[1] = EdgeNetwork.SERVER;
        for (int index = 0; index < serverPorts.length; index++) {
            arguments[index + 2] = serverPorts[index];
        }
        return Script.run(host, program, arguments).lines().toList();
    }

    /** How the server names a port of the public address. */
    static String seen(final int port) {
        return NatPair.PUBLIC + " " + port;
    }
}
