// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Frame;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Odd packets of two tenants with the same addresses, and of the world to both, against the connection tracking of the
 * nodes' Open vSwitch: it goes on, and no packet leaves but where its tenant's may go. A failure names seed and batch:
 * {@code -Dpenstock.fuzz.seed=7} repeats a run, {@code -Dpenstock.fuzz.minutes=60} is an hour.
 */
@Tag("safety")
@Tag("hostile")
class ConntrackFuzzTraceIT {
    private static final Duration LONG = Duration.ofMinutes(Long.getLong("penstock.fuzz.minutes", 2));
    private static final int BATCHES_OF_GATE = 15;
    private static final int GROUPS = 6;
    private static final String HOST = "10.0.0.5";
    private static final int FORWARD = 30_007;
    private static final String INSIDE = "fw1-in";
    private static final String OUTSIDE = "fw1-out";
    private static final NetworkFunction.Instance INSTANCE =
        new NetworkFunction.Instance("fw1", NetworkFunction.State.IN_SERVICE, 1);
    /** Between batches: nothing, less than and more than what fragments are kept for, and more than connections are. */
    private static final List<Duration> PAUSES = List.of(Duration.ZERO, Duration.ZERO, Duration.ZERO,
        Duration.ofMillis(200), Duration.ofSeconds(14), Duration.ofSeconds(17), Duration.ofSeconds(400));

    /** Tenants by VLAN. */
    private static final Map<Integer, String> PUBLIC = Map.of(100, TenantPair.FIRST_PUBLIC, 101,
        TenantPair.SECOND_PUBLIC);
    private static final String WORLD6 = "2001:db8:aaaa::10";

    /**
     * Whose packets come from there.
     *
     * @param mark the data of its packets
     * @param tenant the VLAN of the tenant that sends them, or that they are for
     */
    private record Origin(String port, Frame.Way way, byte mark, int tenant) {
        private static final List<Origin> OF_IPV4 = List.of(
            new Origin(StoppedNode.ACCESS, StoppedNode.out(HOST), (byte) 0xa1, 100),
            new Origin(StoppedNode.ACCESS, StoppedNode.out(HOST), (byte) 0xb2, 101),
            new Origin(StoppedNode.UPLINK, StoppedNode.in(TenantPair.FIRST_PUBLIC), (byte) 0xc3, 100),
            new Origin(StoppedNode.UPLINK, StoppedNode.in(TenantPair.SECOND_PUBLIC), (byte) 0xd4, 101));
        private static final List<Origin> OF_IPV6 = List.of(
            new Origin(StoppedNode.ACCESS, out6(100), (byte) 0xa5, 100),
            new Origin(StoppedNode.ACCESS, out6(101), (byte) 0xb6, 101),
            new Origin(StoppedNode.UPLINK, in6(100), (byte) 0xc7, 100),
            new Origin(StoppedNode.UPLINK, in6(101), (byte) 0xd8, 101));

        private static Frame.Way out6(final int tenant) {
            return new Frame.Way(StoppedNode.HOST_MAC, Constants.GATEWAY_MAC, host6(tenant), WORLD6);
        }

        private static Frame.Way in6(final int tenant) {
            return new Frame.Way(StoppedNode.TRANSIT_MAC, StoppedNode.BACKBONE_MAC, WORLD6, host6(tenant));
        }

        boolean isTenant() {
            return port.equals(StoppedNode.ACCESS);
        }

        Frame framed(final Frame frame) {
            return isTenant() ? frame.tagged(tenant) : frame;
        }

        String digits() {
            return "%02x".formatted(mark & 0xff).repeat(6);
        }
    }

    private static String prefix6(final int tenant) {
        return "2001:db8:" + tenant + "::";
    }

    private static String host6(final int tenant) {
        return prefix6(tenant) + 5;
    }

    private final List<Origin> origins = new ArrayList<>();
    private StoppedNode node;
    /** By the VLAN of a tenant: that of its packets in a function. Empty without functions. */
    private final Map<Integer, Integer> tags = new HashMap<>();
    private int sent;
    private int left;
    /** Frames that the function has sent. */
    private int through;

