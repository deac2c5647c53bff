// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Once a removal is said to be applied, no packet that is sent from then on arrives. Hosts send without a pause. */
@Tag("safety")
@Tag("deep")
@Tag("loss")
@Tag("hostile")
@OnSystem
class RemovalIT {
    private static final List<Integer> VLANS = List.of(100, 101, 102);
    private static final int ROUNDS = 10;
    private static final int PORT = 9008;
    /** What each host sends after the answer, while each packet that arrives is one too many. */
    private static final int WATCHED = 100;
    /** Sends the time of each datagram, from some ports in turn, every 3 ms; prints how many were sent. */
    private static final String SENDER = """
        import socket, sys, time
        links = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(4)]
        sent = 0
        while True:
            try:
                links[sent % 4].sendto(b"%d" % time.time_ns(), (sys.argv[1], int(sys.argv[2])))
            except OSError:
                pass
            sent += 1
            print(sent, flush=True)
            time.sleep(0.003)
        """;
    private static final String RECEIVER = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        while True:
            print(link.recv(100).decode(), flush=True)
        """;

    /** The time between an answer and the next change, in nanoseconds since 1970. */
    private record Silence(long from, long until) { }

    private final EdgeSystem system;
    private final EdgeNode node;
    private final List<Process> senders = new ArrayList<>();
    private final List<Path> sent = new ArrayList<>();
    private Path received;

    RemovalIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void start() {
        system.reset();
        received = node.network().server().serve("/usr/bin/python3", "-c", RECEIVER, Integer.toString(PORT));
        for (final int vlan : VLANS) {
            sent.add(node.file("sent-" + vlan + "-" + System.nanoTime()));
            senders.add(node.host(vlan).shell().start(sent.get(sent.size() - 1), "/usr/bin/python3", "-c", SENDER,
                EdgeNetwork.SERVER, Integer.toString(PORT)));
        }
    }

    @AfterEach
    void stop() {
        senders.forEach(Shell::stop);
    }

    @Test
    void noPacketOfARemovedTenantArrivesAfterTheAnswer() {
        final List<Silence> silences = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            system.restconf().put(Intent.path("acme0"), Intent.tenants(List.of(tenant(0))));
            system.restconf().put(Intent.path("acme1"), Intent.tenants(List.of(tenant(1))));
            system.restconf().put(Intent.path("acme2"), Intent.tenants(List.of(tenant(2))));
            final int before = lines(received).size();
            Await.until("packets of all tenants arrive",
                () -> lines(received).size() > before + WATCHED);
            for (int tenant = 0; tenant < VLANS.size(); tenant++) {
                system.restconf().delete(Intent.path("acme" + tenant));
            }
            system.awaitApplied();
            final long answered = now();
            awaitMoreSent();
            silences.add(new Silence(answered, now()));
            // On a busy machine packets wait in the queue of the port, and would go with the tenant that comes next.
            awaitMoreSent();
        }
        final List<Long> arrived = lines(received).stream().map(Long::valueOf).toList();
        assertThat(silences).allSatisfy(silence -> assertThat(arrived).as("sent after the answer")
            .noneMatch(time -> time > silence.from() && time < silence.until()));
    }

    private void awaitMoreSent() {
        final List<Integer> counts = sent.stream().map(file -> lines(file).size()).toList();
        Await.until("all hosts have sent more", () -> lines(sent.get(0)).size() > counts.get(0) + WATCHED
            && lines(sent.get(1)).size() > counts.get(1) + WATCHED
            && lines(sent.get(2)).size() > counts.get(2) + WATCHED);
    }

    private String tenant(final int number) {
        return Intent.tenant("acme" + number, node, VLANS.get(number), Intent.FIRST_POOL);
    }

    private static long now() {
        final Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    /** Whole lines. */
    private static List<String> lines(final Path file) {
        try {
            final String text = Files.readString(file);
            return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
