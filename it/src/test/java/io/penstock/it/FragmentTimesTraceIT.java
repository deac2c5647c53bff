// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.testkit.Await;
import io.penstock.testkit.Frame;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How long the switch keeps pieces of a packet, and what becomes of those whose rest does not come. Open vSwitch 3.1
 * adds them to the next packets that it tracks, of whatever tenant (ipf_send_expired_frags, lib/ipf.c): there they have
 * to be dropped, as neither known nor new.
 */
@Tag("safety")
@Tag("hostile")
class FragmentTimesTraceIT {
    private static final int OTHERS_VLAN = 101;
    private static final int PORT = 30_000;
    private static final int FORWARD = 9;
    private static final String HOST = "10.0.0.5";
    private static final String OTHERS_PUBLIC = "203.0.113.12";
    /** Sizes of pieces that the switch puts together, and is not told to refuse. */
    private static final int FIRST = 800;
    private static final int SECOND = 200;
    private static final String TENANT = "acme";
    private static final int MORE = 60;
    /** IPF_FRAG_LIST_TIMEOUT, lib/ipf.c. */
    private static final Duration KEPT = Duration.ofSeconds(15);
    private static final Duration MOMENT = Duration.ofMillis(100);
    /** Until a thread of the switch has thrown away all that is left over (IPF_FRAG_LIST_CLEAN_TIMEOUT, lib/ipf.c). */
    private static final Duration LONG = Duration.ofSeconds(100);

    private static StoppedNode node;
    private static int identification;

