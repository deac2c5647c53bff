// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Names, files and an end for what a test makes. Names hold the process id, so that runs at the same time do not meet;
 * what a run that was killed has left is swept away by the next. Not for several threads.
 */
public final class TestRun implements AutoCloseable {
    /** What names of this process begin with. */
    static final String PROCESS = "pst" + Long.toString(ProcessHandle.current().pid(), Character.MAX_RADIX);

    private static final Path TEMPORARY = Path.of("/tmp");
    private static final Pattern NAME = Pattern.compile("pst([0-9a-z]+)-[0-9]+.*");
    /** One command a line, its words separated by tabs: what to run when the run was killed. */
    private static final String AFTER_CRASH = "after-crash";
    private static final AtomicInteger RUNS = new AtomicInteger();

    /** Something to close that fails with nothing to catch. */
    public interface Closing extends AutoCloseable {
        @Override
        void close();
    }

    private final String name = PROCESS + "-" + RUNS.incrementAndGet();
    private final Path directory = TEMPORARY.resolve(name);
    private final Deque<Closing> things = new ArrayDeque<>();

    public TestRun() {
        sweep();
        try {
            Files.createDirectory(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Closes all of these runs, the last one first, even if one of them fails. */
    public static void closeInReverse(final List<TestRun> runs) {
        if (!runs.isEmpty()) {
            try {
                runs.get(runs.size() - 1).close();
            } finally {
                closeInReverse(runs.subList(0, runs.size() - 1));
            }
        }
    }

    /** A short word no other run has, fit for the name of a node. */
    public String name() {
        return name;
    }

    /** Where the files are. The path is short enough for unix sockets below it. */
    public Path directory() {
        return directory;
    }

    /** Has a thing closed at the end; what was made last is closed first. */
    public <T extends Closing> T closing(final T thing) {
        things.push(thing);
        return thing;
    }

    /** A new network namespace, its loopback up, gone at the end. */
    public Namespace namespace(final String suffix) {
        return closing(Namespace.create(name + "-" + suffix));
    }

    /** A command for the next run if this one is killed; what was told last is run first. */
    public void afterCrash(final String... command) {
        try {
            Files.writeString(directory.resolve(AFTER_CRASH), String.join("\t", command) + "\n",
                StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (things.isEmpty()) {
            delete(directory);
            return;
        }
        try {
            things.pop().close();
        } finally {
            close();
        }
    }

    private static void sweep() {
        // Another process may sweep at the same time: it waits, and finds nothing left.
        try (FileChannel file = FileChannel.open(TEMPORARY.resolve("penstock-tests.lock"), StandardOpenOption.CREATE,
                StandardOpenOption.WRITE)) {
            final FileLock lock = file.lock();
            removeLeft();
            lock.release();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void removeLeft() throws IOException {
        try (Stream<Path> files = Files.list(TEMPORARY)) {
            for (final Path left : files.filter(path -> isLeft(path.getFileName().toString())).toList()) {
                killUsersOf(left);
                final Path commands = left.resolve(AFTER_CRASH);
                if (Files.exists(commands)) {
                    final List<String> lines = Files.readAllLines(commands);
                    Collections.reverse(lines);
                    lines.forEach(line -> Shell.PLAIN.attempt(line.split("\t")));
                }
                delete(left);
            }
        }
        Namespace.names().stream().filter(TestRun::isLeft).forEach(Namespace::delete);
    }

    private static boolean isLeft(final String name) {
        final Matcher matcher = NAME.matcher(name);
        return matcher.matches() && ProcessHandle.of(Long.parseLong(matcher.group(1), Character.MAX_RADIX)).isEmpty();
    }

    /** Ends the processes whose command line names the directory of a dead run. */
    private static void killUsersOf(final Path left) {
        ProcessHandle.allProcesses().filter(process -> commandLine(process).contains(left + "/"))
            .forEach(process -> {
                process.destroyForcibly();
                process.onExit().join();
            });
    }

    private static String commandLine(final ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
        } catch (IOException e) {
            // It has ended in the meantime.
            return "";
        }
    }

    private static void delete(final Path directory) {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            final List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
            for (final Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
