// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.ipv6;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.penstock.configuration.Desired;
import io.penstock.frames.Bytes;
import io.penstock.packets.link.FrameOutlet;
import io.penstock.packets.link.Links;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocator;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.southbound.openflow.OpenFlowSouthbound;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RouterAdvertiserTest {
    private static final int TENANTS = 1000;
    private static final int MANY = 256;
    private static final long TICK = 250;
    private static final int TYPE = 14 + 40;
    private static final int LIFETIME = TYPE + 6;
    private static final int PREFIX_OPTION = TYPE + 16 + 8;
    private static final Bytes HOST = Bytes.parseHex("fe800000000000000000000000000005");

    /** What was sent, by the actions that sent it. */
    private final List<Bytes> sent = new ArrayList<>();
    private Desired desired = new Desired(0, Snapshot.empty(), Allocations.none());
    private final RouterAdvertiser advertiser =
        new RouterAdvertiser(new Links(new FrameOutlet(southbound()), () -> desired), new Random(4861));
    private long now;

    @Test
    void aThousandTenantsAreNoBurst() {
        want(tenants(TENANTS));
        final Map<Long, Integer> bySecond = new TreeMap<>();
        run(16_000, bySecond);
        assertThat(sent.size()).as("all of them within sixteen seconds").isGreaterThanOrEqualTo(TENANTS);
        assertThat(bySecond.values()).allMatch(count -> count < 200);
        sent.clear();
        bySecond.clear();
        // The first three are sooner.
        run(60_000, new HashMap<>());
        sent.clear();
        run(600_000, bySecond);
        assertThat(sent.size()).isBetween(TENANTS, 3 * TENANTS);
        assertThat(bySecond.values()).allMatch(count -> count < 20);
    }

    @Test
    void aPrefixThatIsNoMoreIsWithdrawn() {
        want(Fixtures.tenant("one", 100).with(DualStack.side("2001:db8:1::/64")));
        run(20_000, new HashMap<>());
        assertThat(sent).isNotEmpty().allMatch(frame -> frame.u8(TYPE) == 134 && frame.u16(LIFETIME) == 1800);
        sent.clear();
        want(Fixtures.tenant("one", 100).with(DualStack.side("2001:db8:2::/64")));
        run(2_000, new HashMap<>());
        assertThat(sent).singleElement().satisfies(frame -> {
            assertThat(frame.hex()).contains("20010db8000200000000000000000000");
            assertThat(frame.hex()).contains("030440c0" + "0000000000000000" + "00000000"
                + "20010db8000100000000000000000000");
        });
        sent.clear();
        want();
        run(2_000, new HashMap<>());
        assertThat(sent).singleElement().satisfies(frame -> {
            assertThat(frame.u16(LIFETIME)).isZero();
            assertThat(frame.u8(PREFIX_OPTION)).isEqualTo(3);
            assertThat(frame.hex()).contains("20010db8000200000000000000000000");
        });
        sent.clear();
        run(2_000_000, new HashMap<>());
        assertThat(sent).isEmpty();
    }

    @Test
    void whoAsksIsAnswered() {
        final Tenant tenant = Fixtures.tenant("one", 100).with(DualStack.side("2001:db8:1::/64"));
        want(tenant);
        run(100_000, new HashMap<>());
        sent.clear();
        advertiser.answer(tenant, tenant.attachments().get(0), new Mac(0x020000000005L), Optional.of(HOST), now);
        assertThat(sent).singleElement().satisfies(frame -> {
            assertThat(frame.u48(0)).isEqualTo(0x020000000005L);
            assertThat(frame.part(14 + 24, 16)).isEqualTo(HOST);
        });
        sent.clear();
        for (int asked = 0; asked < 100; asked++) {
            advertiser.answer(tenant, tenant.attachments().get(0), new Mac(0x020000000005L), Optional.empty(), now);
            run(100, new HashMap<>());
        }
        assertThat(sent.size()).as("all are told, but not more often than each three seconds").isBetween(3, 5);
        assertThat(sent).allMatch(frame -> frame.u48(0) == 0x333300000001L);
    }

    @Test
    void aLinkHearsOfItsOwnSubnetsAlone() {
        final Tenant dual = DualStack.tenant();
        assertThat(Announcement.of(dual, dual.attachments().get(0)).prefixes()).extracting(Object::toString)
            .containsExactly("2001:db8:1::/64");
        assertThat(Announcement.of(dual.with(Ipv6Side.NONE), dual.attachments().get(0)).isEmpty()).isTrue();
    }

    @Test
    void aConfigurationIsReadOnce() {
        final AtomicInteger read = new AtomicInteger();
        final Snapshot plain = DualStack.network(tenants(1));
        for (int change = 1; change <= 2; change++) {
            desired = new Desired(change, new Snapshot(plain.nodes(), plain.backbone(), plain.pools(),
                plain.functions(), plain.chains(), counted(plain.tenants(), read), plain.acls()),
                desired.allocations());
            read.set(0);
            run(10_000, new HashMap<>());
            // One more revision without a change.
            desired = new Desired(change, desired.snapshot(), Allocations.none());
            run(10_000, new HashMap<>());
            // The second one is compared with the first one.
            assertThat(read).hasValue(change);
        }
    }

    private static SortedMap<String, Tenant> counted(final SortedMap<String, Tenant> tenants,
            final AtomicInteger read) {
        return new TreeMap<>(tenants) {
            private static final long serialVersionUID = 1;

            @Override
            public Collection<Tenant> values() {
                read.incrementAndGet();
                return super.values();
            }
        };
    }

    @Test
    void manySubnetsOnManyLinksAreAllTold() {
        tellManySubnets();
    }

    /** Milliseconds of work; a search of all names for each attachment of each subnet would take minutes. */
    @Tag("deep")
    @Tag("scale")
    @Test
    void manySubnetsOnManyLinksKeepNoCoreBusy() {
        assertTimeoutPreemptively(Duration.ofSeconds(20), this::tellManySubnets);
    }

    private void tellManySubnets() {
        final List<Tenant.Attachment> attachments = new ArrayList<>();
        for (int index = 0; index < MANY; index++) {
            attachments.add(new Tenant.Attachment("lan" + index, "edge1", "acc0", 1 + index));
        }
        final List<String> names = attachments.stream().map(Tenant.Attachment::name).toList();
        final List<Ipv6Side.Subnet> subnets = new ArrayList<>();
        for (int index = 0; index < MANY; index++) {
            subnets.add(DualStack.subnet("2001:db8:0:%x::/64".formatted(index), names));
        }
        final Tenant large = new Tenant("large", attachments, List.of(), List.of(), Optional.empty(), Optional.empty(),
            Optional.empty()).with(new Ipv6Side(subnets, List.of()));
        want(large);
        run(5_000, new HashMap<>());
        want(large);
        run(5_000, new HashMap<>());
        assertThat(sent).hasSizeGreaterThanOrEqualTo(MANY);
        assertThat(Announcement.all(large)).hasSize(MANY).allSatisfy((at, announcement) ->
            assertThat(announcement).isEqualTo(new Announcement(subnets, false)));
    }

    private void run(final long millis, final Map<Long, Integer> bySecond) {
        for (final long end = now + millis; now < end; now += Math.min(TICK, millis)) {
            final int before = sent.size();
            advertiser.tick(now);
            bySecond.merge(now / 1000, sent.size() - before, Integer::sum);
        }
    }

    private void want(final Tenant... tenants) {
        final Snapshot snapshot = DualStack.network(tenants);
        desired = new Desired(0, snapshot, Allocator.allocate(snapshot, Allocations.none()));
    }

    private static Tenant[] tenants(final int count) {
        final List<Tenant> tenants = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            tenants.add(new Tenant("t" + index,
                List.of(new Tenant.Attachment("lan", "edge1", "acc0", 1 + index)), List.of(), List.of(),
                Optional.empty(), Optional.empty(), Optional.empty())
                .with(DualStack.side("2001:db8:0:%x::/64".formatted(index))));
        }
        return tenants.toArray(Tenant[]::new);
    }

    private OpenFlowSouthbound southbound() {
        return (OpenFlowSouthbound) Proxy.newProxyInstance(getClass().getClassLoader(),
            new Class<?>[] {OpenFlowSouthbound.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("packetOut")) {
                    sent.add(Bytes.of((byte[]) arguments[3]));
                }
                return CompletableFuture.completedFuture(null);
            });
    }
}
