// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How source NAT behaves where RFC 4787, 5382 and 5508 ask for something, on real packets of two hosts of a VRF. */
class NatBehaviourPacketsIT {
    private static final int VLAN = 100;
    private static final String PUBLIC = TenantPair.FIRST_PUBLIC;
    private static final int ECHO = 7;
    private static final int CLOSED = 9;
    private static final int TELL = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Tells everybody the address and port a datagram came from. */
    private static final String TELLER = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        while True:
            _, peer = link.recvfrom(100)
            link.sendto(f"{peer[0]} {peer[1]}".encode(), peer)
        """;
    /** From one port asks the teller; prints its words. */
    private static final String ASK = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(5)
        for port in sys.argv[3:]:
            link.sendto(b"?", (sys.argv[2], int(port)))
            print(link.recv(100).decode())
        """;
    /** From one port: an echo, an error about a closed port, an echo. Prints what came of each. */
    private static final String ERROR = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 30009))
        link.settimeout(5)
        for port in map(int, sys.argv[2:]):
            link.connect((sys.argv[1], port))
            link.send(b"?")
            try:
                print(link.recv(100).decode())
            except ConnectionRefusedError:
                print("refused")
        """;
    /** Connects from a port to another end that does the same at the same time; they say something to each other. */
    private static final String BOTH_CONNECT = """
        import socket, sys
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(20)
        link.connect((sys.argv[2], int(sys.argv[3])))
        link.sendall(b"hello")
        print(link.recv(5).decode())
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
            print(error)
        """;
    /** Sends a datagram of 4000 bytes in pieces, the last one first; prints how many bytes came back unharmed. */
    private static final String BACKWARDS = """
        import os, socket, struct, sys
        server, port = sys.argv[1], int(sys.argv[2])
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        listener.bind(("", 30011))
        listener.settimeout(5)
        payload = os.urandom(4000)
        route = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        route.connect((server, port))
        source = route.getsockname()[0]
        datagram = struct.pack("!4H", 30011, port, 8 + len(payload), 0) + payload
        pieces = [(at, datagram[at:at + 1400]) for at in range(0, len(datagram), 1400)]
        link = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
        for at, piece in reversed(pieces):
            more = 0x2000 if at + len(piece) < len(datagram) else 0
            header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(piece), 4711, more | at // 8, 64, 17, 0,
                                 socket.inet_aton(source), socket.inet_aton(server))
            link.sendto(header + piece, (server, 0))
        print(len(payload) if listener.recv(65535) == payload else 0)
        """;
    /** Keeps a mapping open with one datagram, then prints what others send to it within some seconds. */
    private static final String LISTEN = """
        import socket, sys, time
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 30012))
        link.settimeout(5)
        link.sendto(b"?", (sys.argv[1], int(sys.argv[2])))
        link.recv(100)
        print("open", flush=True)
        heard = set()
        end = time.monotonic() + 4
        while (left := end - time.monotonic()) > 0:
            link.settimeout(left)
            try:
                heard.add(link.recv(100).decode())
            except TimeoutError:
                break
        print("heard", *sorted(heard))
        """;
    private static final String SAY = """
        import socket, sys, time
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        for _ in range(30):
            link.sendto(b"stranger", (sys.argv[2], 30012))
            time.sleep(0.1)
        """;

    private static PacketNode node;
    private static Host first;
    private static Host second;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        first = node.network().host("acc0", VLAN, "10.0.0.5/24", "10.0.0.1");
        second = node.network().host("acc0", VLAN, "10.0.0.6/24", "10.0.0.1");
        server().serve("socat", "-b", "65535", "UDP4-RECVFROM:" + ECHO + ",fork", "PIPE");
        server().serve("/usr/bin/python3", "-c", TELLER, Integer.toString(TELL));
        server().serve("/usr/bin/python3", "-c", TELLER, Integer.toString(TELL + 1));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Host server() {
        return node.network().server();
    }

    @BeforeEach
    void load() {
        node.load(Networks.of(Networks.plain("acme", VLAN, PUBLIC)));
        node.node().ovs().appctl("dpctl/flush-conntrack");
        for (final Host host : List.of(first, second)) {
            host.forgetNeighbours();
            host.reaches("10.0.0.1");
        }
    }

    private static String python(final Host host, final String program, final Object... arguments) {
        final String[] command = new String[arguments.length + 3];
        command[0] = "/usr/bin/python3";
        command[1] = "-c";
        command[2] = program;
        for (int index = 0; index < arguments.length; index++) {
            command[index + 3] = arguments[index].toString();
        }
        return host.shell().run(PATIENCE, command);
    }

    /** RFC 4787, REQ-3 and REQ-4: a port stays in its range, and keeps its parity. Here it stays what it is. */
    @Test
    @Requirement(rfc = 4787, number = {"3a", "4"})
    @Requirement(rfc = 6888, number = "15")
    void portsAreKept() {
        for (final int port : new int[] {1023, 1024, 30001, 65535}) {
            assertThat(python(first, ASK, port, EdgeNetwork.SERVER, TELL)).isEqualTo(PUBLIC + " " + port);
        }
    }

    /** RFC 4787, REQ-3: two hosts never share a public port towards one server, whatever ports they use. */
    @Test
    @Requirement(rfc = 4787, number = "3")
    void twoHostsWithOnePortAreToldApart() {
        final String one = python(first, ASK, 30002, EdgeNetwork.SERVER, TELL);
        final String other = python(second, ASK, 30002, EdgeNetwork.SERVER, TELL);
        assertThat(one).startsWith(PUBLIC + " ").isNotEqualTo(other);
        assertThat(other).startsWith(PUBLIC + " ");
    }

    /** RFC 4787, REQ-1: the mapping is the same for every destination, as long as the port is free there. */
    @Test
    @Requirement(rfc = 4787, number = "1")
    void theMappingIsTheSameForOtherDestinations() {
        assertThat(python(first, ASK, 30003, EdgeNetwork.SERVER, TELL, TELL + 1).lines().distinct())
            .containsExactly(PUBLIC + " 30003");
    }

    /** RFC 4787, REQ-1, and RFC 5382, REQ-1: where two hosts have the same port the second one's mapping depends. */
    @Test
    @Requirement(rfc = 4787, number = {"1", "11"})
    @Requirement(rfc = 7857, number = "8")
    void theMappingOfTheSecondHostWithAPortDependsOnTheDestination() {
        python(first, ASK, 30004, EdgeNetwork.SERVER, TELL);
        assertThat(python(second, ASK, 30004, EdgeNetwork.SERVER, TELL, TELL + 1).lines().distinct()).hasSize(2);
    }

    /** RFC 4787, REQ-8: filtering depends on address and port, which is stricter than what is recommended. */
    @Test
    @Requirement(rfc = 4787, number = "8")
    @Requirement(rfc = 6888, number = "7")
    void onlyWhomTheHostSpokeToMayAnswer() {
        final Process listener = first.shell().start(node.run().directory().resolve("heard"), "/usr/bin/python3", "-c",
            LISTEN, EdgeNetwork.SERVER, Integer.toString(TELL));
        try {
            python(server(), SAY, 40000, PUBLIC);
            assertThat(listener.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(node.run().directory().resolve("heard")).hasContent("open\nheard");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } finally {
            Shell.stop(listener);
        }
    }

    /** RFC 4787, REQ-12, RFC 5382, REQ-9 and 10, RFC 5508, REQ-4 and 6: errors arrive, and end nothing. */
    @Test
    @Requirement(rfc = 4787, number = {"12", "12b"})
    void errorsArriveAndEndNoMapping() {
        assertThat(python(first, ERROR, EdgeNetwork.SERVER, TELL, CLOSED, TELL)).isEqualTo(
            PUBLIC + " 30009\nrefused\n" + PUBLIC + " 30009");
    }

    /** RFC 4787, REQ-14: pieces of a datagram may come in any order. */
    @Test
    @Requirement(rfc = 4787, number = "14")
    void piecesMayComeInAnyOrder() {
        assertThat(python(first, BACKWARDS, EdgeNetwork.SERVER, ECHO)).isEqualTo("4000");
    }

    /** RFC 5382, REQ-2: both ends may open a connection at the same time. */
    @Test
    @Requirement(rfc = 5382, number = "2a")
    void bothEndsMayOpenATcpConnection() throws InterruptedException {
        final Process outside = server().shell().start(node.run().directory().resolve("opened"), "/usr/bin/python3",
            "-c", BOTH_CONNECT, "50000", PUBLIC, "40000");
        try {
            Thread.sleep(500);
            assertThat(python(first, BOTH_CONNECT, 40000, EdgeNetwork.SERVER, 50000)).isEqualTo("hello");
            assertThat(outside.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(node.run().directory().resolve("opened")).hasContent("hello");
        } finally {
            Shell.stop(outside);
        }
    }

    /** RFC 5382, REQ-4: a SYN that nobody asked for is not answered for six seconds, in case the host opens too. */
    @Test
    @Requirement(rfc = 5382, number = {"4", "4a"})
    void nobodyAnswersASynThatWasNotAskedFor() {
        assertThat(python(server(), CONNECT, PUBLIC, 30005)).isEqualTo("silence");
    }
}