    /** What tenants have beside translations, published ports and FTP. */
    private enum Network {
        /** Lists that permit all. */
        LISTED {
            @Override
            Snapshot snapshot() {
                return Networks.of(new Acl(Networks.LIST, List.of(new Acl.Entry("all", true, Matches.ANY, List.of()))),
                    tenant(Networks::guarded, "first", 100, false), tenant(Networks::guarded, "second", 101, true));
            }
        },
        /** A chain through a function whose instances keep their connections. */
        CHAINED {
            @Override
            Snapshot snapshot() {
                return Networks.of(Path.of("/nowhere"), List.of(new NetworkFunction("fw", Networks.NODE,
                    NetworkFunction.FailPolicy.CLOSED, true).spread(INSTANCE)),
                    tenant(Networks::chained, "first", 100, false), tenant(Networks::chained, "second", 101, false));
            }
        },
        /** IPv6 beside, by which only replies come in. */
        DUAL_STACK {
            @Override
            Snapshot snapshot() {
                final Snapshot plain = LISTED.snapshot();
                return Snapshot.of(List.copyOf(plain.nodes().values()), plain.backbone().with(DualStack.backbone()),
                    List.copyOf(plain.pools().values()), List.of(), List.of(), plain.tenants().values().stream()
                    .map(tenant -> tenant.with(new Ipv6Side(List.of(DualStack.subnet(
                        prefix6(tenant.attachments().get(0).vlan()) + "/64", List.of())), List.of()))).toList(),
                    List.copyOf(plain.acls().values()));
            }
        };

        abstract Snapshot snapshot();
    }

    /** Makes a tenant of a name, a VLAN and a public address. */
    private interface Kind {
        Tenant tenant(String name, int vlan, String publicAddress);
    }

    private static Tenant tenant(final Kind kind, final String name, final int vlan, final boolean isStateful) {
        final Tenant.Nat nat = new Tenant.Nat(Optional.of(Ipv4.parse(PUBLIC.get(vlan))), Optional.empty(), List.of(),
            List.of(), List.of(), List.of(new Tenant.PortForward("sink", 17, FORWARD, Ipv4.parse(HOST), FORWARD)),
            Set.of(Alg.FTP));
        return kind.tenant(name, vlan, PUBLIC.get(vlan)).with(nat).with(new Protection(Optional.empty(), isStateful,
            Quota.NONE.withFragments(Quota.UNLIMITED)));
    }

    private void start(final Network network) {
        node = new StoppedNode(network.snapshot());
        origins.addAll(Origin.OF_IPV4);
        if (network == Network.DUAL_STACK) {
            origins.addAll(Origin.OF_IPV6);
        }
        if (network == Network.CHAINED) {
            node.keep(INSIDE);
            node.keep(OUTSIDE);
            PUBLIC.keySet().forEach(vlan -> tags.put(vlan, tagTowardsFunction(vlan)));
            assertThat(tags.values()).doesNotHaveDuplicates();
        }
    }

    /** The tag by which the function knows the packets of a tenant. */
    private int tagTowardsFunction(final int vlan) {
        learn();
        node.send(StoppedNode.ACCESS, Frame.ping(StoppedNode.out(HOST), false).tagged(vlan));
        return vlan(node.sent(INSIDE).get(0));
    }

    /** Has the switch learn hosts and the transit router, which it forgets in time. */
    private void learn() {
        PUBLIC.keySet().forEach(vlan -> node.learn(HOST, vlan));
        if (origins.containsAll(Origin.OF_IPV6)) {
            node.send(StoppedNode.UPLINK,
                OddFrames6.solicitation(StoppedNode.TRANSIT_MAC, "2001:db8:ffff::1", "2001:db8:ffff::2"));
            PUBLIC.keySet().forEach(vlan -> node.send(StoppedNode.ACCESS,
                OddFrames6.solicitation(StoppedNode.HOST_MAC, host6(vlan), prefix6(vlan) + 1).tagged(vlan)));
        }
    }

