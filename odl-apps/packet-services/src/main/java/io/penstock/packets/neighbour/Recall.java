// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.neighbour;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.Table;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the hosts of a node whose switch was started again and has forgotten them: gateways at once, all that are
 * known one after the other. Those that have not answered are asked for again. For one thread.
 */
public final class Recall {
    private static final Logger LOG = LoggerFactory.getLogger(Recall.class);
    private static final long TICK_MILLIS = 100;
    /** Requests of a tick: 500 a second for a node, and a fifth of what a tenant may answer by its slow-path meter. */
    private static final int OF_NODE = 50;
    private static final int OF_TENANT = 10;
    /** Which takes half a minute. Hosts beyond it are found by the first packets to them. */
    private static final int MOST_HOSTS = 15_000;
    /** Pauses before the next time that the rest is asked for. Links of ports may take seconds to come up. */
    private static final List<Long> PAUSES_MILLIS = List.of(1_000L, 3_000L, 10_000L);

    private final NeighbourResolver resolver;
    private final Function<String, CompletableFuture<FlowDump>> learned;
    private final Later later;
    private final Map<String, Round> rounds = new HashMap<>();

    /** Runs something on the thread of this. */
    @FunctionalInterface
    public interface Later {
        void run(Runnable task, long millis);
    }

    /** Hosts of a node that are left to ask for, and what was asked for this time. */
    private static final class Round {
        private final String node;
        private final int times;
        private final Queue<Queue<KnownHost>> left = new ArrayDeque<>();
        private final List<KnownHost> asked = new ArrayList<>();

        Round(final String node, final int times, final Collection<List<KnownHost>> hosts) {
            this.node = node;
            this.times = times;
            hosts.stream().filter(each -> !each.isEmpty()).forEach(each -> left.add(new ArrayDeque<>(each)));
        }
    }

    /**
     * Asks for nothing yet.
     *
     * @param learned reads the neighbours that the switch of a node has learned
     */
    public Recall(final NeighbourResolver resolver, final Function<String, CompletableFuture<FlowDump>> learned,
            final Later later) {
        this.resolver = requireNonNull(resolver);
        this.learned = requireNonNull(learned);
        this.later = requireNonNull(later);
    }

    /** Begins with a node, anew if it was under way. Says how many hosts will be asked for. */
    public int begin(final String node) {
        resolver.refreshGateways(node);
        final List<List<KnownHost>> hosts = KnownHost.of(resolver.desired(), node);
        begin(new Round(node, 0, hosts));
        return Math.min(MOST_HOSTS, hosts.stream().mapToInt(List::size).sum());
    }

    private void begin(final Round round) {
        rounds.put(round.node, round);
        tick(round);
    }

    /** The next requests, of each tenant in turn. */
    private void tick(final Round round) {
        if (rounds.get(round.node) != round) {
            return;
        }
        final Map<VrfId, Integer> ofTenant = new HashMap<>();
        final List<Queue<KnownHost>> served = new ArrayList<>();
        int sent = 0;
        while (sent < OF_NODE && !round.left.isEmpty() && round.asked.size() < MOST_HOSTS) {
            final Queue<KnownHost> tenant = round.left.remove();
            final KnownHost host = tenant.remove();
            resolver.ask(round.node, host);
            round.asked.add(host);
            sent++;
            final boolean enough = ofTenant.merge(host.vrf(), 1, Integer::sum) >= OF_TENANT;
            if (!tenant.isEmpty()) {
                (enough ? served : round.left).add(tenant);
            }
        }
        round.left.addAll(served);
        if (round.left.isEmpty() || round.asked.size() == MOST_HOSTS) {
            later.run(() -> lookAt(round), PAUSES_MILLIS.get(round.times));
        } else {
            later.run(() -> tick(round), TICK_MILLIS);
        }
    }

    /** Finds out who has answered. */
    private void lookAt(final Round round) {
        if (rounds.get(round.node) == round) {
            learned.apply(round.node).whenComplete((dump, failure) -> later.run(() -> askAgain(round,
                failure == null ? hosts(dump) : Set.of()), 0));
        }
    }

    private void askAgain(final Round round, final Set<Host> there) {
        if (rounds.get(round.node) != round) {
            return;
        }
        final Map<VrfId, List<KnownHost>> rest = round.asked.stream()
            .filter(host -> !there.contains(new Host(host.vrf(), host.address())))
            .collect(Collectors.groupingBy(KnownHost::vrf));
        final int missing = rest.values().stream().mapToInt(List::size).sum();
        LOG.info("Node {}: {} of {} known hosts have answered", round.node, round.asked.size() - missing,
            round.asked.size());
        if (missing == 0 || round.times + 1 == PAUSES_MILLIS.size()) {
            rounds.remove(round.node);
        } else {
            begin(new Round(round.node, round.times + 1, rest.values()));
        }
    }

    private record Host(VrfId vrf, Ipv4 address) { }

    private static Set<Host> hosts(final FlowDump dump) {
        final Set<Host> hosts = new HashSet<>();
        for (final InstalledFlow installed : dump.flows()) {
            if (installed.flow().table() == Table.NEIGHBOURS) {
                VrfId.of(value(installed, Register.VRF)).ifPresent(vrf ->
                    hosts.add(new Host(vrf, new Ipv4(value(installed, Register.NEXT_HOP)))));
            }
        }
        return hosts;
    }

    private static long value(final InstalledFlow installed, final Register register) {
        return installed.flow().matches().stream().filter(match -> match.field() == register.range().field()
            && (match.mask() & register.range().mask()) != 0).mapToLong(FieldMatch::value)
            .map(value -> (value & register.range().mask()) >>> register.range().low()).findFirst().orElse(0);
    }
}
