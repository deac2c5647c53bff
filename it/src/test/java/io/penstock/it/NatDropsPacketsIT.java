// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.Host;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets to and from addresses and ports that are nobody's: they are dropped where they come in, once, by name. */
@Tag("safety")
class NatDropsPacketsIT extends NatPairCase {
    private static final String UNUSED = "203.0.113.200";
    private static final int MANY = 5;
    /** Sends a datagram to each of some ports. */
    private static final String KNOCK = Icmp.PACKETS + """
        for port in range(5):
            send(ip(sys.argv[1], sys.argv[2], 17, ports(40000, 2000 + port, b"\\0\\x08\\0\\0")))
        """;

    private static List<Long> before;

    @BeforeEach
    void countFirst() {
        before = count();
    }

    /** Packets that met flows since the test began: those to unused addresses, to unused ports, and from nobody. */
    private static List<Long> drops() {
        final List<Long> now = count();
        return List.of(now.get(0) - before.get(0), now.get(1) - before.get(1), now.get(2) - before.get(2));
    }

    private static List<Long> count() {
        return List.of(pair.node().packets(Table.BACKBONE_IN, "public address of pool public is not in use here"),
            pair.node().packets(Table.NAT_IN_CHECK, "from the backbone, unsolicited"),
            pair.node().packets(Table.ACCESS_GUARD, "source address is not the sender's"));
    }

    private static void dropped(final long toAddress, final long toPort, final long fromNobody) {
        final List<Long> all = List.of(toAddress, toPort, fromNobody);
        Await.until("the drops are counted", NatDropsPacketsIT::drops, all::equals);
    }

    @ParameterizedTest
    @ValueSource(strings = {UNUSED, NatPair.PUBLIC})
    void whatTheWorldSendsToNobodyIsDroppedOnce(final String address) {
        final Host transit = pair.node().network().transit();
        try (Capture back = transit.capture("src host " + address); Capture asked = transit.capture("udp");
                Capture inside = pair.first().capture("udp")) {
            Script.run(pair.server(), KNOCK, pair.server().address(), address);
            Await.until("all have passed the router", asked::frames, frames -> frames.size() == MANY);
            dropped(address.equals(UNUSED) ? MANY : 0, address.equals(UNUSED) ? 0 : MANY, 0);
            // Neither sent back to the router, which would send it here again, nor answered, nor let in.
            assertThat(asked.all()).hasSize(MANY);
            assertThat(back.all()).isEmpty();
            assertThat(inside.all()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {UNUSED, NatPair.PUBLIC})
    void whatAHostSendsToNobodyIsDroppedOnceAndDoesNotLeave(final String address) {
        final long turned = pair.node().packets(Table.BACKBONE_ROUTE, "hairpin, pool public");
        try (Capture uplink = pair.node().network().transit().capture("udp");
                Capture inside = pair.second().capture("udp")) {
            Script.run(pair.first(), KNOCK, pair.first().address(), address);
            dropped(address.equals(UNUSED) ? MANY : 0, address.equals(UNUSED) ? 0 : MANY, 0);
            assertThat(pair.node().packets(Table.BACKBONE_ROUTE, "hairpin, pool public") - turned).isEqualTo(MANY);
            assertThat(uplink.all()).isEmpty();
            assertThat(inside.all()).isEmpty();
        }
    }

    @Test
    void whoClaimsAnAddressOfNobodyIsNotHeard() {
        try (Capture uplink = pair.node().network().transit().capture("udp")) {
            for (final String address : List.of("10.99.0.5", "8.8.8.8", UNUSED)) {
                Script.run(pair.first(), KNOCK, address, pair.server().address());
            }
            dropped(0, 0, 3 * MANY);
            assertThat(uplink.all()).isEmpty();
        }
    }
}