    @AfterEach
    void stop() {
        node.close();
    }

    @ParameterizedTest
    @EnumSource
    void theSwitchGoesOnAndMixesNoTenants(final Network network) {
        start(network);
        final Fuzz fuzz = new Fuzz(7);
        for (int batch = 0; batch < BATCHES_OF_GATE; batch++) {
            fuzz.pass();
        }
        assertThat(left).as("frames that have left").isGreaterThan(BATCHES_OF_GATE);
        assertThat(through).as("frames through the function").isGreaterThan(tags.isEmpty() ? -1 : BATCHES_OF_GATE);
        stillForwards();
    }

    /** Open vSwitch puts none together. */
    @Test
    void piecesOfLessThan400BytesAreDropped() {
        start(Network.DUAL_STACK);
        learn();
        final Origin six = Origin.OF_IPV6.get(0);
        for (final int bytes : List.of(392, 400)) {
            // A header of IPv4 has 20 bytes, and what is in a piece is a multiple of eight.
            node.send(StoppedNode.ACCESS, List.of(
                Frame.pieces(StoppedNode.out(HOST), bytes, 40_000, bytes - 16, 200).get(0).tagged(100),
                six.framed(OddFrames6.first(six.way(), six.mark(), bytes))));
        }
        assertThat(node.packets(Table.NAT_OUT_CHECK, "not translated")).isOne();
        assertThat(node.packets(Table.TRACKED, TracedNode.NOT_VALID)).isOne();
        assertThat(node.pieces()).isEqualTo(2);
    }

    @ParameterizedTest
    @EnumSource
    @Tag("deep")
    @Tag("fuzz")
    @Timeout(7200)
    void itDoesSoForLong(final Network network, final TestReporter reporter) {
        start(network);
        final Instant end = Instant.now().plus(LONG);
        final Fuzz fuzz = new Fuzz(Long.getLong("penstock.fuzz.seed", System.nanoTime()));
        while (Instant.now().isBefore(end)) {
            fuzz.pass();
        }
        reporter.publishEntry("seed %d".formatted(fuzz.seed),
            "%d batches, %d frames, %d through the function, %d left".formatted(fuzz.batch, sent, through, left));
        stillForwards();
    }

    /** Batches of frames. Last pieces of packets may come in a later batch, or never. */
    private final class Fuzz {
        private final long seed;
        private final Random random;
        private final OddFrames odd;
        private final OddFrames6 odd6;
        private final Deque<List<Late>> late = new ArrayDeque<>();
        private int batch;

        /** Pieces that are still to come. */
        private record Late(String port, Frame frame) { }

        Fuzz(final long seed) {
            this.seed = seed;
            random = new Random(seed);
            odd = new OddFrames(random);
            odd6 = new OddFrames6(random);
        }

        void pass() {
            final List<String> batchFrames = new ArrayList<>();
            try {
                if (batch % 20 == 0) {
                    learn();
                }
                for (int group = 0; group < GROUPS; group++) {
                    send(group(), batchFrames);
                }
                node.warp(PAUSES.get(random.nextInt(PAUSES.size())));
                look();
            } catch (AssertionError e) {
                throw new AssertionError("seed %d, batch %d: %s%nframes:%n%s".formatted(seed, batch, e.getMessage(),
                    String.join("\n", batchFrames)), e);
            }
            batch++;
        }

        private List<Late> group() {
            if (!late.isEmpty() && random.nextInt(3) == 0) {
                return late.remove();
            }
            final Origin origin = origins.get(random.nextInt(origins.size()));
            final List<Late> all = (Origin.OF_IPV6.contains(origin) ? odd6.some(origin.way(), origin.mark())
                : odd.some(origin.way(), origin.mark())).stream()
                .map(frame -> new Late(origin.port(), origin.framed(frame))).toList();
            final int now = all.size() > 1 && random.nextInt(3) == 0 ? all.size() - 1 : all.size();
            if (now < all.size() && random.nextInt(3) > 0) {
                late.add(all.subList(now, all.size()));
            }
            return all.subList(0, now);
        }

