// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A tenant that wants more than its share. */
@Tag("hostile")
class LimitsPacketsIT {
    private static final String PUBLIC = NatPair.PUBLIC;
    private static final String OTHERS_PUBLIC = "203.0.113.12";
    private static final String OWN = "198.51.100.10";
    private static final String GATEWAY = NatPair.GATEWAY;
    private static final int VLAN = NatPair.VLAN;
    private static final int OTHERS_VLAN = 101;
    private static final int ECHO = 7;
    private static final int SINK = 9;
    private static final long KBPS = 2000;
    private static final int SECONDS = 4;
    private static final int NEW_SESSIONS = 20;
    private static final int CALLS = 300;
    /** Sends datagrams of 1000 bytes for some seconds, five times as fast as the limit. */
    private static final String BLAST = """
        import socket, sys, time
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 40000))
        end = time.monotonic() + float(sys.argv[3])
        begun, sent = time.monotonic(), 0
        while (now := time.monotonic()) < end:
            while sent < (now - begun) * 1250:
                link.sendto(bytes(958), (sys.argv[1], int(sys.argv[2])))
                sent += 1
            time.sleep(0.002)
        print(sent)
        """;
    /** Counts datagrams until none comes any more; prints how many there were. */
    private static final String COUNT = """
        import socket, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        link.bind(("", int(sys.argv[1])))
        print("ready", flush=True)
        count = 0
        link.settimeout(20)
        try:
            while True:
                link.recv(2000)
                count += 1
                link.settimeout(2)
        except TimeoutError:
            pass
        print(count, flush=True)
        """;

    /** Asks by ARP for one address after the other, as fast as it can; prints for how many seconds. */
    private static final String STORM = """
        import socket, struct, sys, time
        link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        link.bind((sys.argv[1], 0))
        mac = link.getsockname()[4]
        begun = time.monotonic()
        for number in range(int(sys.argv[2])):
            link.send(b"\\xff" * 6 + mac + struct.pack("!HHHBBH", 0x806, 1, 0x800, 6, 4, 1) + mac
                      + socket.inet_aton("10.0.0.5") + bytes(6) + struct.pack("!I", 0x0b000000 + number))
        print(time.monotonic() - begun)
        """;
    private static final int STORM_FRAMES = 30_000;
    /** See TenantMeter.SLOW_PATH. */
    private static final int SLOW_PATH = 500;

    /** Pings as fast as it can; prints how many answers come. */
    private static final String PINGS = """
        import socket, struct, sys
        link = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        for number in range(int(sys.argv[2])):
            number &= 0xffff
            check = 0x0800 + number
            link.sendto(struct.pack("!BBHHH", 8, 0, ~((check & 0xffff) + (check >> 16)) & 0xffff, 0, number),
                        (sys.argv[1], 0))
        link.settimeout(2)
        answers = 0
        try:
            while True:
                answers += link.recv(100)[20] == 0
        except TimeoutError:
            print(answers)
        """;

    /** Sends to one address after the other of its own subnet, or to ever other MAC addresses, not too fast. */
    private static final String ADDRESSES = """
        import socket, struct, sys, time
        link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        link.bind((sys.argv[1], 0))
        mac = link.getsockname()[4]
        for number in range(int(sys.argv[3])):
            to = bytes.fromhex("025053000001") if sys.argv[2] == "subnet" else struct.pack("!HI", 0x0200, number)
            address = struct.pack("!I", 0x0a000000 + (20 + number if sys.argv[2] == "subnet" else 20))
            header = struct.pack("!BBHHHBBH", 0x45, 0, 28, 0, 0x4000, 64, 17, 0) + socket.inet_aton("10.0.0.5")
            link.send(to + mac + b"\\x08\\0" + header + address + struct.pack("!HHHH", 9, 9, 8, 0))
            time.sleep(0.002)
        """;
    private static final int ADDRESSES_SENT = 200;

    private static PacketNode node;
    private static Host client;
    private static Host own;
    private static Host third;
    private static Host other;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        final EdgeNetwork network = node.network();
        network.transit().route("198.51.100.0/24", Networks.BACKBONE_ADDRESS);
        client = network.host("acc0", VLAN, "10.0.0.5/24", GATEWAY);
        own = network.host("acc0", VLAN, "10.0.0.10/24", GATEWAY);
        third = network.host("acc0", VLAN, "10.0.0.6/24", GATEWAY);
        other = network.host("acc0", OTHERS_VLAN, "10.0.0.5/24", GATEWAY);
        Datagrams.echo(network.server(), ECHO);
        Datagrams.echo(client, ECHO);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Host server() {
        return node.network().server();
    }

    private static void load(final Optional<Integer> newSessions, final Optional<Long> kbps,
            final Optional<Integer> learnedHosts) {
        node.load(Networks.of(NatPair.published(
                List.of(new Tenant.OneToOne(Prefix.parse("10.0.0.10/32"), Prefix.parse(OWN + "/32"))),
                new Tenant.PortForward("sink", 17, SINK, Ipv4.parse("10.0.0.5"), SINK),
                new Tenant.PortForward("echo", 17, ECHO, Ipv4.parse("10.0.0.5"), ECHO))
            .with(new Protection(Optional.empty(), false, new Quota(Optional.empty(), newSessions, kbps, kbps,
                Optional.empty(), Optional.empty(), Optional.empty(), learnedHosts))),
            Networks.plain("other", OTHERS_VLAN, OTHERS_PUBLIC)));
        node.node().ovs().appctl("dpctl/flush-conntrack");
    }

