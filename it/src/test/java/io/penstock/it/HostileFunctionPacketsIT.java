// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.HealthCheck;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.FunctionMeter;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A function that sends what it should not; a tenant beside it has another VRF and no chain. */
class HostileFunctionPacketsIT extends PairOnNode {
    private static final int VLAN = 102;
    private static final String PUBLIC = "203.0.113.13";
    private static final int FRAMES = 20_000;
    /** Sends UDP to port 9 of an address out of a device, with a tag, as fast as it can. */
    private static final String SEND = """
        import socket, struct, sys
        link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        link.bind((sys.argv[1], 0))
        frame = bytes.fromhex(sys.argv[2] + sys.argv[3]) + struct.pack("!HHH", 0x8100, int(sys.argv[4]), 0x800)
        header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28, 0, 0, 64, 17, 0, socket.inet_aton(sys.argv[5]),
                             socket.inet_aton(sys.argv[6]))
        words = struct.unpack("!10H", header)
        total = sum(words)
        check = ~((total & 0xffff) + (total >> 16)) & 0xffff
        frame += header[:10] + struct.pack("!H", check) + header[12:] + struct.pack("!HHHH", 9, 9, 8, 0)
        for _ in range(int(sys.argv[7])):
            try:
                link.send(frame)
            except OSError:
                pass
        """;

    private static Host beside;

    @BeforeAll
    static void start() {
        beside = node.network().host("acc0", VLAN, "10.0.0.5/24", TenantPair.GATEWAY);
        node.load(Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("fw", Networks.NODE, FailPolicy.CLOSED, true).with(new HealthCheck(200, 3, 5))),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.chained("second", 101, TenantPair.SECOND_PUBLIC), Networks.plain("third", VLAN, PUBLIC)));
        node.functions().start("fw", "packet-filter");
        pair.reachTheirGateways();
        beside.meets(TenantPair.GATEWAY);
    }

    /** Out of a side of the function, with a tag. */
    private static void send(final String device, final int tag, final String from, final String to) {
        node.functions().inside("fw").run(Duration.ofSeconds(60), "/usr/bin/python3", "-c", SEND, device,
            "025053ff0001", "025053ff0002", Integer.toString(tag), from, to, Integer.toString(FRAMES));
    }

    private static void nobodyIsHarmed() {
        beside.reaches(EdgeNetwork.SERVER);
        pair.areTranslated();
        pair.areIsolated();
    }

    @Test
    void aTagThatItDoesNotServeIsDroppedAndCounted() {
        // The third tenant has an id, but no chain.
        try (Capture there = beside.capture("udp port 9")) {
            for (final String side : List.of("inside", "outside")) {
                send(side, 4, EdgeNetwork.SERVER, "10.0.0.5");
            }
            Await.until("they are counted", () -> node.packets(Table.CHAIN_RETURN,
                "function sent an 802.1Q tag that it does not serve") > FRAMES / 100);
            assertThat(there.frames()).isEmpty();
        }
        nobodyIsHarmed();
    }

    @Test
    void aFloodInTheNameOfProbesIsLimited() {
        send("outside", Constants.PROBE_VLAN, "169.254.80.1", "169.254.80.2");
        final int port =
            Integer.parseInt(node.node().ovs().vsctl("get", "Interface", "fw-out", "ofport").strip());
        final String meter = node.node().ovs().ofctl("-O", "OpenFlow13", "meter-stats", Constants.BRIDGE,
            "meter=" + FunctionMeter.number(port));
        final Matcher counts =
            Pattern.compile("packet_in_count:(\\d+).*0:\\s*packet_count:(\\d+)", Pattern.DOTALL).matcher(meter);
        assertThat(counts.find()).as(meter).isTrue();
        assertThat(Integer.parseInt(counts.group(1))).as("came").isGreaterThan(FRAMES / 100);
        assertThat(Integer.parseInt(counts.group(2))).as("of them dropped")
            .isGreaterThan(Integer.parseInt(counts.group(1)) / 2);
        nobodyIsHarmed();
    }

    @Test
    void whatItForgesForATenantItServesStaysWithThatTenant() {
        try (Capture there = beside.capture("udp port 9"); Capture other = pair.second().capture("udp port 9")) {
            // As if it came from the world, to an address that all three tenants have: the tag decides.
            send("inside", 2, EdgeNetwork.SERVER, "10.0.0.5");
            assertThat(there.frames()).isEmpty();
            assertThat(other.frames()).isEmpty();
        }
        nobodyIsHarmed();
    }
}
