// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How source NAT behaves where RFC 5508 asks for something, on queries and errors of ICMP. */
class NatIcmpPacketsIT extends NatPairCase {
    private static final int PORT = 30050;
    private static final String NOBODY_ASKED = "from the backbone, unsolicited";
    /** Sends an error about the datagram from the mapped port to the server, with one thing unusual or wrong. */
    private static final String ERROR = Icmp.PACKETS + """
        sender, public, server, port, to, kind, code = sys.argv[1:4] + [int(word) for word in sys.argv[4:8]]
        how = sys.argv[8]
        about = ip(public, server, 17, ports(port, to, b"\\0\\x0c\\x12\\x34" + b"word" if how == "transport" else
                                             b"\\0\\x0c\\0\\0word"), b"\\x94\\4\\0\\0" if how == "options" else b"",
                   0x0101 if how == "embedded" else 0)
        rest = bytes(4)
        if how == "extension":
            # RFC 4884: the packet is filled up to 128 bytes, its length in words stands in the header.
            about, rest = about.ljust(128, b"\\0") + struct.pack("!2BHHBB", 0x20, 0, 0, 4, 1, 1), b"\\0\\x20\\0\\0"
        send(ip(sender, public, 1, icmp(kind, code, rest, about, 0x0101 if how == "icmp" else 0)))
        """;
    /** Sends an error about a datagram that has come, from whoever it is said to be. */
    private static final String COMPLAINT = Icmp.PACKETS + """
        sender, server, port, to = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
        send(ip(sender, server, 1, icmp(3, 3, bytes(4), ip(server, sys.argv[5], 17, ports(to, port)))))
        """;
    /** Sends an error about an echo request. */
    private static final String ABOUT_ECHO = Icmp.PACKETS + """
        server, public, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
        echo = icmp(8, 0, struct.pack("!2H", number, 1), b"")
        send(ip(server, public, 1, icmp(3, 1, bytes(4), ip(public, server, 1, echo))))
        """;
    /** Sends one message of a type that is neither echo nor error. */
    private static final String MESSAGE = Icmp.PACKETS + """
        send(ip(sys.argv[1], sys.argv[2], 1, icmp(int(sys.argv[3]), 0, struct.pack("!2H", 77, 1), bytes(12))))
        """;
    private static final String ECHO_ID = "77";

    @BeforeEach
    void open() {
        assertThat(Ask.udp(first, PORT, NatPair.TELL)).containsExactly(Ask.seen(PORT));
    }

    private static Script hear(final Host host) {
        return new Script(pair.node(), host, Icmp.HEAR);
    }

    private static void error(final Host from, final String sender, final int port, final int kind, final int code,
            final String how) {
        Script.run(from, ERROR, sender, NatPair.PUBLIC, EdgeNetwork.SERVER, port, NatPair.TELL, kind, code, how);
    }

    /** One of two pings is answered. */
    private static void answers(final Host host, final String destination, final String number) {
        host.shell().run("ping", "-n", "-c", "2", "-i", "0.2", "-W", "60", "-e", number, destination);
    }

    /** How many packets something makes a flow drop: at least so many, when all have been counted. */
    private static void drops(final Table table, final String label, final long least, final Runnable something) {
        final long before = pair.node().packets(table, label);
        something.run();
        Await.until("the drops are counted", () -> pair.node().packets(table, label) - before,
            count -> count >= least);
    }