    @Test
    @Tag("deep")
    @Tag("flood")
    void bandwidthIsHeldInEachDirection() {
        load(Optional.empty(), Optional.of(KBPS), Optional.empty());
        List.of(client, own, other).forEach(host -> host.meets(GATEWAY));
        isHeld(client, server(), EdgeNetwork.SERVER);
        isHeld(own, server(), EdgeNetwork.SERVER);
        isHeld(server(), client, PUBLIC);
        isHeld(server(), own, OWN);
    }

    /** Frames of 1000 bytes; a bucket for 200 ms, and scheduling, are what it may differ by. */
    private static void isHeld(final Host from, final Host to, final String address) {
        try (Script count = new Script(node, to, COUNT, SINK)) {
            final int sent = Integer.parseInt(Script.run(from, BLAST, address, SINK, SECONDS).strip());
            final double kilobits = Integer.parseInt(count.end().get(0)) * 8.0;
            assertThat(sent * 8.0).as("what was sent").isGreaterThan(2.0 * KBPS * SECONDS);
            assertThat(kilobits).as("from %s to %s", from, address).isBetween(0.7 * KBPS * SECONDS,
                1.3 * KBPS * SECONDS);
        }
    }

    @Test
    @Tag("deep")
    @Tag("flood")
    void connectionsThatBeginAreLimitedAndNoOthers() {
        load(Optional.of(NEW_SESSIONS), Optional.empty(), Optional.empty());
        List.of(client, own, other).forEach(host -> host.meets(GATEWAY));
        assertThat(Datagrams.echoed(client, EdgeNetwork.SERVER, ECHO, 40, 64, "0.01")).isEqualTo("40");
        final int begun = Datagrams.answeredSoon(client, EdgeNetwork.SERVER, ECHO, CALLS);
        // Two seconds' worth at once, and what comes while they are made.
        assertThat(begun).isBetween(NEW_SESSIONS, CALLS / 2);
        assertThat(node.connections("udp", "src=10.0.0.5")).hasSizeLessThanOrEqualTo(begun + 1);
        // What is known is not limited, and nobody else is.
        assertThat(Datagrams.echoed(client, EdgeNetwork.SERVER, ECHO, 40, 64, "0.01")).isEqualTo("40");
        assertThat(Datagrams.answered(other, EdgeNetwork.SERVER, ECHO, CALLS)).isEqualTo(CALLS);
        // Nor does it matter who begins.
        assertThat(Datagrams.answeredSoon(server(), PUBLIC, ECHO, CALLS)).isBetween(1, CALLS / 2);
    }

    @Test
    @Tag("deep")
    @Tag("flood")
    void aStormIsOneCachedFlow() {
        load(Optional.empty(), Optional.empty(), Optional.empty());
        List.of(client, other).forEach(host -> host.meets(GATEWAY));
        final double seconds = Double.parseDouble(Script.run(client, STORM, Host.DEVICE, STORM_FRAMES).strip());
        final List<String> cached = node.node().ovs().appctl("dpctl/dump-flows").lines()
            .filter(flow -> flow.contains("eth_type(0x0806)")).toList();
        assertThat(cached).filteredOn(flow -> flow.contains("recirc_id(0)") && flow.contains("vid=" + VLAN))
            .singleElement().asString().contains("meter(", "recirc(").doesNotContain("arp(");
        // What the meter lets pass: two seconds' worth at once, and what comes while they are sent.
        assertThat(cached).hasSizeBetween(2, (int) (SLOW_PATH * (seconds + 3))).hasSizeLessThan(STORM_FRAMES / 2);
        other.meets(GATEWAY);
        other.reaches(EdgeNetwork.SERVER);
    }

    /** A limit (docs/limits.md): nothing is looked at before these, so each is an upcall. */
    @ParameterizedTest
    @Tag("deep")
    @Tag("flood")
    @ValueSource(strings = {"subnet", "mac"})
    void eachAddressIsACachedFlowOfItsOwn(final String kind) {
        load(Optional.empty(), Optional.empty(), Optional.empty());
        client.meets(GATEWAY);
        Script.run(client, ADDRESSES, Host.DEVICE, kind, ADDRESSES_SENT);
        assertThat(node.node().ovs().appctl("dpctl/dump-flows").lines()
            .filter(flow -> flow.contains("recirc_id(0)") && flow.contains("vid=" + VLAN)))
            .hasSizeGreaterThan(ADDRESSES_SENT / 2);
    }

    @Test
    @Tag("deep")
    @Tag("flood")
    void pingsOfGatewaysAreLimited() {
        load(Optional.empty(), Optional.empty(), Optional.empty());
        List.of(client, other).forEach(host -> host.meets(GATEWAY));
        assertThat(Integer.parseInt(Script.run(client, PINGS, GATEWAY, STORM_FRAMES).strip()))
            .isBetween(1, STORM_FRAMES / 4);
        other.meets(GATEWAY);
    }

    @Test
    void learnedHostsAreLimitedAndKeptAlive() {
        load(Optional.empty(), Optional.empty(), Optional.of(2));
        client.meets(GATEWAY);
        own.meets(GATEWAY);
        third.meets(GATEWAY);
        other.meets(GATEWAY);
        third.doesNotReach(EdgeNetwork.SERVER);
        // At the limit those that are known are renewed.
        for (int again = 0; again < 3; again++) {
            client.meets(GATEWAY);
            client.reaches(EdgeNetwork.SERVER);
            own.meets(GATEWAY);
            own.reaches(EdgeNetwork.SERVER);
        }
        other.reaches(EdgeNetwork.SERVER);
    }
}
