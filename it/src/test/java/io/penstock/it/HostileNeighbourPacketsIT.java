// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A host of a tenant that floods and forges, beside the traffic of a neighbour with the same addresses. It is behind
 * another access port: what two customers lose on one cable is not the node's to prevent.
 */
@Tag("safety")
@Tag("deep")
@Tag("flood")
@Tag("hostile")
class HostileNeighbourPacketsIT extends PairOnNode {
    private static final int VLAN = 103;
    private static final String PUBLIC = "203.0.113.14";
    private static final int FRAMES = 20_000;
    private static final String UNUSED = "192.0.2.78";
    private static final String FORGED = "02:66";
    /** Sends frames of a kind, as fast as it can, from ever other MAC addresses that begin with 02:66. */
    private static final String FLOOD = """
        import random, socket, struct, sys
        link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        link.bind((sys.argv[1], 0))
        chance = random.Random(826)
        every, gateway = b"\\xff" * 6, bytes.fromhex("025053000001")
        ip = socket.inet_aton
        def ipv4(source, target, payload):
            header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 0, 0, 64, 17, 0, source, target)
            total = sum(struct.unpack("!10H", header))
            total = (total & 0xffff) + (total >> 16)
            return b"\\x08\\x00" + header[:10] + struct.pack("!H", ~total & 0xffff) + header[12:] + payload
        def udp(source, target, payload):
            return struct.pack("!HHHH", source, target, 8 + len(payload), 0) + payload
        def icmpv6(target, kind, body):
            source = bytes.fromhex("fe80000000000000") + chance.randbytes(8)
            text = struct.pack("!BBH", kind, 0, 0) + body
            data = source + target + struct.pack("!II", len(text), 58) + text
            total = sum(struct.unpack(f"!{len(data) // 2}H", data))
            total = (total & 0xffff) + (total >> 16)
            check = ~((total & 0xffff) + (total >> 16)) & 0xffff
            return (b"\\x86\\xdd" + struct.pack("!IHBB", 6 << 28, len(text), 58, 255) + source + target + text[:2]
                    + struct.pack("!H", check) + text[4:])
        routers = bytes.fromhex("ff020000000000000000000000000002")
        for _ in range(int(sys.argv[3])):
            mac = b"\\x02\\x66" + chance.randbytes(4)
            inside = bytes([10, 0, 0, chance.randrange(256)])
            frame = {
                "arp": lambda: every + mac + struct.pack("!HHHBBH", 0x806, 1, 0x800, 6, 4, chance.choice((1, 2))) + mac
                    + chance.choice((inside, ip("10.0.0.1"), ip("10.0.0.5"))) + gateway + ip("10.0.0.1"),
                "nd": lambda: chance.choice((bytes.fromhex("333300000002"), gateway)) + mac + icmpv6(routers,
                    chance.choice((133, 134, 135, 136, 137)),
                    b"\\0" * 4 + bytes.fromhex("20010db8010300000000000000000001") + b"\\1\\1" + mac),
                "dhcp": lambda: every + mac + ipv4(bytes(4), b"\\xff" * 4, udp(68, 67, struct.pack(
                    "!BBBBI20s16s192s4s4s", 1, 1, 6, 0, chance.getrandbits(32), b"", mac, b"", b"\\x63\\x82\\x53\\x63",
                    b"\\x35\\1\\1\\xff"))),
                "spoof": lambda: gateway + mac + ipv4(
                    chance.choice((ip("198.18.0.10"), ip("203.0.113.11"), ip("8.8.8.8"))),
                    chance.choice((ip("203.0.113.11"), ip("203.0.113.12"), ip("10.0.0.5"))), udp(9, 9, b"forged")),
                "transit": lambda: gateway + mac + ipv4(ip("10.0.0.5"), ip("192.0.2.77"), udp(9, 9, b"forged")),
                "mac": lambda: mac + mac[:2] + chance.randbytes(4) + ipv4(inside, ip("10.0.0.5"), udp(9, 9, b"forged")),
            }[sys.argv[2]]()
            try:
                link.send(frame.ljust(60, b"\\0"))
            except OSError:
                pass
        """;

    private static Host hostile;

