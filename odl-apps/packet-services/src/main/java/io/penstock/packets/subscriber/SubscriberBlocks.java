// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.grant.VrfLookup;
import io.penstock.events.PoolEvent;
import io.penstock.events.PoolEvent.OfPortBlock;
import io.penstock.packets.subscriber.BlockRequests.Request;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.Place;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.BlockAllocator;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.VrfId;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Gives and takes blocks, as changes of {@link Allocations}. Remembers what was taken a short time ago, which nobody
 * gets for {@link Constants#BLOCK_QUARANTINE_SECONDS}. For the thread of the engine.
 */
public final class SubscriberBlocks {
    private final Clock clock;
    private final Shortages shortages;
    private final VrfLookup vrfs;
    private final Map<Place, Instant> resting = new HashMap<>();

    /**
     * A host inside a VRF.
     *
     * @param vrf as a node tells it: unique there
     */
    public record Subscriber(VrfId vrf, Ipv4 address) { }

    /** The same by the name of its tenant. */
    record Holder(String tenant, Ipv4 address) { }

    /**
     * Blocks that rest are counted from when they were taken by this clock.
     *
     * @param events is told of entries without a free block; must not block
     */
    public SubscriberBlocks(final Clock clock, final VrfLookup vrfs, final Consumer<PoolEvent> events) {
        this.vrfs = requireNonNull(vrfs);
        this.clock = requireNonNull(clock);
        shortages = new Shortages(clock, events);
    }

    /** Gives one block to everybody who asked for it and may have it; the same object when that is nobody. */
    public Allocations give(final Snapshot snapshot, final Allocations before, final Set<Request> requests) {
        final Instant now = clock.instant();
        resting.values().removeIf(until -> !now.isBefore(until));
        endShortages(snapshot, before);
        if (requests.isEmpty()) {
            return before;
        }
        final Map<String, List<Block>> changed = new HashMap<>();
        for (final Request request : requests) {
            // The VRF is the word of the node, which may touch its own tenants alone.
            vrfs.tenant(snapshot, before, request.node().datapathId(), request.vrf())
                .ifPresent(tenant -> give(tenant, changed.computeIfAbsent(tenant.name(),
                    name -> new ArrayList<>(requireNonNull(before.tenants().get(name)).blocks())), request));
        }
        return with(before, changed);
    }

    private void give(final Tenant tenant, final List<Block> taken, final Request request) {
        // Packets that were under way when the switch got the block before asked for that one.
        if (taken.stream().filter(block -> block.subscriber().equals(request.subscriber())).count() != request.had()) {
            return;
        }
        tenant.nat().stream().flatMap(nat -> nat.portBlocks().stream())
            .filter(mapping -> mapping.inside().contains(request.subscriber())).findFirst().ifPresent(mapping ->
                BlockAllocator.give(mapping, taken, resting.keySet(), request.subscriber()).ifPresentOrElse(taken::add,
                    () -> {
                        if (request.had() < mapping.mostBlocks()) {
                            shortages.begins(tenant.name(), mapping, taken, request.subscriber());
                        }
                    }));
    }

    private void endShortages(final Snapshot snapshot, final Allocations allocations) {
        final Map<OfPortBlock, Ipv4> lasting = shortages.lasting();
        final Set<OfPortBlock> configured = new HashSet<>();
        lasting.forEach((owner, subscriber) -> mapping(snapshot, owner).ifPresent(mapping -> {
            final TenantAllocation given = allocations.tenants().get(owner.tenant());
            configured.add(owner);
            if (given != null && (shortages.isOver(owner)
                    || BlockAllocator.give(mapping, given.blocks(), resting.keySet(), subscriber).isPresent())) {
                shortages.ends(owner, mapping, given.blocks());
            }
        }));
        if (!lasting.isEmpty()) {
            shortages.keep(configured);
        }
    }

    private static Optional<Tenant.PortBlocks> mapping(final Snapshot snapshot, final OfPortBlock owner) {
        return Optional.ofNullable(snapshot.tenants().get(owner.tenant())).flatMap(Tenant::nat).stream()
            .flatMap(nat -> nat.portBlocks().stream()).filter(each -> each.inside().equals(owner.inside())).findFirst();
    }

    /** Takes all blocks of some subscribers; the same object when they have none. */
    Allocations take(final Allocations before, final Set<Holder> idle) {
        if (idle.isEmpty()) {
            return before;
        }
        final Instant until = clock.instant().plusSeconds(Constants.BLOCK_QUARANTINE_SECONDS);
        final Map<String, List<Block>> changed = new HashMap<>();
        before.tenants().forEach((name, given) -> {
            if (!given.blocks().isEmpty()) {
                final List<Block> left = new ArrayList<>(given.blocks());
                left.removeIf(block -> {
                    final boolean ends = idle.contains(new Holder(name, block.subscriber()));
                    if (ends) {
                        resting.put(block.place(), until);
                    }
                    return ends;
                });
                changed.put(name, left);
            }
        });
        return with(before, changed);
    }

    private static Allocations with(final Allocations before, final Map<String, List<Block>> blocks) {
        final Map<String, TenantAllocation> tenants = new HashMap<>(before.tenants());
        boolean same = true;
        for (final Map.Entry<String, List<Block>> entry : blocks.entrySet()) {
            final TenantAllocation had = requireNonNull(before.tenants().get(entry.getKey()));
            if (had.blocks().size() != entry.getValue().size()) {
                tenants.put(entry.getKey(), had.withBlocks(entry.getValue()));
                same = false;
            }
        }
        return same ? before : before.withTenants(tenants);
    }
}
