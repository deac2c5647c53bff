// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Frame;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections are there until the last moment of their time, and then neither the switch nor the world has them. */
class NatTimesTraceIT {
    private static final String HOST = "10.0.0.5";
    private static final int SERVICE = 80;
    private static final int SYN_ACK = Frame.SYN | Frame.ACK;
    private static final int FIN_ACK = 0x01 | Frame.ACK;
    private static final int RST = 0x04;
    private static final Duration UDP = Duration.ofMinutes(5);
    private static final Duration QUERY = Duration.ofMinutes(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MOMENT = Duration.ofMillis(2);

    private static StoppedNode node;
    private static int next = 30_000;
    /** How many packets of all tests have been so. */
    private static long unsolicited;
    private int port;

    @BeforeAll
    static void start() {
        node = new StoppedNode(Networks.of(NatPair.translated()));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void begin() {
        port = ++next;
        node.ovs().appctl("dpctl/flush-conntrack");
        node.learn(HOST, NatPair.VLAN);
    }

    private static List<String> out(final Frame frame) {
        node.send(StoppedNode.ACCESS, frame.tagged(NatPair.VLAN));
        return node.sent(StoppedNode.UPLINK);
    }

    private static List<String> in(final Frame frame) {
        // The session of a host that was silent for long is over, and so may be what the switch knows of the host.
        node.learn(HOST, NatPair.VLAN);
        node.send(StoppedNode.UPLINK, frame);
        return node.sent(StoppedNode.ACCESS);
    }

    private List<String> udpOut() {
        return out(Frame.udp(StoppedNode.out(HOST), port, SERVICE));
    }

    private Frame answer() {
        return Frame.udp(StoppedNode.in(NatPair.PUBLIC), SERVICE, port);
    }

    private List<String> tcpOut(final int flags) {
        return out(Frame.tcp(StoppedNode.out(HOST), port, SERVICE, flags, 1, 1));
    }

    private Frame segmentIn(final int flags) {
        return Frame.tcp(StoppedNode.in(NatPair.PUBLIC), SERVICE, port, flags, 1, 1);
    }

    /** Whether it is there a second before its time is over, and not a moment after it. */
    private static void lasts(final Duration time) {
        node.warp(time.minus(SECOND));
        assertThat(node.connections("src=" + HOST)).as("a second before").hasSize(1);
        node.warp(SECOND.plus(MOMENT));
        Await.until("it is gone a moment after", () -> node.connections("src=" + HOST).isEmpty());
    }

    private static void isUnsolicited(final Frame frame) {
        unsolicited++;
        assertThat(in(frame)).isEmpty();
        assertThat(node.packets(Table.NAT_IN_CHECK, "from the backbone, unsolicited")).isEqualTo(unsolicited);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement(rfc = 4787, number = {"5", "5c"})
    void mappingsOfUdpLastFiveMinutesAnsweredOrNot(final boolean answered) {
        assertThat(udpOut()).hasSize(1);
        if (answered) {
            assertThat(in(answer())).hasSize(1);
        }
        lasts(UDP);
        isUnsolicited(answer());
    }

    @Test
    @Requirement(rfc = 4787, number = "6")
    void whatGoesOutRefreshesAMapping() {
        udpOut();
        node.warp(UDP.minus(SECOND));
        assertThat(udpOut()).hasSize(1);
        node.warp(UDP.minus(SECOND));
        assertThat(in(answer())).hasSize(1);
    }

    @Test
    @Requirement(rfc = 4787, number = "6a")
    void whatComesInRefreshesIt() {
        udpOut();
        node.warp(UDP.minus(SECOND));
        assertThat(in(answer())).hasSize(1);
        lasts(UDP);
    }

    @Test
    @Requirement(rfc = 5508, number = "2")
    @Requirement(rfc = 7857, number = "11")
    void queriesOfIcmpLastAMinute() {
        assertThat(out(Frame.ping(StoppedNode.out(HOST), false))).hasSize(1);
        assertThat(in(Frame.ping(StoppedNode.in(NatPair.PUBLIC), true))).hasSize(1);
        lasts(QUERY);
        isUnsolicited(Frame.ping(StoppedNode.in(NatPair.PUBLIC), true));
    }

    @ParameterizedTest
    @CsvSource({"opens, 240", "is answered, 240", "is open, 7440", "half closes, 240", "closes, 240", "is reset, 240"})
    @Requirement(rfc = 5382, number = "5")
    @Requirement(rfc = 7857, number = {"2", "2.1", "2.2"})
    void aConnectionOfTcpLastsAsLongAsItsStateSays(final String state, final int seconds) {
        assertThat(tcpOut(Frame.SYN)).hasSize(1);
        if (!"opens".equals(state)) {
            assertThat(in(segmentIn(SYN_ACK))).hasSize(1);
        }
        if (!List.of("opens", "is answered").contains(state)) {
            assertThat(tcpOut(Frame.ACK)).hasSize(1);
        }
        if (List.of("half closes", "closes").contains(state)) {
            assertThat(tcpOut(FIN_ACK)).hasSize(1);
        }
        if ("closes".equals(state)) {
            assertThat(in(segmentIn(FIN_ACK))).hasSize(1);
            assertThat(tcpOut(Frame.ACK)).hasSize(1);
        }
        if ("is reset".equals(state)) {
            assertThat(tcpOut(RST)).hasSize(1);
        }
        lasts(Duration.ofSeconds(seconds));
        isUnsolicited(segmentIn(Frame.ACK));
    }
}
