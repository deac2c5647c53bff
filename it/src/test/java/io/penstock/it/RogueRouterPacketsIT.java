// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.Datapath;
import io.penstock.testkit.Host;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A host of a tenant without IPv6 that says it is a router or a DHCPv6 server. Kernels of the other hosts have IPv6
 * unless told otherwise. What hides behind extension headers (RFC 7113), or is a fragment all by itself (RFC 6946), is
 * what it is.
 */
@Tag("safety")
@Tag("hostile")
class RogueRouterPacketsIT {
    private static final String GATEWAY = "10.1.0.1";
    private static final String ROGUE = "fe80::bad";
    private static final int OF_EACH = 3;
    /** Sends frames of a kind to all nodes, and then an echo request, which no guard minds. */
    private static final String SEND = """
        import socket, struct, sys
        link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        link.bind((sys.argv[1], 0))
        mac = link.getsockname()[4]
        source = bytes.fromhex("fe800000000000000000000000000bad")
        nodes = bytes.fromhex("ff020000000000000000000000000001")
        prefix = bytes.fromhex("20010db8000000000000000000000000")
        def checked(protocol, text, at):
            data = source + nodes + struct.pack("!II", len(text), protocol) + text
            total = sum(struct.unpack(f"!{len(data) // 2}H", data))
            total = (total & 0xffff) + (total >> 16)
            check = ~((total & 0xffff) + (total >> 16)) & 0xffff
            return text[:at] + struct.pack("!H", check) + text[at + 2:]
        def icmp(kind, body):
            return checked(58, struct.pack("!BBH", kind, 0, 0) + body, 2)
        def send(first, payload):
            link.send(bytes.fromhex("333300000001") + mac + b"\\x86\\xdd" + struct.pack("!IHBB", 6 << 28, len(payload),
                first, 255) + source + nodes + payload)
        def options(following):
            return bytes([following, 0, 1, 4, 0, 0, 0, 0])
        def piece(following, offset, more):
            return struct.pack("!BBHI", following, 0, offset | more, 77)
        router = icmp(134, struct.pack("!BBHII", 64, 0, 1800, 0, 0) + struct.pack("!BBBBIII", 3, 4, 64, 0xc0, 9000,
            9000, 0) + prefix)
        routing = bytes([58, 0, 0, 0, 0, 0, 0, 0])
        signed = bytes([58, 4]) + bytes(22)
        frames = {
            "plain": [(58, router)],
            "redirect": [(58, icmp(137, bytes(4) + source + prefix))],
            "hop-by-hop": [(0, options(58) + router)],
            "destination": [(60, options(58) + router)],
            "routing": [(43, routing + router)],
            "authentication": [(51, signed + router)],
            "stacked": [(0, options(60) + options(43) + routing + router)],
            "atomic": [(44, piece(58, 0, 0) + router)],
            "pieces": [(44, piece(60, 0, 1) + options(58)), (44, piece(60, 8, 0) + router)],
            "dhcp": [(17, checked(17, struct.pack("!HHHH", 547, 546, 12, 0) + b"\\2\\0\\0\\1", 6))],
        }
        for _ in range(int(sys.argv[3])):
            for frame in frames.get(sys.argv[2], []):
                send(*frame)
        send(58, icmp(128, struct.pack("!HH", 9, 9)))
        """;

    private static PacketNode node;
    private static Host left;
    private static Host right;

    @BeforeAll
    static void start() {
        node = new PacketNode();
        left = node.network().host("acc0", 300, "10.1.0.5/16", GATEWAY);
        right = node.network().host("acc1", 301, "10.1.0.6/16", GATEWAY);
        node.load(Networks.of(Networks.campus("203.0.113.21")));
        left.meets(GATEWAY);
        right.meets(GATEWAY);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @ParameterizedTest
    @CsvSource({"plain, router advertisement, 1", "redirect, redirect, 1", "hop-by-hop, router advertisement, 1",
        "destination, router advertisement, 1", "routing, router advertisement, 1",
        "authentication, router advertisement, 1", "stacked, router advertisement, 1",
        "atomic, router advertisement, 1", "pieces, fragment from a link-local address, 2",
        "dhcp, DHCPv6 answer, 1"})
    void itReachesNoOtherHost(final String kind, final String what, final int frames) {
        final String label = what + " of a host on a";
        final long before = count(label);
        send(kind);
        assertThat(count(label) - before).isEqualTo((long) frames * OF_EACH);
    }

    @Test
    void theRestOfItsIpv6IsBridged() {
        send("nothing but the echo request");
    }

    /** The echo request, which comes last, is all that arrives. */
    private static void send(final String kind) {
        try (Capture arrives = right.capture("ip6 and src " + ROGUE)) {
            Script.run(left, SEND, Host.DEVICE, kind, OF_EACH);
            Await.until("the echo request arrives", arrives::frames, seen -> !seen.isEmpty());
            assertThat(arrives.all()).singleElement().asString().contains("echo request");
        }
    }

    private static long count(final String label) {
        // The switch adds up what cached flows have counted when they go.
        new Datapath(node.node().ovs()).purge();
        return node.packets(Table.L2_FORWARD, label);
    }
}
