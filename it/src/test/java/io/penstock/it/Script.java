// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.testkit.Await;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** A program in Python that runs beside a test. It prints {@code ready} first, and then what the test wants to know. */
final class Script implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final String READY = "ready";

    private final Path file;
    private final Process process;

    /** Starts it and waits until it is ready. */
    Script(final PacketNode node, final Host host, final String program, final Object... arguments) {
        file = node.run().directory().resolve("script-" + UUID.randomUUID());
        process = host.shell().start(file, command(program, arguments));
        try {
            Await.until("the script is ready", () -> Shell.printed(file), text -> text.startsWith(READY));
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    /** Runs a program to its end and returns all that it prints. */
    static String run(final Host host, final String program, final Object... arguments) {
        return host.shell().run(PATIENCE, command(program, arguments));
    }

    private static String[] command(final String program, final Object... arguments) {
        final List<String> command = new ArrayList<>(List.of("/usr/bin/python3", "-c", program));
        for (final Object argument : arguments) {
            command.add(argument.toString());
        }
        return command.toArray(String[]::new);
    }

    /** What it has printed so far after it was ready. */
    List<String> lines() {
        // The last line may not be whole yet.
        final String text = Shell.printed(file);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().skip(1).toList();
    }

    /** Waits until it ends by itself; what it has printed after it was ready. */
    List<String> end() {
        Await.until("the script ends", () -> !process.isAlive());
        return lines();
    }

    /** Asks it to end, and waits until it has; what it has printed after it was ready. */
    List<String> terminate() {
        process.destroy();
        return end();
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
