// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;

/** Measurements for people: shown in the output of the build, and kept in {@code target/system-figures.txt}. */
final class Figures {
    private static final Path FILE = ControllerUnderTest.ROOT.resolve("it/target/system-figures.txt");

    private Figures() {
        // Only functions.
    }

    /** Tells a time. */
    static void tell(final String what, final Duration time) {
        tell(what, String.format(Locale.ROOT, "%.2f s", time.toMillis() / 1000.0));
    }

    /** Tells a value with its unit. */
    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    static void tell(final String what, final String value) {
        final String line = what + ": " + value + System.lineSeparator();
        try {
            Files.writeString(FILE, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        System.out.print("  figure: " + line);
    }
}
