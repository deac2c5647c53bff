// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dhcp.Reservation;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Range;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A subnet whose hosts get addresses, made for quick look-ups in it. */
final class ServedSubnet {
    private static final int SHORTEST_WITHOUT_BROADCAST = 31;

    private final Dhcp.Subnet config;
    private final Optional<Tenant.Subnet> attached;
    private final ConfiguredOptions options;
    private final Map<Ipv4, Reservation> byAddress = new HashMap<>();
    private final Map<Mac, Reservation> byMac = new HashMap<>();
    private final Map<String, Reservation> byAttachment = new HashMap<>();
    private final Map<String, Reservation> byCircuit = new HashMap<>();
    /** What anybody may get, by its first address. */
    private final TreeMap<Ipv4, Range> open = new TreeMap<>();

    /**
     * Makes one.
     *
     * @param attached the subnet of the VRF that it is; empty if it is behind a router of the tenant
     */
    ServedSubnet(final Dhcp.Subnet config, final Optional<Tenant.Subnet> attached) {
        this.config = config;
        this.attached = attached;
        options = new ConfiguredOptions(config);
        for (final Reservation each : config.reservations()) {
            byAddress.putIfAbsent(each.address(), each);
            each.mac().ifPresent(mac -> byMac.putIfAbsent(mac, each));
            each.attachment().ifPresent(name -> byAttachment.putIfAbsent(name, each));
            each.circuitId().ifPresent(
                id -> byCircuit.putIfAbsent(id.replace(":", "").toLowerCase(Locale.ROOT), each));
        }
        open();
    }

    private void open() {
        final List<Range> closed = new ArrayList<>(config.exclusions());
        byAddress.keySet().forEach(address -> closed.add(new Range(address, address)));
        attached.ifPresent(subnet -> closed.add(new Range(subnet.gateway(), subnet.gateway())));
        config.options().routers().forEach(address -> closed.add(new Range(address, address)));
        final Ipv4 network = config.prefix().address();
        final Ipv4 last = config.prefix().last();
        if (config.prefix().length() < SHORTEST_WITHOUT_BROADCAST) {
            closed.add(new Range(network, network));
            closed.add(new Range(last, last));
        }
        closed.sort(Comparator.comparing(Range::first));
        config.pools().stream().sorted(Comparator.comparing(Range::first)).forEach(pool -> {
            // Numbers, for what is before the first address and behind the last one.
            long first = Math.max(pool.first().number(), network.number());
            final long end = Math.min(pool.last().number(), last.number());
            for (final Range range : closed) {
                if (range.first().number() > end) {
                    break;
                }
                open(first, range.first().number() - 1);
                first = Math.max(first, range.last().number() + 1);
            }
            open(first, end);
        });
    }

    /** Opens a range but for what is open already: pools may overlap. */
    private void open(final long first, final long last) {
        if (first > last) {
            return;
        }
        final Map.Entry<Ipv4, Range> before = open.floorEntry(new Ipv4(last));
        final long from = before == null ? first : Math.max(first, before.getValue().last().number() + 1);
        if (from <= last) {
            final Range range = new Range(new Ipv4(from), new Ipv4(last));
            open.put(range.first(), range);
        }
    }

    Dhcp.Subnet config() {
        return config;
    }

    Optional<Tenant.Subnet> attached() {
        return attached;
    }

    ConfiguredOptions options() {
        return options;
    }

    /** Whether an address is one of the subnet's. */
    boolean contains(final Ipv4 address) {
        return config.prefix().contains(address);
    }

    /** Addresses that whoever asks may get: pools without what is excluded, reserved or somebody's by its place. */
    Iterable<Range> openRanges() {
        return open.values();
    }

    /** Whether whoever asks may get an address. */
    boolean isOpen(final Ipv4 address) {
        final Map.Entry<Ipv4, Range> range = open.floorEntry(address);
        return range != null && range.getValue().contains(address);
    }

    /** Whether no host has an open address. */
    boolean hasFree(final LeaseTable leases) {
        for (final Range range : openRanges()) {
            if (leases.nextUnused(range.first().number()) <= range.last().number()) {
                return true;
            }
        }
        for (final Lease lease : leases.oldestFree()) {
            if (isOpen(lease.address())) {
                return true;
            }
        }
        return false;
    }

    /** Who an address is kept for. */
    Optional<Reservation> reservationOf(final Ipv4 address) {
        return Optional.ofNullable(byAddress.get(address));
    }

    /** The reservation of whoever sent a message: by MAC address, else by the relay agent's circuit, else by place. */
    Optional<Reservation> reservationFor(final Query query) {
        final DhcpMessage message = query.message();
        Reservation kept = byMac.get(message.mac());
        if (kept == null && message.isRelayed()) {
            kept = RelayAgent.circuitId(message).map(byCircuit::get).orElse(null);
        }
        if (kept == null && !message.isRelayed() && attached.isPresent()) {
            kept = query.attachment().map(byAttachment::get).orElse(null);
        }
        return Optional.ofNullable(kept);
    }
}
