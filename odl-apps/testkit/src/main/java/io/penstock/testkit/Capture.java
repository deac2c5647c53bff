// SPDX-License-Identifier: Apache-2.0
package io.penstock.testkit;

import java.nio.file.Path;
import java.util.List;

/** What passes a network device, by tcpdump. */
public final class Capture implements AutoCloseable {
    private final Path file;
    private final Process process;

    Capture(final Shell shell, final Path file, final String device, final String filter) {
        this.file = file;
        process = shell.start(file, "tcpdump", "--immediate-mode", "-l", "-nn", "-e", "-i", device, filter);
        try {
            Await.until("tcpdump listens", () -> Shell.printed(file).contains("listening on"));
        } catch (AssertionError e) {
            close();
            throw e;
        }
    }

    /** The frames so far, a line each. */
    public List<String> frames() {
        // The last line may not be whole yet.
        final String text = Shell.printed(file);
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().filter(line -> line.contains(" ethertype "))
            .toList();
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