    @BeforeAll
    static void start() {
        final Tenant other = Networks.plain("other", OTHERS_VLAN, OTHERS_PUBLIC)
            .with(new Tenant.Nat(Optional.of(Ipv4.parse(OTHERS_PUBLIC)), Optional.empty(), List.of(),
                List.of(new Tenant.PortForward("sink", 17, FORWARD, Ipv4.parse(HOST), FORWARD))));
        node = new StoppedNode(Networks.of(NatPair.translated(), other));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void forget() {
        node.warp(LONG);
        Await.until("no pieces are kept", () -> node.pieces() == 0);
        node.ovs().appctl("dpctl/flush-conntrack");
        node.learn(HOST, NatPair.VLAN);
        node.learn(HOST, OTHERS_VLAN);
    }

    private static List<Frame> pieces() {
        return pieces(NatPair.VLAN);
    }

    private static List<Frame> pieces(final int vlan) {
        return Frame.pieces(StoppedNode.out(HOST), ++identification, PORT, FIRST, SECOND).stream()
            .map(piece -> piece.tagged(vlan)).toList();
    }

    /** Of packets that are never whole. */
    private static List<Frame> beginnings(final Frame.Way way, final int count) {
        return IntStream.range(0, count)
            .mapToObj(number -> Frame.pieces(way, ++identification, PORT, FIRST, SECOND).get(0)).toList();
    }

    private static void begin(final int count) {
        node.send(StoppedNode.ACCESS,
            beginnings(StoppedNode.out(HOST), count).stream().map(piece -> piece.tagged(NatPair.VLAN)).toList());
    }

    private static void leavesAlone(final String port, final String address) {
        assertThat(node.sent(port)).singleElement().asString().contains(StoppedNode.digits(address));
    }

    @Test
    void aPacketMayComeInPiecesWithinFifteenSeconds() {
        final List<Frame> pieces = pieces();
        node.send(StoppedNode.ACCESS, pieces.get(0));
        assertThat(node.pieces()).isOne();
        node.warp(KEPT.minus(MOMENT));
        assertThat(node.sent(StoppedNode.UPLINK)).isEmpty();
        node.send(StoppedNode.ACCESS, pieces.get(1));
        assertThat(node.sent(StoppedNode.UPLINK)).hasSize(2)
            .allMatch(frame -> frame.contains(StoppedNode.digits(NatPair.PUBLIC)));
        assertThat(node.pieces()).isZero();
    }

    @Test
    void whatComesLaterIsNoRestOfIt() {
        final List<Frame> pieces = pieces();
        node.send(StoppedNode.ACCESS, pieces.get(0));
        node.warp(KEPT.plus(MOMENT));
        // The list of its pieces goes with the next packet that is tracked.
        node.send(StoppedNode.ACCESS, Frame.udp(StoppedNode.out(HOST), PORT, PORT).tagged(NatPair.VLAN));
        leavesAlone(StoppedNode.UPLINK, NatPair.PUBLIC);
        assertThat(node.pieces()).isZero();
        node.send(StoppedNode.ACCESS, pieces.get(1));
        assertThat(node.pieces()).isOne();
        node.warp(LONG);
        Await.until("no pieces are kept", () -> node.pieces() == 0);
        assertThat(node.sent(StoppedNode.UPLINK)).isEmpty();
    }

    /** Of a datagram a copy is tracked first, from which a session may be learned; of a ping there is none. */
    @ParameterizedTest
    @ValueSource(strings = {"datagram", "ping"})
    void itDoesNotLeaveBesideThePacketOfAnotherTenant(final String kind) {
        node.send(StoppedNode.ACCESS, pieces().get(0));
        node.warp(KEPT.plus(MOMENT));
        node.send(StoppedNode.ACCESS, ("ping".equals(kind) ? Frame.ping(StoppedNode.out(HOST), false)
            : Frame.udp(StoppedNode.out(HOST), PORT, PORT)).tagged(OTHERS_VLAN));
        leavesAlone(StoppedNode.UPLINK, OTHERS_PUBLIC);
        assertThat(node.sent(StoppedNode.ACCESS)).isEmpty();
        assertThat(node.pieces()).isZero();
    }

    /** The list of pieces is one for all tenants of a node. */
    @Test
    void aTenantWithoutEndsHasAShareOfTheListInBothDirections() {
        final int most = TenantMeter.FRAGMENTS.rate();
        final long before = node.passed(TENANT, TenantMeter.FRAGMENTS);
        begin(most + MORE);
        assertThat(node.pieces()).isEqualTo(most);
        node.send(StoppedNode.UPLINK, beginnings(StoppedNode.in(NatPair.PUBLIC), MORE));
        assertThat(node.pieces()).as("those of the world to its address count, too").isEqualTo(most);
        node.warp(Duration.ofSeconds(1));
        begin(most + MORE);
        assertThat(node.pieces()).isEqualTo(2 * most);
        assertThat(node.passed(TENANT, TenantMeter.FRAGMENTS) - before).isEqualTo(2L * most);
        node.send(StoppedNode.ACCESS, pieces(OTHERS_VLAN));
        assertThat(node.sent(StoppedNode.UPLINK)).as("a packet of another tenant").hasSize(2)
            .allMatch(frame -> frame.contains(StoppedNode.digits(OTHERS_PUBLIC)));
        assertThat(node.pieces()).isEqualTo(2 * most);
    }

    @Test
    void itDoesNotReachAnotherTenantBesideAReply() {
        node.send(StoppedNode.ACCESS, Frame.udp(StoppedNode.out(HOST), PORT, PORT).tagged(OTHERS_VLAN));
        leavesAlone(StoppedNode.UPLINK, OTHERS_PUBLIC);
        node.send(StoppedNode.ACCESS, pieces().get(0));
        node.warp(KEPT.plus(MOMENT));
        node.send(StoppedNode.UPLINK, Frame.udp(StoppedNode.in(OTHERS_PUBLIC), PORT, PORT));
        leavesAlone(StoppedNode.ACCESS, StoppedNode.WORLD);
        assertThat(node.sent(StoppedNode.UPLINK)).isEmpty();
        assertThat(node.pieces()).isZero();
    }

    @Test
    void itDoesNotReachAnotherTenantBesideAPacketToAForwardedPort() {
        node.send(StoppedNode.ACCESS, pieces().get(0));
        node.warp(KEPT.plus(MOMENT));
        node.send(StoppedNode.UPLINK, Frame.udp(StoppedNode.in(OTHERS_PUBLIC), PORT, FORWARD));
        leavesAlone(StoppedNode.ACCESS, StoppedNode.WORLD);
        assertThat(node.sent(StoppedNode.UPLINK)).isEmpty();
        assertThat(node.pieces()).isZero();
    }
}
