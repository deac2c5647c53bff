// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.CtTimeout;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.testkit.Await;
import io.penstock.testkit.Frame;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the switch learns itself is there until the last moment of its time, and goes then; packets keep it. */
class LearnedTimesTraceIT {
    private static final String HOST = "10.0.0.5";
    private static final String SUBSCRIBERS_PUBLIC = "198.51.100.7";
    private static final int SUBSCRIBERS_VLAN = 101;
    private static final Tenant.Deterministic MAPPING = new Tenant.Deterministic(Prefix.parse("10.0.0.0/24"),
        Prefix.parse(SUBSCRIBERS_PUBLIC + "/32"), true);
    private static final Mac OTHERS_MAC = Mac.parse("02:00:00:00:00:06");
    private static final int SERVICE = 80;
    private static final int SESSION_PORT = 30_000;
    /** A session has a flow for each direction, and so has a mapping. */
    private static final int BOTH = 2;
    private static final Duration KNOWN = Duration.ofSeconds(Constants.LEARNED_IDLE_SECONDS);
    private static final Duration IDLE = Duration.ofSeconds(Constants.SESSION_IDLE_SECONDS);
    private static final Duration MAPPED = Duration.ofSeconds(Constants.MAPPING_IDLE_SECONDS);
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** More than everything that is learned lasts. */
    private static final Duration LONG = KNOWN.multipliedBy(2);

    private static StoppedNode node;

