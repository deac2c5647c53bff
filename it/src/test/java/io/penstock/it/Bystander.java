// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;

/**
 * Traffic of a host while something else is under attack: datagrams from eight ports and numbers on one TCP connection,
 * 50 a second each, to servers that send them back. It goes on until {@link #wasNotHarmed} is asked.
 */
final class Bystander implements AutoCloseable {
    private static final int UDP = 9007;
    private static final int TCP = 9008;
    private static final int PORTS = 8;
    /** So many of each it sends at least, however short the attack is. */
    private static final int ROUNDS = 50;
    /** Prints how many datagrams were sent and how many of them have no answer, and the same of numbers by TCP. */
    private static final String PROGRAM = """
        import selectors, signal, socket, sys, time
        server, udp, tcp, count, enough = sys.argv[1], *map(int, sys.argv[2:6])
        ended = []
        signal.signal(signal.SIGTERM, lambda *_: ended.append(time.monotonic()))
        stream = socket.create_connection((server, tcp), 10)
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector, waiting, sent, numbers, back = selectors.DefaultSelector(), {}, 0, 0, b""
        for _ in range(count):
            link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            link.connect((server, udp))
            waiting[link] = set()
        for link in [stream, *waiting]:
            selector.register(link, selectors.EVENT_READ)
        print("ready", flush=True)
        due = time.monotonic()
        while True:
            now = time.monotonic()
            missing = sum(map(len, waiting.values())) or len(back) < 4 * numbers
            if ended and numbers >= enough and (not missing or now > ended[0] + 5):
                break
            if (not ended or numbers < enough) and now >= due:
                due = max(due + 0.02, now)
                for link in waiting:
                    sent += 1
                    waiting[link].add(sent)
                    link.send(sent.to_bytes(4, "big"))
                numbers += 1
                stream.sendall(numbers.to_bytes(4, "big"))
            for key, _ in selector.select(min(0.02, max(0, due - time.monotonic()))):
                if key.fileobj is stream:
                    back += stream.recv(65536)
                else:
                    waiting[key.fileobj].discard(int.from_bytes(key.fileobj.recv(100), "big"))
        right = b"".join(number.to_bytes(4, "big") for number in range(1, numbers + 1))
        print(sent, sum(map(len, waiting.values())), numbers, 0 if back == right else numbers - len(back) // 4 or -1)
        """;

    private final Script script;

    /** Serves what it needs. */
    static void serve(final EdgeNetwork network) {
        Datagrams.echo(network.server(), UDP);
        network.server().serveTcp(TCP, "EXEC:cat");
    }

    /** Begins; the connection is there when this returns. */
    Bystander(final PacketNode node, final Host host) {
        script = new Script(node, host, PROGRAM, EdgeNetwork.SERVER, UDP, TCP, PORTS, ROUNDS);
    }

    /** Ends it. Every datagram has to have been answered, and every number to have come back in its place. */
    void wasNotHarmed() {
        final String[] counts = script.terminate().get(0).split(" ");
        assertThat(Integer.parseInt(counts[0])).as("datagrams sent").isGreaterThanOrEqualTo(PORTS * ROUNDS);
        assertThat(List.of(counts[1], counts[3])).as("datagrams of %s and numbers of %s that did not come back",
            counts[0], counts[2]).containsExactly("0", "0");
    }

    @Override
    public void close() {
        script.close();
    }
}
