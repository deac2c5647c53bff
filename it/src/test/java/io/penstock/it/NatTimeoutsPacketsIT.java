// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long connections are kept, as the switch itself tells of those that real packets made. */
class NatTimeoutsPacketsIT extends NatPairCase {
    private static final int TWO_MINUTES = 120;
    private static final int FOUR_MINUTES = 240;
    private static final int FIVE_MINUTES = 300;
    private static final int MINUTE = 60;
    private static final int TWO_HOURS_AND_FOUR_MINUTES = 7440;
    /**
     * Seconds between the last packet of a connection and the command that reads its timeout, on a machine that may be
     * busy. All timeouts here differ by more.
     */
    private static final int SLACK = 30;
    /** Connects, speaks, and ends the connection in one of several ways, or not at all. */
    private static final String CONNECT = """
        import socket, struct, sys, time
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        link.bind(("", int(sys.argv[4])))
        link.connect((sys.argv[1], int(sys.argv[2])))
        link.sendall(b"?")
        link.recv(100)
        print("ready", flush=True)
        if sys.argv[3] == "half":
            link.shutdown(socket.SHUT_WR)
        if sys.argv[3] == "reset":
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if sys.argv[3] in ("reset", "end"):
            link.close()
        time.sleep(60)
        """;
    /** Sends and does not expect an answer. */
    private static final String SAY = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", int(sys.argv[1])))
        link.sendto(b"?", (sys.argv[2], int(sys.argv[3])))
        """;
    /** Begins a connection with somebody who is not there. */
    private static final String KNOCK = """
        import socket, sys
        link = socket.socket()
        link.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        link.bind(("", int(sys.argv[2])))
        link.setblocking(False)
        link.connect_ex((sys.argv[1], 80))
        """;

    private static int next = 30040;
    /** Each test has its own: what the kernel still says of the connection of another test is not about this one. */
    private final int port = next += 2;

    private static int timeout(final String... words) {
        return pair.node().timeout(words);
    }

    @ParameterizedTest
    @ValueSource(ints = {NatPair.TELL, NatPair.CLOSED, 53})
    @Requirement(rfc = 4787, number = {"5", "5a", "5c"})
    void mappingsOfUdpLastFiveMinutesAnsweredOrNot(final int to) {
        Script.run(pair.first(), SAY, port, EdgeNetwork.SERVER, to);
        assertThat(timeout("udp", "sport=" + port)).isGreaterThan(TWO_MINUTES)
            .isBetween(FIVE_MINUTES - SLACK, FIVE_MINUTES);
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    @Requirement(rfc = 4787, number = "6")
    void whatGoesOutRefreshesAMapping() {
        Ask.udp(pair.first(), port, NatPair.TELL);
        Await.until("it gets old", () -> timeout("udp", "sport=" + port), seconds -> seconds < FIVE_MINUTES - 3);
        // A port that is closed by now answers by an error; the datagram out is all that counts.
        Script.run(pair.first(), SAY, port, EdgeNetwork.SERVER, NatPair.TELL);
        assertThat(timeout("udp", "sport=" + port)).isGreaterThanOrEqualTo(FIVE_MINUTES - 2);
    }

    @Test
    @Tag("deep")
    @Tag("loss")
    @Requirement(rfc = 4787, number = "6a")
    void whatComesInRefreshesIt() {
        // From a port that nobody serves, so that nothing answers what comes back to it but an error.
        Script.run(pair.first(), SAY, port, EdgeNetwork.SERVER, NatPair.CLOSED);
        Await.until("it gets old", () -> timeout("udp", "sport=" + port), seconds -> seconds < FIVE_MINUTES - 3);
        Script.run(pair.server(), SAY, NatPair.CLOSED, NatPair.PUBLIC, port);
        assertThat(timeout("udp", "sport=" + port)).isGreaterThanOrEqualTo(FIVE_MINUTES - 2);
    }

    @Test
    @Requirement(rfc = 5508, number = "2")
    @Requirement(rfc = 7857, number = "11")
    void queriesOfIcmpLastAMinute() {
        pair.first().reaches(EdgeNetwork.SERVER);
        assertThat(timeout("icmp", "src=10.0.0.5")).isBetween(MINUTE - SLACK, MINUTE);
    }

    @Test
    @Requirement(rfc = 5382, number = "5")
    void anEstablishedConnectionMayBeSilentForTwoHoursAndFourMinutes() {
        try (Script open = connect("not")) {
            assertThat(timeout("tcp", "sport=" + port)).isBetween(TWO_HOURS_AND_FOUR_MINUTES - SLACK,
                TWO_HOURS_AND_FOUR_MINUTES);
            assertThat(open.lines()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 5382, number = "5")
    @Requirement(rfc = 7857, number = "2.1")
    void aConnectionThatOpensLastsFourMinutes() {
        // An address behind the server that nobody has: the SYN is not answered.
        pair.server().shell().run("ip", "route", "replace", "blackhole", "198.51.100.77/32");
        pair.node().network().transit().route("198.51.100.77/32", EdgeNetwork.SERVER);
        Script.run(pair.first(), KNOCK, "198.51.100.77", port);
        assertThat(timeout("tcp", "sport=" + port)).isBetween(FOUR_MINUTES - SLACK, FOUR_MINUTES);
    }

    @ParameterizedTest
    @CsvSource({"half, one end has nothing more to say", "end, both ends have nothing more to say"})
    @Requirement(rfc = 5382, number = "5")
    @Requirement(rfc = 7857, number = {"2", "2.1"})
    void aConnectionThatClosesLastsFourMinutes(final String how, final String meaning) {
        try (Script closed = connect(how)) {
            Await.until(meaning, () -> timeout("tcp", "sport=" + port), seconds -> seconds <= FOUR_MINUTES);
            assertThat(timeout("tcp", "sport=" + port)).isBetween(FOUR_MINUTES - SLACK, FOUR_MINUTES);
            assertThat(closed.lines()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 5382, number = "5")
    @Requirement(rfc = 7857, number = {"2", "2.2"})
    void whatAResetEndsIsKeptForFourMinutes() {
        try (Script reset = connect("reset")) {
            Await.until("it is reset", () -> timeout("tcp", "sport=" + port), seconds -> seconds <= FOUR_MINUTES);
            assertThat(timeout("tcp", "sport=" + port)).isBetween(FOUR_MINUTES - SLACK, FOUR_MINUTES);
            // The server has got the reset, from the port it knows.
            assertThat(pair.server().shell().run("ss", "-Htn", "state", "connected", "dport = :" + port)).isEmpty();
            assertThat(reset.lines()).isEmpty();
        }
        // Another host gets another port as long as it is kept.
        assertThat(Ask.tcp(pair.second(), port, NatPair.TELL)).isNotEqualTo(List.of(Ask.seen(port)));
    }

    private Script connect(final String how) {
        return new Script(pair.node(), pair.first(), CONNECT, EdgeNetwork.SERVER, NatPair.TELL, how, port);
    }
}
