// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.Optional;

/**
 * What a tenant may use up of what all tenants share, as configured. What is absent has its default, or no limit where
 * there is none: the methods tell what holds.
 *
 * @param sessions tracked connections at a time in each zone, from 1, or {@link #UNLIMITED}
 * @param newSessions connections that may begin in a second, or {@link #UNLIMITED}
 * @param fragments IP fragments a second that connection tracking may get, or {@link #UNLIMITED}
 * @param outKbps to the backbone, kilobits a second
 * @param inKbps from the backbone, kilobits a second
 * @param controllerPackets packets a second that the controller hears of, for each protocol
 * @param aclRules entries of its access lists together
 * @param leases addresses that its DHCP server has given at a time, or {@link #UNLIMITED}
 * @param leasesByDefault whether that is not configured, but the default: it refuses no change
 * @param learnedHosts hosts and next hops that are learned at a time
 */
public record Quota(Optional<Integer> sessions, Optional<Integer> newSessions, Optional<Integer> fragments,
        Optional<Long> outKbps, Optional<Long> inKbps, Optional<Integer> controllerPackets, Optional<Integer> aclRules,
        Optional<Integer> leases, boolean leasesByDefault, Optional<Integer> learnedHosts) {
    /** Nothing is configured. */
    public static final Quota NONE = new Quota(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    /**
     * Most tracked connections in each conntrack zone of a tenant unless configured. A tenant has three at most (NAT,
     * lists, chains), which then leave its neighbours 95 % of the 3 million that Open vSwitch tracks
     * (DEFAULT_N_CONN_LIMIT, lib/conntrack.c, 3.1).
     */
    public static final int DEFAULT_SESSIONS = 50_000;
    /** Most hosts, and most next hops, that the switch learns of a tenant unless configured, and of the backbone. */
    public static final int DEFAULT_LEARNED = 4096;
    /** Most bound leases of a tenant unless configured: those of hosts that the switch learns. */
    public static final int DEFAULT_LEASES = DEFAULT_LEARNED;
    /** Stands for "unlimited", where there is a limit otherwise. */
    public static final int UNLIMITED = -1;

    /** With leases as configured, and fragments as by default. */
    public Quota(final Optional<Integer> sessions, final Optional<Integer> newSessions, final Optional<Long> outKbps,
            final Optional<Long> inKbps, final Optional<Integer> controllerPackets, final Optional<Integer> aclRules,
            final Optional<Integer> leases, final Optional<Integer> learnedHosts) {
        this(sessions, newSessions, Optional.empty(), outKbps, inKbps, controllerPackets, aclRules, leases,
            leases.isEmpty(), learnedHosts);
    }

    /** The same with another limit of fragments. */
    public Quota withFragments(final int most) {
        return new Quota(sessions, newSessions, Optional.of(most), outKbps, inKbps, controllerPackets, aclRules, leases,
            leasesByDefault, learnedHosts);
    }

    /** Most tracked connections in each conntrack zone of the tenant; empty when there is no limit. */
    public Optional<Integer> mostSessions() {
        return limit(sessions, DEFAULT_SESSIONS);
    }

    /**
     * Most connections that begin in a second; empty when there is no limit.
     *
     * @param otherwise how many when nothing is configured
     */
    public Optional<Integer> mostNewSessions(final int otherwise) {
        return limit(newSessions, otherwise);
    }

    /**
     * Most fragments a second; empty when there is no limit.
     *
     * @param otherwise how many when nothing is configured
     */
    public Optional<Integer> mostFragments(final int otherwise) {
        return limit(fragments, otherwise);
    }

    /** Most bound leases; empty when there is no limit. */
    public Optional<Integer> mostLeases() {
        return limit(leases, DEFAULT_LEASES);
    }

    /** Most leases as configured: those that a default alone forbids stay, and refuse no change. */
    public Optional<Integer> refusedLeases() {
        return leases.filter(most -> most != UNLIMITED && !leasesByDefault);
    }

    /** Most hosts that the switch learns, and most next hops. */
    public int mostLearnedHosts() {
        return learnedHosts.orElse(DEFAULT_LEARNED);
    }

    private static Optional<Integer> limit(final Optional<Integer> configured, final int otherwise) {
        return Optional.of(configured.orElse(otherwise)).filter(most -> most != UNLIMITED);
    }
}
