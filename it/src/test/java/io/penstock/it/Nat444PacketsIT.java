// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A customer translates on its own, as home routers do, and we translate it once more. */
class Nat444PacketsIT {
    private static final int ECHO = 7;
    private static final String ECHO_ID = "77";
    /** Neither the customer's addresses nor ours inside may be on the uplink. */
    private static final String PRIVATE = TenantPair.PRIVATE + " or net 192.168.0.0/16";
    private static final String MASQUERADE = """
        table ip home {
            chain out {
                type nat hook postrouting priority srcnat;
                oifname "eth0" masquerade
            }
        }""";

    private static NatPair pair;
    private static Host desk;
    private static Host sofa;

    @BeforeAll
    static void start() {
        pair = new NatPair();
        final Host router = pair.first().router();
        desk = pair.node().network().behind(router, "192.168.1.2/24", "192.168.1.1");
        sofa = pair.node().network().behind(router, "192.168.2.2/24", "192.168.2.1");
        router.shell().run("nft", MASQUERADE);
        pair.server().serveUdp(ECHO, "PIPE");
    }

    @AfterAll
    static void stop() {
        pair.close();
    }

    @BeforeEach
    void load() {
        pair.load(NatPair.translated());
    }

    @Test
    void answersFindTheHostBehindTheCustomersRouter() {
        try (Capture uplink = pair.node().network().transit().capture(PRIVATE)) {
            for (final Host host : List.of(desk, sofa)) {
                assertThat(Ask.udp(host, 30060, NatPair.TELL)).allMatch(seen -> seen.startsWith(NatPair.PUBLIC + " "));
                assertThat(Ask.tcp(host, 30060, NatPair.TELL)).allMatch(seen -> seen.startsWith(NatPair.PUBLIC + " "));
                host.reaches(EdgeNetwork.SERVER);
                assertThat(Datagrams.echoed(host, EdgeNetwork.SERVER, ECHO, 5, 4000, "0.02")).isEqualTo("5");
            }
            // The customer's router tells them apart, and so do we: the host beside it has the same port.
            assertThat(Ask.udp(pair.second(), 30060, NatPair.TELL)).doesNotContain(Ask.seen(30060));
            assertThat(uplink.all()).isEmpty();
        }
    }

    @Test
    void bothPingWithOneIdentifier() {
        // The customer's router gives the second one another identifier.
        for (final Host host : List.of(desk, sofa)) {
            host.shell().run("ping", "-n", "-c", "3", "-i", "0.2", "-W", "60", "-e", ECHO_ID, EdgeNetwork.SERVER);
        }
    }

    @Test
    void errorsFindTheHostBehindTheCustomersRouter() {
        try (Capture heard = desk.capture("icmp[icmptype] == icmp-unreach")) {
            desk.getsNoUdpAnswer(EdgeNetwork.SERVER, NatPair.CLOSED);
            Await.until("the error arrives", heard::frames, frames -> !frames.isEmpty());
            assertThat(heard.frames().get(0)).contains(EdgeNetwork.SERVER + " > 192.168.1.2");
        }
    }
}
