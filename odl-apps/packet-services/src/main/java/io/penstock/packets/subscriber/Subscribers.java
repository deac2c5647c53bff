// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.grant.Grantor;
import io.penstock.configuration.grant.Transition;
import io.penstock.configuration.grant.VrfLookup;
import io.penstock.events.PoolEvent;
import io.penstock.packets.link.Fate;
import io.penstock.packets.subscriber.BlockRequests.Request;
import io.penstock.packets.subscriber.SubscriberBlocks.Holder;
import io.penstock.packets.subscriber.SubscriberBlocks.Subscriber;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.PacketIn;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Collects who needs a block and who is idle, until a change of the allocations is written down. Packets may come on
 * any thread; all else is for the thread of the engine.
 */
public final class Subscribers implements Grantor {
    /** How long a count tells who is idle; later somebody may have begun again, and the next count tells. */
    private static final int COUNT_SECONDS = 60;

    private final Clock clock;
    private final Runnable mark;
    private final BlockRequests requests;
    private final VrfLookup vrfs = new VrfLookup();
    private final SubscriberBlocks blocks;
    private final Map<String, IdleSubscribers> counted = new HashMap<>();
    private final Map<String, Idle> idle = new HashMap<>();
    private Set<Request> asking = Set.of();
    private Set<Ending> ending = Set.of();

    private record Ending(String node, Subscriber subscriber) { }

    private record Idle(Instant counted, Set<Subscriber> subscribers) { }

    /**
     * Nobody known yet.
     *
     * @param mark called on any thread when the allocations are to be changed; must not block
     * @param events is told of entries without a free block; must not block
     */
    public Subscribers(final Clock clock, final Runnable mark, final Consumer<PoolEvent> events) {
        this.clock = requireNonNull(clock);
        this.mark = requireNonNull(mark);
        requests = new BlockRequests(mark);
        blocks = new SubscriberBlocks(clock, vrfs, events);
    }

    /** Takes a packet for which there was no port. */
    public Fate onPacketIn(final PacketIn packet) {
        return requests.onPacketIn(packet);
    }

    /** Whether somebody has blocks, so that it is worth to count; what was counted is forgotten if not. */
    public boolean areToBeCounted(final Allocations allocations) {
        final boolean any = allocations.tenants().values().stream().anyMatch(given -> !given.blocks().isEmpty());
        if (!any) {
            counted.clear();
        }
        return any;
    }

    /** Takes what a node has counted. */
    public void count(final String node, final FlowDump dump) {
        idle.put(node, new Idle(clock.instant(),
            counted.computeIfAbsent(node, name -> new IdleSubscribers(clock)).idle(dump)));
        mark.run();
    }

    @Override
    public String name() {
        return "port blocks";
    }

    /**
     * Takes blocks from who is idle and gives some to who needs them; the same object when that changes nothing. Does
     * so again until {@link #stored} is called.
     */
    @Override
    public Allocations propose(final Snapshot snapshot, final Allocations before) {
        final Instant oldest = clock.instant().minusSeconds(COUNT_SECONDS);
        ending = new HashSet<>();
        final Set<Holder> holders = new HashSet<>();
        idle.forEach((node, each) -> {
            if (!each.counted().isBefore(oldest)) {
                // The VRFs are the word of the node, which may touch its own tenants alone.
                each.subscribers().forEach(one -> vrfs.tenant(snapshot, before, node, one.vrf()).ifPresent(tenant -> {
                    ending.add(new Ending(node, one));
                    holders.add(new Holder(tenant.name(), one.address()));
                }));
            }
        });
        asking = requests.pending();
        return blocks.give(snapshot, blocks.take(before, holders), asking);
    }

    @Override
    public void stored(final Transition transition) {
        requests.answered(asking);
        // A node that comes again has other flows, which count from the beginning.
        counted.keySet().removeIf(node -> transition.before().snapshot().nodes().containsKey(node)
            && !transition.after().snapshot().nodes().containsKey(node));
        counted.forEach((node, each) -> each.forget(ending.stream().filter(one -> one.node().equals(node))
            .map(Ending::subscriber).collect(Collectors.toSet())));
        idle.clear();
    }
}
