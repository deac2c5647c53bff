// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.DomainNames;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Range;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** The rules for the DHCP server of a tenant: where it serves, what it hands out, and what it keeps for whom. */
final class DhcpRules {
    /** What the probe costs a host that waits for its address is bounded. Milliseconds. */
    private static final int LONGEST_PROBE = 2000;
    private static final int LARGEST_POOL = 65536;
    private static final int SHORTEST_LEASE = 60;
    private static final String CIRCUIT_ID = "([0-9a-f]{2}){1,255}";

    private final Tenant tenant;
    private final BiConsumer<String, String> add;
    /** Where each name of a host is, in lower case. */
    private final Map<String, String> hostNames = new HashMap<>();

    private DhcpRules(final Tenant tenant, final BiConsumer<String, String> add) {
        this.tenant = tenant;
        this.add = add;
    }

    /**
     * Finds the rules that a tenant breaks.
     *
     * @param add takes a leaf and a rule
     */
    static void check(final Tenant tenant, final BiConsumer<String, String> add) {
        tenant.services().dhcp().ifPresent(dhcp -> new DhcpRules(tenant, add).check(dhcp));
    }

    private void check(final Dhcp dhcp) {
        if (dhcp.probeMillis() < 0 || dhcp.probeMillis() > LONGEST_PROBE) {
            add.accept("dhcp / conflict-probe", dhcp.probeMillis() + " is not in 0.." + LONGEST_PROBE);
        }
        final List<Dhcp.Subnet> subnets = dhcp.subnets();
        for (int index = 0; index < subnets.size(); index++) {
            final Dhcp.Subnet subnet = subnets.get(index);
            final String entry = "dhcp / subnet " + subnet.prefix() + " / ";
            subnets.subList(0, index).stream().filter(other -> other.prefix().overlaps(subnet.prefix())).findFirst()
                .ifPresent(other ->
                    add.accept(entry + "prefix", "overlaps " + other.prefix() + " of another entry"));
            checkPlace(subnet, entry);
            checkPools(subnet, entry);
            checkReservations(subnet, entry);
            if (subnet.leaseSeconds() < SHORTEST_LEASE) {
                add.accept(entry + "lease-time",
                    subnet.leaseSeconds() + " is not in " + SHORTEST_LEASE + ".." + Integer.MAX_VALUE);
            }
            DhcpOptionRules.check(subnet, entry, add);
        }
    }

    private Optional<Tenant.Subnet> connected(final Dhcp.Subnet subnet) {
        return tenant.subnets().stream().filter(each -> each.prefix().equals(subnet.prefix())).findFirst();
    }

    /** A part of a connected subnet, which a default route holds as well, would have hosts with the wrong mask. */
    private void checkPlace(final Dhcp.Subnet subnet, final String entry) {
        final boolean behind = tenant.routes().stream().anyMatch(route -> route.prefix().contains(subnet.prefix()))
            && tenant.subnets().stream().noneMatch(each -> each.prefix().overlaps(subnet.prefix()));
        if (connected(subnet).isEmpty() && !behind) {
            add.accept(entry + "prefix", "is neither the prefix of a subnet of the tenant nor inside a route of it");
        }
    }

    private void checkPools(final Dhcp.Subnet subnet, final String entry) {
        for (int index = 0; index < subnet.pools().size(); index++) {
            final Range pool = subnet.pools().get(index);
            final String leaf = entry + "pool " + pool.first() + " / ";
            checkEnds(pool, subnet.prefix(), leaf);
            if (pool.size() > LARGEST_POOL) {
                add.accept(leaf + "last", pool + " has " + pool.size() + " addresses, more than " + LARGEST_POOL);
            }
            subnet.pools().subList(0, index).stream().filter(pool::overlaps).findFirst()
                .ifPresent(other -> add.accept(leaf + "first", pool + " overlaps " + other));
        }
        for (final Range range : subnet.exclusions()) {
            final String leaf = entry + "exclude " + range.first() + " / ";
            checkOrder(range, leaf);
            for (final Ipv4 end : List.of(range.first(), range.last())) {
                if (!subnet.prefix().contains(end)) {
                    add.accept(leaf + (end.equals(range.first()) ? "first" : "last"),
                        end + " is outside its subnet " + subnet.prefix());
                }
            }
        }
    }

