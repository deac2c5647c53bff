// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Frame;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Fragments whose rest does not come, which Open vSwitch releases 15 seconds later with the packet of another tenant
 * (ipf_send_expired_frags, lib/ipf.c, 3.1), at each place where packets pass through conntrack: none leaves. They are
 * sent to an address that only the other tenant has.
 */
@Tag("safety")
class ReleasedFragmentsTraceIT {
    private static final int ACME_VLAN = 100;
    private static final int VICTIMS_VLAN = 101;
    private static final String ACMES_HOST = "10.0.0.5";
    private static final String HOST = "10.7.0.5";
    private static final String SUBNET = "10.7.0.0/24";
    private static final String GATEWAY = "10.7.0.1";
    private static final String VICTIMS_PUBLIC = "203.0.113.12";
    private static final String VICTIMS_OWN = "198.51.100.10";
    private static final Optional<String> LISTED = Optional.of(Networks.LIST);
    private static final int PORT = 30_000;
    private static final int FORWARD = 9;
    private static final int WEB = 80;
    private static final int FIRST = 800;
    private static final int SECOND = 200;
    /** More lists of fragments than passes of a packet, each of which releases one. */
    private static final int LISTS = 8;
    private static final Duration EXPIRED = Duration.ofMillis(15_100);
    private static final Pattern SENT = Pattern.compile("port +\"?([a-z0-9-]+)\"?: rx [^\\n]*\\s+tx pkts=([0-9]+),");

    /** Where the packets of the victim are tracked. */
    enum Place {
        PERMITTED_IN(() -> lists(LISTED, Optional.empty()),
            (node, turn) -> node.send(StoppedNode.UPLINK, Frame.tcp(StoppedNode.in(VICTIMS_OWN), 4000 + turn, WEB,
                Frame.SYN, 1, 0))),
        PERMITTED_OUT(() -> lists(Optional.empty(), LISTED),
            (node, turn) -> out(node, Frame.tcp(StoppedNode.out(HOST), 4000 + turn, WEB, Frame.SYN, 1, 0))),
        ANSWERED_OUT(() -> lists(LISTED, LISTED), (node, turn) -> {
            node.send(StoppedNode.UPLINK, Frame.tcp(StoppedNode.in(VICTIMS_OWN), 4000 + turn, WEB, Frame.SYN, 1, 0));
            out(node, Frame.tcp(StoppedNode.out(HOST), WEB, 4000 + turn, Frame.SYN | Frame.ACK, 1, 2));
        }),
        ANSWERED_IN(() -> lists(LISTED, LISTED), (node, turn) -> {
            out(node, Frame.tcp(StoppedNode.out(HOST), 4000 + turn, WEB, Frame.SYN, 1, 0));
            node.send(StoppedNode.UPLINK, Frame.tcp(StoppedNode.in(VICTIMS_OWN), WEB, 4000 + turn,
                Frame.SYN | Frame.ACK, 1, 2));
        }),
        DENIED_IN(() -> lists(LISTED, LISTED), (node, turn) -> {
            node.send(StoppedNode.UPLINK, Frame.udp(StoppedNode.in(VICTIMS_OWN), 4000 + turn, PORT));
            out(node, Frame.tcp(StoppedNode.out(HOST), 4000 + turn, WEB, Frame.SYN, 1, 0));
        }),
        TRANSLATED(ReleasedFragmentsTraceIT::translated, (node, turn) -> {
            out(node, Frame.udp(StoppedNode.out(HOST), 4000 + turn, WEB));
            out(node, Frame.udp(StoppedNode.out(HOST), 4000 + turn, WEB));
        }),
        TRANSLATED_BACK(ReleasedFragmentsTraceIT::translated, (node, turn) -> {
            out(node, Frame.udp(StoppedNode.out(HOST), 4000 + turn, WEB));
            node.send(StoppedNode.UPLINK, Frame.udp(StoppedNode.in(VICTIMS_PUBLIC), WEB, 4000 + turn));
        }),
        FORWARDED(() -> with(new Tenant.Nat(Optional.of(Ipv4.parse(VICTIMS_PUBLIC)), Optional.empty(), List.of(),
                List.of(new Tenant.PortForward("sink", 17, FORWARD, Ipv4.parse(HOST), FORWARD)))),
            (node, turn) -> node.send(StoppedNode.UPLINK, Frame.udp(StoppedNode.in(VICTIMS_PUBLIC), 4000 + turn,
                FORWARD))),
        SUBSCRIBER(() -> with(new Tenant.Nat(Optional.empty(), Optional.empty(), List.of(), List.of(
                new Tenant.Deterministic(Prefix.parse("10.7.0.0/28"), Prefix.parse(VICTIMS_OWN + "/32"))), List.of(),
                List.of(), Set.of())),
            (node, turn) -> out(node, Frame.udp(StoppedNode.out(HOST), 4000 + turn, WEB))),
        SPREAD(() -> Networks.of(Path.of("/nowhere"), List.of(new NetworkFunction("fw", Networks.NODE,
                NetworkFunction.FailPolicy.CLOSED, true)
                .spread(new NetworkFunction.Instance("fw1", NetworkFunction.State.IN_SERVICE, 1))),
            acme(), moved(Networks.chained("victim", VICTIMS_VLAN, VICTIMS_PUBLIC))), (node, turn) -> {
                out(node, Frame.udp(StoppedNode.out(HOST), 4000 + turn, WEB));
                out(node, Frame.udp(StoppedNode.out(HOST), 4000 + turn, WEB));
            });

