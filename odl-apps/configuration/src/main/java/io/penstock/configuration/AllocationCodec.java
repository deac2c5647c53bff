// SPDX-License-Identifier: Apache-2.0
package io.penstock.configuration;

import static java.util.Objects.requireNonNull;
import static org.opendaylight.mdsal.common.api.LogicalDatastoreType.CONFIGURATION;

import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.VrfId;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.opendaylight.mdsal.binding.api.WriteOperations;
import org.opendaylight.yang.gen.v1.urn.ietf.params.xml.ns.yang.ietf.inet.types.rev130715.Ipv4AddressNoZone;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.Allocations;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.AllocationsBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Node;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.NodeBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.NodeKey;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.Tenant;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.TenantBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.TenantKey;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.node.Port;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.node.PortBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Block;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.BlockBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.BlockKey;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.Function;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.FunctionBuilder;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.NodeVrf;
import org.opendaylight.yang.gen.v1.urn.penstock.allocation.rev261121.allocations.tenant.NodeVrfBuilder;
import org.opendaylight.yangtools.yang.binding.InstanceIdentifier;
import org.opendaylight.yangtools.yang.binding.util.BindingMap;
import org.opendaylight.yangtools.yang.common.Uint16;
import org.opendaylight.yangtools.yang.common.Uint32;
import org.opendaylight.yangtools.yang.common.Uint8;

/** Allocations to and from their YANG form. */
final class AllocationCodec {
    static final InstanceIdentifier<Allocations> PATH = InstanceIdentifier.create(Allocations.class);

    private static final Comparator<Block> BLOCK_ORDER = Comparator.comparing(block -> block.getNumber().toJava());

    private AllocationCodec() {
        // Only functions.
    }

    static io.penstock.pipeline.allocation.Allocations read(final Allocations stored) {
        final SortedMap<String, SortedMap<String, Integer>> ports = new TreeMap<>();
        for (final Node node : stored.nonnullNode().values()) {
            final SortedMap<String, Integer> numbers = new TreeMap<>();
            for (final Port port : node.nonnullPort().values()) {
                numbers.put(port.getName(), port.getNumber().toJava());
            }
            ports.put(node.getName(), numbers);
        }
        final Map<String, TenantAllocation> tenants = new HashMap<>();
        for (final Tenant tenant : stored.nonnullTenant().values()) {
            tenants.put(tenant.getName(), new TenantAllocation(id(tenant),
                Optional.ofNullable(tenant.getPublicAddress()).map(address -> Ipv4.parse(address.getValue())),
                tenant.nonnullBlock().values().stream().sorted(BLOCK_ORDER).map(AllocationCodec::block).toList(),
                tenant.nonnullLease().values().stream().map(LeaseCodec::read).toList(),
                tenant.nonnullFunction().values().stream().collect(Collectors.toMap(Function::getName,
                    function -> function.getPlace().intValue(), (one, other) -> one, TreeMap::new)),
                tenant.nonnullNodeVrf().values().stream()
                    .filter(node -> VrfId.of(node.getVrf().toJava()).isPresent())
                    .collect(Collectors.toMap(NodeVrf::getNode, node -> new VrfId(node.getVrf().toJava()),
                        (one, other) -> one, TreeMap::new))));
        }
        final SortedMap<String, Integer> nodes = nodes(stored);
        return new io.penstock.pipeline.allocation.Allocations(
            stored.getLastVrf() == null ? 0 : stored.getLastVrf().toJava(), nodes, ports, tenants,
            CanaryCodec.read(stored), stored.getSwitchSecret() == null ? "" : stored.getSwitchSecret(),
            stored.getLastNode() == null ? io.penstock.pipeline.allocation.Allocations.largest(nodes)
                : stored.getLastNode().toJava(),
            stored.getLastId() == null ? 0 : stored.getLastId().intValue());
    }

    /** Ids of nodes by name. */
    static SortedMap<String, Integer> nodes(final Allocations stored) {
        final SortedMap<String, Integer> nodes = new TreeMap<>();
        stored.nonnullNode().values().forEach(node -> nodes.put(node.getName(), node.getId().toJava()));
        return nodes;
    }

    /** Former releases have stored VRF ids alone, which are the ids of these tenants. */
    private static int id(final Tenant stored) {
        return stored.getId() == null ? stored.getVrf().toJava() : stored.getId().intValue();
    }

    /** Puts into a transaction what brings the stored form from one state to another. */
    static void write(final WriteOperations transaction, final io.penstock.pipeline.allocation.Allocations from,
            final io.penstock.pipeline.allocation.Allocations to) {
        final Set<String> tenants = new HashSet<>(from.tenants().keySet());
        tenants.addAll(to.tenants().keySet());
        write(transaction, from, to, tenants);
    }

