// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Await;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A host that asks for a name on and on, 50 times a second: the resource {@code ask-names.py}. */
final class QueryStream implements AutoCloseable {
    private static final Path PROGRAM = ControllerUnderTest.ROOT.resolve("it/src/test/resources/ask-names.py");
    private static final Duration PATIENCE = Await.PATIENCE;
    private static final String LOST = "lost";
    private static final int ENOUGH = 10;
    private static final int MILLIS = 1000;

    private final Path output;
    private final Process process;

    /** A query: when it was answered or given up, in seconds of the clock, and what was said. */
    private record Query(double time, String said) { }

    /** Begins, and waits for the first answers. */
    QueryStream(final Host host, final String server, final String name) {
        output = host.file("queries");
        process = host.shell().start(output, "/usr/bin/python3", PROGRAM.toString(), server, name);
        awaitMore();
    }

    private List<Query> queries() {
        try {
            final String text = Files.readString(output);
            // The last line may not be whole yet.
            // What comes before the first answer teaches the switch where the host is.
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(line -> line.split(" "))
                .map(words -> new Query(Double.parseDouble(words[0]), words[1]))
                .dropWhile(query -> query.said().equals(LOST)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private List<Query> answers() {
        return queries().stream().filter(query -> !query.said().equals(LOST)).toList();
    }

    /** Waits until some more queries are answered. */
    void awaitMore() {
        final int before = answers().size();
        Await.until("queries are answered", PATIENCE, () -> answers().size() >= before + ENOUGH);
    }

    /** When queries were given up so far, in seconds after the first answer. */
    List<Double> lost() {
        final List<Query> queries = queries();
        return queries.stream().filter(query -> query.said().equals(LOST))
            .map(query -> query.time() - queries.get(0).time()).toList();
    }

    /** Everything that was said so far. */
    Set<String> said() {
        return answers().stream().map(Query::said).collect(Collectors.toSet());
    }

    /** Longest time between two answers so far. */
    Duration longestGap() {
        final List<Query> answers = answers();
        double longest = 0;
        for (int index = 1; index < answers.size(); index++) {
            longest = Math.max(longest, answers.get(index).time() - answers.get(index - 1).time());
        }
        return Duration.ofMillis((long) (longest * MILLIS));
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
