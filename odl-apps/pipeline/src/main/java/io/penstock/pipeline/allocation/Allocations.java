// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.allocation.CanaryResult.Verdict;
import io.penstock.pipeline.intent.NetworkFunction;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.AddressPorts;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.VrfId;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What was handed out: node ids, OpenFlow port numbers, VRF ids, public addresses; and what was found out about new
 * versions of functions. Survives restarts.
 *
 * @param lastVrf the VRF id given out last as the id of a tenant, 0 at first
 * @param ports by node, then by port name
 * @param tenants by name; asked many times for each tenant, so it should be a map that answers at once
 * @param canaries by function, the newest first, and each version once
 * @param secret of which the datapath ids of the nodes are made, so that no node can guess that of another; empty if
 *     they are to follow from their numbers
 * @param lastNode the node id given out last, 0 at first
 * @param lastLarge the id of a tenant given out last that is no VRF id, 0 at first
 */
public record Allocations(int lastVrf, SortedMap<String, Integer> nodes,
        SortedMap<String, SortedMap<String, Integer>> ports, Map<String, TenantAllocation> tenants,
        SortedMap<String, List<CanaryResult>> canaries, String secret, int lastNode, int lastLarge) {
    public Allocations {
        requireNonNull(secret);
    }

    /** Without a secret. */
    public Allocations(final int lastVrf, final SortedMap<String, Integer> nodes,
            final SortedMap<String, SortedMap<String, Integer>> ports, final Map<String, TenantAllocation> tenants,
            final SortedMap<String, List<CanaryResult>> canaries) {
        this(lastVrf, nodes, ports, tenants, canaries, "", largest(nodes), 0);
    }

    /** Without canaries. */
    public Allocations(final int lastVrf, final SortedMap<String, Integer> nodes,
            final SortedMap<String, SortedMap<String, Integer>> ports, final Map<String, TenantAllocation> tenants) {
        this(lastVrf, nodes, ports, tenants, Collections.emptySortedMap());
    }

    /** The largest of some numbers, 0 if there are none. */
    public static int largest(final SortedMap<String, Integer> numbers) {
        return numbers.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    /** The same ids, but nobody has an address, port block or lease. */
    public Allocations withoutHoldings() {
        final Map<String, TenantAllocation> ids = new TreeMap<>();
        tenants.forEach((name, given) -> ids.put(name,
            new TenantAllocation(given.id(), Optional.empty(), List.of(), List.of(), given.places(), given.vrfs())));
        return new Allocations(lastVrf, nodes, ports, ids, canaries, secret, lastNode, lastLarge);
    }

    /**
     * What a tenant got.
     *
     * @param id of the tenant in the network, unique among all tenants
     * @param publicAddress of its source NAT; absent without
     * @param blocks ports of its subscribers, those of one subscriber in the order in which it got them
     * @param leases addresses of its DHCP server, each once
     * @param places which sixteen bits of ct_label tell the instance of a connection, 0..7, by function
     * @param vrfs VRF ids by node, where they are another number than the id
     */
    public record TenantAllocation(int id, Optional<Ipv4> publicAddress, List<Block> blocks, List<Lease> leases,
            SortedMap<String, Integer> places, SortedMap<String, VrfId> vrfs) {
        public TenantAllocation {
            vrfs = Collections.unmodifiableSortedMap(new TreeMap<>(vrfs));
            places = Collections.unmodifiableSortedMap(new TreeMap<>(places));
            blocks = blocks.stream().sorted(Comparator.comparing(Block::subscriber)).toList();
            leases = leases.stream().sorted(Comparator.comparing(Lease::address)).toList();
        }

        /** Without leases and spread functions. */
        public TenantAllocation(final int id, final Optional<Ipv4> publicAddress, final List<Block> blocks) {
            this(id, publicAddress, blocks, List.of(), new TreeMap<>(), new TreeMap<>());
        }

        /** Without subscribers. */
        public TenantAllocation(final int id, final Optional<Ipv4> publicAddress) {
            this(id, publicAddress, List.of());
        }

        /** The VRF of the tenant on a node, unique there; never empty for one of its own nodes. */
        public Optional<VrfId> vrf(final String node) {
            return Optional.ofNullable(vrfs.get(node)).or(() -> VrfId.of(id));
        }

        /** The same with other blocks. */
        public TenantAllocation withBlocks(final List<Block> others) {
            return new TenantAllocation(id, publicAddress, others, leases, places, vrfs);
        }

        /** The same with other leases. */
        public TenantAllocation withLeases(final List<Lease> others) {
            return new TenantAllocation(id, publicAddress, blocks, others, places, vrfs);
        }
    }

    /**
     * Ports of a public address that a subscriber has.
     *
     * @param subscriber address inside
     * @param ports how many, from {@code firstPort} on
     */
    public record Block(Ipv4 subscriber, Ipv4 address, int firstPort, int ports) {
        /** Whether it is one of an entry, and its subscriber may have it. */
        public boolean isOf(final Tenant.PortBlocks mapping) {
            return mapping.inside().contains(subscriber) && mapping.outside().contains(address)
                && ports == mapping.blockSize() && firstPort % ports == 0 && firstPort >= mapping.firstPort();
        }

        /** The ports that it is made of. */
        public AddressPorts addressPorts() {
            return new AddressPorts(address, new PortRange(firstPort, firstPort + ports - 1));
        }

        /** Where it is, whoever has it. */
        public Place place() {
            return new Place(address, firstPort);
        }
    }

    /** A block without its owner. */
    public record Place(Ipv4 address, int firstPort) { }

    /** Nothing handed out. */
    public static Allocations none() {
        return new Allocations(0, new TreeMap<>(), new TreeMap<>(), Map.of());
    }

    /** The same with other tenants. */
    public Allocations withTenants(final Map<String, TenantAllocation> others) {
        return new Allocations(lastVrf, nodes, ports, Collections.unmodifiableMap(others), canaries, secret,
            lastNode, lastLarge);
    }

    /** The same with one result more of a function, for which the oldest may go. */
    public Allocations with(final String function, final CanaryResult result) {
        final SortedMap<String, List<CanaryResult>> results = new TreeMap<>(canaries);
        results.put(function, Stream.concat(Stream.of(result), canariesOf(function).stream())
            .limit(CanaryResult.KEPT).toList());
        return new Allocations(lastVrf, nodes, ports, tenants, Collections.unmodifiableSortedMap(results), secret,
            lastNode, lastLarge);
    }

    /** What was found out about new versions of a function, the newest first. */
    public List<CanaryResult> canariesOf(final String function) {
        return canaries.getOrDefault(function, List.of());
    }

    /** What was found out about the new version that a function has now, once that is so. */
    public Optional<Verdict> verdict(final NetworkFunction function) {
        return function.canary().flatMap(canary -> canariesOf(function.name()).stream()
            .filter(result -> result.version().equals(canary.version())).findFirst()).map(CanaryResult::verdict);
    }

    /** The same with a secret. */
    public Allocations withSecret(final String other) {
        return new Allocations(lastVrf, nodes, ports, tenants, canaries, other, lastNode, lastLarge);
    }

    /** OpenFlow datapath id of the bridge of a node. */
    public long datapathId(final String node) {
        return Constants.datapathId(id(node), secret);
    }

    /** The node whose bridge has an OpenFlow datapath id. */
    public Optional<String> nodeOf(final long datapathId) {
        final int id = Constants.nodeId(datapathId);
        return nodes.entrySet().stream().filter(node -> node.getValue() == id).map(Map.Entry::getKey)
            .filter(node -> datapathId(node) == datapathId).findFirst();
    }

    /** Whether an OpenFlow datapath id is one that a node of this controller had that has been removed. */
    public boolean wasOfNode(final long datapathId) {
        final int id = Constants.nodeId(datapathId);
        return !secret.isEmpty() && Constants.datapathId(id, secret) == datapathId && !nodes.containsValue(id);
    }

    /** Id of a node. */
    public int id(final String node) {
        return requireNonNull(nodes.get(node), node);
    }

    /** OpenFlow port number of a node's port. */
    public int port(final String node, final String port) {
        final Map<String, Integer> numbers = ports.get(node);
        if (numbers == null || !numbers.containsKey(port)) {
            throw new IllegalArgumentException("no number for port " + port + " of node " + node);
        }
        return numbers.get(port);
    }
}
