// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.rules.Validator;
import io.penstock.pipeline.rules.Violation;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How source NAT behaves where RFC 4787 asks for something, on real datagrams of two hosts of a VRF. */
class NatUdpPacketsIT extends NatPairCase {
    private static final int SIP = 5060;
    /** From one port: an echo, an error about a closed port, an echo. Prints what came of each. */
    private static final String ERROR = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 30009))
        link.settimeout(60)
        for port in map(int, sys.argv[2:]):
            link.connect((sys.argv[1], port))
            link.send(b"?")
            try:
                print(link.recv(100).decode())
            except ConnectionRefusedError:
                print("refused")
        """;
    /** Keeps a mapping open with one datagram, then prints what others send to it within some seconds. */
    private static final String LISTEN = """
        import socket, sys, time
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 30012))
        link.settimeout(60)
        link.sendto(b"?", (sys.argv[1], int(sys.argv[2])))
        link.recv(100)
        print("ready", flush=True)
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
            link.sendto(b"stranger", (sys.argv[2], int(sys.argv[3])))
            time.sleep(0.1)
        """;
    /** Sends to a port again and again, until somebody there says something; prints where that came from. */
    private static final String MEET = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.settimeout(0.5)
        print("ready", flush=True)
        for _ in range(120):
            link.sendto(b"hello", (sys.argv[2], int(sys.argv[3])))
            try:
                print(*link.recvfrom(100)[1])
                link.sendto(b"hello", (sys.argv[2], int(sys.argv[3])))
                break
            except TimeoutError:
                pass
        """;
    /** Says its own address, as SIP does, and prints what came back. */
    private static final String PAYLOAD = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 5060))
        link.settimeout(60)
        link.sendto(b"Contact: <sip:me@10.0.0.5:5060>", (sys.argv[1], 5060))
        print(link.recv(100).decode())
        """;

    @BeforeAll
    static void serve() {
        Datagrams.echo(pair.server(), SIP);
    }

    @Test
    @Requirement(rfc = 4787, number = {"3a", "4"})
    @Requirement(rfc = 6888, number = "15")
    void portsAreKept() {
        for (final int port : new int[] {1023, 1024, 30001, 65535}) {
            assertThat(Ask.udp(first, port, NatPair.TELL)).containsExactly(Ask.seen(port));
        }
    }

    @Test
    @Requirement(rfc = 4787, number = "3")
    void twoHostsWithOnePortAreToldApart() {
        assertThat(Ask.udp(first, 30002, NatPair.TELL)).containsExactly(Ask.seen(30002));
        assertThat(Ask.udp(second, 30002, NatPair.TELL)).doesNotContain(Ask.seen(30002))
            .allMatch(seen -> seen.startsWith(NatPair.PUBLIC));
    }

    @Test
    @Requirement(rfc = 4787, number = {"3", "11"})
    @Requirement(rfc = 6888, number = "13")
    @Requirement(rfc = 7857, number = "3")
    void towardsDifferentServersTwoHostsMayHaveOnePort() {
        assertThat(Ask.udp(first, 30008, NatPair.TELL)).containsExactly(Ask.seen(30008));
        assertThat(Ask.udp(second, 30008, NatPair.TELL_TOO)).containsExactly(Ask.seen(30008));
    }

    @Test
    @Requirement(rfc = 4787, number = {"3a", "4"})
    @Requirement(rfc = 7857, number = {"8", "9"})
    void aPortThatIsTakenIsReplacedByOneOfItsRangeThatIsHardToGuess() {
        final List<Integer> given = new ArrayList<>();
        for (int port = 30020; port < 30030; port++) {
            Ask.udp(first, port, NatPair.TELL);
            given.add(Integer.parseInt(Ask.udp(second, port, NatPair.TELL).get(0).split(" ")[1]));
        }
        assertThat(given).allMatch(port -> port >= 1024).doesNotHaveDuplicates();
        // Neither the next one, nor always as far away.
        assertThat(given.stream().map(port -> port - given.get(0) - given.indexOf(port)).distinct().count())
            .isGreaterThan(5);
        Ask.udp(first, 1023, NatPair.TELL);
        assertThat(Integer.parseInt(Ask.udp(second, 1023, NatPair.TELL).get(0).split(" ")[1])).isLessThan(1023);
    }

    @Test
    @Requirement(rfc = 4787, number = "1")
    void theMappingIsTheSameForOtherDestinations() {
        assertThat(Ask.udp(first, 30003, NatPair.TELL, NatPair.TELL_TOO))
            .containsExactly(Ask.seen(30003), Ask.seen(30003));
    }

    @Test
    @Requirement(rfc = 4787, number = {"1", "11"})
    void theMappingOfTheSecondHostWithAPortDependsOnTheDestination() {
        Ask.udp(first, 30004, NatPair.TELL);
        assertThat(Ask.udp(second, 30004, NatPair.TELL, NatPair.TELL_TOO)).doesNotHaveDuplicates();
    }

    @Test
    @Requirement(rfc = 7857, number = {"5", "6"})
    void mappingsOfUdpAreNotThoseOfTcp() {
        Ask.udp(first, NatPair.TELL, NatPair.TELL);
        assertThat(Ask.tcp(second, NatPair.TELL, NatPair.TELL)).containsExactly(Ask.seen(NatPair.TELL));
        Ask.udp(first, 30013, NatPair.TELL);
        pair.server().getsNoTcpAnswer(NatPair.PUBLIC, 30013);
    }

    /** What may come in depends on address and port, which is stricter than what is recommended. */
    @Test
    @Requirement(rfc = 4787, number = {"8", "8a"})
    @Requirement(rfc = 6888, number = "7")
    void onlyWhomTheHostSpokeToMayAnswer() {
        try (Script listener = new Script(pair.node(), first, LISTEN, EdgeNetwork.SERVER, NatPair.TELL)) {
            Script.run(pair.server(), SAY, 40000, NatPair.PUBLIC, 30012);
            assertThat(listener.end()).containsExactly("heard");
        }
    }

    /** A port that was somebody's lets nobody in to its next owner but whom that one speaks to. */
    @Test
    @Requirement(rfc = 6888, number = "8")
    void whoGetsAPortOfAnotherHearsNothingOfItsPast() {
        first.shell().run("sh", "-c", "echo ? | socat -u - UDP4-SENDTO:" + EdgeNetwork.SERVER + ":" + NatPair.CLOSED
            + ",sourceport=30012");
        assertThat(pair.node().connections("src=10.0.0.5", "dport=30012")).hasSize(1);
        pair.node().node().ovs().appctl("dpctl/flush-conntrack");
        try (Script listener = new Script(pair.node(), second, LISTEN, EdgeNetwork.SERVER, NatPair.TELL)) {
            assertThat(pair.node().connections("src=10.0.0.6", "dport=30012")).hasSize(1);
            Script.run(pair.server(), SAY, NatPair.CLOSED, NatPair.PUBLIC, 30012);
            assertThat(listener.end()).containsExactly("heard");
        }
    }

    @Test
    @Requirement(rfc = 4787, number = {"9", "9a"})
    void twoHostsMeetByTheirPublicPorts() {
        try (Script other = new Script(pair.node(), second, MEET, 30007, NatPair.PUBLIC, 30006);
                Capture uplink = pair.node().network().transit().capture("udp")) {
            assertThat(Script.run(first, MEET, 30006, NatPair.PUBLIC, 30007)).endsWith(Ask.seen(30007));
            assertThat(other.end()).containsExactly(Ask.seen(30006));
            assertThat(uplink.all()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 4787, number = "10")
    void addressesInDatagramsStay() {
        assertThat(Script.run(first, PAYLOAD, EdgeNetwork.SERVER)).isEqualTo("Contact: <sip:me@10.0.0.5:5060>");
    }

    @Test
    @Requirement(rfc = 4787, number = {"12", "12b"})
    void errorsArriveAndEndNoMapping() {
        assertThat(Script.run(first, ERROR, EdgeNetwork.SERVER, NatPair.TELL, NatPair.CLOSED, NatPair.TELL)).isEqualTo(
            Ask.seen(30009) + "\nrefused\n" + Ask.seen(30009));
    }

    @Test
    @Requirement(rfc = 4787, number = "7")
    void noVrfHasTheAddressesOfTheTransitNetwork() {
        final Tenant plain = NatPair.translated();
        final Snapshot twin = Networks.of(new Tenant("twin",
            List.of(new Tenant.Attachment("lan", Networks.NODE, "acc0", 102)),
            List.of(new Tenant.Subnet("lan", Prefix.parse("192.0.2.0/24"), Ipv4.parse("192.0.2.254"), List.of())),
            plain.routes(), plain.nat(), plain.egressAcl(), plain.chain()));
        assertThat(Validator.validate(twin, Allocations.none())).map(Violation::toString).singleElement().asString()
            .contains("tenant twin: subnet lan / prefix", "overlaps the transit network 192.0.2.0/24");
    }
}
