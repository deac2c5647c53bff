// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What NAT does with the requirements of some RFCs, and the tests that show it: a file has the requirements and the
 * verdicts, annotations of the tests say what they show. Immutable.
 */
final class NatConformance {
    private static final Set<String> LEVELS =
        Set.of("MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "RECOMMENDED", "MAY", "clarifies");
    private static final int COLUMNS = 6;

    /** How a requirement fares. */
    enum Verdict { PASS, LIMIT, FAIL }

    /** A requirement by its place. */
    record Key(int rfc, String number) {
        @Override
        public String toString() {
            return "RFC " + rfc + ", " + number;
        }
    }

    /** A requirement. A note on a limit is its reason. */
    record Entry(Key key, String level, String words, Verdict verdict, String note) {
        /** Whether it has to be kept. */
        boolean isMust() {
            return level.startsWith("MUST");
        }
    }

    private final Map<Key, Entry> entries;
    private final Map<Key, Set<String>> tests;

    private NatConformance(final Map<Key, Entry> entries, final Map<Key, Set<String>> tests) {
        this.entries = entries;
        this.tests = tests;
    }

    /** Reads a line for each requirement, as the head of the file says, and the annotations of test classes. */
    static NatConformance of(final List<String> lines, final List<Class<?>> classes) {
        final Map<Key, Entry> entries = new LinkedHashMap<>();
        for (final String line : lines) {
            if (!line.isBlank() && !line.startsWith("#")) {
                final Entry entry = entry(line);
                if (entries.put(entry.key(), entry) != null) {
                    throw new IllegalArgumentException("twice: " + entry.key());
                }
            }
        }
        final Map<Key, Set<String>> tests = new LinkedHashMap<>();
        for (final Class<?> type : classes) {
            for (final Method method : type.getDeclaredMethods()) {
                for (final Requirement shown : method.getAnnotationsByType(Requirement.class)) {
                    for (final String number : shown.number()) {
                        tests.computeIfAbsent(new Key(shown.rfc(), number), key -> new TreeSet<>())
                            .add(type.getSimpleName() + "." + method.getName());
                    }
                }
            }
        }
        return new NatConformance(entries, tests);
    }

    private static Entry entry(final String line) {
        final String[] cells = Arrays.stream(line.split("\\|", -1)).map(String::strip).toArray(String[]::new);
        if (cells.length != COLUMNS || !LEVELS.contains(cells[2]) || cells[3].isEmpty()) {
            throw new IllegalArgumentException("no requirement: " + line);
        }
        return new Entry(new Key(Integer.parseInt(cells[0]), cells[1]), cells[2], cells[3],
            Verdict.valueOf(cells[4].toUpperCase(Locale.ROOT)), cells[5]);
    }

    /** The classes of this package and those below it. */
    static List<Class<?>> testClasses() throws IOException {
        final Path top = Path.of("target/test-classes");
        final List<Class<?>> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(top.resolve("io/penstock/it"))) {
            for (final Path file : files.filter(path -> path.toString().endsWith("IT.class")).sorted().toList()) {
                final String name = top.relativize(file).toString().replace('/', '.').replaceAll("\\.class$", "");
                found.add(Class.forName(name, false, NatConformance.class.getClassLoader()));
            }
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        return found;
    }

    /** What is wrong with the file or with the annotations. */
    List<String> problems() {
        final List<String> found = new ArrayList<>();
        tests.forEach((key, names) -> {
            if (!entries.containsKey(key)) {
                found.add(key + " is unknown: " + names);
            }
        });
        for (final Entry entry : entries.values()) {
            if (entry.verdict() != Verdict.LIMIT && !tests.containsKey(entry.key())) {
                found.add(entry.key() + ": no test");
            }
            if (entry.verdict() != Verdict.PASS && entry.note().isEmpty()) {
                found.add(entry.key() + ": no reason");
            }
        }
        return found;
    }

    /** The report, for docs/nat-conformance.md. */
    String report() {
        final StringBuilder text = new StringBuilder("""
            # NAT and its RFCs

            Generated from `it/src/test/resources/nat-requirements.txt` and from the tests' annotations; do not edit.
            Generate it again with `mvn -f it/pom.xml test -Dgolden.update`.

            The conformance of Penstock's NAT to each requirement of RFC 4787 (UDP), 5382 (TCP), 5508 (ICMP) and 6888
            (carrier NAT), and to the sections of RFC 7857, which updates the first three. The requirements are
            summarized in a few words; the text of the RFCs is authoritative.

            * `pass`: the requirement is met. The named tests show it with real packets.
            * `limit`: the requirement is not met, or only in part; the line gives the reason. Where packets can show
              the actual behaviour, the named tests do.
            * `fail`: the requirement is not met, and should be.

            | RFC | pass | limit | fail | MUST or MUST NOT, met in part or not |
            |---|---|---|---|---|
            """);
        final Map<Integer, List<Entry>> byRfc = entries.values().stream()
            .collect(Collectors.groupingBy(entry -> entry.key().rfc(), TreeMap::new, Collectors.toList()));
        byRfc.forEach((rfc, all) -> text.append("| %d | %d | %d | %d | %s |\n".formatted(rfc,
            count(all, Verdict.PASS), count(all, Verdict.LIMIT), count(all, Verdict.FAIL),
            all.stream().filter(entry -> entry.isMust() && entry.verdict() != Verdict.PASS)
                .map(entry -> entry.key().number()).collect(Collectors.joining(", ")))));
        byRfc.forEach((rfc, all) -> {
            text.append("""

                ## RFC %d

                | number | requirement | level | verdict | tests |
                |---|---|---|---|---|
                """.formatted(rfc));
            all.forEach(entry -> text.append("| %s | %s | %s | %s | %s |\n".formatted(entry.key().number(),
                entry.words(), entry.level(), verdict(entry),
                tests.getOrDefault(entry.key(), Set.of()).stream().map(name -> "`" + name + "`")
                    .collect(Collectors.joining(", ")))));
        });
        return text.toString();
    }

    private static long count(final List<Entry> all, final Verdict verdict) {
        return all.stream().filter(entry -> entry.verdict() == verdict).count();
    }

    private static String verdict(final Entry entry) {
        final String word = "`" + entry.verdict().name().toLowerCase(Locale.ROOT) + "`";
        return entry.note().isEmpty() ? word : word + ": " + entry.note();
    }
}
