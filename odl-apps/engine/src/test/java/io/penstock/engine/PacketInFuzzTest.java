// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.base.Ticker;
import io.penstock.configuration.Desired;
import io.penstock.configuration.grant.Transitions;
import io.penstock.functions.health.HealthService;
import io.penstock.operations.ControllerStatus.PacketInCount;
import io.penstock.packets.dhcp.DhcpService;
import io.penstock.packets.icmp.RoutingErrors;
import io.penstock.packets.ipv6.Ipv6Services;
import io.penstock.packets.link.Fate;
import io.penstock.packets.link.FrameOutlet;
import io.penstock.packets.link.Links;
import io.penstock.packets.link.PacketInCounts;
import io.penstock.packets.subscriber.BlockRequests;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.pipeline.registry.ErrorKind;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import io.penstock.southbound.openflow.PacketIn;
import io.penstock.southbound.openflow.PacketInListener;
import io.penstock.southbound.openflow.SwitchId;
import io.penstock.testkit.ManualClock;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Malformed packets at the entries at which packets of switches come to the services: each is counted, none makes a
 * service fail or hang, and both what is answered and what is refused is among them.
 */
@Timeout(value = 360, unit = TimeUnit.SECONDS, threadMode = ThreadMode.SEPARATE_THREAD)
class PacketInFuzzTest {
    private static final int ROUNDS = 20_000;
    private static final int LEAST = ROUNDS / 200;
    private static final int BATCH = 1000;
    private static final String SERVICE = "fuzzed";

    private final AtomicInteger sent = new AtomicInteger();
    private final OpenFlowSouthbound southbound = (OpenFlowSouthbound) Proxy.newProxyInstance(
        OpenFlowSouthbound.class.getClassLoader(), new Class<?>[] {OpenFlowSouthbound.class},
        (proxy, method, arguments) -> {
            assertThat(method.getName()).isEqualTo("packetOut");
            sent.incrementAndGet();
            return CompletableFuture.completedFuture(null);
        });
    private final FrameOutlet outlet = new FrameOutlet(southbound);
    /** Without probes for conflicts, which have a message counted twice. */
    private final Snapshot snapshot = DualStack.network(DualStack.tenant(), Fixtures.served().with(new Services(
        Fixtures.served().services().dhcp().map(dhcp -> new Dhcp(0, dhcp.subnets())), Optional.empty())));
    private final Desired desired = new Desired(1, snapshot, Allocator.allocate(snapshot, Allocations.none()));
    private final SwitchId node = new SwitchId(desired.allocations().datapathId("edge1"));
    private final long access = desired.allocations().port("edge1", "acc0");
    private final PacketInCounts counts = new PacketInCounts();
    private final FuzzedFrames frames = new FuzzedFrames(4861);

    private long vrf(final String tenant) {
        return desired.allocations().tenants().get(tenant).id();
    }

    private PacketIn packet(final Table table, final Map<MatchField, Long> fields, final byte[] frame) {
        return new PacketIn(node, (int) access, 0, table.number(), fields, frame);
    }

    private Map<MatchField, Long> from(final String tenant, final long vlan) {
        return Map.of(Register.VRF.range().field(), vrf(tenant), Register.IN_ATTACHMENT.range().field(),
            access << 12 | vlan);
    }

    private PacketInCount fuzz(final PacketInListener listener, final Supplier<PacketIn> packets) {
        for (int round = 0; round < ROUNDS; round++) {
            listener.onPacketIn(packets.get());
        }
        return counted();
    }

    private PacketInCount counted() {
        final PacketInCount all = counts.all().get(SERVICE);
        assertThat(all.failed()).as("packets on which the service failed: %s", all).isZero();
        assertThat(all.taken() + all.ignored() + all.malformed()).as("%s", all).isEqualTo(ROUNDS);
        return all;
    }

    private static void bothWereThere(final PacketInCount all) {
        assertThat(all.taken()).as("taken: %s", all).isGreaterThan(LEAST);
        assertThat(all.malformed()).as("malformed: %s", all).isGreaterThan(LEAST);
    }

    private PacketInListener counting(final Function<PacketIn, Fate> service) {
        return packet -> counts.count(SERVICE, service, packet);
    }

