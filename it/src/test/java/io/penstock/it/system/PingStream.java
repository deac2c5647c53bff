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
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;

/** Pings that go on and on, 50 a second. */
final class PingStream implements AutoCloseable {
    private static final Pattern REPLY =
        Pattern.compile("^\\[([0-9.]+)\\] .*icmp_seq=([0-9]+) ttl=", Pattern.MULTILINE);
    private static final double NANOS = 1e9;
    private static final int ENOUGH = 10;

    /** An answer: when it came, in seconds of the clock, and to which request, from 1. */
    record Reply(double time, int number) { }

    private final Path file;
    private final Process process;

    /** Begins. */
    PingStream(final EdgeNode node, final Host from, final String destination) {
        file = node.file("ping-" + System.nanoTime());
        process = from.shell().start(file, "ping", "-n", "-D", "-i", "0.02", destination);
    }

    /** All answers so far in the order of the requests. */
    List<Reply> replies() {
        try {
            return REPLY.matcher(Files.readString(file)).results()
                .map(match -> new Reply(Double.parseDouble(match.group(1)), Integer.parseInt(match.group(2))))
                .sorted(Comparator.comparingInt(Reply::number)).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until some more answers have come. */
    void awaitMore() {
        awaitMore(Await.PATIENCE);
    }

    /** Waits at most {@code limit} until some more answers have come. */
    void awaitMore(final Duration limit) {
        final int before = replies().size();
        Await.until("pings are answered", limit, () -> replies().size() >= before + ENOUGH);
    }

    /** Requests without an answer that are older than the newest answer. Duplicates count as two. */
    int lost() {
        final List<Reply> replies = replies();
        return replies.get(replies.size() - 1).number() - replies.size();
    }

    /** Time of the first answer. */
    Instant firstReply() {
        return instant(replies().get(0).time());
    }

    /** Longest time without an answer, from an instant on. */
    Duration longestGapSince(final Instant begin) {
        double last = begin.getEpochSecond() + begin.getNano() / NANOS;
        double longest = 0;
        for (final Reply reply : replies()) {
            if (reply.time() > last) {
                longest = Math.max(longest, reply.time() - last);
                last = reply.time();
            }
        }
        return Duration.ofNanos((long) (longest * NANOS));
    }

    /** Time of the newest answer. */
    Instant lastReply() {
        final List<Reply> replies = replies();
        return instant(replies.get(replies.size() - 1).time());
    }

    private static Instant instant(final double seconds) {
        return Instant.ofEpochSecond((long) seconds, (long) (seconds % 1 * NANOS));
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
