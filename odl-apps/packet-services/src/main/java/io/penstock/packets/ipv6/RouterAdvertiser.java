// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.ipv6;

import static java.util.Objects.requireNonNull;

import io.penstock.frames.Bytes;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Ipv6Packet;
import io.penstock.packets.link.Links;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Constants;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Router advertisements on all links with IPv6 (RFC 4861, section 6.2): some soon after a link is new or changed, then
 * one each interval, at random times of it, and when a host asks. Links that came together are spread, so that a
 * thousand of them are no burst. A prefix that is no more is withdrawn. Safe for all threads; never blocks.
 */
final class RouterAdvertiser {
    /** RFC 4861, section 10; milliseconds. */
    private static final long MOST_BETWEEN_FIRST = 16_000;
    private static final int FIRST_ONES = 3;
    private static final long LEAST_BETWEEN = 3_000;
    private static final int LONGEST_ANSWER_DELAY = 500;
    /** Part of the interval that is the least between two (MinRtrAdvInterval). */
    private static final double LEAST_PART = 0.33;
    /** New links for which there is one second more to spread them. */
    private static final int NEW_A_SECOND = 100;
    private static final long SECOND = 1_000;
    private static final Bytes ROUTER = Addresses.bytes(Constants.GATEWAY_LINK_LOCAL);

    /** A VLAN of a port. */
    private record Link(String node, String port, int vlan) {
        static Link of(final Tenant.Attachment at) {
            return new Link(at.node(), at.port(), at.vlan());
        }
    }

    /** What is said on a link, and when next. */
    private static final class State {
        private Announcement announcement = Announcement.NONE;
        private final Set<Prefix6> withdrawn = new HashSet<>();
        private long due;
        private long last = Long.MIN_VALUE / 2;
        private int first;
    }

    private final Links links;
    private final RandomGenerator random;
    private final Map<Link, State> states = new HashMap<>();
    /** What the states were made of. */
    private Snapshot taken = Snapshot.empty();

    RouterAdvertiser(final Links links, final RandomGenerator random) {
        this.links = requireNonNull(links);
        this.random = requireNonNull(random);
    }

    /**
     * Sends what is due.
     *
     * @param now milliseconds since any moment
     */
    synchronized void tick(final long now) {
        takeOver(now);
        states.forEach((link, state) -> {
            if (state.due <= now) {
                toAll(link, state.announcement, state.withdrawn);
                state.last = now;
                state.first--;
                final long interval = state.announcement.interval() * SECOND;
                final long next = (long) (interval * (LEAST_PART + random.nextDouble() * (1 - LEAST_PART)));
                state.due = now + (state.first > 0 ? Math.min(next, MOST_BETWEEN_FIRST) : next);
                if (state.first <= 0) {
                    state.withdrawn.clear();
                }
            }
        });
    }

    @SuppressWarnings("ReferenceEquality") // a configuration without a change has the same object
    private void takeOver(final long now) {
        final Snapshot snapshot = links.desired().snapshot();
        if (snapshot == taken) {
            return;
        }
        final Set<Link> had = new HashSet<>();
        final Map<Link, Announcement> wanted = new HashMap<>();
        for (final String name : snapshot.tenantsDifferingFrom(taken)) {
            links(taken, name).forEach((at, announcement) -> had.add(Link.of(at)));
            links(snapshot, name).forEach((at, announcement) -> wanted.put(Link.of(at), announcement));
        }
        had.removeAll(wanted.keySet());
        for (final Link link : had) {
            final State state = states.remove(link);
            if (state != null) {
                toAll(link, Announcement.NONE, state.announcement.prefixes());
            }
        }
        final List<State> fresh = new ArrayList<>();
        wanted.forEach((link, announcement) -> {
            final State state = states.computeIfAbsent(link, each -> new State());
            if (!announcement.equals(state.announcement)) {
                state.withdrawn.addAll(state.announcement.prefixes());
                state.withdrawn.removeAll(announcement.prefixes());
                state.announcement = announcement;
                state.first = FIRST_ONES;
                fresh.add(state);
            }
        });
        final long spread = Math.min(MOST_BETWEEN_FIRST, SECOND + SECOND * fresh.size() / NEW_A_SECOND);
        fresh.forEach(state -> state.due = now + random.nextLong(spread));
        taken = snapshot;
    }

    private static Map<Tenant.Attachment, Announcement> links(final Snapshot snapshot, final String tenant) {
        return Optional.ofNullable(snapshot.tenants().get(tenant)).map(Announcement::all).orElse(Map.of());
    }

    /**
     * A host asks. Who has an address gets an answer of its own; for the others all are told, soon.
     *
     * @param source address of the host; empty when it has none
     */
    void answer(final Tenant tenant, final Tenant.Attachment at, final Mac hostMac, final Optional<Bytes> source,
            final long now) {
        final Announcement announcement = Announcement.of(tenant, at);
        if (announcement.isEmpty()) {
            return;
        }
        if (source.isPresent()) {
            send(Link.of(at), announcement.advertisement(List.of())
                .frame(hostMac.number(), Constants.GATEWAY_MAC.number(), ROUTER, source.orElseThrow()));
            return;
        }
        synchronized (this) {
            final State state = states.get(Link.of(at));
            if (state != null) {
                state.due = Math.min(state.due,
                    Math.max(now + random.nextInt(LONGEST_ANSWER_DELAY), state.last + LEAST_BETWEEN));
            }
        }
    }

    private void toAll(final Link link, final Announcement announcement, final Collection<Prefix6> withdrawn) {
        send(link, announcement.advertisement(withdrawn).frame(Ipv6Packet.groupMac(Ipv6Packet.ALL_NODES),
            Constants.GATEWAY_MAC.number(), ROUTER, Ipv6Packet.ALL_NODES));
    }

    private void send(final Link link, final Ethernet frame) {
        links.send(link.node(), link.port(), link.vlan(), frame.bytes());
    }
}