        private void send(final List<Late> frames, final List<String> batchFrames) {
            frames.forEach(each -> batchFrames.add(each.port() + " " + each.frame().digits()));
            if (!frames.isEmpty()) {
                node.send(frames.get(0).port(), frames.stream().map(Late::frame).toList());
            }
            sent += frames.size();
            if (!tags.isEmpty()) {
                passFunction(INSIDE, OUTSIDE);
                passFunction(OUTSIDE, INSIDE);
            }
            look();
        }

        /** The function keeps some packets, and sends others in another order. */
        private void passFunction(final String from, final String to) {
            final List<Frame> passed = new ArrayList<>();
            for (final String digits : node.sent(from)) {
                final int tag = vlan(digits);
                assertThat(tags).as("tag of %s at %s", digits, from).containsValue(tag);
                origins.stream().filter(origin -> digits.contains(origin.digits())).forEach(origin ->
                    assertThat(tag).as("tag of %s at %s", digits, from).isEqualTo(tags.get(origin.tenant())));
                if (random.nextInt(16) > 0) {
                    passed.add(new Frame(digits));
                }
            }
            if (random.nextInt(8) == 0) {
                Collections.shuffle(passed, random);
            }
            node.send(to, passed);
            through += passed.size();
        }
    }

    private void look() {
        for (final String frame : node.sent(StoppedNode.UPLINK)) {
            left++;
            assertThat(source(frame)).as("source of %s", frame).doesNotStartWith("0a");
            origins.stream().filter(origin -> origin.isTenant() && frame.contains(origin.digits())).forEach(origin ->
                assertThat(source(frame)).as("source of %s", frame).isEqualTo(outside(origin)));
        }
        for (final String frame : node.sent(StoppedNode.ACCESS)) {
            left++;
            origins.stream().filter(origin -> frame.contains(origin.digits())).forEach(origin ->
                assertThat(vlan(frame)).as("VLAN of %s", frame).isEqualTo(origin.tenant()));
        }
    }

    /** The source of a tenant's packets on the uplink, in hexadecimal digits. */
    private static String outside(final Origin origin) {
        return Origin.OF_IPV6.contains(origin) ? "20010db80%d00000000000000000005".formatted(origin.tenant())
            : StoppedNode.digits(PUBLIC.get(origin.tenant()));
    }

    /** That of a packet without a tag. */
    private static String source(final String frame) {
        return frame.startsWith("0800", 24) ? frame.substring(52, 60)
            : frame.startsWith("86dd", 24) ? frame.substring(44, 76) : "";
    }

    /** 0 without a tag. */
    private static int vlan(final String frame) {
        return frame.startsWith("8100", 24) ? Integer.parseInt(frame.substring(29, 32), 16) : 0;
    }

    /** A whole packet and one in pieces of each tenant, when all of before has been given up. */
    private void stillForwards() {
        node.warp(Duration.ofSeconds(100));
        Await.until("no pieces are kept", () -> node.pieces() == 0);
        node.ovs().appctl("dpctl/flush-conntrack");
        learn();
        node.sent(StoppedNode.UPLINK);
        origins.stream().filter(Origin::isTenant).forEach(origin -> {
            final List<Frame> frames = new ArrayList<>();
            if (Origin.OF_IPV6.contains(origin)) {
                frames.addAll(OddFrames6.good(origin.way(), origin.mark()));
            } else {
                frames.addAll(Frame.pieces(origin.way(), 99, 40_000, 800, 200));
                frames.add(Frame.ping(origin.way(), false));
            }
            node.send(StoppedNode.ACCESS, frames.stream().map(origin::framed).toList());
            if (!tags.isEmpty()) {
                node.send(OUTSIDE, node.sent(INSIDE).stream().map(Frame::new).toList());
            }
            assertThat(node.sent(StoppedNode.UPLINK)).as("of %s", origin).hasSize(3)
                .allMatch(frame -> source(frame).equals(outside(origin)));
        });
    }
}
