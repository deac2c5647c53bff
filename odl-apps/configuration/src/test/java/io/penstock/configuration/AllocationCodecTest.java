// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.CanaryResult;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.VrfId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.AllocationsBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Tenant;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.TenantBuilder;
import org.opendaylight.yangtools.yang.common.Uint16;

/** What is written brings the stored form from any state to any other, and is no more than what differs. */
class AllocationCodecTest {
    private static final Ipv4 INSIDE = Ipv4.parse("10.0.0.0");
    private static final Ipv4 PUBLIC = Ipv4.parse("203.0.113.1");
    private final AllocationStore store = new AllocationStore();

    @Test
    void storedIsWhatWasHandedOut() {
        final Random random = new Random(1);
        Allocations stored = Allocations.none();
        for (int step = 0; step < 200; step++) {
            final Allocations next = random(random);
            AllocationCodec.write(store, stored, next);
            assertThat(AllocationCodec.read(store.content())).isEqualTo(next);
            stored = next;
        }
    }

    @Test
    void oneTenantMoreIsOneEntryAndTheLastId() {
        final Allocations before = allocations(3, Map.of("a", new TenantAllocation(2, Optional.of(new Ipv4(9)))));
        AllocationCodec.write(store, Allocations.none(), before);
        store.takeWrites();
        AllocationCodec.write(store, before, allocations(4,
            Map.of("a", new TenantAllocation(2, Optional.of(new Ipv4(9))),
                "b", new TenantAllocation(3, Optional.empty()))));
        assertThat(store.takeWrites()).containsExactly("last", "put b");
    }

    @Test
    void onePortMoreIsTheEntryOfItsNode() {
        final Allocations before = allocations(3, Map.of("a", new TenantAllocation(2, Optional.of(new Ipv4(9)))));
        AllocationCodec.write(store, Allocations.none(), before);
        store.takeWrites();
        final TreeMap<String, Integer> ports = new TreeMap<>(Map.of("acc0", 1, "up0", 2, "acc1", 3));
        final Allocations more = new Allocations(3, new TreeMap<>(Map.of("edge1", 1, "edge2", 2)),
            new TreeMap<>(Map.of("edge1", ports, "edge2", new TreeMap<>())), before.tenants())
            .withSecret(before.secret());
        AllocationCodec.write(store, before, more);
        assertThat(store.takeWrites()).containsExactly("last", "put edge1", "put edge2");
        AllocationCodec.write(store, more, before);
        assertThat(store.takeWrites()).containsExactly("last", "put edge1", "delete edge2");
    }

    @Test
    void oneBlockMoreOrLessIsOneEntry() {
        final Block first = new Block(INSIDE.plus(9), PUBLIC, 1024, 512);
        final Block second = new Block(INSIDE.plus(8), PUBLIC, 1536, 512);
        final Block third = new Block(INSIDE.plus(9), PUBLIC, 2048, 512);
        final TenantAllocation tenant = new TenantAllocation(2, Optional.empty());
        final Allocations before = allocations(3, Map.of("a", tenant.withBlocks(List.of(first, second))));
        final Allocations more = allocations(3, Map.of("a", tenant.withBlocks(List.of(first, second, third))));
        AllocationCodec.write(store, Allocations.none(), before);
        store.takeWrites();
        AllocationCodec.write(store, before, more);
        assertThat(store.takeWrites()).containsExactly("put a 10.0.0.9 1");
        AllocationCodec.write(store, more, allocations(3, Map.of("a", tenant.withBlocks(List.of(first, third)))));
        assertThat(store.takeWrites()).containsExactly("delete a 10.0.0.8 0");
        assertThat(AllocationCodec.read(store.content()).tenants().get("a").blocks()).containsExactly(first, third);
    }

    @Test
    void oneLeaseMoreOrLessIsOneEntry() {
        final Random random = new Random(2);
        final TenantAllocation tenant = new TenantAllocation(2, Optional.empty());
        final Lease first = lease(1, random);
        final Lease second = lease(2, random);
        final Allocations before = allocations(3, Map.of("a", tenant.withLeases(List.of(first))));
        final Allocations more = allocations(3, Map.of("a", tenant.withLeases(List.of(first, second))));
        AllocationCodec.write(store, Allocations.none(), before);
        store.takeWrites();
        AllocationCodec.write(store, before, more);
        assertThat(store.takeWrites()).containsExactly("put a 10.0.0.2");
        AllocationCodec.write(store, more, allocations(3, Map.of("a", tenant.withLeases(List.of(second)))));
        assertThat(store.takeWrites()).containsExactly("delete a 10.0.0.1");
        assertThat(AllocationCodec.read(store.content()).tenants().get("a").leases()).containsExactly(second);
    }

