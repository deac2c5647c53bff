// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The leases of a VRF while messages are answered. Every look-up costs the same few steps with ten thousand leases as
 * with ten. For one thread.
 */
public final class LeaseTable {
    private static final Comparator<Lease> BY_END =
        Comparator.comparingLong(Lease::expires).thenComparing(Lease::address);

    /** A host gets its former address again while it is remembered, which costs memory and room in the datastore. */
    private static final int MOST_FREE = 4096;

    private final TreeMap<Ipv4, Lease> byAddress = new TreeMap<>();
    private final Map<String, Map<Ipv4, Lease>> byClient = new HashMap<>();
    private final Map<String, Map<Ipv4, Lease>> byName = new HashMap<>();
    /** What ends some time: bound and declined. */
    private final NavigableSet<Lease> ending = new TreeSet<>(BY_END);
    private final NavigableSet<Lease> free = new TreeSet<>(BY_END);
    private final AddressRuns recorded = new AddressRuns();
    private int bound;
    private boolean changed;

    /** A table of leases, one for each address. */
    public LeaseTable(final List<Lease> leases) {
        leases.forEach(this::add);
    }

    /** The lease of an address. */
    public Optional<Lease> at(final Ipv4 address) {
        return Optional.ofNullable(byAddress.get(address));
    }

    /** All leases of a client, in the order of their addresses. */
    public Collection<Lease> of(final String client) {
        return List.copyOf(byClient.getOrDefault(client, Map.of()).values());
    }

    /** The client that uses a host name now. */
    Optional<String> clientOfName(final String hostName) {
        return byName.getOrDefault(hostName, Map.of()).values().stream().findFirst().map(Lease::client);
    }

    /** How many addresses hosts may use now. */
    public int bound() {
        return bound;
    }

    /** The number of the first address from that of a number on that has no lease; 2^32 when there is none. */
    long nextUnused(final long from) {
        return recorded.nextAbsent(from);
    }

    /** What was released or ran out, longest ago first. */
    Iterable<Lease> oldestFree() {
        return free;
    }

    /** Puts a lease in place of that of the same address. */
    public void put(final Lease lease) {
        final Lease old = byAddress.get(lease.address());
        if (lease.equals(old)) {
            return;
        }
        remove(lease.address());
        add(lease);
        while (free.size() > MOST_FREE) {
            remove(free.first().address());
        }
        changed = true;
    }

    /** Removes the lease of an address, if there is one. */
    public void remove(final Ipv4 address) {
        final Lease lease = byAddress.remove(address);
        if (lease == null) {
            return;
        }
        removeFrom(byClient, lease.client(), address);
        removeFrom(byName, lease.hostName(), address);
        (lease.state() == Lease.State.FREE ? free : ending).remove(lease);
        recorded.remove(address.number());
        bound -= lease.isBound() ? 1 : 0;
        changed = true;
    }

    /** Frees what ran out, and forgets what was declined long enough ago. */
    public void expire(final long now) {
        while (!ending.isEmpty() && ending.first().expires() <= now) {
            final Lease lease = ending.first();
            if (lease.isBound()) {
                put(lease.with(Lease.State.FREE, lease.expires()));
            } else {
                remove(lease.address());
            }
        }
    }

    /** Whether a lease is other than when the table was made, or {@link #stored} the last time. */
    public boolean changed() {
        return changed;
    }

    /** Says that the leases are stored as they are. */
    public void stored() {
        changed = false;
    }

    /** All leases in the order of their addresses. */
    public List<Lease> toList() {
        return List.copyOf(byAddress.values());
    }

    private void add(final Lease lease) {
        byAddress.put(lease.address(), lease);
        byClient.computeIfAbsent(lease.client(), key -> new TreeMap<>()).put(lease.address(), lease);
        if (lease.isBound() && !lease.hostName().isEmpty()) {
            byName.computeIfAbsent(lease.hostName(), key -> new TreeMap<>()).put(lease.address(), lease);
        }
        (lease.state() == Lease.State.FREE ? free : ending).add(lease);
        recorded.add(lease.address().number());
        bound += lease.isBound() ? 1 : 0;
    }

    private static void removeFrom(final Map<String, Map<Ipv4, Lease>> index, final String key, final Ipv4 address) {
        final Map<Ipv4, Lease> leases = index.get(key);
        if (leases != null && leases.remove(address) != null && leases.isEmpty()) {
            index.remove(key);
        }
    }
}
