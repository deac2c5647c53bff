// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.plan.Chained;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.stage.ChainTrace;
import io.penstock.pipeline.stage.ChainTrace.Hop;
import io.penstock.pipeline.stage.ChainTrace.Reason;
import io.penstock.pipeline.stage.NodeView;
import io.penstock.testkit.Packet;
import io.penstock.testkit.Trace;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a trace says of connections is what a switch does with their packets, leg by leg. */
class ChainTraceIT {
    private static final int PACKETS = 60;
    private static final int PASSES = 12;
    private static final int VLAN = 300;
    /** Of the oldest switch that a node may have (MAX_RECIRC_DEPTH, lib/dpif-netdev.c, 3.1). */
    private static final int MOST_RECIRCULATIONS = 6;
    private static final String[] DESTINATIONS = {"198.18.0.10", "192.0.2.25", "198.18.7.7"};
    private static final String[] PROTOCOLS = {"tcp", "tcp", "tcp", "udp", "icmp"};
    private static final int[] SERVICES = {22, 25, 79, 80, 81, 82, 123, 443, 65535};

    /** Networks with a tenant {@code rich}, and instances that do not work. */
    enum Network {
        RULED(Chained.ruled()), RULED_TAP_DOWN(Chained.ruled(), "tap"), RULED_FIREWALL_DOWN(Chained.ruled(), "fw"),
        MIRRORED(Chained.mirrored()), SPREAD(Chained.spread()), SPREAD_ONE_DOWN(Chained.spread(), "fw2"),
        SPREAD_TWICE(spreadTwice()), ROUTED(Chained.routed()),
        LONGEST(Chained.longest()), LONGEST_ONE_WORKS(Chained.longest(), allBut("f7b")),
        BRANCHED(Chained.branched()), BRANCHED_SCRUB_DOWN(Chained.branched(), "scrub");

        private final NodeView view;

        Network(final Snapshot snapshot, final String... down) {
            view = Fixtures.view(open(snapshot), Set.of(down));
        }

        /** All instances of {@link Chained#longest} but one. */
        private static String[] allBut(final String working) {
            return Chained.longest().functions().values().stream().flatMap(each -> each.instances().stream())
                .map(NetworkFunction.Instance::name).filter(name -> !name.equals(working)).toArray(String[]::new);
        }

        /** Both functions spread, and rules by which packets come to them in either order. */
        private static Snapshot spreadTwice() {
            final Snapshot ruled = Chained.ruled();
            final List<NetworkFunction> functions = new ArrayList<>();
            ruled.functions().values().forEach(function -> functions.add(function.spread(
                new Instance(function.name() + "1", State.IN_SERVICE, 1),
                new Instance(function.name() + "2", State.IN_SERVICE, 2))));
            return ruled.withFunctions(functions);
        }

        /** What connection tracking knows of a connection at random: perhaps that it is in the branch. */
        private BigInteger label(final Random random) {
            return view.snapshot().chains().get("secure").branch().isEmpty() || random.nextBoolean() ? BigInteger.ZERO
                : BigInteger.valueOf(view.port("fw-alt")).shiftLeft(
                    16 * view.allocations().tenants().get("rich").places().get("fw"));
        }

