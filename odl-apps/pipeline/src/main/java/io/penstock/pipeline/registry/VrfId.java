// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.registry;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import java.util.Optional;

/**
 * A VRF of a node. Its number is in {@link Register#VRF}, in tags, conntrack zones, meters and cookies.
 *
 * @param number 1 for the backbone, {@link #FIRST} to {@link #LAST} for a tenant
 */
public record VrfId(int number) implements Comparable<VrfId> {
    /** First and last number of a tenant. */
    public static final int FIRST = 2;
    /** Open vSwitch has no meters for more (2^18, {@link FunctionMeter}). Zones of chains begin at 0x7000. */
    public static final int LAST = 0x63ff;
    /** Last number that is an 802.1Q tag, as a chain needs it: a chain tags frames with the VRF. */
    public static final int LAST_TAG = 4094;
    /** The backbone. */
    public static final VrfId BACKBONE = new VrfId(FIRST - 1);
    /** Set in the conntrack zones of access lists, and in no other. Chains end below it. */
    public static final int ACL_ZONES = 0x8000;

    /** Tell the inside of the chains of a VRF, of which there are 4096, from all else. */
    private static final int CHAIN_ZONES = 0x7000;
    private static final int TO_TENANT_PATH = 1 << 12;
    /** Of 240.0.0.0/8, which no network has (RFC 1112, section 4). */
    private static final Ipv4 RESOLVER_BASE = Ipv4.parse("240.0.0.0");
    /** What a service address of IPv6 ends with. */
    private static final long RESOLVER_INTERFACE = 0x53;

    public VrfId {
        if (number < FIRST - 1 || number > LAST) {
            throw new IllegalArgumentException("VRF " + number);
        }
    }

    /** The VRF of a number, as a packet, a flow or a file has it; empty when it is none. */
    public static Optional<VrfId> of(final long number) {
        return number < FIRST - 1 || number > LAST ? Optional.empty() : Optional.of(new VrfId((int) number));
    }

    /** Whether it is the backbone and no tenant's. */
    public boolean isBackbone() {
        return equals(BACKBONE);
    }

    /** Whether it can be an 802.1Q tag. */
    public boolean isTag() {
        return number <= LAST_TAG;
    }

    /** Conntrack zone of its translations. */
    public int natZone() {
        return number;
    }

    /** Conntrack zone of its access lists. */
    public int aclZone() {
        return ACL_ZONES | number;
    }

    /** Conntrack zone in which its connections keep their instances of network functions. */
    public int chainZone() {
        return CHAIN_ZONES | number;
    }

    /** The service path identifier (RFC 8300) of a direction. */
    public int servicePath(final boolean toTenant) {
        return number | pathBit(toTenant);
    }

    /** What the service paths of a direction have beside the number of the VRF. */
    public static int pathBit(final boolean toTenant) {
        return toTenant ? TO_TENANT_PATH : 0;
    }

    /**
     * The address by which the resolver of a node knows a subnet: hosts of different VRFs may have the same address.
     *
     * @param subnet its place among the subnets of the tenant, 0..255
     */
    public Ipv4 resolverAddress(final int subnet) {
        checkSubnet(subnet);
        return RESOLVER_BASE.plus((long) number << 8 | subnet);
    }

    /**
     * The same for a subnet of IPv6: fd50:7300:0:VRF:SUBNET::53, of unique local addresses (RFC 4193).
     *
     * @param subnet its place among the IPv6 subnets of the tenant, 0..255
     */
    public Ipv6 resolverAddress6(final int subnet) {
        checkSubnet(subnet);
        return new Ipv6(Constants.RESOLVERS6.high() | number, (long) subnet << 48 | RESOLVER_INTERFACE);
    }

    private static void checkSubnet(final int subnet) {
        if (subnet < 0 || subnet >= Constants.MOST_SUBNETS) {
            throw new IllegalArgumentException("subnet " + subnet + " of a tenant");
        }
    }

    @Override
    public int compareTo(final VrfId other) {
        return Integer.compare(number, other.number);
    }

    /** The number alone. */
    @Override
    public String toString() {
        return Integer.toString(number);
    }
}
