// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.icmp;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.penstock.configuration.Desired;
import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ethernet;
import io.penstock.frames.IcmpError;
import io.penstock.frames.Ipv6Packet;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.registry.ErrorKind;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.SwitchId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** IPv6: the tenant "dual" with gateways 2001:db8:1::1 and 2001:db8:2::1, and 2001:db8:1000::/36 behind the latter. */
class RoutingErrors6Test {
    private static final String WORLD = "2001:db8:77::7";
    private static final int DUAL = 2;
    private static final int MTU = 1400;

    private final List<Ipv6Packet> sent = new ArrayList<>();
    private final Snapshot snapshot = DualStack.network(DualStack.tenant());
    private final Desired desired = new Desired(1, snapshot, Allocator.allocate(snapshot, Allocations.none()));
    private final SwitchId node = new SwitchId(desired.allocations().datapathId("edge1"));
    private final RoutingErrors errors = new RoutingErrors(() -> desired, (target, actions, frame) -> {
        final Ethernet ethernet = Ethernet.parse(Bytes.of(frame)).orElseThrow();
        assertThat(ethernet.etherType()).isEqualTo(Ethernet.TYPE_IPV6);
        sent.add(Ipv6Packet.parse(ethernet.payload()).orElseThrow());
    }, Ticker.systemTicker());

    private void report(final ErrorKind kind, final int vrf, final boolean fromBackbone, final String source) {
        final byte[] frame = new Ethernet(1, 2, Ethernet.TYPE_IPV6, new Ipv6Packet(Ipv6Packet.PROTOCOL_UDP,
            bytes(source), bytes(WORLD), Bytes.parseHex("01".repeat(1400))).bytes()).bytes().toArray();
        errors.onPacketIn(new PacketIn(node, 1, 0, Table.ROUTING_ERROR.number(), Map.of(
            MatchField.REG0, vrf | (fromBackbone ? 1L << 24 : 0),
            MatchField.REG5, (long) kind.number() << Register.ERROR_KIND.range().low(),
            Register.ERROR_MTU.range().field(), (long) MTU << Register.ERROR_MTU.range().low()), frame));
    }

    @Test
    void theSenderIsToldByTheGatewayTowardsIt() {
        report(ErrorKind.TOO_BIG, DUAL, false, "2001:db8:2::5");
        assertThat(sent).singleElement().satisfies(packet -> {
            assertThat(packet.source()).isEqualTo(bytes("2001:db8:2::1"));
            assertThat(packet.destination()).isEqualTo(bytes("2001:db8:2::5"));
            assertThat(packet.payload().u8(0)).isEqualTo(IcmpError.V6_TOO_BIG);
            assertThat(packet.payload().u32(4)).isEqualTo(MTU);
        });
        report(ErrorKind.TIME_EXCEEDED, DUAL, false, "2001:db8:1000::5");
        report(ErrorKind.NO_ROUTE, DUAL, true, WORLD);
        report(ErrorKind.TIME_EXCEEDED, VrfId.BACKBONE.number(), false, WORLD);
        assertThat(sent.stream().skip(1).map(Ipv6Packet::source)).containsExactly(bytes("2001:db8:1::1"),
            bytes("2001:db8:1::1"), bytes("2001:db8:ffff::2"));
    }

    @Test
    void whoIsNobodyIsNotTold() {
        report(ErrorKind.TIME_EXCEEDED, DUAL, false, "fe80::5");
        report(ErrorKind.TIME_EXCEEDED, DUAL, false, "2001:db8:1::1");
        report(ErrorKind.TIME_EXCEEDED, VrfId.BACKBONE.number(), false, "2001:db8:ffff::2");
        report(ErrorKind.TIME_EXCEEDED, DUAL, false, WORLD);
        report(ErrorKind.TIME_EXCEEDED, 77, false, "2001:db8:1::5");
        assertThat(sent).isEmpty();
        assertThat(errors.counts()).containsEntry(Outcome.FROM_NOBODY.text(), 3L)
            .containsEntry(Outcome.NOT_INSIDE.text(), 1L).containsEntry(Outcome.NO_ROUTER.text(), 1L);
    }

    private static Bytes bytes(final String address) {
        final Ipv6 parsed = Ipv6.parse(address);
        return new BytesWriter().u32(parsed.high() >>> Integer.SIZE).u32(parsed.high())
            .u32(parsed.low() >>> Integer.SIZE).u32(parsed.low()).bytes();
    }
}