        private final Supplier<Snapshot> network;
        private final BiConsumer<StoppedNode, Integer> packets;

        Place(final Supplier<Snapshot> network, final BiConsumer<StoppedNode, Integer> packets) {
            this.network = network;
            this.packets = packets;
        }
    }

    private static void out(final StoppedNode node, final Frame frame) {
        node.send(StoppedNode.ACCESS, frame.tagged(VICTIMS_VLAN));
    }

    /** The same on another subnet. */
    private static Tenant moved(final Tenant tenant) {
        return new Tenant(tenant.name(), tenant.attachments(),
            List.of(new Tenant.Subnet("lan", Prefix.parse(SUBNET), Ipv4.parse(GATEWAY), List.of())), List.of(),
            tenant.nat(), tenant.egressAcl(), tenant.chain());
    }

    private static Tenant acme() {
        return Networks.plain("acme", ACME_VLAN, NatPair.PUBLIC);
    }

    private static Snapshot translated() {
        return Networks.of(acme(), moved(Networks.plain("victim", VICTIMS_VLAN, VICTIMS_PUBLIC)));
    }

    private static Snapshot with(final Tenant.Nat nat) {
        return Networks.of(acme(), moved(Networks.plain("victim", VICTIMS_VLAN, VICTIMS_PUBLIC)).with(nat));
    }

    /** The victim's host has an address of its own, and lists that permit TCP to one port, and replies. */
    private static Snapshot lists(final Optional<String> in, final Optional<String> out) {
        final Tenant.Nat nat = new Tenant.Nat(Optional.of(Ipv4.parse(VICTIMS_PUBLIC)), Optional.empty(),
            List.of(new Tenant.OneToOne(Prefix.parse(HOST + "/32"), Prefix.parse(VICTIMS_OWN + "/32"))), List.of());
        final Tenant plain = out.isPresent() ? Networks.guarded("victim", VICTIMS_VLAN, VICTIMS_PUBLIC)
            : Networks.plain("victim", VICTIMS_VLAN, VICTIMS_PUBLIC);
        return Networks.of(Networks.tcpTo(WEB, WEB), acme(),
            moved(plain).with(nat).with(new Protection(in, true, Quota.NONE)));
    }

    /** What the victim's packets have leave is the same with fragments waiting as without. */
    @ParameterizedTest
    @EnumSource
    void noneLeaves(final Place place) {
        try (StoppedNode node = StoppedNode.thatReleases(place.network.get())) {
            node.learn(ACMES_HOST, ACME_VLAN);
            node.send(StoppedNode.ACCESS, Frame.arpRequest(StoppedNode.HOST_MAC, HOST, GATEWAY).tagged(VICTIMS_VLAN));
            final Map<String, Long> before = sent(node);
            place.packets.accept(node, 0);
            final Map<String, Long> alone = less(sent(node), before);
            assertThat(alone.values()).as("the victim's packets leave").anyMatch(count -> count > 0);

            for (int number = 0; number < LISTS; number++) {
                node.send(StoppedNode.ACCESS, acmes(number));
            }
            assertThat(node.pieces()).isEqualTo(LISTS);
            node.warp(EXPIRED);
            final Map<String, Long> waiting = sent(node);
            place.packets.accept(node, 1);
            assertThat(less(sent(node), waiting)).isEqualTo(alone);
            assertThat(node.pieces()).as("some were released").isLessThan(LISTS);
            assertThat(node.packets(Table.TRACKED, "not tracked")).isPositive();
        }
    }

    private static Frame acmes(final int identification) {
        return Frame.pieces(new Frame.Way(StoppedNode.HOST_MAC, Constants.GATEWAY_MAC, ACMES_HOST, HOST),
            identification, PORT, FIRST, SECOND).get(0).tagged(ACME_VLAN);
    }

    /** Packets that have left, by port. */
    private static Map<String, Long> sent(final StoppedNode node) {
        final Map<String, Long> sent = new TreeMap<>();
        SENT.matcher(node.ovs().ofctl("--names", "dump-ports", Constants.BRIDGE)).results()
            .forEach(port -> sent.put(port.group(1), Long.parseLong(port.group(2))));
        assertThat(sent).containsKeys(StoppedNode.ACCESS, StoppedNode.UPLINK);
        return sent;
    }

    private static Map<String, Long> less(final Map<String, Long> now, final Map<String, Long> before) {
        final Map<String, Long> less = new TreeMap<>(now);
        before.forEach((port, count) -> less.merge(port, -count, Long::sum));
        return less;
    }
}
