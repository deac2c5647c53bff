// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.subscriber;

import static java.util.Objects.requireNonNull;

import io.penstock.packets.subscriber.SubscriberBlocks.Subscriber;
import io.penstock.pipeline.flow.FieldMatch;
import io.penstock.pipeline.flow.FlowSpec;
import io.penstock.pipeline.flow.MatchField;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Cookie;
import io.penstock.pipeline.registry.Table;
import io.penstock.southbound.openflow.FlowDump;
import io.penstock.southbound.openflow.InstalledFlow;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Tells from the counters of one node which subscribers sent nothing for {@link Constants#BLOCK_IDLE_SECONDS}: none of
 * their connections can be alive then, for each of them, one with a session too, would have needed a packet that their
 * flow counts. A subscriber that is seen for the first time counts as active. For one thread.
 */
public final class IdleSubscribers {
    private static final long EXACTLY = 0xffffffffL;

    private final Clock clock;
    private Map<Subscriber, Seen> seen = new HashMap<>();

    private record Seen(long packets, Instant since) { }

    /** Idle time is measured by a clock. */
    public IdleSubscribers(final Clock clock) {
        this.clock = requireNonNull(clock);
    }

    /** Takes what a node has counted, and returns who is idle. */
    public Set<Subscriber> idle(final FlowDump dump) {
        final Instant now = clock.instant();
        final Map<Subscriber, Seen> current = new HashMap<>();
        final Set<Subscriber> idle = new HashSet<>();
        final Map<Subscriber, Long> counts = dump.flows().stream().filter(flow -> isBlock(flow.flow()))
            .collect(Collectors.toMap(flow -> subscriber(flow.flow()), InstalledFlow::packets, Long::sum));
        counts.forEach((subscriber, packets) -> {
            final Seen before = seen.get(subscriber);
            final Seen after = before != null && before.packets() == packets ? before : new Seen(packets, now);
            current.put(subscriber, after);
            if (Duration.between(after.since(), now).toSeconds() >= Constants.BLOCK_IDLE_SECONDS) {
                idle.add(subscriber);
            }
        });
        seen = current;
        return idle;
    }

    /** Lets some subscribers count as never seen, for their flows go. New ones may have counted as much by chance. */
    public void forget(final Set<Subscriber> some) {
        seen.keySet().removeAll(some);
    }

    /** Also true for flows of deterministic and one-to-one NAT, whose subscribers have no blocks to take. */
    private static boolean isBlock(final FlowSpec flow) {
        return (flow.table() == Table.NAT_TRANSLATE || flow.table() == Table.NAT_MAP)
            && Cookie.is(flow.cookie(), Cookie.Kind.TENANT) && Cookie.vrf(flow.cookie()).isPresent()
            && flow.matches().stream().anyMatch(IdleSubscribers::isAddress);
    }

    private static boolean isAddress(final FieldMatch match) {
        return match.field() == MatchField.IP_SRC && match.mask() == EXACTLY;
    }

    private static Subscriber subscriber(final FlowSpec flow) {
        return new Subscriber(Cookie.vrf(flow.cookie()).orElseThrow(),
            new Ipv4(flow.matches().stream().filter(IdleSubscribers::isAddress).findFirst().orElseThrow().value()));
    }
}
