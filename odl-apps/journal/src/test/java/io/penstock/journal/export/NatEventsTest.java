// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.journal.Assignment;
import io.penstock.journal.Change;
import io.penstock.pipeline.net.Prefix;
import io.penstock.testkit.ManualClock;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NatEventsTest {
    private static final Instant TIME = Instant.parse("2026-11-21T10:00:00.123Z");
    private static final Change BLOCK = new Change(TIME, true, new Assignment("r\"e]d\\", 7, Assignment.PORT_BLOCK,
        Optional.of(Prefix.parse("10.0.0.5/32")), Prefix.parse("198.51.100.4/32"),
        Optional.of(new Assignment.Blocks(64512, 1024)), Optional.empty()));
    private static final Change FORWARD = new Change(TIME, false, new Assignment("red", 2, Assignment.PORT_FORWARD,
        Optional.of(Prefix.parse("10.0.0.20/32")), Prefix.parse("203.0.113.1/32"), Optional.empty(),
        Optional.of(new Assignment.Forwarded(17, 53, 5353))));

    @Test
    void syslogMessages() {
        assertThat(new NatSyslog("edge").apply(List.of(BLOCK, FORWARD)).stream()
            .map(message -> StandardCharsets.UTF_8.decode(message).toString())).containsExactly(
                "<133>1 2026-11-21T10:00:00.123Z edge penstock - NAT [nat@32473 event=\"assigned\" kind=\"port-block\" "
                    + "tenant=\"r\\\"e\\]d\\\\\" vrf=\"7\" public=\"198.51.100.4/32\" inside=\"10.0.0.5/32\" "
                    + "first-port=\"64512\" block-size=\"1024\"]",
                "<133>1 2026-11-21T10:00:00.123Z edge penstock - NAT [nat@32473 event=\"released\" "
                    + "kind=\"port-forward\" tenant=\"red\" vrf=\"2\" public=\"203.0.113.1/32\" "
                    + "inside=\"10.0.0.20/32\" protocol=\"udp\" public-port=\"53\" inside-port=\"5353\"]");
    }

    @Test
    void anIpfixMessageWithItsTemplate() {
        final Ipfix ipfix = new Ipfix(new ManualClock(TIME));
        assertThat(ipfix.apply(List.of(FORWARD))).isEmpty();
        final List<ByteBuffer> messages = ipfix.apply(List.of(BLOCK, FORWARD));
        assertThat(messages).hasSize(1);
        assertThat(HexFormat.of().formatHex(messages.get(0).array())).isEqualTo(
            // Version, length, seconds, sequence, domain.
            "000a" + "0051" + "%08x".formatted(TIME.getEpochSecond()) + "00000000" + "00000000"
            // A template of seven elements.
            + "0002" + "0024" + "0100" + "0007" + "01430008" + "00e60001" + "00ea0004" + "00080004" + "00e10004"
            + "01690002" + "016a0002"
            // One record.
            + "0100" + "001d" + "%016x".formatted(TIME.toEpochMilli()) + "10" + "00000007" + "0a000005" + "c6336404"
            + "fc00" + "ffff");
    }

    @Test
    void manyRecordsAreSeveralMessages() {
        final Ipfix ipfix = new Ipfix(new ManualClock(TIME));
        final List<ByteBuffer> messages = ipfix.apply(Collections.nCopies(100, BLOCK));
        assertThat(messages.stream().map(message -> message.getInt(8))).containsExactly(0, 40, 80);
        assertThat(messages).allMatch(message -> message.limit() < 1280 && message.getShort(2) == message.limit());
        assertThat(ipfix.apply(List.of(BLOCK)).get(0).getInt(8)).isEqualTo(100);
    }

    @Test
    void datagramsArrive() throws IOException {
        try (DatagramSocket collector = new DatagramSocket(0, InetAddress.getLoopbackAddress());
             UdpExporter<Change> exporter = new UdpExporter<>(
                 UdpExporter.collector("127.0.0.1:" + collector.getLocalPort()),
                 new NatSyslog("edge"))) {
            collector.setSoTimeout(5000);
            exporter.accept(List.of(FORWARD, BLOCK));
            for (final String event : List.of("released", "assigned")) {
                final DatagramPacket packet = new DatagramPacket(new byte[2000], 2000);
                collector.receive(packet);
                assertThat(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8))
                    .contains("event=\"" + event + "\"");
            }
        }
    }

    @Test
    void aCollectorThatCannotBeFoundStopsNothing() {
        try (UdpExporter<Change> exporter = new UdpExporter<>(
                InetSocketAddress.createUnresolved("collector.invalid", 514),
                new NatSyslog("edge"))) {
            exporter.accept(List.of(FORWARD, BLOCK));
        }
    }

    @Test
    void aCollectorIsAnAddressAndAPort() {
        assertThat(UdpExporter.collector("192.0.2.9:4739")).isEqualTo(new InetSocketAddress("192.0.2.9", 4739));
        for (final String wrong : List.of("192.0.2.9", "192.0.2.9:", ":4739", "192.0.2.9:x")) {
            assertThatThrownBy(() -> UdpExporter.collector(wrong)).hasMessage("'" + wrong + "' is not ADDRESS:PORT");
        }
    }
}
