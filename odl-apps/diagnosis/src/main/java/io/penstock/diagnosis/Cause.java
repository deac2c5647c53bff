// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import java.util.Locale;

/** Reasons why packets do not pass. Their names are part of the interface: programs compare them. */
public enum Cause {
    /** The controller does not carry out the configuration of the tenant. */
    CONFIGURATION_FAILED,
    /** The tenant has no attachment. */
    NO_ATTACHMENT,
    /** The node is not connected to the controller. */
    NODE_AWAY,
    /** The switch has not confirmed the newest configuration yet. */
    BEING_INSTALLED,
    /** The switch refuses flows of the tenant. */
    FLOWS_REFUSED,
    /** Flows are missing on the switch, or differ from the plan. */
    FLOWS_MISSING,
    /** The switch has no such port. */
    PORT_MISSING,
    /** The switch could not open the port. */
    PORT_FAILED,
    /** The port has no link. */
    PORT_DOWN,
    /** Frames of the attachment flood the slow path of the switch, and are limited. */
    FLOODING,
    /** Frames with a VLAN tag arrive that no attachment has. */
    UNKNOWN_VLAN,
    /** The source address is in no subnet and no route of the tenant. */
    FOREIGN_SOURCE,
    /** The source address is that of the gateway. */
    SOURCE_IS_GATEWAY,
    /** The address belongs to a DHCP pool or reservation, and no host has a lease of it. */
    NO_LEASE,
    /** The lease of the address has ended. */
    LEASE_ENDED,
    /** The address was declined: another host uses it. */
    ADDRESS_DECLINED,
    /** Another host has the lease of the address. */
    LEASE_OF_OTHER_HOST,
    /** The host is at another attachment than its address, or its lease, is for. */
    WRONG_ATTACHMENT,
    /** No address of a DHCP pool is free. */
    DHCP_POOL_EMPTY,
    /** The tenant has reached its quota of leases. */
    DHCP_QUOTA,
    /** The DHCP server gives no answer to messages, for another reason. */
    DHCP_UNANSWERED,
    /** No frame of the host has arrived lately. */
    HOST_SILENT,
    /** No frame of the destination has arrived lately, which is a host of the tenant. */
    DESTINATION_SILENT,
    /** The next hop of a route inside the VRF is not known to the switch. */
    NEXT_HOP_SILENT,
    /** The destination is outside, and the tenant has no way to the backbone. */
    NO_WAY_OUT,
    /** The list of the tenant for packets to the backbone denies the packet. */
    LIST_DENIES,
    /** The list of the tenant for packets from the backbone denies the reply. */
    LIST_DENIES_REPLY,
    /** The tenant has as many tracked connections as its quota permits. */
    SESSIONS_USED_UP,
    /** A limit of the tenant drops packets now. */
    LIMIT_REACHED,
    /** A function of the chain is down, and its fail policy is closed. */
    FUNCTION_DOWN,
    /** A function of the chain is down, and packets bypass it. */
    FUNCTION_BYPASSED,
    /** The tenant has no public address. */
    NO_PUBLIC_ADDRESS,
    /** The host behind a port forward is not known to the switch. */
    PUBLISHED_HOST_SILENT,
    /** Nothing of the tenant is published where a packet from an external host goes. */
    NOT_PUBLISHED,
    /** No port block is free for the subscriber. */
    BLOCKS_USED_UP,
    /** The node has no uplink. */
    NO_UPLINK,
    /** The backbone has no route to the destination. */
    NO_BACKBONE_ROUTE,
    /** The list of the uplink denies the packet. */
    BACKBONE_LIST_DENIES,
    /** The transit gateway is not known to the switch. */
    GATEWAY_SILENT,
    /** The configured MTU is larger than the MTU of the port. */
    MTU_TOO_LARGE,
    /** The resolver of the tenant does not work. */
    RESOLVER_FAILED,
    /** An upstream did not answer when the resolver of the tenant last asked it. */
    UPSTREAM_SILENT,
    /** The resolver of the tenant does not answer for names that are not valid in DNS. */
    NAMES_LEFT_OUT,
    /** A flow drops packets of the tenant now. */
    DROPPED,
    /** The switch does something else with the packet than the configuration says. */
    SWITCH_DISAGREES,
    /** No fault was found. */
    NONE;

    /** The name in the interface, such as {@code port-down}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
