// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.packets.link.Fate;
import io.penstock.packets.subscriber.BlockRequests.Request;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BlockRequestsTest {
    private static final long REGISTERS = 2L << 30 | 1L << 27 | 7;
    private static final SwitchId NODE = new SwitchId(1);

    private final AtomicInteger marks = new AtomicInteger();
    private final BlockRequests requests = new BlockRequests(marks::incrementAndGet);

    private static PacketIn packet(final Table table, final long registers, final int etherType, final int length) {
        final byte[] frame = new byte[length];
        frame[12] = (byte) (etherType >> 8);
        frame[13] = (byte) etherType;
        if (length >= 30) {
            frame[26] = (byte) 200;
            frame[29] = 5;
        }
        return new PacketIn(NODE, 1, 0, table.number(), Map.of(MatchField.REG0, registers), frame);
    }

    @Test
    void theFirstBlockAndOthers() {
        requests.onPacketIn(packet(Table.NAT_TRANSLATE, REGISTERS, 0x0800, 64));
        requests.onPacketIn(packet(Table.NAT_OUT_CHECK, REGISTERS, 0x0800, 64));
        requests.onPacketIn(packet(Table.NAT_OUT_CHECK, REGISTERS, 0x0800, 64));
        assertThat(marks).hasValue(2);
        final Request first = new Request(NODE, new VrfId(7), Ipv4.parse("200.0.0.5"), 0);
        final Request other = new Request(NODE, new VrfId(7), Ipv4.parse("200.0.0.5"), 3);
        assertThat(requests.pending()).containsExactlyInAnyOrder(first, other);
        requests.answered(Set.of(first));
        assertThat(requests.pending()).containsExactly(other);
    }

    @Test
    void aNodeThatFloodsTakesNoRoomFromOthers() {
        for (int vrf = 1; vrf <= BlockRequests.MOST_OF_A_NODE; vrf++) {
            assertThat(requests.onPacketIn(packet(Table.NAT_TRANSLATE, vrf, 0x0800, 64))).isEqualTo(Fate.TAKEN);
        }
        final PacketIn more = packet(Table.NAT_TRANSLATE, BlockRequests.MOST_OF_A_NODE + 1L, 0x0800, 64);
        assertThat(requests.onPacketIn(more)).isEqualTo(Fate.IGNORED);
        assertThat(requests.onPacketIn(new PacketIn(new SwitchId(2), 1, 0, more.table(), more.fields(),
            more.frame()))).isEqualTo(Fate.TAKEN);
    }

    @Test
    void aTenantThatFloodsTakesNoRoomFromOthers() {
        for (int subscriber = 0; subscriber < BlockRequests.MOST_OF_A_TENANT; subscriber++) {
            assertThat(requests.onPacketIn(from(7, subscriber))).isEqualTo(Fate.TAKEN);
        }
        assertThat(requests.onPacketIn(from(7, BlockRequests.MOST_OF_A_TENANT))).isEqualTo(Fate.IGNORED);
        assertThat(requests.onPacketIn(from(8, 1))).isEqualTo(Fate.TAKEN);
        requests.answered(Set.of(new Request(NODE, new VrfId(7), Ipv4.UNSPECIFIED, 0)));
        assertThat(requests.onPacketIn(from(7, BlockRequests.MOST_OF_A_TENANT))).isEqualTo(Fate.TAKEN);
    }

    private static PacketIn from(final int vrf, final int subscriber) {
        final PacketIn packet = packet(Table.NAT_TRANSLATE, vrf, 0x0800, 64);
        ByteBuffer.wrap(packet.frame()).putInt(26, subscriber);
        return packet;
    }

    @Test
    void whatAsksForNothing() {
        requests.onPacketIn(packet(Table.NAT_TRANSLATE, REGISTERS, 0x0806, 64));
        requests.onPacketIn(packet(Table.NAT_TRANSLATE, REGISTERS, 0x0800, 33));
        assertThat(marks).hasValue(0);
        assertThat(requests.pending()).isEmpty();
    }
}
