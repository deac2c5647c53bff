// SPDX-License-Identifier: Apache-2.0
package io.penstock.journal.export;

import static io.penstock.journal.export.SampleChanges.BLOCK;
import static io.penstock.journal.export.SampleChanges.FORWARD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.journal.Change;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class SyslogTest {
    @Test
    void messagesOfTheJournal() {
        assertThat(new NatSyslog("edge").apply(List.of(BLOCK, FORWARD)).stream()
            .map(message -> StandardCharsets.UTF_8.decode(message.bytes()).toString())).containsExactly(
                "<133>1 2026-11-21T10:00:00.123Z edge penstock - NAT [nat@32473 event=\"assigned\" kind=\"port-block\" "
                    + "tenant=\"r\\\"e\\]d\\\\\" vrf=\"7\" public=\"198.51.100.4/32\" inside=\"10.0.0.5/32\" "
                    + "first-port=\"64512\" block-size=\"1024\"]",
                "<133>1 2026-11-21T10:00:00.123Z edge penstock - NAT [nat@32473 event=\"released\" "
                    + "kind=\"port-forward\" tenant=\"red\" vrf=\"2\" public=\"203.0.113.1/32\" "
                    + "inside=\"10.0.0.20/32\" protocol=\"udp\" public-port=\"53\" inside-port=\"5353\"]");
    }

    @Test
    void datagramsArriveAndAreCounted() throws IOException {
        try (DatagramSocket collector = new DatagramSocket(0, InetAddress.getLoopbackAddress());
             UdpExporter<Change> exporter = new UdpExporter<>(
                 Collector.parse("127.0.0.1:" + collector.getLocalPort()), new NatSyslog("edge"))) {
            collector.setSoTimeout(5000);
            exporter.accept(List.of(FORWARD, BLOCK));
            for (final String event : List.of("released", "assigned")) {
                final DatagramPacket packet = new DatagramPacket(new byte[2000], 2000);
                collector.receive(packet);
                assertThat(new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8))
                    .contains("event=\"" + event + "\"");
            }
            assertThat(exporter.sent()).isEqualTo(2);
            assertThat(exporter.lost()).isZero();
        }
    }

    @Test
    void aCollectorThatCannotBeFoundStopsNothing() {
        try (UdpExporter<Change> exporter = new UdpExporter<>(
                new Collector(false, InetSocketAddress.createUnresolved("collector.invalid", 514)),
                new NatSyslog("edge"))) {
            exporter.accept(List.of(FORWARD, BLOCK));
            assertThat(exporter.sent()).isZero();
            assertThat(exporter.lost()).isEqualTo(2);
        }
    }

    @Test
    void aCollectorIsAnAddressAndAPort() {
        assertThat(Collector.parse("192.0.2.9:4739"))
            .isEqualTo(new Collector(false, new InetSocketAddress("192.0.2.9", 4739)))
            .isEqualTo(Collector.parse("udp:192.0.2.9:4739"));
        assertThat(Collector.parse("tcp:192.0.2.9:4739")).hasToString("tcp:192.0.2.9:4739")
            .matches(Collector::isStream);
        for (final String wrong : List.of("192.0.2.9", "192.0.2.9:", ":4739", "192.0.2.9:x", "192.0.2.9:65536",
                "tcp::4739")) {
            assertThatThrownBy(() -> Collector.parse(wrong)).hasMessage("'" + wrong + "' is not ADDRESS:PORT");
        }
    }
}