    /**
     * The same where only some tenants may differ.
     *
     * @param tenants names of those that may differ
     */
    static void write(final WriteOperations transaction, final io.penstock.pipeline.allocation.Allocations from,
            final io.penstock.pipeline.allocation.Allocations to, final Set<String> tenants) {
        // Entry by entry: the journal of the datastore takes none above 16 MB.
        if (from.lastVrf() != to.lastVrf() || from.lastNode() != to.lastNode() || from.lastLarge() != to.lastLarge()
                || !from.secret().equals(to.secret())) {
            transaction.merge(CONFIGURATION, PATH, new AllocationsBuilder()
                .setLastId(to.lastLarge() == 0 ? null : Uint32.valueOf(to.lastLarge()))
                .setLastVrf(Uint16.valueOf(to.lastVrf())).setLastNode(Uint16.valueOf(to.lastNode()))
                .setSwitchSecret(to.secret().isEmpty() ? null : to.secret()).build());
        }
        to.nodes().forEach((name, id) -> {
            if (!id.equals(from.nodes().get(name)) || !Objects.equals(to.ports().get(name), from.ports().get(name))) {
                transaction.mergeParentStructurePut(CONFIGURATION, path(new NodeKey(name)), node(to, name));
            }
        });
        from.nodes().keySet().stream().filter(name -> !to.nodes().containsKey(name))
            .forEach(name -> transaction.delete(CONFIGURATION, path(new NodeKey(name))));
        CanaryCodec.write(transaction, from.canaries(), to.canaries());
        tenants.forEach(name -> {
            final TenantAllocation had = from.tenants().get(name);
            final TenantAllocation given = to.tenants().get(name);
            if (given == null) {
                if (had != null) {
                    transaction.delete(CONFIGURATION, path(name));
                }
            } else if (had != null && !given.equals(had)
                    && given.equals(had.withBlocks(given.blocks()).withLeases(given.leases()))) {
                writeBlocks(transaction, name, blocks(had), blocks(given));
                LeaseCodec.write(transaction, path(name), had.leases(), given.leases());
            } else if (!given.equals(had)) {
                transaction.mergeParentStructurePut(CONFIGURATION, path(name), tenant(name, given));
            }
        });
    }

    /** A tenant may have thousands, of which one is new. */
    private static void writeBlocks(final WriteOperations transaction, final String tenant,
            final Map<BlockKey, Block> from, final Map<BlockKey, Block> to) {
        from.keySet().stream().filter(key -> !to.containsKey(key))
            .forEach(key -> transaction.delete(CONFIGURATION, path(tenant).child(Block.class, key)));
        to.forEach((key, block) -> {
            if (!block.equals(from.get(key))) {
                transaction.put(CONFIGURATION, path(tenant).child(Block.class, key), block);
            }
        });
    }

    private static io.penstock.pipeline.allocation.Allocations.Block block(final Block stored) {
        return new io.penstock.pipeline.allocation.Allocations.Block(Ipv4.parse(stored.getSubscriber().getValue()),
            Ipv4.parse(stored.getPublicAddress().getValue()), stored.getFirstPort().toJava(),
            stored.getPorts().toJava());
    }

    private static Map<BlockKey, Block> blocks(final TenantAllocation given) {
        final Map<Ipv4, Integer> had = new HashMap<>();
        final Map<BlockKey, Block> blocks = new LinkedHashMap<>();
        for (final io.penstock.pipeline.allocation.Allocations.Block each : given.blocks()) {
            final Block block = new BlockBuilder()
                .setSubscriber(new Ipv4AddressNoZone(each.subscriber().toString()))
                .setNumber(Uint8.valueOf(had.merge(each.subscriber(), 1, Integer::sum) - 1))
                .setPublicAddress(new Ipv4AddressNoZone(each.address().toString()))
                .setFirstPort(Uint16.valueOf(each.firstPort())).setPorts(Uint16.valueOf(each.ports())).build();
            blocks.put(block.key(), block);
        }
        return blocks;
    }

    private static InstanceIdentifier<Tenant> path(final String tenant) {
        return PATH.child(Tenant.class, new TenantKey(tenant));
    }

    private static InstanceIdentifier<Node> path(final NodeKey node) {
        return PATH.child(Node.class, node);
    }

    private static Node node(final io.penstock.pipeline.allocation.Allocations allocations, final String name) {
        return new NodeBuilder().setName(name).setId(Uint16.valueOf(allocations.id(name)))
            .setPort(requireNonNull(allocations.ports().get(name)).entrySet().stream().map(port -> new PortBuilder()
                .setName(port.getKey()).setNumber(Uint16.valueOf(port.getValue())).build())
                .collect(BindingMap.toMap())).build();
    }

    private static Tenant tenant(final String name, final TenantAllocation given) {
        final TenantBuilder builder = new TenantBuilder().setName(name);
        if (given.id() <= Uint16.MAX_VALUE.toJava()) {
            builder.setVrf(Uint16.valueOf(given.id()));
        } else {
            builder.setId(Uint32.valueOf(given.id()));
        }
        builder.setNodeVrf(given.vrfs().entrySet().stream().map(each -> new NodeVrfBuilder().setNode(each.getKey())
            .setVrf(Uint16.valueOf(each.getValue().number())).build()).collect(BindingMap.toMap()));
        given.publicAddress()
            .ifPresent(address -> builder.setPublicAddress(new Ipv4AddressNoZone(address.toString())));
        builder.setFunction(given.places().entrySet().stream().map(each -> new FunctionBuilder()
            .setName(each.getKey()).setPlace(Uint8.valueOf(each.getValue())).build()).collect(BindingMap.toMap()));
        return builder.setBlock(blocks(given)).setLease(LeaseCodec.leases(given.leases())).build();
    }
}
