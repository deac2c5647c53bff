// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Datagrams to an echo server from some ports of a host, 20 a second each, evenly in time. While another process has
 * the core none are sent, and they are not made up for: a burst would overflow a queue, which says nothing about the
 * switch. The queues hold what comes while others have the core of the switch, or of a function, for seconds.
 */
final class DatagramStreams implements AutoCloseable {
    /**
     * Prints how many were sent, the longest time that a port waited for an answer, when the stream began, and when
     * each datagram without an answer was sent.
     */
    private static final String PROGRAM = """
        import itertools, selectors, signal, socket, sys, time
        server, port, count, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
        selector, last, waiting, sent, longest = selectors.DefaultSelector(), {}, {}, 0, 0.0
        for number in range(count):
            link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            link.bind(("", int(sys.argv[5]) + 2 * number))
            link.connect((server, port))
            selector.register(link, selectors.EVENT_READ)
            last[link], waiting[link] = None, {}
        print("ready", flush=True)
        begun = time.monotonic()
        due, gap, turn = begun, 0.05 / count, itertools.cycle(last)
        ended = []
        signal.signal(signal.SIGTERM, lambda *_: ended.append(time.monotonic()))
        while (now := time.monotonic()) < (end := min([begun + seconds, *ended])) + 10:
            if now >= end and not any(waiting.values()):
                break
            if now >= due and now < end:
                due = max(due + gap, now)
                link = next(turn)
                sent += 1
                waiting[link][sent] = time.monotonic()
                link.send(sent.to_bytes(4, "big"))
            for key, _ in selector.select(max(0, due - time.monotonic()) if now < end else 0.1):
                link, now = key.fileobj, time.monotonic()
                waiting[link].pop(int.from_bytes(link.recv(100), "big"), None)
                longest = max(longest, now - (last[link] or now))
                last[link] = now
        lost = sorted(when for left in waiting.values() for when in left.values())
        print(sent, longest, begun, *lost, flush=True)
        """;
    private static final int PORT = 9007;

    private final Path file;
    private final Process process;
    private final Duration time;

    /**
     * What became of them.
     *
     * @param lostAt when each that was lost was sent, in nanoseconds of CLOCK_MONOTONIC, which is also the clock of
     *     {@link System#nanoTime}
     */
    record Result(int sent, Duration longestGap, List<Long> lostAt) {
        int lost() {
            return lostAt.size();
        }
    }

    /** Starts the server. */
    static void serve(final EdgeNode node) {
        io.penstock.it.Datagrams.echo(node.network().server(), PORT);
    }

    /** Begins, from every second port; returns when the first datagrams go out. */
    DatagramStreams(final EdgeNode node, final Host from, final int firstPort, final int ports, final Duration time) {
        this.time = time;
        node.widenSockets();
        file = node.file("datagrams-" + System.nanoTime());
        process = from.shell().start(file, "/usr/bin/python3", "-c", PROGRAM, EdgeNetwork.SERVER,
            Integer.toString(PORT), Integer.toString(ports), Long.toString(time.toSeconds()),
            Integer.toString(firstPort));
        Await.until("datagrams go out", () -> Shell.printed(file).startsWith("ready"));
    }

    /** Ends them before their time, once what was sent is answered or ten seconds have passed. */
    Result finish() {
        process.destroy();
        return end();
    }

    /** Waits for the end. */
    Result end() {
        Await.until("the datagrams end", time.plusSeconds(20), () -> !process.isAlive());
        final List<String> words = List.of(Shell.printed(file).lines().skip(1).findFirst().orElseThrow().split(" "));
        final long begun = nanos(words.get(2));
        final List<Long> lostAt = words.stream().skip(3).map(DatagramStreams::nanos).toList();
        if (!lostAt.isEmpty()) {
            Figures.tell("milliseconds after the begin at which datagrams without an answer were sent",
                lostAt.stream().map(at -> Long.toString((at - begun) / 1_000_000)).collect(Collectors.joining(" ")));
        }
        return new Result(Integer.parseInt(words.get(0)), Duration.ofNanos(nanos(words.get(1))), lostAt);
    }

    private static long nanos(final String seconds) {
        return (long) (Double.parseDouble(seconds) * 1e9);
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
