// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Allocations.Block;
import io.penstock.pipeline.intent.Allocations.TenantAllocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.api.WriteOperations;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.AllocationsBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Tenant;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.TenantBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.TenantKey;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.BlockKey;
import org.opendaylight.yangtools.yang.binding.DataObject;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;

/** What is written brings the stored form from any state to any other, and is no more than what differs. */
class AllocationCodecTest {
    private final Store store = new Store();

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
        final Allocations before = allocations(3, Map.of("a", new TenantAllocation(2, 9)));
        AllocationCodec.write(store, Allocations.none(), before);
        store.writes.clear();
        AllocationCodec.write(store, before, allocations(4,
            Map.of("a", new TenantAllocation(2, 9), "b", new TenantAllocation(3, 0))));
        assertThat(store.writes).containsExactly("last", "put b");
    }

    @Test
    void oneBlockMoreOrLessIsOneEntry() {
        final Block first = new Block(0x0a000009L, 0xcb007101L, 1024, 512);
        final Block second = new Block(0x0a000008L, 0xcb007101L, 1536, 512);
        final Block third = new Block(0x0a000009L, 0xcb007101L, 2048, 512);
        final TenantAllocation tenant = new TenantAllocation(2, 0);
        final Allocations before = allocations(3, Map.of("a", tenant.with(List.of(first, second))));
        final Allocations more = allocations(3, Map.of("a", tenant.with(List.of(first, second, third))));
        AllocationCodec.write(store, Allocations.none(), before);
        store.writes.clear();
        AllocationCodec.write(store, before, more);
        assertThat(store.writes).containsExactly("put a 10.0.0.9 1");
        AllocationCodec.write(store, more, allocations(3, Map.of("a", tenant.with(List.of(first, third)))));
        assertThat(store.writes).containsExactly("put a 10.0.0.9 1", "delete a 10.0.0.8 0");
        assertThat(AllocationCodec.read(store.content()).tenants().get("a").blocksOf(first.subscriber()))
            .containsExactly(first, third);
    }

    private static Allocations random(final Random random) {
        final Map<String, TenantAllocation> tenants = new HashMap<>();
        for (int name = 0; name < 6; name++) {
            if (random.nextBoolean()) {
                tenants.put("t" + name, new TenantAllocation(2 + random.nextInt(3), random.nextInt(2) * 0xcb007105L,
                    IntStream.range(0, random.nextInt(5)).mapToObj(index -> new Block(
                        0x0a000000L + random.nextInt(3), 0xcb007101L, 1024 + 512 * index, 512)).toList()));
            }
        }
        return allocations(random.nextInt(3), tenants);
    }

    private static Allocations allocations(final int last, final Map<String, TenantAllocation> tenants) {
        final TreeMap<String, Integer> ports = new TreeMap<>(Map.of("acc0", 1, "up0", 2));
        // Sometimes another node, so that all is written.
        final String node = last == 0 ? "edge0" : "edge1";
        return new Allocations(last, new TreeMap<>(Map.of(node, 1)), new TreeMap<>(Map.of(node, ports)), tenants);
    }

    /** A datastore with nothing but allocations. */
    private static final class Store implements WriteOperations {
        private final List<String> writes = new ArrayList<>();
        private org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations top =
            new AllocationsBuilder().build();
        private final Map<TenantKey, Tenant> tenants = new HashMap<>();

        org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations content() {
            return new AllocationsBuilder(top)
                .setTenant(tenants.values().stream().collect(Collectors.collectingAndThen(Collectors.toList(),
                    BindingMap::of))).build();
        }

        @Override
        public <T extends DataObject> void put(final LogicalDatastoreType store, final InstanceIdentifier<T> path,
                final T data) {
            if (path.firstKeyOf(Tenant.class) != null) {
                putBlock(path,
                    (org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Block) data);
                return;
            }
            assertThat(path).isEqualTo(AllocationCodec.PATH);
            top = (org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations) data;
            tenants.clear();
            tenants.putAll(top.nonnullTenant());
            writes.add("all");
        }

        @Override
        public <T extends DataObject> void mergeParentStructurePut(final LogicalDatastoreType store,
                final InstanceIdentifier<T> path, final T data) {
            final Tenant tenant = (Tenant) data;
            assertThat(path).isEqualTo(AllocationCodec.PATH.child(Tenant.class, tenant.key()));
            tenants.put(tenant.key(), tenant);
            writes.add("put " + tenant.getName());
        }

        @Override
        public <T extends DataObject> void merge(final LogicalDatastoreType store, final InstanceIdentifier<T> path,
                final T data) {
            top = new AllocationsBuilder(top).setLastVrf(
                ((org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations) data).getLastVrf())
                .build();
            writes.add("last");
        }

        private void putBlock(final InstanceIdentifier<?> path,
                final org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Block block) {
            final TenantKey key = path.firstKeyOf(Tenant.class);
            final Map<BlockKey, org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Block>
                blocks = new HashMap<>(tenants.get(key).nonnullBlock());
            blocks.put(block.key(), block);
            tenants.put(key, new TenantBuilder(tenants.get(key)).setBlock(blocks).build());
            writes.add("put " + key.getName() + text(block.key()));
        }

        private static String text(final BlockKey key) {
            return " " + key.getSubscriber().getValue() + " " + key.getNumber();
        }

        @Override
        public void delete(final LogicalDatastoreType store, final InstanceIdentifier<?> path) {
            final TenantKey key = path.firstKeyOf(Tenant.class);
            final BlockKey block = path.firstKeyOf(
                org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Block.class);
            if (block != null) {
                final Map<BlockKey,
                    org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Block> blocks =
                    new HashMap<>(tenants.get(key).nonnullBlock());
                blocks.remove(block);
                tenants.put(key, new TenantBuilder(tenants.get(key)).setBlock(blocks).build());
                writes.add("delete " + key.getName() + text(block));
                return;
            }
            tenants.remove(key);
            writes.add("delete " + key.getName());
        }

        @Override
        public <T extends DataObject> void mergeParentStructureMerge(final LogicalDatastoreType store,
                final InstanceIdentifier<T> path, final T data) {
            throw new UnsupportedOperationException();
        }
    }
}
