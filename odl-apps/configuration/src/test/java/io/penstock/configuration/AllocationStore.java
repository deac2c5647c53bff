// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.opendaylight.mdsal.binding.api.WriteOperations;
import org.opendaylight.mdsal.common.api.LogicalDatastoreType;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.AllocationsBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Canary;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.CanaryKey;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Node;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.NodeKey;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Tenant;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.TenantBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.TenantKey;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Block;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.BlockKey;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Lease;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.LeaseKey;
import org.opendaylight.yangtools.yang.binding.DataObject;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;

/** A datastore with nothing but allocations, which remembers how it was written to. */
final class AllocationStore implements WriteOperations {
    private final List<String> writes = new ArrayList<>();
    private Allocations top = new AllocationsBuilder().build();
    private final Map<TenantKey, Tenant> tenants = new HashMap<>();
    private final Map<NodeKey, Node> nodes = new HashMap<>();
    private final Map<CanaryKey, Canary> canaries = new HashMap<>();

    /** What is stored. */
    Allocations content() {
        return new AllocationsBuilder(top).setNode(Map.copyOf(nodes)).setCanary(Map.copyOf(canaries))
            .setTenant(tenants.values().stream().collect(Collectors.collectingAndThen(Collectors.toList(),
                BindingMap::of))).build();
    }

    /** What was written since the last call, in short. */
    List<String> takeWrites() {
        final List<String> taken = List.copyOf(writes);
        writes.clear();
        return taken;
    }

    @Override
    public <T extends DataObject> void put(final LogicalDatastoreType store, final InstanceIdentifier<T> path,
            final T data) {
        if (data instanceof Block block) {
            putBlock(path, block);
        } else {
            putLease(path.firstKeyOf(Tenant.class), (Lease) data);
        }
    }

    @Override
    public <T extends DataObject> void mergeParentStructurePut(final LogicalDatastoreType store,
            final InstanceIdentifier<T> path, final T data) {
        if (data instanceof Canary canary) {
            assertThat(path).isEqualTo(AllocationCodec.PATH.child(Canary.class, canary.key()));
            canaries.put(canary.key(), canary);
            writes.add("put " + canary.getFunction() + " " + canary.getVersion());
            return;
        }
        if (data instanceof Node node) {
            assertThat(path).isEqualTo(AllocationCodec.PATH.child(Node.class, node.key()));
            nodes.put(node.key(), node);
            writes.add("put " + node.getName());
            return;
        }
        final Tenant tenant = (Tenant) data;
        assertThat(path).isEqualTo(AllocationCodec.PATH.child(Tenant.class, tenant.key()));
        tenants.put(tenant.key(), tenant);
        writes.add("put " + tenant.getName());
    }

    @Override
    public <T extends DataObject> void merge(final LogicalDatastoreType store, final InstanceIdentifier<T> path,
            final T data) {
        assertThat(path).isEqualTo(AllocationCodec.PATH);
        top = (Allocations) data;
        writes.add("last");
    }

    private void putBlock(final InstanceIdentifier<?> path, final Block block) {
        final TenantKey key = path.firstKeyOf(Tenant.class);
        final Map<BlockKey, Block> blocks = new HashMap<>(tenants.get(key).nonnullBlock());
        blocks.put(block.key(), block);
        tenants.put(key, new TenantBuilder(tenants.get(key)).setBlock(blocks).build());
        writes.add("put " + key.getName() + text(block.key()));
    }

    private void putLease(final TenantKey key, final Lease lease) {
        final Map<LeaseKey, Lease> leases = new HashMap<>(tenants.get(key).nonnullLease());
        leases.put(lease.key(), lease);
        tenants.put(key, new TenantBuilder(tenants.get(key)).setLease(leases).build());
        writes.add("put " + key.getName() + " " + lease.getAddress().getValue());
    }

    private void deleteLease(final TenantKey key, final LeaseKey lease) {
        final Map<LeaseKey, Lease> leases = new HashMap<>(tenants.get(key).nonnullLease());
        leases.remove(lease);
        tenants.put(key, new TenantBuilder(tenants.get(key)).setLease(leases).build());
        writes.add("delete " + key.getName() + " " + lease.getAddress().getValue());
    }

    private static String text(final BlockKey key) {
        return " " + key.getSubscriber().getValue() + " " + key.getNumber();
    }

    @Override
    public void delete(final LogicalDatastoreType store, final InstanceIdentifier<?> path) {
        final CanaryKey canary = path.firstKeyOf(Canary.class);
        if (canary != null) {
            canaries.remove(canary);
            writes.add("delete " + canary.getFunction() + " " + canary.getVersion());
            return;
        }
        final NodeKey node = path.firstKeyOf(Node.class);
        if (node != null) {
            nodes.remove(node);
            writes.add("delete " + node.getName());
            return;
        }
        final TenantKey key = path.firstKeyOf(Tenant.class);
        final BlockKey block = path.firstKeyOf(Block.class);
        if (block != null) {
            final Map<BlockKey, Block> blocks = new HashMap<>(tenants.get(key).nonnullBlock());
            blocks.remove(block);
            tenants.put(key, new TenantBuilder(tenants.get(key)).setBlock(blocks).build());
            writes.add("delete " + key.getName() + text(block));
            return;
        }
        if (path.firstKeyOf(Lease.class) != null) {
            deleteLease(key, path.firstKeyOf(Lease.class));
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
