// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A part of {@code crash-traffic.py} that runs: marked datagrams from a host, or one who looks for them. */
final class CrashTraffic implements AutoCloseable {
    private static final String PROGRAM = "/crash-traffic.py";
    /** A pause in which no datagram was lost ends an outage. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Path file;
    private final Process process;

    private CrashTraffic(final EdgeNode node, final Host host, final List<String> arguments) {
        final String unique = "crash-" + System.nanoTime();
        final Path program = node.file(unique + ".py");
        try (InputStream text = CrashTraffic.class.getResourceAsStream(PROGRAM)) {
            Files.copy(text, program);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        file = node.file(unique);
        final List<String> command = new ArrayList<>(List.of("/usr/bin/python3", "-B", program.toString()));
        command.addAll(arguments);
        process = host.shell().start(file, command.toArray(String[]::new));
        Await.until("the traffic begins: " + arguments, () -> Shell.printed(file).startsWith("ready"));
    }

    /** Numbered datagrams from the host of a VLAN; it attacks the owners of public addresses, if any are given. */
    static CrashTraffic host(final EdgeNode node, final int vlan, final int perSecond, final List<String> victims) {
        final List<String> words = new ArrayList<>(List.of("host", Integer.toString(vlan), EdgeNetwork.SERVER,
            Integer.toString(perSecond)));
        words.addAll(victims);
        return new CrashTraffic(node, node.host(vlan), words);
    }

    /** Looks at the host of a VLAN as if it were that of another one: all that comes is a leak. */
    static CrashTraffic stranger(final EdgeNode node, final int vlan, final int other) {
        return new CrashTraffic(node, node.host(vlan), List.of("stranger", Integer.toString(other)));
    }

    /** The server that answers them. */
    static CrashTraffic server(final EdgeNode node) {
        return new CrashTraffic(node, node.network().server(), List.of("server"));
    }

    /** Looks at the backbone; rules: {@code VLAN=ADDRESS,ADDRESS}. */
    static CrashTraffic backbone(final EdgeNode node, final List<String> rules) {
        final List<String> words = new ArrayList<>(List.of("backbone", EdgeNetwork.SERVER));
        words.addAll(rules);
        return new CrashTraffic(node, node.network().transit(), words);
    }

    /** How far a host is with the datagrams to a port: first the one, then the one that a list may close. */
    record State(int sent, int answered, String source, int sentClosed, int answeredClosed) { }

    /** A datagram of a host that had no answer: to which port, and when it was sent (System.nanoTime). */
    record Loss(int port, long when) { }

    /** What a host has said last. */
    State state() {
        final String[] words = Await.until("the host tells its state", () -> lines("state "),
            lines -> !lines.isEmpty()).stream().reduce((one, next) -> next).orElseThrow().split(" ");
        return new State(Integer.parseInt(words[1]), Integer.parseInt(words[2]), words[3],
            Integer.parseInt(words[4]), Integer.parseInt(words[5]));
    }

    /** All that were lost so far; one is known to be lost after five seconds. */
    List<Loss> losses() {
        return lines("lost ").stream().map(line -> line.split(" "))
            .map(words -> new Loss(Integer.parseInt(words[1]), Long.parseLong(words[2]))).toList();
    }

    /** The seconds from the first to the last loss of each outage of a port. */
    List<Double> outages(final int port) {
        final List<Double> seconds = new ArrayList<>();
        final List<Long> lost = losses().stream().filter(loss -> loss.port() == port).map(Loss::when).toList();
        int first = 0;
        for (int index = 0; index < lost.size(); index++) {
            if (index + 1 == lost.size() || lost.get(index + 1) - lost.get(index) > PAUSE.toNanos()) {
                seconds.add((lost.get(index) - lost.get(first)) / 1e9);
                first = index + 1;
            }
        }
        return seconds;
    }

    /** What was seen where it must not be. */
    List<String> leaks() {
        return lines("leak ");
    }

    /** What was seen on the backbone, as text. */
    String seen() {
        final List<String> lines = lines("seen ");
        return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
    }

    /** Fails with what it has printed when it does not run any more. */
    void assertRuns() {
        if (!process.isAlive()) {
            throw new AssertionError("traffic has ended:\n" + Shell.printed(file));
        }
    }

    private List<String> lines(final String beginning) {
        final String text = Shell.printed(file);
        // The last line may not be whole yet.
        return text.substring(0, text.lastIndexOf('\n') + 1).lines().filter(line -> line.startsWith(beginning))
            .toList();
    }

    @Override
    public void close() {
        Shell.stop(process);
    }
}
