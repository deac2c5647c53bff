// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Allocations;
import io.penstock.pipeline.intent.Allocations.TenantAllocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.opendaylight.mdsal.binding.api.WriteOperations;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.AllocationsBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Tenant;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.TenantKey;
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

    private static Allocations random(final Random random) {
        final Map<String, TenantAllocation> tenants = new HashMap<>();
        for (int name = 0; name < 6; name++) {
            if (random.nextBoolean()) {
                tenants.put("t" + name, new TenantAllocation(2 + random.nextInt(9), random.nextInt(2) * 0xcb007105L));
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

        @Override
        public void delete(final LogicalDatastoreType store, final InstanceIdentifier<?> path) {
            final TenantKey key = path.firstKeyOf(Tenant.class);
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
