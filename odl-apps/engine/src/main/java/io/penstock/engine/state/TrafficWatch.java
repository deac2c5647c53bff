// SPDX-License-Identifier: Apache-2.0
package io.penstock.engine.state;

import static java.util.Objects.requireNonNull;

import io.penstock.configuration.Desired;
import io.penstock.engine.node.NodeCounts;
import io.penstock.events.EventSink;
import io.penstock.events.OperatorEvent;
import io.penstock.events.QuotaEvent;
import io.penstock.events.SpoofingEvent;
import io.penstock.events.Troubles;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.registry.TenantMeter;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.ovsdb.ZoneReport;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Tells when a quota of a tenant drops packets, and when its hosts send from addresses that are not theirs: once when
 * it begins, and once when some readings in a row have shown no more of it. Safe for all threads; never blocks.
 */
public final class TrafficWatch {
    /** Readings without a drop after which a trouble is over. */
    static final int QUIET = 3;
    /** A tenant can cause and end a trouble as often as it likes. */
    private static final Duration LEAST = Duration.ofMinutes(10);
    private static final Set<TenantMeter> QUOTAS = Set.of(TenantMeter.OUT, TenantMeter.IN, TenantMeter.NEW_SESSIONS,
        TenantMeter.FRAGMENTS);
    private static final String SESSIONS = "sessions";
    private static final String SPOOFING = "";

    private final Supplier<Desired> desired;
    private final EventSink events;
    private final Troubles<Subject> troubles;
    private final Map<Subject, Integer> quiet = new HashMap<>();

    /** A quota of a tenant on a node; {@link #SPOOFING} is none. */
    private record Subject(String tenant, String node, String quota) {
        OperatorEvent event(final boolean begins) {
            return quota.equals(SPOOFING) ? new SpoofingEvent(begins, tenant, node)
                : new QuotaEvent(begins, tenant, node, quota);
        }
    }

    /**
     * Has seen nothing.
     *
     * @param clock measures how long troubles last
     */
    public TrafficWatch(final Supplier<Desired> desired, final EventSink events, final Clock clock) {
        this.desired = requireNonNull(desired);
        this.events = requireNonNull(events);
        troubles = new Troubles<>(clock, LEAST);
    }

    /** Compares two readings of a node. The first one after the start of the controller says nothing of a time. */
    @SuppressWarnings("ReferenceEquality") // NONE is of a node that was not read; one that dropped nothing is equal
    public synchronized void look(final String node, final NodeCounts before, final NodeCounts now) {
        final Desired state = desired.get();
        if (before != NodeCounts.NONE) {
            final Set<Subject> dropping = dropping(state, node, before, now);
            dropping.forEach(subject -> {
                quiet.put(subject, 0);
                if (troubles.begins(subject)) {
                    events.tell(subject.event(true));
                }
            });
            troubles.lasting().stream().filter(each -> each.node().equals(node) && !dropping.contains(each))
                .forEach(this::quiet);
        }
        troubles.keep(subject -> Optional.ofNullable(state.snapshot().tenants().get(subject.tenant()))
            .filter(tenant -> tenant.nodes().contains(subject.node())).isPresent());
        quiet.keySet().retainAll(troubles.lasting());
    }

    private void quiet(final Subject subject) {
        if (quiet.merge(subject, 1, Integer::sum) >= QUIET && troubles.ends(subject)) {
            events.tell(subject.event(false));
        }
    }

    private static Set<Subject> dropping(final Desired state, final String node, final NodeCounts before,
            final NodeCounts now) {
        final Set<Subject> dropping = new HashSet<>();
        now.counts().forEach((vrf, count) -> {
            final Optional<String> tenant = state.tenant(node, vrf).map(Tenant::name);
            if (tenant.isPresent()) {
                if (count.guarded() > before.of(vrf).guarded()) {
                    dropping.add(new Subject(tenant.orElseThrow(), node, SPOOFING));
                }
                count.limited().forEach((meter, packets) -> {
                    if (QUOTAS.contains(meter) && packets > before.of(vrf).limited().getOrDefault(meter, 0L)) {
                        dropping.add(new Subject(tenant.orElseThrow(), node, OperatorEvent.word(meter)));
                    }
                });
            }
        });
        now.zones().forEach((vrf, zone) -> {
            if (isFull(zone)) {
                VrfId.of(vrf).flatMap(id -> state.tenant(node, id)).ifPresent(tenant ->
                    dropping.add(new Subject(tenant.name(), node, SESSIONS)));
            }
        });
        return dropping;
    }

    private static boolean isFull(final ZoneReport zone) {
        return zone.limit().orElse(0) > 0 && zone.connections().orElse(0) >= zone.limit().orElse(0);
    }
}
