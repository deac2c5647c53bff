// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs commands of the machine. Immutable, for any thread.
 *
 * @param environment variables that are added
 * @param prefix words in front of every command, such as {@code ip netns exec NAME}
 */
public record Shell(Map<String, String> environment, List<String> prefix) {
    /** Runs commands as they are. */
    public static final Shell PLAIN = new Shell(Map.of(), List.of());

    private static final Duration LIMIT = Duration.ofMinutes(3);

    public Shell {
        environment = Map.copyOf(environment);
        prefix = List.copyOf(prefix);
    }

    /** How a command ended; {@code output} is standard output and standard error. */
    public record Result(int status, String output) {
        /** Whether the exit status was 0. */
        public boolean isGood() {
            return status == 0;
        }
    }

    /** The same with one more variable. */
    public Shell with(final String variable, final String value) {
        final Map<String, String> more = new HashMap<>(environment);
        more.put(variable, value);
        return new Shell(more, prefix);
    }

    /** The same with every command inside a network namespace. */
    public Shell inNamespace(final String namespace) {
        return new Shell(environment, List.of("ip", "netns", "exec", namespace));
    }

    /**
     * The same with every command inside a network namespace, but with the mounts of everybody else: what such a
     * command makes in /run/netns is seen by all.
     */
    public Shell entering(final Namespace namespace) {
        return new Shell(environment, List.of("nsenter", "--net=/run/netns/" + namespace.name()));
    }

    /** Runs a command that has to end well within three minutes; gives its output without the last line end. */
    public String run(final String... command) {
        return run(LIMIT, command);
    }

    /** Runs a command that has to end well within {@code limit}. */
    public String run(final Duration limit, final String... command) {
        final Result result = attempt(limit, command);
        if (!result.isGood()) {
            throw new AssertionError(String.join(" ", line(command)) + ": exit status " + result.status() + "\n"
                + result.output());
        }
        return result.output();
    }

    /** Runs a command that may fail. */
    public Result attempt(final String... command) {
        return attempt(LIMIT, command);
    }

    /** Runs a command that may fail, but has to end within {@code limit}. */
    public Result attempt(final Duration limit, final String... command) {
        try {
            final Path output = Files.createTempFile(TestRun.PROCESS + "-0-", "");
            try {
                return attempt(limit, output, command);
            } finally {
                Files.delete(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Result attempt(final Duration limit, final Path output, final String... command) throws IOException {
        final Process process = start(output, command);
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError(String.join(" ", line(command)) + ": not done after " + limit.toMillis()
                    + " ms\n" + Files.readString(output, StandardCharsets.ISO_8859_1));
            }
            return new Result(process.exitValue(),
                Files.readString(output, StandardCharsets.ISO_8859_1).stripTrailing());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted: " + String.join(" ", line(command)), e);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Starts a command that goes on; its output goes to a file. */
    public Process start(final Path output, final String... command) {
        final ProcessBuilder builder = new ProcessBuilder(line(command)).redirectErrorStream(true)
            .redirectOutput(output.toFile()).redirectInput(new File("/dev/null"));
        builder.environment().putAll(environment);
        // Daemons and ip are in sbin, which is not on everybody's path.
        builder.environment().merge("PATH", "/usr/sbin:/sbin", (path, more) -> path + ':' + more);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a program that was {@link #start}ed has printed so far. */
    public static String printed(final Path output) {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends a started command and waits until it is gone. */
    public static void stop(final Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }

    private List<String> line(final String... command) {
        final List<String> line = new ArrayList<>(prefix);
        line.addAll(List.of(command));
        return line;
    }
}
