// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** One TCP connection on which numbers go out, 20 a second, and have to come back. */
final class TcpStream implements AutoCloseable {
    private static final int PORT = 7;
    private static final int ENOUGH = 10;

    private final Path file;
    private final Process process;

    /** Starts the server that sends everything back. */
    static void serve(final EdgeNode node) {
        node.network().server().serveTcp(PORT, "EXEC:cat");
    }

    /** Connects. */
    TcpStream(final EdgeNode node, final Host from) {
        file = node.file("tcp-" + System.nanoTime());
        process = from.shell().start(file, "sh", "-c",
            "i=0; while :; do i=$((i+1)); echo $i; sleep 0.05; done | socat - TCP4:" + EdgeNetwork.SERVER + ":" + PORT
                + ",retry=5");
    }

    private List<String> received() {
        try {
            final String text = Files.readString(file);
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until more has come back, on the same connection and with nothing left out. */
    void awaitMore() {
        awaitMore(Await.PATIENCE);
    }

    private void awaitMore(final Duration limit) {
        final int before = received().size();
        Await.until("the TCP connection goes on", limit, () -> received().size() >= before + ENOUGH);
        final List<String> lines = received();
        if (!lines.equals(IntStream.rangeClosed(1, lines.size()).mapToObj(Integer::toString).toList())) {
            throw new AssertionError("the TCP connection was another: " + lines);
        }
    }

    /** Whether more comes back within some seconds. */
    boolean goesOn() {
        try {
            awaitMore(Duration.ofSeconds(30));
            return true;
        } catch (AssertionError e) {
            return false;
        }
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
