// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Datagrams in pieces, in any order and size, too many of them, and packets that would have to be cut. */
@Tag("hostile")
class NatFragmentsPacketsIT extends NatPairCase {
    private static final int ECHO = 7;
    private static final int ROOM = 5000;
    private static final int OTHERS_VLAN = 101;
    private static final String OTHERS_PUBLIC = TenantPair.SECOND_PUBLIC;
    private static final int SMALL_MTU = 1400;
    private static final String MTU = "/sys/class/net/" + EdgeNetwork.UPLINK + "/mtu";
    /** Sends a datagram of 4000 bytes in pieces of some size, in one of some orders; prints how much came back. */
    private static final String PIECES = Icmp.PACKETS + """
        import os
        server, port, size, order = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
        listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        listener.bind(("", 30011))
        listener.settimeout(60)
        payload = os.urandom(4000)
        datagram = ports(30011, port, struct.pack("!2H", 8 + len(payload), 0)) + payload
        pieces = [(at, datagram[at:at + size]) for at in range(0, len(datagram), size)]
        if order == "backwards":
            pieces.reverse()
        if order == "first last":
            pieces.append(pieces.pop(0))
        for at, piece in pieces:
            more = 0x2000 if at + len(piece) < len(datagram) else 0
            send(ip("10.0.0.5", server, 17, piece, ident=os.getpid() & 0xffff, offset=more | at // 8))
        try:
            print(len(payload) if listener.recv(65535) == payload else 0)
        except TimeoutError:
            print("silence")
        """;
    /** Begins many datagrams and ends none. */
    private static final String BEGINNINGS = Icmp.PACKETS + """
        for number in range(6000):
            datagram = ports(30011, 9, struct.pack("!2H", 3008, 0)) + bytes(1392)
            send(ip("10.0.0.5", sys.argv[1], 17, datagram, ident=number, offset=0x2000))
            time.sleep(0.0005)
        """;

    /** Sends a datagram in two pieces that has a certain identification. */
    private static final String IDENTIFIED = Icmp.PACKETS + """
        datagram = ports(30016, 9, struct.pack("!2H", 1608, 0)) + bytes(1600)
        send(ip(sys.argv[1], sys.argv[2], 17, datagram[:1400], ident=4711, offset=0x2000))
        send(ip(sys.argv[1], sys.argv[2], 17, datagram[1400:], ident=4711, offset=1400 // 8))
        """;

    @BeforeAll
    static void serve() {
        pair.server().serveUdp(ECHO, "PIPE");
    }

    /** A link with an MTU of 576 makes pieces of 552 bytes. */
    @ParameterizedTest
    @CsvSource({"1400, backwards", "1400, first last", "552, forwards", "552, backwards", "552, first last"})
    @Requirement(rfc = 4787, number = "14")
    void piecesMayComeInAnyOrder(final int size, final String order) {
        assertThat(Script.run(first, PIECES, EdgeNetwork.SERVER, ECHO, size, order)).isEqualTo("4000");
    }

    /** So pieces of two hosts can be taken for those of one packet. */
    @Test
    @Requirement(rfc = 7857, number = "10")
    void identificationsStayWhatTheyAre() {
        try (Capture uplink = pair.node().network().transit().capture("udp and ip[4:2] == 4711")) {
            for (final Host host : List.of(first, second)) {
                Script.run(host, IDENTIFIED, host.address(), EdgeNetwork.SERVER);
            }
            Await.until("all have left", uplink::frames, frames -> frames.size() == 4);
            assertThat(uplink.all()).hasSize(4).allMatch(frame -> frame.contains(NatPair.PUBLIC));
        }
    }

    private static boolean pings(final Host host, final int size, final String fragment) {
        return host.shell().attempt("ping", "-n", "-c", "1", "-W", "1", "-M", fragment, "-s", Integer.toString(size),
            EdgeNetwork.SERVER).isGood();
    }

    @Test
    @Tag("deep")
    @Tag("flood")
    @Requirement(rfc = 4787, number = "14a")
    void aFloodOfPiecesHarmsPiecesOfItsTenantAlone() {
        pair.node().load(Networks.of(NatPair.translated(), Networks.plain("other", OTHERS_VLAN, OTHERS_PUBLIC)));
        final Host other = pair.node().network().host("acc0", OTHERS_VLAN, first.address() + "/24", NatPair.GATEWAY);
        Stream.of(first, second, other).forEach(host -> host.meets(NatPair.GATEWAY));
        Await.until("pieces of the other tenant pass", () -> pings(other, 3000, "dont"));
        Script.run(first, BEGINNINGS, EdgeNetwork.SERVER);
        assertThat(pieces()).isBetween(TenantMeter.FRAGMENTS.rate(), ROOM - ROOM / 5);
        for (int number = 0; number < 10; number++) {
            assertThat(pings(other, 3000, "dont")).as("ping %d of the other tenant", number).isTrue();
        }
        assertThat(pings(second, 64, "dont")).as("a whole packet of the tenant").isTrue();
        assertThat(Ask.udp(second, 30015, NatPair.TELL)).containsExactly(Ask.seen(30015));
        Await.until("pieces of the tenant pass again", Duration.ofMinutes(2), () -> pings(second, 3000, "dont"));
    }

    @Test
    void piecesOfBothFamiliesMayBeShort() {
        assertThat(status()).contains("min v4 frag size: 400", "min v6 frag size: 400");
    }

    private static String status() {
        return pair.node().node().ovs().appctl("dpctl/ipf-get-status");
    }

    private static int pieces() {
        return Integer.parseInt(status().replaceAll("(?s).*num frag: ([0-9]+).*", "$1"));
    }

    @Test
    @Requirement(rfc = 4787, number = "13a")
    void whatIsTooBigForADeviceThatNobodyToldUsOfIsDroppedInSilence() {
        final String before = pair.node().network().nodeSpace().shell().run("cat", MTU);
        setMtu(Integer.toString(SMALL_MTU));
        try (Capture heard = first.capture("icmp[icmptype] == icmp-unreach");
                Capture uplink = pair.node().network().transit().capture("icmp")) {
            assertThat(pings(first, SMALL_MTU, "do")).isFalse();
            assertThat(pings(first, SMALL_MTU, "dont")).isFalse();
            assertThat(heard.all()).isEmpty();
            assertThat(uplink.all()).isEmpty();
            Await.until("one that fits passes", () -> pings(first, SMALL_MTU - 28, "do"));
        } finally {
            setMtu(before);
        }
    }

    private static void setMtu(final String bytes) {
        pair.node().network().nodeSpace().shell().run("ip", "link", "set", EdgeNetwork.UPLINK, "mtu", bytes);
    }
}
