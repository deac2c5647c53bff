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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A function that sends what it should not; a tenant beside it has another VRF and no chain. It is behind another
 * access port than the tenants that the function may send to: a cable that is full is full for all behind it.
 */
@Tag("safety")
@Tag("deep")
@Tag("flood")
@Tag("hostile")
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

    /** Sends frames of random bytes, most of them with a random tag, as fast as it can. */
    private static final String GARBAGE = """
        import random, socket, sys
        link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        link.bind((sys.argv[1], 0))
        chance = random.Random(4095)
        for _ in range(int(sys.argv[2])):
            tag = b"\\x81\\x00" + chance.randbytes(2) if chance.random() < 0.8 else b""
            kind = chance.choice((b"\\x08\\x00", b"\\x08\\x06", b"\\x86\\xdd", chance.randbytes(2)))
            try:
                link.send(chance.choice((b"\\xff" * 6, bytes.fromhex("025053ff0001"), chance.randbytes(6)))
                          + bytes.fromhex("025053ff0077") + tag + kind + chance.randbytes(chance.randint(40, 400)))
            except OSError:
                pass
        """;
    private static final String UNSERVED = "function sent an 802.1Q tag that it does not serve";

    private static Host beside;

    @BeforeAll
    static void start() {
        beside = node.network().host("acc1", VLAN, "10.0.0.5/24", TenantPair.GATEWAY);
        node.load(Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("fw", Networks.NODE, FailPolicy.CLOSED, true).with(new HealthCheck(200, 3, 5))),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.chained("second", 101, TenantPair.SECOND_PUBLIC), Networks.plain("third", "acc1", VLAN, PUBLIC)));
        node.functions().start("fw", "packet-filter");
        Bystander.serve(node.network());
        pair.reachTheirGateways();
        beside.meets(TenantPair.GATEWAY);
    }

    /** Out of a side of the function, with a tag. */
    private static void send(final String device, final int tag, final String from, final String to) {
        send(device, tag, from, to, "025053ff0002");
    }

    private static void send(final String device, final int tag, final String from, final String to,
            final String mac) {
        node.functions().inside("fw").run(Duration.ofSeconds(60), "/usr/bin/python3", "-c", SEND, device,
            "025053ff0001", mac, Integer.toString(tag), from, to, Integer.toString(FRAMES));
    }

    /** The traffic of the third tenant went on without a loss, and so does that of the others. */
    private static void othersAreNotHarmed(final Bystander bystander) {
        bystander.wasNotHarmed();
        beside.reaches(EdgeNetwork.SERVER);
        pair.areTranslated();
        pair.areIsolated();
    }

    @Test
    void aTagThatItDoesNotServeIsDroppedAndCounted() {
        // The third tenant has an id, but no chain.
        try (Bystander bystander = new Bystander(node, beside); Capture there = beside.capture("udp port 9")) {
            for (final String side : List.of("inside", "outside")) {
                send(side, 4, EdgeNetwork.SERVER, "10.0.0.5");
            }
            Await.until("they are counted", () -> node.packets(Table.CHAIN_RETURN,
                UNSERVED) > FRAMES / 100);
            assertThat(there.all()).isEmpty();
            othersAreNotHarmed(bystander);
        }
    }

    @Test
    void aFloodInTheNameOfProbesIsLimited() {
        final Bystander bystander = new Bystander(node, beside);
        try (bystander) {
            send("outside", Constants.PROBE_VLAN, "169.254.80.1", "169.254.80.2");
            othersAreNotHarmed(bystander);
        }
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
    }

    @Test
    void whatItForgesForATenantItServesStaysWithThatTenant() {
        try (Bystander bystander = new Bystander(node, beside); Capture there = beside.capture("udp port 9");
                Capture other = pair.second().capture("udp port 9"); Capture own = pair.first().capture("udp port 9")) {
            // As if it came from outside, to an address that all three tenants have: the tag decides.
            send("inside", 2, EdgeNetwork.SERVER, "10.0.0.5");
            Await.until("the tenant of the tag gets it", own::frames, frames -> !frames.isEmpty());
            assertThat(there.all()).isEmpty();
            assertThat(other.all()).isEmpty();
            othersAreNotHarmed(bystander);
        }
    }

    /** As a switch would see it that has other MAC addresses behind it than before, or none that can be. */
    @ParameterizedTest
    @ValueSource(strings = {"025053000001", "ffffffffffff", "010000000001", "000000000000"})
    void sourceAddressesThatItForgesMisleadNothing(final String mac) {
        try (Bystander bystander = new Bystander(node, beside); Capture there = beside.capture("udp port 9")) {
            send("inside", 2, EdgeNetwork.SERVER, "10.0.0.5", mac);
            assertThat(there.all()).isEmpty();
            othersAreNotHarmed(bystander);
        }
    }

    @Test
    void garbageIsDropped() {
        try (Bystander bystander = new Bystander(node, beside);
                Capture there = beside.capture("not (udp port 9007 or tcp port 9008 or arp)")) {
            final long before = node.packets(Table.CHAIN_RETURN, UNSERVED);
            for (final String side : List.of("inside", "outside")) {
                node.functions().inside("fw").run(Duration.ofSeconds(60), "/usr/bin/python3", "-c", GARBAGE, side,
                    Integer.toString(FRAMES));
            }
            Await.until("it is counted", () -> node.packets(Table.CHAIN_RETURN, UNSERVED) - before > FRAMES / 100);
            assertThat(there.all()).isEmpty();
            othersAreNotHarmed(bystander);
        }
    }
}
