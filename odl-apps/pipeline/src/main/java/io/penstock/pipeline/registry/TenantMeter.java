// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import java.util.Arrays;
import java.util.Optional;

/**
 * The meters that each tenant has for itself, so that a flood of one tenant is cut before it is mixed with packets of
 * others. Their numbers follow from the VRF id; those below 16 are {@link Meter}s of the whole switch.
 */
public enum TenantMeter {
    SLOW_PATH(0, 500, "what costs upcalls: ARP, neighbour discovery, pings of gateways, IPv4 broadcasts, and all "
        + "frames of an attachment while it floods"),
    HOST_CONFIGURATION(1, 50, "packets to the DHCP server, router solicitations and DHCPv6 requests"),
    NEIGHBOUR(2, 50, "packets to unresolved next hops, and answers to conflict probes"),
    DNS(3, 1000, "queries to the resolver"),
    ERROR(4, 50, "packets that need an ICMP error"),
    OUT(5, 0, "packets to the backbone"),
    IN(6, 0, "packets from the backbone"),
    NEW_SESSIONS(7, 10_000, "packets that begin a connection"),
    BLOCK_REQUESTS(8, 50, "requests of subscribers for a port block, each of which costs a datastore commit"),
    /**
     * Open vSwitch has one list of 5000 for all fragments of a node, and keeps those of an incomplete packet for 15 s
     * (IPF_NFRAG_UBOUND and IPF_FRAG_LIST_TIMEOUT, lib/ipf.c, 4.0). A tenant without end has 4000 of them.
     */
    FRAGMENTS(9, 250, "fragments on their way into connection tracking");

    /** Meter ids that each VRF has in a row; those of further kinds are in rows behind all of these. */
    static final int KINDS = 8;
    private static final int VRFS = VrfId.LAST + 1;
    /** The first id behind those of all tenants. */
    static final int END = VRFS * values().length;
    private static final int FIRST = VrfId.FIRST * KINDS;
    private static final int FURTHER = VRFS * KINDS;

    private final int number;
    private final int rate;
    private final String meaning;

    TenantMeter(final int number, final int rate, final String meaning) {
        this.number = number;
        this.rate = rate;
        this.meaning = meaning;
    }

    /** OpenFlow meter id of a tenant's meter. */
    public int number(final VrfId vrf) {
        return number < KINDS ? vrf.number() * KINDS + number : number * VRFS + vrf.number();
    }

    /** Packets a second unless configured; 0 when there is no such meter then. */
    public int rate() {
        return rate;
    }

    /** One phrase for the pipeline document. */
    public String meaning() {
        return meaning;
    }

    /** The place among the meters of a VRF, 0..9. */
    public int kind() {
        return number;
    }

    /** Which of a tenant's meters one is, by its OpenFlow id; nothing for one of the switch or of a function. */
    public static Optional<TenantMeter> of(final int id) {
        return vrfOf(id).flatMap(vrf -> Arrays.stream(values()).filter(meter -> meter.number(vrf) == id).findFirst());
    }

    /** Whose a meter is, by its OpenFlow id; nothing for one of the switch or of a function. */
    public static Optional<VrfId> vrfOf(final int id) {
        return id < FIRST || id >= END ? Optional.empty()
            : VrfId.of(id < FURTHER ? id / KINDS : id % VRFS).filter(vrf -> !vrf.isBackbone());
    }
}
