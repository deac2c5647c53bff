// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Holds docs/nat-conformance.md against the tests. Run with {@code -Dgolden.update} to write it anew. */
class NatConformanceTest {
    private static final Path REQUIREMENTS = Path.of("src/test/resources/nat-requirements.txt");
    private static final Path FILE = Path.of("../docs/nat-conformance.md");

    /** What an annotated class looks like. Its methods are never called. */
    @SuppressWarnings({"UnusedMethod", "DoNotCallSuggester"}) // only its annotations are read
    private static final class Sample {
        @Requirement(rfc = 4787, number = {"1", "3a"})
        @Requirement(rfc = 5382, number = "1")
        void shows() {
            throw new AssertionError();
        }
    }

    @Test
    void everyVerdictRestsOnTestsOrHasAReason() throws IOException {
        assertThat(conformance().problems()).isEmpty();
    }

    @Test
    void documentIsInSync() throws IOException {
        final String text = conformance().report();
        if (System.getProperty("golden.update") != null) {
            Files.writeString(FILE, text);
        }
        assertThat(text).isEqualTo(Files.readString(FILE));
    }

    @Test
    void anAnnotationNamesTheTestBesideTheRequirement() {
        final NatConformance sample = sample("4787 | 1 | MUST | maps | pass |", "4787 | 3a | MAY | keeps | limit | why",
            "5382 | 1 | MUST | maps | fail | bug");
        assertThat(sample.problems()).isEmpty();
        assertThat(sample.report()).contains("| 4787 | 1 | 1 | 0 |  |", "| 5382 | 0 | 0 | 1 | 1 |",
            "| 3a | keeps | MAY | `limit`: why | `Sample.shows` |");
    }

    @Test
    void whatIsMissingIsTold() {
        assertThat(sample("4787 | 1 | MUST | maps | limit |", "4787 | 2 | MUST | pairs | pass |",
            "5382 | 1 | MUST | maps | pass |").problems()).containsExactlyInAnyOrder(
            "RFC 4787, 3a is unknown: [Sample.shows]", "RFC 4787, 1: no reason", "RFC 4787, 2: no test");
    }

    @Test
    void whatCannotBeReadIsRefused() {
        for (final String line : List.of("4787 | 1 | MUST | maps", "4787 | 1 | OUGHT | maps | pass |",
                "4787 | 1 | MUST | maps | perhaps |", "4787 | 1 | MUST | | pass |")) {
            assertThatIllegalArgumentException().isThrownBy(() -> sample(line));
        }
        assertThatIllegalArgumentException().isThrownBy(() -> sample("4787 | 1 | MUST | maps | pass |",
            "4787 | 1 | MUST | maps | pass |"));
    }

    private static NatConformance conformance() throws IOException {
        return NatConformance.of(Files.readAllLines(REQUIREMENTS), NatConformance.testClasses());
    }

    private static NatConformance sample(final String... lines) {
        return NatConformance.of(List.of(lines), List.of(Sample.class));
    }
}
