// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Await;
import io.penstock.testkit.Namespace;
import io.penstock.testkit.Shell;
import io.penstock.testkit.TestRun;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A way to a TCP port inside a network namespace. A Java program cannot enter one, but unix sockets do not care about
 * namespaces: socat stands inside and carries every connection on.
 */
final class Door {
    private final Path socket;

    /** Opens a door; it is closed at the end of the run. Nothing has to listen behind it yet. */
    Door(final TestRun run, final Namespace namespace, final String address, final int port) {
        this(run, namespace, port, "TCP4:" + address + ":" + port);
    }

    /** The same by TLS, with the certificate in a directory. Who listens is not verified. */
    Door(final TestRun run, final Namespace namespace, final String address, final int port, final Path certificates) {
        this(run, namespace, port, "OPENSSL:" + address + ":" + port + ",verify=0,cert="
            + certificates.resolve("certificate.pem") + ",key=" + certificates.resolve("key.pem"));
    }

    private Door(final TestRun run, final Namespace namespace, final int port, final String inside) {
        socket = run.directory().resolve("door-" + port);
        final Process process = Shell.PLAIN.entering(namespace).start(run.directory().resolve("door-" + port + ".log"),
            "socat", "UNIX-LISTEN:" + socket + ",fork,backlog=64", inside);
        final TestRun.Closing stop = () -> Shell.stop(process);
        run.closing(stop);
        Await.until("door to port " + port, () -> Files.exists(socket));
    }

    /** A new connection. When nobody listens behind the door it ends at once. */
    SocketChannel connect() throws IOException {
        final SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }
}