    @Test
    void oneVerdictMoreIsOneEntryAndItsOldestGoes() {
        final Random random = new Random(3);
        Allocations before = allocations(3, Map.of("a", new TenantAllocation(2, Optional.empty())));
        for (int version = 0; version < CanaryResult.KEPT; version++) {
            before = before.with("fw", result(version, random));
        }
        AllocationCodec.write(store, Allocations.none(), before);
        store.takeWrites();
        AllocationCodec.write(store, before, before.with("fw", result(CanaryResult.KEPT, random)));
        assertThat(store.takeWrites()).containsExactly("put fw v8", "delete fw v0");
        assertThat(AllocationCodec.read(store.content()).canariesOf("fw")).extracting(CanaryResult::version)
            .containsExactly("v8", "v7", "v6", "v5", "v4", "v3", "v2", "v1");
    }

    @Test
    void theIdsThatAFormerReleaseHasStoredAreTheVrfIdsOnAllNodes() {
        final Tenant former = new TenantBuilder().setName("a").setVrf(Uint16.valueOf(4711)).build();
        final TenantAllocation read = AllocationCodec.read(new AllocationsBuilder().setLastVrf(Uint16.valueOf(4711))
            .setTenant(Map.of(former.key(), former)).build()).tenants().get("a");
        assertThat(read).isEqualTo(new TenantAllocation(4711, Optional.empty()));
        assertThat(read.vrf("edge1")).contains(new VrfId(4711));
    }

    /** It had VRF ids up to 28671. */
    @Test
    void anIdThatIsNoVrfIdAnyMoreStaysTheIdOfItsTenant() {
        final TenantAllocation had = new TenantAllocation(28_671, Optional.empty());
        final Allocations all = allocations(28_671, Map.of("a", had));
        AllocationCodec.write(store, Allocations.none(), all);
        assertThat(AllocationCodec.read(store.content())).isEqualTo(all);
        assertThat(had.vrf("edge1")).isEmpty();
    }

    private static Lease lease(final int index, final Random random) {
        return new Lease(INSIDE.plus(index), Lease.State.values()[random.nextInt(3)], "0102",
            new Mac(0x020000000000L + index), random.nextBoolean() ? "" : "lan", random.nextBoolean() ? "" : "host", 1
            + random.nextInt(9));
    }

    private static Allocations random(final Random random) {
        final Map<String, TenantAllocation> tenants = new HashMap<>();
        for (int name = 0; name < 6; name++) {
            if (random.nextBoolean()) {
                tenants.put("t" + name, new TenantAllocation(
                    (random.nextBoolean() ? 2 : 70_000) + random.nextInt(3),
                    random.nextBoolean() ? Optional.empty() : Optional.of(PUBLIC),
                    IntStream.range(0, random.nextInt(5)).mapToObj(index -> new Block(
                        INSIDE.plus(random.nextInt(3)), PUBLIC, 1024 + 512 * index, 512)).toList(),
                    IntStream.range(0, random.nextInt(4)).mapToObj(index -> lease(index, random)).toList(),
                    new TreeMap<>(random.nextBoolean() ? Map.of() : Map.of("fw", random.nextInt(8))),
                    new TreeMap<>(random.nextBoolean() ? Map.of() : Map.of("edge" + random.nextInt(2), new VrfId(9)))));
            }
        }
        Allocations all = allocations(random.nextInt(3), tenants);
        for (int version = 0; version < random.nextInt(12); version++) {
            all = all.with("fw" + random.nextInt(2), result(version, random));
        }
        return all;
    }

    private static CanaryResult result(final int version, final Random random) {
        return new CanaryResult("v" + version, CanaryResult.Verdict.values()[random.nextInt(2)], "because",
            1000 + version, random.nextInt(300), side(random), side(random));
    }

    private static CanaryResult.Side side(final Random random) {
        return new CanaryResult.Side(random.nextBoolean() ? List.of() : List.of("b", "a"), random.nextInt(9), 3,
            new CanaryResult.Probes(5, 1, random.nextInt(2), 1000));
    }

    private static Allocations allocations(final int last, final Map<String, TenantAllocation> tenants) {
        final TreeMap<String, Integer> ports = new TreeMap<>(Map.of("acc0", 1, "up0", 2));
        // Sometimes another node.
        final String node = last == 0 ? "edge0" : "edge1";
        return new Allocations(last, new TreeMap<>(Map.of(node, 1)), new TreeMap<>(Map.of(node, ports)), tenants)
            .withSecret((last == 0 ? "a" : "b").repeat(64));
    }
}