    private void checkEnds(final Range range, final Prefix prefix, final String leaf) {
        Validator.notInside(range.first(), prefix).ifPresent(rule -> add.accept(leaf + "first", rule));
        Validator.notInside(range.last(), prefix).ifPresent(rule -> add.accept(leaf + "last", rule));
        checkOrder(range, leaf);
    }

    private void checkOrder(final Range range, final String leaf) {
        if (range.last().compareTo(range.first()) < 0) {
            add.accept(leaf + "last", range.last() + " is below the first, " + range.first());
        }
    }

    private void checkReservations(final Dhcp.Subnet subnet, final String entry) {
        final Map<Object, Ipv4> owners = new HashMap<>();
        final Set<String> attachments = names(tenant.attachments());
        final Optional<Tenant.Subnet> connected = connected(subnet);
        final Set<String> on = connected.map(own -> names(tenant.attachmentsOf(own))).orElse(Set.of());
        for (final Dhcp.Reservation each : subnet.reservations()) {
            final String leaf = entry + "reservation " + each.address() + " / ";
            Validator.notInside(each.address(), subnet.prefix())
                .ifPresent(rule -> add.accept(leaf + "address", rule));
            if (connected.filter(own -> own.gateway().equals(each.address())).isPresent()) {
                add.accept(leaf + "address", each.address() + " is the VRF's own gateway");
            }
            checkOnce(owners, List.of("address", each.address()), each, leaf + "address");
            checkHost(each, leaf);
            each.mac().ifPresent(mac -> checkOnce(owners, List.of("mac", mac), each, leaf + "mac"));
            each.circuitId().ifPresent(id ->
                checkOnce(owners, List.of("circuit", id.toLowerCase(Locale.ROOT)), each, leaf + "circuit-id"));
            each.attachment().ifPresent(name -> {
                checkOnce(owners, List.of("attachment", name), each, leaf + "attachment");
                checkAttachment(connected, attachments, on, name, leaf + "attachment");
            });
            each.hostName().ifPresent(name -> checkHostName(name, leaf + "host-name"));
        }
    }

    private void checkHost(final Dhcp.Reservation reservation, final String leaf) {
        final long given = List.of(reservation.mac(), reservation.attachment(), reservation.circuitId()).stream()
            .filter(Optional::isPresent).count();
        if (given != 1) {
            add.accept(leaf + "mac", "needs exactly one of mac, attachment and circuit-id, and has "
                + (given == 0 ? "none" : String.valueOf(given)));
        }
        reservation.mac().filter(mac -> !mac.isHost())
            .ifPresent(mac -> add.accept(leaf + "mac", mac + " is not the address of a host"));
        reservation.circuitId().filter(id -> !id.toLowerCase(Locale.ROOT).matches(CIRCUIT_ID))
            .ifPresent(id -> add.accept(leaf + "circuit-id", "'" + id
                + "' is not pairs of hexadecimal digits, 255 at most"));
    }

    private void checkOnce(final Map<Object, Ipv4> owners, final Object key, final Dhcp.Reservation reservation,
            final String leaf) {
        final Ipv4 other = owners.putIfAbsent(key, reservation.address());
        if (other != null) {
            add.accept(leaf, "is the same as that of reservation " + other);
        }
    }

    private static Set<String> names(final List<Tenant.Attachment> attachments) {
        return attachments.stream().map(Tenant.Attachment::name).collect(Collectors.toSet());
    }

    private void checkAttachment(final Optional<Tenant.Subnet> connected, final Set<String> attachments,
            final Set<String> on, final String name, final String leaf) {
        if (!attachments.contains(name)) {
            add.accept(leaf, "the tenant has no attachment '" + name + "'");
        } else if (connected.isEmpty()) {
            add.accept(leaf, "hosts behind a relay agent have no attachment; use mac or circuit-id");
        } else if (!on.contains(name)) {
            add.accept(leaf, "subnet " + connected.orElseThrow().name() + " is not on attachment '" + name + "'");
        }
    }

    private void checkHostName(final String name, final String leaf) {
        if (!DomainNames.isLabel(name)) {
            add.accept(leaf, "'" + name + "' is not one label of letters, digits and, inside, dashes, 63 at most");
        }
        final String other = hostNames.putIfAbsent(name.toLowerCase(Locale.ROOT), leaf);
        if (other != null) {
            add.accept(leaf, "'" + name + "' is taken by " + other);
        }
    }
}