    @Test
    void dhcp() {
        final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T10:00:00Z"));
        final DhcpService service = new DhcpService(clock, () -> { }, millis -> { },
            (target, revision, task) -> task.run(), outlet, event -> { });
        final PacketInListener listener = counting(service::onPacketIn);
        Allocations allocations = desired.allocations();
        for (int batch = 0; batch < ROUNDS / BATCH; batch++) {
            for (int round = 0; round < BATCH; round++) {
                listener.onPacketIn(packet(Table.DHCP_REQUEST, from("campus", 800), frames.dhcp()));
            }
            allocations = service.propose(snapshot, allocations);
            service.stored(Transitions.none());
            clock.pass(1);
        }
        assertThat(counted().taken()).isEqualTo(ROUNDS);
        final Map<String, Long> messages = service.counts().all().get("campus");
        assertThat(messages).doesNotContainKey("dropped: failed");
        assertThat(messages.values().stream().mapToLong(Long::longValue).sum()).as("%s", messages).isEqualTo(ROUNDS);
        assertThat(messages.get("dropped: malformed")).isGreaterThan(LEAST);
        assertThat(messages.get("discover: offer")).isGreaterThan(LEAST);
        assertThat(sent.get()).isGreaterThan(LEAST);
    }

    @Test
    void routerSolicitations() {
        bothWereThere(ipv6(frames::routerSolicitation));
    }

    @Test
    void dhcpv6() {
        bothWereThere(ipv6(frames::dhcpv6));
        assertThat(sent.get()).isGreaterThan(LEAST);
    }

    private PacketInCount ipv6(final Supplier<byte[]> frame) {
        try (Ipv6Services service = new Ipv6Services(new Links(outlet, () -> desired), () -> 0, new Random(1))) {
            return fuzz(counting(service::onPacketIn),
                () -> packet(Table.IPV6_REQUEST, from("dual", 900), frame.get()));
        }
    }

    @Test
    void reportedPacketsOfIpv4() {
        reported("campus", frames::offender4);
    }

    @Test
    void reportedPacketsOfIpv6() {
        reported("dual", frames::offender6);
    }

    private void reported(final String tenant, final Supplier<byte[]> frame) {
        final Random random = new Random(792);
        final long[] nanos = {0};
        final RoutingErrors errors = new RoutingErrors(() -> desired, RoutingErrors.Outlet.of(southbound),
            new Ticker() {
                @Override
                public long read() {
                    // Slow enough that no sender has too many.
                    nanos[0] += TimeUnit.SECONDS.toNanos(1);
                    return nanos[0];
                }
            });
        bothWereThere(fuzz(counting(errors::onPacketIn), () -> packet(Table.ROUTING_ERROR, Map.of(
            Register.VRF.range().field(), vrf(tenant),
            MatchField.REG5, (long) ErrorKind.values()[random.nextInt(ErrorKind.values().length)].number()
                << Register.ERROR_KIND.range().low(),
            Register.ERROR_MTU.range().field(), (long) random.nextInt(0x10000)), frame.get())));
        assertThat(errors.counts().values().stream().mapToLong(Long::longValue).sum()).isEqualTo(ROUNDS);
        assertThat(sent.get()).isGreaterThan(LEAST);
    }

    @Test
    void packetsThatNeedABlock() {
        final BlockRequests requests = new BlockRequests(() -> { });
        bothWereThere(fuzz(counting(packet -> {
            requests.answered(requests.pending());
            return requests.onPacketIn(packet);
        }), () -> packet(Table.NAT_TRANSLATE, from("campus", 800), frames.subscriber())));
    }

    @Test
    void probes() {
        final HealthService.Nodes nodes = new HealthService.Nodes() {
            @Override
            public boolean isOnline(final String name) {
                return true;
            }

            @Override
            public boolean isUp(final String name, final List<String> ports) {
                return true;
            }

            @Override
            public boolean carriesServiceHeader(final String name) {
                return true;
            }

            @Override
            public void changed(final String name) {
                throw new AssertionError("an instance of " + name + " has changed");
            }
        };
        try (HealthService health = new HealthService(outlet, () -> desired, nodes, Ticker.systemTicker(), 7)) {
            final PacketInCount all = fuzz(counting(health::onPacketIn),
                () -> packet(Table.CHAIN_RETURN, Map.of(), frames.probe()));
            assertThat(all.malformed()).isGreaterThan(LEAST);
            assertThat(all.ignored()).as("of whoever guesses").isGreaterThan(LEAST);
            assertThat(all.taken()).isZero();
        }
    }
}
