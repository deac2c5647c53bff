// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.icmp;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.penstock.configuration.Desired;
import io.penstock.frames.Bytes;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Icmp;
import io.penstock.frames.Ipv4Packet;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.Action;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
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

/** The tenant "rich" with gateways 10.1.0.1/16 and 10.2.0.1/24, and 172.16.0.0/12 behind 10.2.0.9. */
class RoutingErrorsTest {
    private static final String WORLD = "198.18.0.10";
    private static final int RICH = 2;

    private final long[] nanos = {0};
    private final List<Sent> sent = new ArrayList<>();
    private final Snapshot snapshot = Fixtures.network(Fixtures.rich());
    private final Desired desired = new Desired(1, snapshot, Allocator.allocate(snapshot, Allocations.none()));
    private final SwitchId node = new SwitchId(desired.allocations().datapathId("edge1"));

    private record Sent(SwitchId target, List<Action> actions, Ipv4Packet packet) { }

    private final RoutingErrors errors = new RoutingErrors(() -> desired, (target, actions, frame) -> sent.add(
        new Sent(target, actions, Ipv4Packet.parse(Ethernet.parse(Bytes.of(frame)).orElseThrow().payload())
            .orElseThrow())), new Ticker() {
                @Override
                public long read() {
                    return nanos[0];
                }
            });

    private void report(final ErrorKind kind, final int vrf, final boolean fromBackbone, final String source,
            final String destination) {
        final byte[] frame = new Ethernet(1, 2, Ethernet.TYPE_IPV4, new Ipv4Packet(Ipv4Packet.DONT_FRAGMENT, 1, 17,
            Ipv4.parse(source).number(), Ipv4.parse(destination).number(),
            Bytes.parseHex("01".repeat(1400))).bytes()).bytes()
            .part(0, Constants.ERROR_BYTES).toArray();
        errors.onPacketIn(new PacketIn(node, 1, 0, Table.ROUTING_ERROR.number(), Map.of(
            MatchField.REG0, vrf | (fromBackbone ? 1L << 24 : 0),
            MatchField.REG5, (long) kind.number() << Register.ERROR_KIND.range().low(),
            Register.ERROR_MTU.range().field(), 1400L << Register.ERROR_MTU.range().low()), frame));
    }

    private String router() {
        assertThat(sent).isNotEmpty();
        return new Ipv4(sent.get(sent.size() - 1).packet().source()).toString();
    }

    private long count(final Outcome outcome) {
        return errors.counts().get(outcome.text());
    }

    @Test
    void theErrorIsSentFromTheRouterInTheVrf() {
        report(ErrorKind.TOO_BIG, RICH, false, "10.1.0.5", WORLD);
        assertThat(sent).singleElement().satisfies(each -> {
            assertThat(each.target()).isEqualTo(node);
            assertThat(each.actions()).containsExactly(Register.VRF.load(RICH), new Action.Resubmit(Table.VRF_ROUTE));
            assertThat(new Ipv4(each.packet().source())).hasToString("10.1.0.1");
            assertThat(new Ipv4(each.packet().destination())).hasToString("10.1.0.5");
            final Icmp icmp = Icmp.parse(each.packet().payload()).orElseThrow();
            assertThat(icmp).satisfies(error -> {
                assertThat(error.type()).isEqualTo(Icmp.UNREACHABLE);
                assertThat(error.code()).isEqualTo(4);
                assertThat(error.rest()).isEqualTo(1400);
                assertThat(error.payload().length()).isEqualTo(548);
            });
        });
        assertThat(count(Outcome.SENT)).isEqualTo(1);
    }

    @Test
    void theRouterIsTheGatewayTowardsTheSender() {
        report(ErrorKind.TIME_EXCEEDED, RICH, false, "10.2.0.7", WORLD);
        assertThat(router()).isEqualTo("10.2.0.1");
        report(ErrorKind.TIME_EXCEEDED, RICH, false, "172.16.3.4", WORLD);
        assertThat(router()).isEqualTo("10.2.0.1");
        report(ErrorKind.TOO_BIG, RICH, true, WORLD, "10.2.0.7");
        assertThat(router()).isEqualTo("10.1.0.1");
        assertThat(sent).hasSize(3);
    }

    @Test
    void theBackboneTellsTheWorld() {
        report(ErrorKind.TIME_EXCEEDED, VrfId.BACKBONE.number(), false, WORLD, "203.0.113.1");
        assertThat(router()).isEqualTo("192.0.2.2");
        assertThat(sent.get(0).actions()).containsExactly(Register.VRF.load(1),
            new Action.Resubmit(Table.BACKBONE_ROUTE));
    }

    @Test
    void whoIsNobodyIsNotTold() {
        report(ErrorKind.TIME_EXCEEDED, RICH, false, WORLD, "10.1.0.5");
        assertThat(count(Outcome.NOT_INSIDE)).isEqualTo(1);
        for (final String nobody : List.of("10.2.0.0", "10.2.0.255", "10.1.0.1", "10.2.0.1", "0.0.0.0")) {
            report(ErrorKind.TIME_EXCEEDED, RICH, false, nobody, WORLD);
        }
        for (final String nobody : List.of("192.0.2.2", "192.0.2.255", "127.0.0.1")) {
            report(ErrorKind.TIME_EXCEEDED, VrfId.BACKBONE.number(), false, nobody, "203.0.113.1");
        }
        assertThat(count(Outcome.FROM_NOBODY)).isEqualTo(8);
        report(ErrorKind.TIME_EXCEEDED, RICH, false, "10.1.0.5", "10.2.0.255");
        assertThat(count(Outcome.TO_GROUP)).isEqualTo(1);
        report(ErrorKind.TIME_EXCEEDED, 77, false, "10.1.0.5", WORLD);
        assertThat(count(Outcome.NO_ROUTER)).isEqualTo(1);
        assertThat(sent).isEmpty();
    }

    @Test
    void unknownKindsAreNotAnswered() {
        errors.onPacketIn(new PacketIn(node, 1, 0, Table.ROUTING_ERROR.number(), Map.of(), new byte[60]));
        assertThat(count(Outcome.MALFORMED)).isEqualTo(1);
        assertThat(sent).isEmpty();
    }

    @Test
    void oneSenderGetsSomeAndThenFew() {
        for (int count = 0; count < 100; count++) {
            report(ErrorKind.TIME_EXCEEDED, RICH, false, "10.1.0.5", WORLD);
        }
        assertThat(sent).hasSize(SenderLimit.BURST);
        assertThat(count(Outcome.TOO_MANY)).isEqualTo(100 - SenderLimit.BURST);
        report(ErrorKind.TIME_EXCEEDED, RICH, false, "10.1.0.6", WORLD);
        assertThat(sent).hasSize(SenderLimit.BURST + 1);
        nanos[0] += 1_000_000_000L;
        for (int count = 0; count < 100; count++) {
            report(ErrorKind.TIME_EXCEEDED, RICH, false, "10.1.0.5", WORLD);
        }
        assertThat(sent).hasSize(SenderLimit.BURST + 1 + SenderLimit.RATE);
        nanos[0] += 3_600_000_000_000L;
        for (int count = 0; count < 100; count++) {
            report(ErrorKind.TIME_EXCEEDED, RICH, false, "10.1.0.5", WORLD);
        }
        assertThat(sent).hasSize(2 * SenderLimit.BURST + 1 + SenderLimit.RATE);
    }
}
