// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Protection;
import io.penstock.pipeline.intent.Quota;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** The rules for access lists from the backbone, and for limits of a tenant. */
final class ProtectionRules {
    private static final int FEWEST_SESSIONS = 16;
    private static final int MOST_NEW_SESSIONS = 1_000_000;
    /** Those of a packet of 65,507 bytes pass at once. */
    private static final int FEWEST_FRAGMENTS = 100;
    private static final int MOST_FRAGMENTS = 1_000_000;
    /** Kilobits a second: what still carries the control traffic of a few hosts, and more than any port has. */
    private static final int LOWEST_BANDWIDTH = 64;
    private static final int HIGHEST_BANDWIDTH = 400_000_000;
    private static final int MOST_CONTROLLER_PACKETS = 1000;

    private ProtectionRules() {
        // Only functions.
    }

    /**
     * Finds the rules that a tenant breaks among its surroundings.
     *
     * @param add takes a leaf and a rule
     */
    static void check(final Snapshot surroundings, final Tenant tenant, final BiConsumer<String, String> add) {
        final Protection protection = tenant.protection();
        protection.ingressAcl().ifPresent(name -> {
            if (!surroundings.acls().containsKey(name)) {
                add.accept("ingress-acl", Validator.unknown("acl", name, surroundings.acls()));
            }
            if (tenant.nat().isEmpty() && !tenant.ipv6().isPresent()) {
                add.accept("ingress-acl",
                    "the tenant has no nat; the list needs it, because it is for packets from the backbone");
            }
        });
        if (protection.stateful() && protection.ingressAcl().isEmpty() && tenant.egressAcl().isEmpty()) {
            add.accept("stateful", "needs an egress-acl or an ingress-acl");
        }
        checkRanges(protection.quota(), add);
        protection.quota().aclRules().ifPresent(most -> checkEntries(surroundings, tenant, most, add));
    }

    /**
     * Finds limits that are below what is in use.
     *
     * @param leases all that the tenant's server has given
     * @param add takes a leaf and a rule
     */
    static void checkUse(final Tenant tenant, final List<Lease> leases, final BiConsumer<String, String> add) {
        if (leases.isEmpty()) {
            return;
        }
        final Optional<Integer> most = tenant.protection().quota().refusedLeases();
        if (most.isEmpty() || tenant.services().dhcp().isEmpty()) {
            return;
        }
        // Leases of a subnet that the same change takes away end with it.
        final Dhcp dhcp = tenant.services().dhcp().orElseThrow();
        final long bound = leases.stream()
            .filter(lease -> lease.isBound() && dhcp.subnetOf(lease.address()).isPresent()).count();
        if (bound > most.orElseThrow()) {
            add.accept("quota / leases", most.orElseThrow() + " is below what is bound now: " + bound
                + (bound == 1 ? " lease" : " leases"));
        }
    }

    private static void checkRanges(final Quota quota, final BiConsumer<String, String> add) {
        checkLimit("sessions", quota.sessions(), FEWEST_SESSIONS, Integer.MAX_VALUE, add);
        checkLimit("new-sessions", quota.newSessions(), 1, MOST_NEW_SESSIONS, add);
        checkLimit("fragments", quota.fragments(), FEWEST_FRAGMENTS, MOST_FRAGMENTS, add);
        checkRange("bandwidth-out", quota.outKbps(), LOWEST_BANDWIDTH, HIGHEST_BANDWIDTH, add);
        checkRange("bandwidth-in", quota.inKbps(), LOWEST_BANDWIDTH, HIGHEST_BANDWIDTH, add);
        checkRange("controller-packets", quota.controllerPackets(), 1, MOST_CONTROLLER_PACKETS, add);
        checkRange("acl-rules", quota.aclRules(), 1, Integer.MAX_VALUE, add);
        checkLimit("leases", quota.leases(), 1, Integer.MAX_VALUE, add);
        checkRange("learned-hosts", quota.learnedHosts(), 1, Integer.MAX_VALUE, add);
    }

    /** Of a number that may also be "unlimited". */
    private static void checkLimit(final String leaf, final Optional<Integer> limit, final int least, final int most,
            final BiConsumer<String, String> add) {
        limit.filter(value -> value != Quota.UNLIMITED && (value < least || value > most))
            .ifPresent(value -> add.accept("quota / " + leaf, value + " is not in " + least + ".." + most
                + "; or say \"unlimited\""));
    }

    private static void checkRange(final String leaf, final Optional<? extends Number> limit, final int least,
            final int most, final BiConsumer<String, String> add) {
        limit.filter(value -> value.longValue() < least || value.longValue() > most)
            .ifPresent(value -> add.accept("quota / " + leaf, value + " is not in " + least + ".." + most));
    }

    private static void checkEntries(final Snapshot surroundings, final Tenant tenant, final int most,
            final BiConsumer<String, String> add) {
        final List<String> parts = new ArrayList<>();
        int entries = 0;
        for (final Acl list : Stream.concat(tenant.egressAcl().stream(), tenant.protection().ingressAcl().stream())
                .filter(surroundings.acls()::containsKey).map(surroundings.acls()::get).toList()) {
            entries += list.entries().size();
            parts.add(list.entries().size() + " of " + list.name());
        }
        if (entries > most) {
            add.accept("quota / acl-rules", most + " is below the " + entries + " entries of its lists: "
                + String.join(" and ", parts));
        }
    }
}