    @BeforeAll
    static void start() {
        hostile = node.network().host("acc1", VLAN, "10.0.0.5/24", TenantPair.GATEWAY);
        Bystander.serve(node.network());
        node.load(Networks.of(Networks.plain("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.plain("second", 101, TenantPair.SECOND_PUBLIC), hostileTenant()));
        pair.reachTheirGateways();
        hostile.meets(TenantPair.GATEWAY);
    }

    /** With all services whose packets a host may flood the controller with. */
    private static Tenant hostileTenant() {
        return Networks.plain("hostile", "acc1", VLAN, PUBLIC)
            .with(new Services(Optional.of(new Dhcp(0, List.of(new Dhcp.Subnet(Prefix.parse("10.0.0.0/24"),
                List.of(new Range(Ipv4.parse("10.0.0.100"), Ipv4.parse("10.0.0.199"))), List.of(), List.of(), 3600,
                Dhcp.Options.NONE)))), Optional.empty()))
            .with(DualStack.side("2001:db8:103::/64"));
    }

    /** Addresses of the transit network are next hops of their own: the controller is to ask for each. */
    @Test
    void whoFloodsTheTransitNetworkUsesUpItsOwnShareOfTheController() {
        final long asked = node.metered("first", TenantMeter.NEIGHBOUR);
        final long lost = node.dropped("first", TenantMeter.NEIGHBOUR);
        Await.until("the flood meets the limit of its tenant", () -> {
            hostile.shell().run(Duration.ofSeconds(60), "/usr/bin/python3", "-c", FLOOD, Host.DEVICE, "transit",
                Integer.toString(FRAMES));
            pair.first().doesNotReach(UNUSED);
            return node.dropped("hostile", TenantMeter.NEIGHBOUR);
        }, count -> count > FRAMES / 100);
        assertThat(node.metered("first", TenantMeter.NEIGHBOUR)).as("what the neighbour asks for")
            .isGreaterThan(asked);
        assertThat(node.dropped("first", TenantMeter.NEIGHBOUR)).as("of that, lost").isEqualTo(lost);
    }

    @ParameterizedTest
    @CsvSource({
        "arp, ACCESS_LEARN, ARP claims the gateway of lan",
        "nd, L2_FORWARD, no other attachment in the broadcast domain",
        "dhcp, DHCP_REQUEST, to the DHCP server",
        "transit, NEIGHBOUR_FOUND, request the address of the next hop",
        "spoof, ACCESS_GUARD, source address is not the sender's",
        "mac, L2_FORWARD, no other attachment in the broadcast domain"})
    void aFloodHarmsNoNeighbour(final String kind, final Table table, final String label) {
        final long before = node.packets(table, label);
        final long droppedBefore = node.dropped("first", TenantMeter.NEIGHBOUR);
        // Datagrams to port 9 are forged, whatever their MAC addresses are then.
        final String filter = "ether[6:2] == 0x0266 or udp port 9";
        try (Bystander bystander = new Bystander(node, pair.first()); Capture here = pair.first().capture(filter);
                Capture other = pair.second().capture(filter);
                Capture uplink = node.network().transit().capture(filter);
                Capture sent = hostile.capture(filter)) {
            // A switch without a core takes few frames of a flood: the socket of its port holds some 250.
            Await.until("the flood is counted by: " + label, () -> {
                hostile.shell().run(Duration.ofSeconds(60), "/usr/bin/python3", "-c", FLOOD, Host.DEVICE, kind,
                    Integer.toString(FRAMES));
                return node.packets(table, label) - before;
            }, count -> count > FRAMES / 100);
            assertThat(sent.all()).as("the filter fits what is sent").hasSizeGreaterThan(FRAMES / 100)
                .anyMatch(frame -> frame.contains(FORGED));
            bystander.wasNotHarmed();
            assertThat(here.all()).as("frames at the neighbour").isEmpty();
            assertThat(other.all()).as("frames at another neighbour").isEmpty();
            assertThat(uplink.all()).as("frames that left").isEmpty();
        }
        assertThat(node.dropped("first", TenantMeter.NEIGHBOUR)).as("of the neighbour's").isEqualTo(droppedBefore);
        pair.areTranslated();
        pair.areIsolated();
        // Of the host itself nothing is lost for longer than the flood: what it claimed took no neighbour's place.
        hostile.meets(TenantPair.GATEWAY);
    }
}
