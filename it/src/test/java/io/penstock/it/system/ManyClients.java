// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.Host;
import io.penstock.testkit.TestRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** DHCP clients on one cable that boot, reboot and release in a loop: the resource {@code dhcp/many-clients.py}. */
final class ManyClients implements TestRun.Closing {
    private static final Path PROGRAM =
        ControllerUnderTest.ROOT.resolve("it/src/test/resources/dhcp/many-clients.py");
    private static final int MAC = 2;
    private static final int ADDRESS = 3;
    private static final int END_SECONDS = 10;

    private final Path output;
    private final Process process;

    /** Lets them begin. */
    ManyClients(final Host host, final int count, final int seed) {
        output = host.file("clients");
        process = host.shell().start(output, "/usr/bin/python3", PROGRAM.toString(), Host.DEVICE,
            Integer.toString(count), Integer.toString(seed));
    }

    /** What has happened so far, in words. */
    private List<String[]> events() {
        try {
            final String text = Files.readString(output);
            // The last line may not be whole yet.
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(line -> line.split(" ")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How often somebody got an address. */
    long acknowledged() {
        return events().stream().filter(event -> event[0].equals("ack")).count();
    }

    /** Waits for some more acknowledgements. */
    void awaitMore(final int count, final Duration limit) {
        final long before = acknowledged();
        Await.until(count + " more leases", limit, this::acknowledged, now -> now >= before + count);
    }

    /** Has them stop where they are. MAC addresses by the addresses that they have then; no two had one at a time. */
    SortedMap<String, String> stop() {
        process.destroy();
        try {
            assertThat(process.waitFor(END_SECONDS, TimeUnit.SECONDS)).as("the clients have ended").isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
        final SortedMap<String, String> holders = new TreeMap<>();
        for (final String[] event : events()) {
            switch (event[0]) {
                case "ready" -> assertThat(holders).isEmpty();
                case "ack" -> {
                    final String holder = holders.put(event[ADDRESS], event[MAC]);
                    assertThat(holder == null || holder.equals(event[MAC]))
                        .as("%s was given to %s while %s had it", event[ADDRESS], event[MAC], holder).isTrue();
                }
                case "end" -> assertThat(holders.remove(event[ADDRESS])).isEqualTo(event[MAC]);
                default -> throw new AssertionError(String.join(" ", event));
            }
        }
        return holders;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
