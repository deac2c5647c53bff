// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.pool;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.configuration.grant.Grantor;
import io.penstock.configuration.grant.Transition;
import io.penstock.events.PoolEvent;
import io.penstock.events.PoolEvent.Kind;
import io.penstock.events.PoolEvent.OfPool;
import io.penstock.events.PoolEvent.OfPortBlock;
import io.penstock.events.PoolEvent.Owner;
import io.penstock.events.Troubles;
import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.allocation.Allocations.Block;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.PoolUser;
import io.penstock.pipeline.intent.Pool;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Thresholds;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Looks at the public addresses after every change, and tells what an operator asked to be told: thresholds that were
 * passed, and drained addresses that are empty. Remembers how drained addresses emptied, and estimates from that when
 * they will be. It remembers nothing over a restart: what is above its threshold then is told again. Safe for all
 * threads.
 */
public final class PoolWatch implements Grantor {
    private static final Duration LEAST_FULL = Duration.ofMinutes(10);

    private final Clock clock;
    private final Consumer<PoolEvent> events;
    private final Troubles<Owner> full;
    private final Set<Owner> high = new HashSet<>();
    /** Names of the tenants that have port blocks of which something may be told. */
    private final Set<String> watched = new TreeSet<>();
    private Set<Drain> empty = new HashSet<>();
    private Map<Address, Start> started = new HashMap<>();

    private record Drain(Owner owner, Prefix prefix) { }

    private record Address(OfPortBlock owner, Ipv4 address) { }

    /** When an address was first seen drained, and how many had a block of it then. */
    private record Start(Instant since, int subscribers) { }

    /**
     * Has looked at nothing.
     *
     * @param clock times drains
     * @param events is told of what was found; must not block
     */
    public PoolWatch(final Clock clock, final Consumer<PoolEvent> events) {
        this.clock = requireNonNull(clock);
        full = new Troubles<>(clock, LEAST_FULL);
        this.events = requireNonNull(events);
    }

    @Override
    public String name() {
        return "warnings of pools";
    }

    @Override
    public Allocations propose(final Snapshot snapshot, final Allocations before) {
        return before;
    }

    @Override
    public void stored(final Transition transition) {
        if (mayDiffer(transition) || full.areDue()) {
            look(transition.after(), transition.tenants()).forEach(events);
        }
    }

    private static boolean mayDiffer(final Transition transition) {
        return !transition.before().snapshot().pools().equals(transition.after().snapshot().pools())
            || transition.tenants().stream().anyMatch(name -> {
                final TenantAllocation before = transition.before().allocations().tenants().get(name);
                final TenantAllocation after = transition.after().allocations().tenants().get(name);
                return before == null || after == null || !before.publicAddress().equals(after.publicAddress())
                    || !before.blocks().equals(after.blocks())
                    || !portBlocks(transition.before(), name).equals(portBlocks(transition.after(), name));
            });
    }

    private static List<Tenant.PortBlocks> portBlocks(final Desired state, final String tenant) {
        return Optional.ofNullable(state.snapshot().tenants().get(tenant)).flatMap(Tenant::nat)
            .map(Tenant.Nat::portBlocks).orElse(List.of());
    }

    /**
     * Compares with the last look.
     *
     * @param changed names of the tenants that may differ from those of the last look
     */
    synchronized List<PoolEvent> look(final Desired desired, final Set<String> changed) {
        changed.forEach(name -> {
            if (portBlocks(desired, name).stream().anyMatch(PoolWatch::isWatched)) {
                watched.add(name);
            } else {
                watched.remove(name);
            }
        });
        final Look look = new Look();
        final Map<String, List<PoolUser>> users =
            PoolUser.of(desired.snapshot().pools().values(), desired.allocations());
        desired.snapshot().pools().forEach((name, pool) -> look.at(pool, requireNonNull(users.get(name)).stream()
            .map(PoolUser::address).toList()));
        watched.forEach(name -> Optional.ofNullable(desired.allocations().tenants().get(name)).ifPresent(given ->
            portBlocks(desired, name).stream().filter(PoolWatch::isWatched)
                .forEach(mapping -> look.at(name, mapping, given))));
        high.retainAll(look.seen);
        full.keep(owner -> owner instanceof OfPool pool && desired.snapshot().pools().containsKey(pool.name()));
        empty = look.empty;
        started = look.started;
        return look.events;
    }

    private static boolean isWatched(final Tenant.PortBlocks mapping) {
        return mapping.thresholds().isPresent() || !mapping.drain().isEmpty();
    }

