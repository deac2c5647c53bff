// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.NetworkFunction.FailPolicy;
import io.penstock.pipeline.intent.NetworkFunction.Instance;
import io.penstock.pipeline.intent.NetworkFunction.Routed;
import io.penstock.pipeline.intent.NetworkFunction.State;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A chain with a router in it, behind a firewall that passes frames on. The other tenant has no chain. */
class RoutedPacketsIT extends PairOnNode {
    private static final NetworkFunction ROUTER =
        new NetworkFunction("rt", Networks.NODE, FailPolicy.OPEN, false).with(Routed.DEFAULT);
    /**
     * Makes a namespace with two devices a router that knows nothing but its gateways. Errors go back to the side that
     * the packet came from.
     */
    private static final String ROUTE = """
        set -e
        nft flush ruleset
        echo 1 > /proc/sys/net/ipv4/ip_forward
        echo 1 > /proc/sys/net/ipv4/icmp_errors_use_inbound_ifaddr
        for conf in all default inside outside; do
            echo 0 > /proc/sys/net/ipv4/conf/$conf/rp_filter
            echo 0 > /proc/sys/net/ipv4/conf/$conf/send_redirects
        done
        for side in inside outside; do
            [ $side = inside ] && number=1 other=outside table=101 || number=2 other=inside table=102
            ip link set $side down nomaster
            ip link set $side address 02:50:53:ff:01:0$number up
            ip address add 169.254.8$number.2/30 dev $side
            ip route add default via 169.254.8$number.1 dev $side table $table
        done
        ip rule add iif inside lookup 102
        ip rule add iif outside lookup 101
        ip rule add from 169.254.81.2 lookup 101
        ip rule add from 169.254.82.2 lookup 102
        """;

    /** Sends UDP with the tag of the other tenant's VRF, and UDP to a MAC address of nobody. */
    private static final String SEND = """
        import socket, sys
        link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        link.bind((sys.argv[1], 0))
        packet = "08004500001c00000000401100000a000005c612000a00090009000800000000"
        link.send(bytes.fromhex("025053ff0002" "025053ff0102" "81000003" + packet))
        link.send(bytes.fromhex("025053ff0909" "025053ff0102" + packet))
        """;

    @BeforeAll
    static void start() {
        load(Set.of(), spread(), "fw", "rt");
        node.functions().start("fw", "packet-filter");
        for (final String instance : List.of("rt", "rt2")) {
            node.functions().start(instance, "monitor");
            node.functions().inside(instance).run("sh", "-c", ROUTE);
        }
    }

    private static NetworkFunction spread() {
        return ROUTER.spread(new Instance("rt", State.IN_SERVICE, 1), new Instance("rt2", State.IN_SERVICE, 1));
    }

    private static void load(final Set<String> down, final NetworkFunction router, final String... chain) {
        node.load(Networks.of(node.node().vhostDirectory(), List.of(
            new NetworkFunction("fw", Networks.NODE, FailPolicy.CLOSED, true), router), List.of(chain),
            Networks.chained("first", 100, TenantPair.FIRST_PUBLIC),
            Networks.plain("second", 101, TenantPair.SECOND_PUBLIC)), down);
        pair.reachTheirGateways();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fw,rt", "rt,fw", "rt"})
    void packetsAreRoutedBothWays(final String chain) {
        load(Set.of(), ROUTER, chain.split(","));
        try (Capture in = node.functions().capture("rt", "inside", "icmp");
                Capture out = node.functions().capture("rt", "outside", "icmp")) {
            pair.first().reaches(EdgeNetwork.SERVER);
            for (final Capture side : List.of(in, out)) {
                Await.until("request and answer", side::frames, frames -> frames.stream()
                    .anyMatch(frame -> frame.contains("echo request"))
                    && frames.stream().anyMatch(frame -> frame.contains("echo reply")));
                assertThat(side.all()).noneMatch(frame -> frame.contains("vlan"));
            }
        }
        pair.areTranslated();
        pair.areIsolated();
        pair.sendFullFrames();
        pair.sendFragments();
    }

    @Test
    void connectionsAreSpreadOverRouters() {
        load(Set.of(), spread(), "fw", "rt");
        pair.areTranslated();
        for (final String instance : List.of("rt", "rt2")) {
            awaitConnection(instance, "tcp port " + TenantPair.WEB);
        }
        load(Set.of("rt"), spread(), "fw", "rt");
        pair.areTranslated();
    }

    @Test
    void theRouterIsAHopThatSaysSo() {
        load(Set.of(), ROUTER, "fw", "rt");
        // One is taken by the gateway of the VRF.
        assertThat(pair.first().shell().attempt("ping", "-n", "-c", "1", "-W", "60", "-t", "2", EdgeNetwork.SERVER)
            .output()).contains("From 169.254.81.2").contains("Time to live exceeded");
    }

    @Test
    void whatIsNotForItsGatewayIsDroppedAndCounted() {
        load(Set.of(), ROUTER, "rt");
        final long before =
            node.packets(Table.CHAIN_ROUTED, "routed function sent a frame that is not for its gateway");
        node.functions().inside("rt").run("/usr/bin/python3", "-c", SEND, "outside");
        Await.until("both are counted", () -> node.packets(Table.CHAIN_ROUTED,
            "routed function sent a frame that is not for its gateway") >= before + 2);
        pair.areTranslated();
    }

    @Test
    void withoutItAllGoesOn() {
        load(Set.of("rt"), ROUTER, "fw", "rt");
        pair.areTranslated();
    }
}