    @BeforeAll
    static void start() {
        node = new StoppedNode(Networks.of(NatPair.translated(),
            Networks.campus("203.0.113.13"),
            Networks.plain("mapped", SUBSCRIBERS_VLAN, NatPair.PUBLIC).with(Fixtures.mapped(MAPPING))));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void forget() {
        node.warp(LONG);
        node.ovs().appctl("dpctl/flush-conntrack");
        for (final Table table : List.of(Table.NEIGHBOURS, Table.L2_HOSTS, Table.NAT_SESSIONS, Table.NAT_MAPPINGS,
                Table.NAT_PORTS)) {
            has(table, 0);
        }
        node.learn(HOST, NatPair.VLAN);
    }

    /** Whether this many flows are learned; the switch looks for those whose time is over after it was moved. */
    private static void has(final Table table, final int count) {
        Await.until(count + " flows of " + table.text(), () -> learned(table), flows -> flows.size() == count);
    }

    private static List<String> learned(final Table table) {
        return node.flows(table).stream().filter(flow -> flow.contains("_timeout=")).toList();
    }

    /** Whether as many are there a second before their time is over, and fewer a moment after it. */
    private static void lasts(final Duration time, final Table table, final int count, final int left) {
        node.warp(time.minus(SECOND));
        node.settle();
        assertThat(learned(table)).as("a second before").hasSize(count);
        node.warp(SECOND.multipliedBy(2));
        has(table, left);
    }

    private static List<String> out(final int vlan, final int port) {
        node.send(StoppedNode.ACCESS, Frame.udp(StoppedNode.out(HOST), port, SERVICE).tagged(vlan));
        return node.sent(StoppedNode.UPLINK);
    }

    private static List<String> in(final String address, final int port) {
        node.send(StoppedNode.UPLINK, Frame.udp(StoppedNode.in(address), SERVICE, port));
        return node.sent(StoppedNode.ACCESS);
    }

    @Test
    void aHostIsForgottenAfterTwentyMinutesWithoutAPacketToIt() {
        // The host, and the transit router.
        lasts(KNOWN, Table.NEIGHBOURS, 2, 0);
        // The controller has to ask for it.
        final long before = node.passed("acme", TenantMeter.NEIGHBOUR);
        assertThat(out(NatPair.VLAN, SESSION_PORT)).isEmpty();
        assertThat(node.passed("acme", TenantMeter.NEIGHBOUR)).isEqualTo(before + 1);
    }

    @Test
    void aPacketKeepsAHostOrNextHop() {
        out(NatPair.VLAN, SESSION_PORT);
        for (int again = 0; again < 2; again++) {
            node.warp(KNOWN.minus(SECOND));
            assertThat(out(NatPair.VLAN, SESSION_PORT)).hasSize(1);
            assertThat(in(NatPair.PUBLIC, SESSION_PORT)).hasSize(1);
        }
        lasts(KNOWN, Table.NEIGHBOURS, 2, 0);
    }

    @Test
    void aFrameKeepsTheHostOfABridge() {
        node.send(StoppedNode.ACCESS, Frame.arpRequest(StoppedNode.HOST_MAC, "10.1.0.5", "10.1.0.1").tagged(300));
        has(Table.L2_HOSTS, 1);
        node.warp(KNOWN.minus(SECOND));
        node.sent(StoppedNode.ACCESS);
        node.send("acc1", Frame.udp(new Frame.Way(OTHERS_MAC, StoppedNode.HOST_MAC, "10.1.0.6", "10.1.0.5"),
            SESSION_PORT, SERVICE).tagged(301));
        assertThat(node.sent(StoppedNode.ACCESS)).hasSize(1);
        // Its sender is known now, too.
        lasts(KNOWN, Table.L2_HOSTS, 2, 0);
    }

    @Test
    void aSessionGoesWhenNothingWentOutForFifteenSeconds() {
        begin();
        // The way in is learned with the way out, and stays for its hard timeout.
        lasts(IDLE, Table.NAT_SESSIONS, BOTH, 1);
        assertThat(node.connections("src=" + HOST)).hasSize(1);
        assertThat(out(NatPair.VLAN, SESSION_PORT)).hasSize(1);
        has(Table.NAT_SESSIONS, BOTH);
        node.warp(Duration.ofSeconds(Constants.SESSION_HARD_SECONDS + 1));
        has(Table.NAT_SESSIONS, 0);
    }

    private static void begin() {
        for (int packet = 0; packet < 2; packet++) {
            assertThat(out(NatPair.VLAN, SESSION_PORT)).hasSize(1);
        }
        has(Table.NAT_SESSIONS, BOTH);
    }

    @Test
    void aSessionThatIsUsedEndsAfterFourMinutesAndConntrackSeesAPacket() {
        begin();
        // Less than the session may be idle.
        final int step = 12;
        final long sessions = node.packets(Table.NAT_OUT_KNOWN, "translated by a session");
        final int steps = Constants.SESSION_HARD_SECONDS / step - 1;
        for (int packet = 0; packet < steps; packet++) {
            node.warp(Duration.ofSeconds(step));
            assertThat(out(NatPair.VLAN, SESSION_PORT)).hasSize(1);
        }
        assertThat(node.packets(Table.NAT_OUT_KNOWN, "translated by a session") - sessions).isEqualTo(steps);
        assertThat(seconds()).isEqualTo(CtTimeout.UDP_MULTIPLE.seconds() - step * steps);
        node.warp(Duration.ofSeconds(step + 1));
        has(Table.NAT_SESSIONS, 0);
        node.settle();
        assertThat(out(NatPair.VLAN, SESSION_PORT)).hasSize(1);
        has(Table.NAT_SESSIONS, BOTH);
        assertThat(seconds()).isEqualTo(CtTimeout.UDP_MULTIPLE.seconds());
    }

    /** How long the switch still tracks the connection. */
    private static int seconds() {
        final List<String> found = node.connections("src=" + HOST);
        assertThat(found).hasSize(1);
        return Integer.parseInt(found.get(0).replaceAll(".*[,(]timeout=([0-9]+).*", "$1"));
    }

    @Test
    @Requirement(rfc = 4787, number = {"5", "5c"})
    void aMappingForAllDestinationsLastsFiveMinutes() {
        node.learn(HOST, SUBSCRIBERS_VLAN);
        assertThat(out(SUBSCRIBERS_VLAN, SESSION_PORT)).hasSize(1);
        has(Table.NAT_PORTS, 1);
        lasts(MAPPED, Table.NAT_MAPPINGS, 1, 0);
        has(Table.NAT_PORTS, 0);
        assertThat(in(SUBSCRIBERS_PUBLIC, publicPort())).isEmpty();
    }

    @Test
    @Requirement(rfc = 4787, number = {"6", "6a"})
    void eitherDirectionKeepsBothFlowsOfAMapping() {
        node.learn(HOST, SUBSCRIBERS_VLAN);
        assertThat(out(SUBSCRIBERS_VLAN, SESSION_PORT)).hasSize(1);
        final int port = publicPort();
        node.warp(MAPPED.minus(SECOND));
        assertThat(in(SUBSCRIBERS_PUBLIC, port)).hasSize(1);
        node.warp(MAPPED.minus(SECOND));
        assertThat(out(SUBSCRIBERS_VLAN, SESSION_PORT)).hasSize(1);
        lasts(MAPPED, Table.NAT_MAPPINGS, 1, 0);
        has(Table.NAT_PORTS, 0);
    }

    /** The one that the subscriber's port has: in the upper half of its block of 128. */
    private static int publicPort() {
        final int half = 64;
        return MAPPING.blockOf(Ipv4.parse(HOST)).ports().low() + half + SESSION_PORT % half;
    }
}
