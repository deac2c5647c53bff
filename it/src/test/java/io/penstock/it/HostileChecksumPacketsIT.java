// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Shell;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A function that leaves the checksums of its packets to the switch (virtio), also of packets without a whole header of
 * their transport, which end Open vSwitch 4.0 when it sends them. A switch that has ended has no flows afterwards.
 */
@Tag("safety")
@Tag("hostile")
class HostileChecksumPacketsIT extends PairOnNode {
    private static final Path PEER = PacketNode.ROOT.resolve("service-chains/tests/hostile_peer.py");
    /** The VRF of the first tenant, by which the function tags. */
    private static final int VRF = 2;
    private static final int HEADERS = 20;

    /** Prints the sender and the content of a datagram, if the kernel finds its checksum right. */
    private static final String LISTEN = """
        import socket
        link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        link.bind(("", 9))
        print("ready", flush=True)
        content, peer = link.recvfrom(100)
        print(peer[0], content.decode())
        """;

    private Process peer;

    @BeforeEach
    void begin() {
        load(network());
    }

    private static Snapshot network() {
        return Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("evil", Networks.NODE, FailPolicy.CLOSED, true)), List.of("evil"),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.chained("second", 101, TenantPair.SECOND_PUBLIC));
    }

    private static void load(final Snapshot network) {
        node.load(network);
        pair.reachTheirGateways();
    }

    @AfterEach
    void end() {
        Shell.stop(peer);
    }

    /** Has the function send a frame out of its side to the tenants, and waits until the switch has taken it. */
    private void send(final String frame) {
        final Path log = node.run().directory().resolve("evil-" + System.nanoTime());
        final Path socket = node.node().vhostDirectory().resolve("evil-in.sock");
        Shell.PLAIN.run("rm", "-f", socket.toString());
        peer = Shell.PLAIN.start(log, "/usr/bin/python3", PEER.toString(), socket.toString(), "sends", frame);
        Await.until("the frame is sent", () -> Shell.printed(log).contains("sent"));
    }

    /** An IPv4 packet from a server to the first tenant's host, in a frame as functions have it. */
    private static String ipv4(final int protocol, final String payload) {
        final byte[] content = HexFormat.of().parseHex(payload);
        final ByteBuffer packet = ByteBuffer.allocate(HEADERS + content.length).put((byte) 0x45).put((byte) 0)
            .putShort((short) (HEADERS + content.length)).putInt(0).put((byte) 64).put((byte) protocol)
            .putShort((short) 0).put(new byte[] {(byte) 198, 18, 0, 10, 10, 0, 0, 5}).put(content);
        int sum = 0;
        for (int at = 0; at < HEADERS; at += Short.BYTES) {
            sum += packet.getShort(at) & 0xffff;
        }
        packet.putShort(10, (short) ~((sum & 0xffff) + (sum >> 16)));
        return frame("0800") + HexFormat.of().formatHex(packet.array());
    }

    private static String frame(final String type) {
        return "025053ff0001" + "025053ff0002" + "8100" + "%04x".formatted(VRF) + type;
    }

    @Test
    void aWholePacketArrivesWithItsChecksum() {
        final String data = HexFormat.of().formatHex("complete".getBytes(StandardCharsets.US_ASCII));
        try (Script host = new Script(node, pair.first(), LISTEN)) {
            send(ipv4(17, "0009" + "0009" + "0010" + "0000" + data));
            assertThat(host.end()).containsExactly(EdgeNetwork.SERVER + " complete");
        }
    }

    @ParameterizedTest
    @CsvSource({
        // Without a whole header; TCP also with a length of its header that is too short.
        "UDP, 17, 00090009", "TCP, 6, 0009000900000000000000001002006400000000", "SCTP, 132, 00090009"})
    void aPacketWithoutAWholeHeaderIsDroppedAndCounted(final String transport, final int protocol,
            final String payload) {
        isDropped("function sent a header of " + transport + " that is not whole, or port 0 to port 0",
            ipv4(protocol, payload));
    }

    /** A packet that is shown to the controller is sent, too. */
    @Test
    void soIsOneWhereDropsAreReported() {
        final Snapshot plain = network();
        final SortedMap<String, Node> nodes = new TreeMap<>(plain.nodes());
        nodes.replaceAll((name, each) -> new Node(name, each.vhostDirectory(), each.ports(), each.address(), true,
            each.ftpHelper()));
        load(new Snapshot(nodes, plain.backbone(), plain.pools(), plain.functions(), plain.chains(), plain.tenants(),
            plain.acls()));
        isDropped("function sent a header of UDP that is not whole, or port 0 to port 0", ipv4(17, "00090009"));
    }

    /** DPDK reads behind a second tag, and the switch does not. */
    @ParameterizedTest
    @ValueSource(strings = {"8100", "88a8"})
    void soIsOneBehindASecondTag(final String type) {
        final String whole = ipv4(17, "0009" + "0009" + "0008" + "0000");
        isDropped("function sent a second 802.1Q tag", whole.substring(0, 24) + type + "%04x".formatted(VRF)
            + "81000005" + whole.substring(32));
    }

    @Test
    void soIsOneOfIpv6() {
        // UDP of four octets.
        isDropped("function sent a header of UDP that is not whole, or port 0 to port 0",
            frame("86dd") + "60000000" + "0004" + "1140" + "20010db8000000000000000000000010"
            + "20010db8000600000000000000000005" + "00090009");
    }

    private void isDropped(final String label, final String frame) {
        final long before = node.packets(Table.CHAIN_RETURN, label);
        send(frame);
        Await.until("it is counted", () -> node.packets(Table.CHAIN_RETURN, label) - before, count -> count == 1);
    }
}