    @Test
    @Requirement(rfc = 5508, number = "1a")
    void twoHostsWithOneIdentifierGetAnswersAndNothingLeaks() {
        try (Capture uplink = pair.node().network().transit().capture(TenantPair.PRIVATE)) {
            for (int turn = 0; turn < 2; turn++) {
                answers(first, EdgeNetwork.SERVER, ECHO_ID);
                answers(second, EdgeNetwork.SERVER, ECHO_ID);
            }
            answers(second, EdgeNetwork.TRANSIT, ECHO_ID);
            assertThat(uplink.all()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"13, 14"})
    @Requirement(rfc = 5508, number = {"1", "10b"})
    void otherQueriesAreAnswered(final int query, final int answer) {
        try (Script heard = hear(first)) {
            Script.run(first, MESSAGE, first.address(), EdgeNetwork.SERVER, query);
            Await.until("the answer arrives", heard::lines, lines -> lines.contains(
                EdgeNetwork.SERVER + " 10.0.0.5 " + answer + " 0"));
        }
    }

    @ParameterizedTest
    @CsvSource({"3, 3", "3, 1", "3, 4", "11, 0", "12, 0"})
    @Requirement(rfc = 5508, number = {"4a", "4b", "4c", "10a", "10b"})
    @Requirement(rfc = 4787, number = "12a")
    void anErrorComesBackToWhoCausedIt(final int kind, final int code) {
        try (Script heard = hear(first); Script other = hear(second)) {
            error(pair.server(), EdgeNetwork.SERVER, PORT, kind, code, "plain");
            // From a router on the way, whose address nobody has ever spoken to.
            error(pair.node().network().transit(), EdgeNetwork.TRANSIT, PORT, kind, code, "plain");
            final String about = " 10.0.0.5 " + kind + " " + code + " 10.0.0.5 " + PORT + " " + EdgeNetwork.SERVER + " "
                + NatPair.TELL;
            Await.until("both arrive", heard::lines, lines -> lines.size() == 2);
            assertThat(heard.lines()).containsExactlyInAnyOrder(EdgeNetwork.SERVER + about,
                EdgeNetwork.TRANSIT + about);
            assertThat(other.lines()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 5508, number = "4")
    void anErrorAboutNothingIsDropped() {
        try (Capture heard = first.capture("icmp"); Capture other = second.capture("icmp")) {
            drops(Table.NAT_IN_CHECK, NOBODY_ASKED, 1,
                () -> error(pair.server(), EdgeNetwork.SERVER, PORT + 1, 3, 3, "plain"));
            assertThat(heard.all()).isEmpty();
            assertThat(other.all()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"options", "transport", "extension", "embedded"})
    @Requirement(rfc = 5508, number = {"3a", "3b", "3c", "3d"})
    void anErrorWithAnUnusualPacketInItArrives(final String how) {
        try (Script heard = hear(first)) {
            error(pair.server(), EdgeNetwork.SERVER, PORT, 3, 3, how);
            Await.until("it arrives", heard::lines, lines -> lines.equals(List.of(EdgeNetwork.SERVER
                + " 10.0.0.5 3 3 10.0.0.5 " + PORT + " " + EdgeNetwork.SERVER + " " + NatPair.TELL)));
        }
    }

    @Test
    @Requirement(rfc = 5508, number = "3")
    void anErrorWithAWrongChecksumIsDropped() {
        try (Capture heard = first.capture("icmp")) {
            drops(Table.NAT_IN_CHECK, NOBODY_ASKED, 1,
                () -> error(pair.server(), EdgeNetwork.SERVER, PORT, 3, 3, "icmp"));
            assertThat(heard.all()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 5508, number = {"5a", "5b", "5c"})
    @Requirement(rfc = 7857, number = "7.1")
    void anErrorFromInsideGoesOutInTheNameOfThePublicAddressAndRefreshesNothing() {
        final int before = pair.node().timeout("udp", "sport=" + PORT);
        Await.until("it gets old", () -> pair.node().timeout("udp", "sport=" + PORT), left -> left < before - 1);
        try (Script heard = hear(pair.server())) {
            for (final Host sender : List.of(first, second)) {
                Script.run(sender, COMPLAINT, sender.address(), EdgeNetwork.SERVER, PORT, NatPair.TELL,
                    first.address());
            }
            Await.until("both arrive", heard::lines, lines -> lines.size() == 2);
            assertThat(heard.lines()).containsOnly(NatPair.PUBLIC + " " + EdgeNetwork.SERVER + " 3 3 "
                + EdgeNetwork.SERVER + " " + NatPair.TELL + " " + NatPair.PUBLIC + " " + PORT);
        }
        assertThat(pair.node().timeout("udp", "sport=" + PORT)).isLessThan(before);
    }

    @Test
    @Requirement(rfc = 5508, number = "5")
    void anErrorFromInsideAboutNothingIsDropped() {
        try (Capture uplink = pair.node().network().transit().capture("icmp")) {
            drops(Table.NAT_OUT_CHECK, "not translated", 1, () -> Script.run(first, COMPLAINT, first.address(),
                EdgeNetwork.SERVER, PORT + 1, NatPair.TELL, first.address()));
            assertThat(uplink.all()).isEmpty();
        }
    }

    @Test
    @Requirement(rfc = 5508, number = "6")
    void anErrorAboutAQueryNeitherRefreshesNorEndsIt() {
        answers(first, EdgeNetwork.SERVER, ECHO_ID);
        final int before = pair.node().timeout("icmp", "src=10.0.0.5");
        Await.until("it gets old", () -> pair.node().timeout("icmp", "src=10.0.0.5"), left -> left < before - 1);
        try (Capture heard = first.capture("icmp[icmptype] == icmp-unreach")) {
            Script.run(pair.server(), ABOUT_ECHO, EdgeNetwork.SERVER, NatPair.PUBLIC, ECHO_ID);
            Await.until("the error arrives", heard::frames, frames -> frames.size() == 1);
        }
        assertThat(pair.node().timeout("icmp", "src=10.0.0.5")).isLessThan(before);
        answers(first, EdgeNetwork.SERVER, ECHO_ID);
    }

    /** Source Quench is taken for an error like any other, an information request for a query. */
    @Test
    @Requirement(rfc = 5508, number = "10c")
    void whatIsObsoletePasses() {
        try (Script heard = hear(first); Script asked = hear(pair.server())) {
            error(pair.server(), EdgeNetwork.SERVER, PORT, 4, 0, "plain");
            Await.until("it arrives", heard::lines, lines -> lines.size() == 1);
            Script.run(first, MESSAGE, first.address(), EdgeNetwork.SERVER, 15);
            Await.until("it arrives", asked::lines, lines -> lines.equals(List.of(NatPair.PUBLIC + " "
                + EdgeNetwork.SERVER + " 15 0")));
        }
    }

    /** Router advertisement and solicitation, address mask request, and a type that was never given. */
    @ParameterizedTest
    @ValueSource(ints = {9, 10, 17, 99})
    @Requirement(rfc = 5508, number = {"10b", "11"})
    void whatIsNeitherQueryNorErrorIsDropped(final int kind) {
        try (Capture uplink = pair.node().network().transit().capture("icmp")) {
            drops(Table.NAT_OUT_CHECK, "not translated", 1,
                () -> Script.run(first, MESSAGE, first.address(), EdgeNetwork.SERVER, kind));
            assertThat(uplink.all()).isEmpty();
        }
    }

    /** A router on the way tells that the TTL is used up; the node itself has no controller here that would. */
    @Test
    @Requirement(rfc = 5508, number = "10a")
    void aUsedUpTtlIsToldByTheNextRouter() {
        try (Script heard = hear(first)) {
            drops(Table.GATEWAY, "TTL 1 is used up", 1, () -> first.shell().attempt("ping", "-n", "-c", "1", "-W", "1",
                "-t", "1", EdgeNetwork.SERVER));
            assertThat(heard.lines()).isEmpty();
            first.shell().attempt("ping", "-n", "-c", "1", "-W", "1", "-t", "2", EdgeNetwork.SERVER);
            Await.until("the error arrives", heard::lines, lines -> lines.stream().anyMatch(line -> line.startsWith(
                EdgeNetwork.TRANSIT + " 10.0.0.5 11 0 10.0.0.5")));
        }
    }

    /** As nobody is told who cannot be translated. */
    @Test
    @Requirement(rfc = 5508, number = "8")
    @Requirement(rfc = 6888, number = {"11a", "11b", "11c"})
    void whoGetsNoMappingHearsNothing() {
        final String zone = "zone=" + pair.node().connections("udp").get(0).replaceAll(".*zone=([0-9]+).*", "$1");
        // The agent of the node has the switch count the connections of each zone.
        final Matcher counted = Pattern.compile("count=([0-9]+)").matcher(
            pair.node().node().ovs().appctl("dpctl/ct-get-limits", zone));
        final int before = counted.find() ? Integer.parseInt(counted.group(1)) : 0;
        pair.node().node().ovs().appctl("dpctl/ct-set-limits", zone + ",limit=" + (before + 1));
        try (Capture heard = second.capture("icmp")) {
            Ask.udp(first, PORT + 2, NatPair.TELL);
            drops(Table.NAT_OUT_CHECK, "not translated", 1,
                () -> second.getsNoUdpAnswer(EdgeNetwork.SERVER, NatPair.TELL));
            assertThat(heard.all()).isEmpty();
        } finally {
            pair.node().node().ovs().appctl("dpctl/ct-del-limits", zone);
        }
    }
}