    /** One look at everything. */
    private final class Look {
        private final List<PoolEvent> events = new ArrayList<>();
        private final Set<Owner> seen = new HashSet<>();
        private final Set<Drain> empty = new HashSet<>();
        private final Map<Address, Start> started = new HashMap<>();

        void at(final Pool pool, final Collection<Ipv4> used) {
            final Owner owner = new OfPool(pool.name());
            compare(owner, pool.thresholds(), used.size(), pool.size());
            fill(pool, owner, used);
            pool.drain().forEach(prefix -> drain(new Drain(owner, prefix), used.stream().noneMatch(prefix::contains)));
        }

        void at(final String tenant, final Tenant.PortBlocks mapping, final TenantAllocation given) {
            final OfPortBlock owner = new OfPortBlock(tenant, mapping.inside());
            final List<Block> blocks = given.blocks().stream().filter(block -> block.isOf(mapping)).toList();
            compare(owner, mapping.thresholds(), blocks.size(), Usage.blocks(mapping));
            for (final Prefix prefix : mapping.drain()) {
                drain(new Drain(owner, prefix), blocks.stream().noneMatch(block -> prefix.contains(block.address())));
                for (long index = 0; index < prefix.size(); index++) {
                    final Ipv4 address = prefix.address().plus(index);
                    start(new Address(owner, address), Usage.subscribers(blocks, address));
                }
            }
        }

        /** Drained addresses are given to no tenant; a pool of which all are drained is empty on purpose. */
        private void fill(final Pool pool, final Owner owner, final Collection<Ipv4> used) {
            final long drained = pool.drain().stream().mapToLong(Prefix::size).sum();
            final long usedDrained = pool.drain().isEmpty() ? 0 : used.stream().filter(pool::drains).count();
            if (drained < pool.size() && used.size() - usedDrained >= pool.size() - drained) {
                if (full.begins(owner)) {
                    events.add(new PoolEvent(Kind.EXHAUSTED, owner, Optional.empty(), used.size(), pool.size()));
                }
            } else if (full.ends(owner)) {
                events.add(new PoolEvent(Kind.AVAILABLE, owner, Optional.empty(), used.size(), pool.size()));
            }
        }

        private void compare(final Owner owner, final Optional<Thresholds> thresholds, final long used,
                final long size) {
            if (thresholds.isEmpty()) {
                return;
            }
            seen.add(owner);
            final int percent = Thresholds.percent(used, size);
            if (percent >= thresholds.orElseThrow().high() && high.add(owner)) {
                events.add(new PoolEvent(Kind.HIGH_THRESHOLD, owner, Optional.empty(), used, size));
            } else if (percent <= thresholds.orElseThrow().low() && high.remove(owner)) {
                events.add(new PoolEvent(Kind.LOW_THRESHOLD, owner, Optional.empty(), used, size));
            }
        }

        private void drain(final Drain drain, final boolean isEmpty) {
            if (isEmpty && empty.add(drain) && !PoolWatch.this.empty.contains(drain)) {
                events.add(new PoolEvent(Kind.DRAINED, drain.owner(), Optional.of(drain.prefix()), 0,
                    drain.prefix().size()));
            }
        }

        private void start(final Address address, final int subscribers) {
            final Start before = PoolWatch.this.started.get(address);
            // More than before have it after a change of the configuration alone: a new drain then.
            started.put(address, before == null || before.subscribers() < subscribers
                ? new Start(clock.instant(), subscribers) : before);
        }
    }

    /**
     * When the last subscriber will have left a drained address, if all leave independently and as fast as those who
     * left until now.
     *
     * @param now subscribers that have a block of it
     * @return seconds from now; nothing when it is not drained, or nobody has left yet
     */
    public synchronized OptionalLong emptyInSeconds(final String tenant, final Prefix inside, final Ipv4 address,
            final int now) {
        final Start start = started.get(new Address(new OfPortBlock(tenant, inside), address));
        if (start == null || now > 0 && now >= start.subscribers()) {
            return OptionalLong.empty();
        }
        if (now == 0) {
            return OptionalLong.of(0);
        }
        // Each of n who leave at rate r is gone after 1/r on average, the first of them after 1/(n r), the last after
        // the sum of 1/(k r) for k from 1 to n.
        final double seconds = Duration.between(start.since(), clock.instant()).toMillis() / 1000.0;
        final double rate = Math.log((double) start.subscribers() / now) / seconds;
        return OptionalLong.of(Math.round(IntStream.rangeClosed(1, now).mapToDouble(k -> 1 / (k * rate)).sum()));
    }
}
