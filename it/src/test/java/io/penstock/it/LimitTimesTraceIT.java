// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.testkit.Datapath;
import io.penstock.testkit.Frame;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many packets of a tenant the limits let pass: to the packet, as no time passes meanwhile. */
class LimitTimesTraceIT {
    private static final int VLAN = NatPair.VLAN;
    private static final int OTHERS_VLAN = 101;
    private static final String CLIENT = "10.0.0.5";
    private static final String OWN = "10.0.0.10";
    private static final String OWN_PUBLIC = "198.51.100.10";
    private static final String OTHERS_PUBLIC = "203.0.113.12";
    private static final int ECHO = 7;
    private static final int PORT = 30_000;
    private static final long KBPS = 2000;
    private static final int NEW_SESSIONS = 20;
    private static final int HEARD = 10;
    /** Bytes of frames, with their tag: it counts too. A bandwidth has a burst of 200 ms. */
    private static final int FRAME = 1000;
    private static final int HEADERS = 34;
    private static final int TAG = 4;
    private static final int BURST = (int) (KBPS * 200 / (8 * FRAME));
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** Until all meters are as full as they get. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private static StoppedNode node;

    @BeforeAll
    static void start() {
        node = new StoppedNode(Networks.of(
            NatPair.published(List.of(new Tenant.OneToOne(Prefix.parse(OWN + "/32"), Prefix.parse(OWN_PUBLIC + "/32"))),
                new Tenant.PortForward("echo", 17, ECHO, Ipv4.parse(CLIENT), ECHO))
                .with(new Protection(Optional.empty(), false, new Quota(Optional.empty(), Optional.of(NEW_SESSIONS),
                    Optional.of(KBPS), Optional.of(KBPS), Optional.of(HEARD), Optional.empty(), Optional.empty(),
                    Optional.empty()))),
            Networks.plain("other", OTHERS_VLAN, OTHERS_PUBLIC)));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void fill() {
        node.ovs().appctl("dpctl/flush-conntrack");
        node.learn(CLIENT, OTHERS_VLAN);
        node.learn(OWN, VLAN);
        node.learn(CLIENT, VLAN);
        node.warp(LONG);
    }

    /** How many of these leave by a port, of those that come in by the other one. */
    private static int passing(final String port, final List<Frame> frames) {
        node.send(port, frames);
        return node.sent(port.equals(StoppedNode.ACCESS) ? StoppedNode.UPLINK : StoppedNode.ACCESS).size();
    }

    /** How many of these are answered by the port that they come in by. */
    private static int answered(final List<Frame> frames) {
        node.send(StoppedNode.ACCESS, frames);
        return node.sent(StoppedNode.ACCESS).size();
    }

    /** Datagrams of a host, each from a port of its own. */
    private static List<Frame> calls(final int vlan, final int first, final int count) {
        return IntStream.range(first, first + count)
            .mapToObj(number -> Frame.udp(StoppedNode.out(CLIENT), PORT + number, ECHO).tagged(vlan)).toList();
    }

    @Test
    void bandwidthIsHeldOnTheWayOut() {
        final Frame frame = Frame.udp(StoppedNode.out(OWN), PORT, ECHO, FRAME - HEADERS - TAG).tagged(VLAN);
        isHeld(StoppedNode.ACCESS, frame);
        // All of a tenant share it; others do not.
        assertThat(passing(StoppedNode.ACCESS, calls(VLAN, 0, 1))).isZero();
        final Frame others = Frame.udp(StoppedNode.out(CLIENT), PORT, ECHO, FRAME).tagged(OTHERS_VLAN);
        assertThat(passing(StoppedNode.ACCESS, Collections.nCopies(2 * BURST, others))).isEqualTo(2 * BURST);
    }

    @Test
    void bandwidthIsHeldOnTheWayIn() {
        isHeld(StoppedNode.UPLINK, Frame.udp(StoppedNode.in(OWN_PUBLIC), PORT, ECHO, FRAME - HEADERS));
        assertThat(passing(StoppedNode.ACCESS, calls(VLAN, 0, 1))).as("the other direction").isOne();
    }

    private static void isHeld(final String port, final Frame frame) {
        assertThat(passing(port, Collections.nCopies(BURST, frame))).isEqualTo(BURST);
        assertThat(passing(port, List.of(frame))).isZero();
        node.warp(Duration.ofMillis(100));
        assertThat(passing(port, Collections.nCopies(BURST, frame))).as("after 100 ms").isEqualTo(BURST / 2);
        node.warp(SECOND);
        assertThat(passing(port, Collections.nCopies(2 * BURST, frame))).as("a second later").isEqualTo(BURST);
    }

    @Test
    void connectionsThatBeginAreLimitedAndNoOthers() {
        assertThat(passing(StoppedNode.ACCESS, calls(VLAN, 0, 3 * NEW_SESSIONS))).isEqualTo(2 * NEW_SESSIONS);
        assertThat(node.connections("udp", "src=" + CLIENT)).hasSize(2 * NEW_SESSIONS);
        // What is known is not limited, and nobody else is. Nor does it matter who begins.
        assertThat(passing(StoppedNode.ACCESS, calls(VLAN, 0, 2 * NEW_SESSIONS))).isEqualTo(2 * NEW_SESSIONS);
        assertThat(passing(StoppedNode.ACCESS, calls(OTHERS_VLAN, 0, 5 * NEW_SESSIONS))).isEqualTo(5 * NEW_SESSIONS);
        final List<Frame> begun = IntStream.range(0, 2 * NEW_SESSIONS)
            .mapToObj(number -> Frame.udp(StoppedNode.in(NatPair.PUBLIC), PORT + number, ECHO)).toList();
        assertThat(passing(StoppedNode.UPLINK, begun)).isZero();
        node.warp(SECOND);
        assertThat(passing(StoppedNode.UPLINK, begun.subList(0, NEW_SESSIONS / 2))).isEqualTo(NEW_SESSIONS / 2);
        assertThat(passing(StoppedNode.ACCESS, calls(VLAN, 2 * NEW_SESSIONS, NEW_SESSIONS)))
            .isEqualTo(NEW_SESSIONS / 2);
    }

    @Test
    void questionsToGatewaysAreLimited() {
        final Frame arp = Frame.arpRequest(StoppedNode.HOST_MAC, CLIENT, NatPair.GATEWAY);
        final Frame ping = Frame.ping(new Frame.Way(StoppedNode.HOST_MAC, Constants.GATEWAY_MAC, CLIENT,
            NatPair.GATEWAY), false);
        final int rate = TenantMeter.SLOW_PATH.rate();
        assertThat(answered(Collections.nCopies(rate, arp.tagged(VLAN)))).isEqualTo(rate);
        assertThat(answered(Collections.nCopies(rate + 1, ping.tagged(VLAN)))).isEqualTo(rate);
        assertThat(answered(List.of(arp.tagged(VLAN)))).isZero();
        assertThat(answered(List.of(arp.tagged(OTHERS_VLAN), ping.tagged(OTHERS_VLAN)))).isEqualTo(2);
        node.warp(SECOND);
        assertThat(answered(Collections.nCopies(rate + 1, arp.tagged(VLAN)))).isEqualTo(rate);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NEIGHBOUR", "ERROR"})
    void packetsToTheControllerAreLimited(final TenantMeter meter) {
        final Frame frame = meter == TenantMeter.ERROR
            ? lastHop(Frame.udp(StoppedNode.out(CLIENT), PORT, ECHO)).tagged(VLAN)
            : Frame.udp(new Frame.Way(StoppedNode.HOST_MAC, Constants.GATEWAY_MAC, CLIENT, "10.0.0.77"), PORT, ECHO)
                .tagged(VLAN);
        isHeard(meter, frame, 2 * HEARD);
        node.warp(SECOND);
        isHeard(meter, frame, HEARD);
    }

    /** With a TTL of one, and the checksum of before: nothing that forwards looks at it. */
    private static Frame lastHop(final Frame frame) {
        final int ttl = 2 * 22;
        return new Frame(frame.digits().substring(0, ttl) + "01" + frame.digits().substring(ttl + 2));
    }

    private static void isHeard(final TenantMeter meter, final Frame frame, final int count) {
        final long before = node.passed("acme", meter);
        node.send(StoppedNode.ACCESS, Collections.nCopies(count, frame));
        assertThat(node.passed("acme", meter) - before).isEqualTo(count);
        node.send(StoppedNode.ACCESS, List.of(frame, frame));
        assertThat(node.passed("acme", meter) - before).isEqualTo(count);
    }

    @Test
    void aStormIsOneCachedFlow() {
        new Datapath(node.ovs()).clear();
        node.send(StoppedNode.ACCESS, IntStream.range(0, 2 * TenantMeter.SLOW_PATH.rate() + 200)
            .mapToObj(number -> Frame.arpRequest(StoppedNode.HOST_MAC, CLIENT, "11.0.%d.%d".formatted(number / 256,
                number % 256)).tagged(VLAN)).toList());
        assertThat(first()).singleElement().asString().contains("meter(", "recirc(").doesNotContain("arp(");
        assertThat(cached().filter(flow -> flow.contains("arp(")).count())
            .isBetween(1L, 2L * TenantMeter.SLOW_PATH.rate());
    }

    /** A limit (docs/limits.md): nothing is looked at before these, so each is an upcall. */
    @ParameterizedTest
    @ValueSource(strings = {"subnet", "mac"})
    void eachAddressIsACachedFlowOfItsOwn(final String kind) {
        final int sent = 100;
        new Datapath(node.ovs()).clear();
        node.send(StoppedNode.ACCESS, IntStream.range(0, sent).mapToObj(number -> {
            final boolean subnet = "subnet".equals(kind);
            return Frame.udp(new Frame.Way(StoppedNode.HOST_MAC,
                subnet ? Constants.GATEWAY_MAC : new Mac(0x020000000100L + number), CLIENT,
                subnet ? "10.0.0." + (20 + number) : "10.0.0.20"), ECHO, ECHO).tagged(VLAN);
        }).toList());
        assertThat(first()).hasSize(sent);
    }

    private static Stream<String> cached() {
        return node.ovs().appctl("dpctl/dump-flows").lines().filter(flow -> flow.contains("recirc_id("));
    }

    /** The flows that frames of the tenant meet first. */
    private static List<String> first() {
        return cached().filter(flow -> flow.contains("recirc_id(0)") && flow.contains("vid=" + VLAN)).toList();
    }
}