        /** Without the access list of the tenant, which a trace does not look at. */
        private static Snapshot open(final Snapshot snapshot) {
            final Tenant rich = snapshot.tenants().get("rich");
            return snapshot.with(new Tenant(rich.name(), rich.attachments(), rich.subnets(), rich.routes(), rich.nat(),
                Optional.empty(), rich.chain(), rich.services(), rich.protection(), rich.ipv6(), rich.chainRules()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theSwitchDoesWhatTheTraceSays(final Network network) {
        final NodeView view = network.view;
        final Random random = new Random(network.ordinal());
        try (TracedNode node = new TracedNode(Fixtures.plan(view.snapshot(), view.down()))) {
            for (int count = 0; count < PACKETS; count++) {
                final FiveTuple packet = packet(random);
                final BigInteger kept = network.label(random);
                final ChainTrace trace =
                    ChainTrace.of(view, view.snapshot().tenants().get("rich"), packet, Optional.of(kept));
                final Walk there = new Walk(node, view, packet, true, kept);
                there.follow(Packet.in("acc0", VLAN).toGateway(), TracedNode.NEW, trace.outbound(), 0);
                new Walk(node, view, packet.answer(), false, there.label)
                    .follow(null, TracedNode.REPLY, trace.inbound(), 1);
            }
        }
    }

    private static FiveTuple packet(final Random random) {
        final String protocol = PROTOCOLS[random.nextInt(PROTOCOLS.length)];
        final boolean ping = protocol.equals("icmp");
        return FiveTuple.parse("10.1.0." + (2 + random.nextInt(100)), DESTINATIONS[random.nextInt(DESTINATIONS.length)],
            protocol, ping ? 0 : random.nextInt(0x10000), ping ? 0 : SERVICES[random.nextInt(SERVICES.length)]);
    }

    /** One direction of a connection. */
    private static final class Walk {
        private final TracedNode node;
        private final NodeView view;
        private final FiveTuple packet;
        private final boolean out;
        private BigInteger label;

        Walk(final TracedNode node, final NodeView view, final FiveTuple packet, final boolean out,
                final BigInteger... label) {
            this.node = node;
            this.view = view;
            this.packet = packet;
            this.out = out;
            this.label = label.length == 0 ? BigInteger.ZERO : label[0];
        }

        /** From a place, or from behind the first of the functions that are not to be checked, to the end. */
        void follow(final Packet begin, final String state, final ChainTrace.Way way, final int unchecked) {
            Packet next = begin;
            int passed = 0;
            final List<String> copies = new ArrayList<>();
            for (final Hop hop : way.hops()) {
                if (hop.reason() == Reason.STOPPED) {
                    if (next != null) {
                        final Trace trace = trace(next, state);
                        assertThat(trace.outputs()).as(trace.text()).isEmpty();
                    }
                    return;
                }
                if (hop.reason() == Reason.COPY) {
                    copies.add(hop.portTo());
                } else if (hop.reason() != Reason.BYPASSED) {
                    copies.add(hop.portTo());
                    if (passed++ >= unchecked) {
                        goesTo(trace(next, state), copies);
                    }
                    keep(hop);
                    copies.clear();
                    next = behind(hop);
                }
            }
            if (next != null) {
                final Trace last = trace(next, state);
                assertThat(functionPorts(last)).as(last.text()).containsExactlyInAnyOrderElementsOf(copies);
                assertThat(last.steps()).as(last.text()).anyMatch(
                    step -> step.table() == (out ? Table.NAT_MAP : Table.VRF_ROUTE));
            }
        }

        private void goesTo(final Trace trace, final List<String> ports) {
            assertThat(trace.outputs()).as(trace.text()).containsExactlyInAnyOrderElementsOf(ports);
        }

        private List<String> functionPorts(final Trace trace) {
            return trace.outputs().stream().filter(port -> port.matches(".*-(in|out|alt)")).toList();
        }

        private Trace trace(final Packet from, final String state) {
            final Trace trace =
                node.trace(from.with(text()), Collections.nCopies(PASSES, state).toArray(String[]::new));
            assertThat(trace.datapathActions().stream().filter(actions -> actions.contains("recirc(0x")).count())
                .as(trace.text()).isLessThanOrEqualTo(MOST_RECIRCULATIONS);
            return trace;
        }

        /** What the switch would have committed. */
        private void keep(final Hop hop) {
            final NetworkFunction function = view.snapshot().functions().get(hop.function());
            if (function.spread()) {
                final int place = view.allocations().tenants().get("rich").places().get(function.name());
                final String inside = out ? hop.portTo() : hop.portFrom();
                label = label.or(BigInteger.valueOf(view.port(inside)).shiftLeft(16 * place));
            }
        }

        private Packet behind(final Hop hop) {
            final NetworkFunction function = view.snapshot().functions().get(hop.function());
            final ChainTrace.Frame frame = ChainTrace.back(view.view(view.snapshot().tenants().get("rich")), function,
                function.instances().stream().filter(each -> function.ports(each).contains(hop.portFrom()))
                    .findFirst().orElseThrow(), out, hop.portFrom().endsWith("-alt"));
            return (frame.vlan() == 0 ? Packet.in(frame.port()) : Packet.in(frame.port(), frame.vlan()))
                .ethernet(frame.sourceMac().toString(), frame.destinationMac().toString());
        }

        private String text() {
            final String ends = "nw_src=" + packet.text(packet.source()) + ",nw_dst="
                + packet.text(packet.destination()) + ",nw_ttl=64,";
            final String kept = label.signum() == 0 ? "" : ",ct_label=0x" + label.toString(16);
            final List<String> names = switch (packet.protocol()) {
                case 6 -> Arrays.asList("tcp", "tcp_src", "tcp_dst");
                case 17 -> Arrays.asList("udp", "udp_src", "udp_dst");
                default -> Arrays.asList("icmp", "icmp_type", "icmp_code");
            };
            return names.get(0) + "," + ends + names.get(1) + "=" + packet.sourcePort() + "," + names.get(2) + "="
                + packet.destinationPort() + kept;
        }
    }
}
