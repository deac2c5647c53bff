// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.frames.Bytes;
import io.penstock.operations.DroppedPacket;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Node;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.registry.DropReport;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.InstalledFlow;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How a packet that was dropped is told, and of which flow. */
class DroppedPacketsTest {
    private static final String NODE = "edge1";
    private static final String DATAGRAM = "0200000000010200000000020800"
        + "45000021000000004011000a0a00000508080808" + "07d00035000d0000";
    private static final Node EDGE = new Node(NODE, "", List.of(
        new Node.Port("acc0", Node.Role.ACCESS, Node.PortType.SYSTEM, "")));

    private final LastDropped dropped = new LastDropped(
        InstantSource.fixed(Instant.parse("2026-01-02T03:04:05.6789Z")));
    private final PacketRouter router = new PacketRouter(dropped);
    private final Allocations allocations = Allocator.allocate(Snapshot.of(List.of(EDGE),
        new Backbone(List.of(), List.of()), List.of(), List.of(), List.of(), List.of(), List.of()), Allocations.none());
    private final int port = allocations.port(NODE, "acc0");

    private static FlowSpec flow(final int number) {
        return DropReport.of(new FlowSpec(Table.CLASSIFY, 10, List.of(FieldMatch.of(MatchField.IN_PORT, number)),
            List.of(), Optional.empty(), 0, 0));
    }

    private void send(final FlowSpec flow, final int inPort, final int vlan, final String frame) {
        final long register = (long) DropReport.number(flow.key()) << Register.DROP.range().low();
        router.onPacketIn(new PacketIn(new SwitchId(allocations.datapathId(NODE)), inPort, 0, Table.CLASSIFY.number(),
            Map.of(MatchField.REG12, register, MatchField.REG2, vlan == 0 ? 0 : Register.place(inPort, vlan)),
            Bytes.parseHex(frame).toArray()));
    }

    private Optional<DroppedPacket> of(final FlowSpec flow, final List<FlowSpec> flows) {
        return new DroppedPackets(dropped, allocations, NODE,
            flows.stream().map(each -> new InstalledFlow(each, 0, 0, 0)).toList()).of(flow);
    }

    @Test
    void aDatagramWithItsTagOff() {
        send(flow(1), port, 123, DATAGRAM);
        final DroppedPacket packet = of(flow(1), List.of(flow(1), flow(2))).orElseThrow();
        assertThat(packet.time()).isEqualTo("2026-01-02T03:04:05.678Z");
        assertThat(packet.text()).isEqualTo("port acc0, VLAN 123, MAC 02:00:00:00:00:02, 10.0.0.5:2000 to 8.8.8.8:53, "
            + "protocol 17");
        assertThat(of(flow(2), List.of(flow(1), flow(2)))).isEmpty();
    }

    @Test
    void aFrameWithItsTagOn() {
        send(flow(1), 4000, 0, "020000000001020000000002810000b688cc0000");
        assertThat(of(flow(1), List.of(flow(1))).orElseThrow().text()).isEqualTo(
            "port 4000, VLAN 182, MAC 02:00:00:00:00:02 to 02:00:00:00:00:01, EtherType 0x88cc");
    }

    @Test
    void flowsThatCannotBeToldApartHaveNone() {
        final List<FlowSpec> alike = new ArrayList<>();
        final Map<Integer, FlowSpec> byNumber = new HashMap<>();
        for (int number = 1; alike.isEmpty(); number++) {
            final FlowSpec other = byNumber.put(DropReport.number(flow(number).key()), flow(number));
            if (other != null) {
                alike.addAll(List.of(other, flow(number)));
            }
        }
        send(alike.get(0), port, 0, DATAGRAM);
        assertThat(of(alike.get(0), List.of(alike.get(0)))).isPresent();
        assertThat(of(alike.get(0), alike)).isEmpty();
        assertThat(of(alike.get(1), alike)).isEmpty();
    }

    @Test
    void aFlowWithoutReportsHasNone() {
        send(flow(1), port, 0, DATAGRAM);
        final FlowSpec silent = new FlowSpec(Table.CLASSIFY, 10, flow(1).matches(), List.of(), Optional.empty(), 0, 0);
        assertThat(of(silent, List.of(silent))).isEmpty();
    }
}
