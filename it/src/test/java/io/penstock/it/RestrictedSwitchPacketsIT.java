// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node on the machine's own Open vSwitch, which has faults that its profile accepts: no fragment is kept for
 * reassembly there, so none can leave with packets of others, or end the switch.
 */
@Tag("deep")
@Tag("restricted")
class RestrictedSwitchPacketsIT {
    static final String PROFILE = """
        switch-root: /
        accepted-switch-faults: [fragments-reach-others, fragments-end-switch, ftp-ends-switch]
        """;
    private static final int ECHO = 7;
    private static final int VLAN = 200;
    /** Sends datagrams in two fragments. */
    private static final String FRAGMENTS = Icmp.PACKETS + """
        for number in range(int(sys.argv[3])):
            datagram = ports(30011, 7, struct.pack("!2H", 1608, 0)) + bytes(1600)
            send(ip(sys.argv[1], sys.argv[2], 17, datagram[:1400], ident=number + 1, offset=0x2000))
            send(ip(sys.argv[1], sys.argv[2], 17, datagram[1400:], ident=number + 1, offset=1400 // 8))
        """;
    private static final int DATAGRAMS = 20;

    private static PacketNode node;
    private static Host first;
    private static Host second;

    @BeforeAll
    static void start() {
        node = new PacketNode(PROFILE);
        first = node.network().host("acc0", NatPair.VLAN, "10.0.0.5/24", NatPair.GATEWAY);
        second = node.network().host("acc1", VLAN, "10.0.0.5/24", NatPair.GATEWAY);
        node.load(Networks.of(NatPair.translated(), Networks.plain("other", "acc1", VLAN, TenantPair.SECOND_PUBLIC)));
        node.network().server().serveUdp(ECHO, "PIPE");
        List.of(first, second).forEach(host -> host.meets(NatPair.GATEWAY));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static void accepted(final int fragments) {
        assertThat(node.node().ovs().appctl("dpctl/ipf-get-status")).contains("v4 enabled: 0", "v6 enabled: 0",
            "v4 frags accepted: " + fragments, "v6 frags accepted: " + fragments);
    }

    @Test
    void fragmentsAreDroppedAndCounted() {
        final long before = node.packets(Table.NAT_OUT_CHECK, "not translated");
        try (Capture uplink = node.network().transit().capture("udp port 7 or ip[6:2] & 0x1fff != 0");
                Capture other = second.capture("ip")) {
            Script.run(first, FRAGMENTS, first.address(), EdgeNetwork.SERVER, DATAGRAMS);
            Await.until("all are counted", () -> node.packets(Table.NAT_OUT_CHECK, "not translated") - before,
                count -> count == 2L * DATAGRAMS);
            assertThat(uplink.all()).isEmpty();
            assertThat(other.all()).isEmpty();
        }
        accepted(0);
    }

    @Test
    void wholePacketsPass() {
        assertThat(Ask.udp(second, 30015, ECHO)).isNotEmpty();
        accepted(0);
    }
}
