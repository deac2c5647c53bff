// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** How source NAT behaves where RFC 5382 asks for something, on real connections of two hosts of a VRF. */
class NatTcpPacketsIT extends NatPairCase {
    private static final String UNREACHABLE = "198.51.100.78";
    /** Connects from a port to another end that does the same at the same time; they say something to each other. */
    private static final String BOTH_CONNECT = """
        import socket, sys
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(60)
        print("ready", flush=True)
        link.connect((sys.argv[2], int(sys.argv[3])))
        link.sendall(b"hello")
        print(link.recv(5).decode(), *link.getpeername())
        """;
    /** Tries to connect for some seconds; prints how that ended. */
    private static final String CONNECT = """
        import socket, sys
        link = socket.socket()
        link.settimeout(8)
        try:
            link.connect((sys.argv[1], int(sys.argv[2])))
            print("connected")
        except TimeoutError:
            print("silence")
        except OSError as error:
            print(error.strerror)
        """;
    /** Says something, waits for a word on standard input's behalf, a file, and says something again. */
    private static final String TWICE = """
        import pathlib, socket, sys, time
        link = socket.socket()
        link.bind(("", int(sys.argv[3])))
        link.settimeout(60)
        link.connect((sys.argv[1], int(sys.argv[2])))
        link.sendall(b"?")
        link.recv(100)
        print("ready", flush=True)
        while not pathlib.Path(sys.argv[4]).exists():
            time.sleep(0.1)
        link.sendall(b"?")
        print(link.recv(100).decode().strip())
        """;
    /** Sends errors of every kind about a connection. */
    private static final String ERRORS = Icmp.PACKETS + """
        server, public, port, to = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
        about = ip(public, server, 6, ports(port, to))
        for kind, code in (3, 0), (3, 1), (3, 2), (3, 3), (3, 10), (3, 13), (11, 0), (11, 1), (12, 0):
            send(ip(server, public, 1, icmp(kind, code, bytes(4), about)))
        """;
    private static final int REPEATED = 9;

    @Test
    @Requirement(rfc = 5382, number = "7")
    void twoHostsWithOnePortAreToldApart() {
        assertThat(Ask.tcp(first, 30002, NatPair.TELL)).containsExactly(Ask.seen(30002));
        assertThat(Ask.tcp(second, 30002, NatPair.TELL)).doesNotContain(Ask.seen(30002))
            .allMatch(seen -> seen.startsWith(NatPair.PUBLIC));
    }

    @Test
    @Requirement(rfc = 5382, number = "1")
    void theMappingIsTheSameForOtherDestinations() {
        assertThat(Ask.tcp(first, 30003, NatPair.TELL, NatPair.TELL_TOO))
            .containsExactly(Ask.seen(30003), Ask.seen(30003));
    }

    @Test
    @Requirement(rfc = 5382, number = "1")
    void theMappingOfTheSecondHostWithAPortDependsOnTheDestination() {
        Ask.tcp(first, 30004, NatPair.TELL);
        assertThat(Ask.tcp(second, 30004, NatPair.TELL, NatPair.TELL_TOO)).doesNotHaveDuplicates();
    }

    @Test
    @Requirement(rfc = 5382, number = "2a")
    void bothEndsMayOpenAConnection() {
        try (Script outside = new Script(pair.node(), pair.server(), BOTH_CONNECT, 50000, NatPair.PUBLIC, 40000)) {
            Await.until("its first SYN is dropped",
                () -> pair.node().packets(Table.NAT_IN_CHECK, "from the backbone, unsolicited"),
                count -> count > 0);
            assertThat(Script.run(first, BOTH_CONNECT, 40000, EdgeNetwork.SERVER, 50000))
                .isEqualTo("ready\nhello " + EdgeNetwork.SERVER + " 50000");
            assertThat(outside.end()).containsExactly("hello " + Ask.seen(40000));
        }
    }

    @Test
    @Requirement(rfc = 5382, number = {"2a", "8", "8a"})
    void twoHostsMeetByTheirPublicPorts() {
        try (Script other = new Script(pair.node(), second, BOTH_CONNECT, 40002, NatPair.PUBLIC, 40001);
                Capture uplink = pair.node().network().transit().capture("tcp")) {
            assertThat(Script.run(first, BOTH_CONNECT, 40001, NatPair.PUBLIC, 40002))
                .isEqualTo("ready\nhello " + Ask.seen(40002));
            assertThat(other.end()).containsExactly("hello " + Ask.seen(40001));
            assertThat(uplink.all()).isEmpty();
        }
    }

    /** In case the host opens too. */
    @Test
    @Requirement(rfc = 5382, number = {"4", "4a"})
    void nobodyAnswersASynThatWasNotAskedFor() {
        assertThat(Script.run(pair.server(), CONNECT, NatPair.PUBLIC, 30005)).isEqualTo("silence");
    }

    /** What may come in depends on address and port, which is stricter than what is recommended. */
    @Test
    @Requirement(rfc = 5382, number = {"3", "3a", "3b"})
    void strangersDoNotReachAPortThatIsInUse() {
        try (Capture capture = first.capture("tcp and src port 50001")) {
            assertThat(Ask.tcp(first, 30006, NatPair.TELL)).containsExactly(Ask.seen(30006));
            assertThat(pair.node().connections("tcp", "sport=30006")).hasSize(1);
            pair.server().shell().attempt("sh", "-c", "echo ? | socat -t 1 - TCP4:" + NatPair.PUBLIC
                + ":30006,sourceport=50001,connect-timeout=2");
            assertThat(capture.all()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 5382, number = "9")
    void aHostHearsThatItsDestinationIsUnreachable() {
        pair.node().network().transit().shell().run("ip", "route", "replace", "unreachable", UNREACHABLE + "/32");
        assertThat(Script.run(first, CONNECT, UNREACHABLE, 80)).isEqualTo("No route to host");
    }

    @Test
    @Requirement(rfc = 5382, number = "10")
    void errorsEndNoConnection() {
        final Path go = pair.node().run().directory().resolve("go");
        try (Script talk = new Script(pair.node(), first, TWICE, EdgeNetwork.SERVER, NatPair.TELL, 30010, go);
                Capture heard = first.capture("icmp")) {
            final int before = pair.node().timeout("tcp", "sport=30010");
            Script.run(pair.server(), ERRORS, EdgeNetwork.SERVER, NatPair.PUBLIC, 30010, NatPair.TELL);
            Await.until("all arrive", heard::frames, frames -> frames.size() == REPEATED);
            assertThat(pair.node().timeout("tcp", "sport=30010")).isLessThanOrEqualTo(before);
            first.shell().run("touch", go.toString());
            assertThat(talk.end()).containsExactly(Ask.seen(30010));
        }
    }

    @Test
    @Requirement(rfc = 5382, number = "2")
    @Requirement(rfc = 7857, number = "2.2")
    void aResetIsTranslated() {
        try (Capture heard = first.capture("tcp[tcpflags] & tcp-rst != 0")) {
            // Nobody is at that port of the server.
            assertThat(Script.run(first, CONNECT, EdgeNetwork.SERVER, NatPair.CLOSED)).isEqualTo("Connection refused");
            assertThat(heard.all()).hasSize(1);
        }
    }
}
