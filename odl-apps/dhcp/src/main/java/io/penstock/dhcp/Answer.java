// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;

/** What a message leads to. */
public sealed interface Answer {
    /** A message is sent. */
    record Reply(DhcpMessage message, Delivery delivery) implements Answer { }

    /**
     * An address is asked for by ARP in a subnet, and {@link DhcpServer#probed} called with what came of it. The same
     * message again gives the same probe until then.
     */
    record Probe(Ipv4 address, Tenant.Subnet subnet) implements Answer { }

    /**
     * The host that has a lease is asked by ARP whether it is still there, before another place or MAC address gets
     * what it has (RFC 7513, section 6.4). {@link DhcpServer#asked} is called with what came of it.
     *
     * @param holder the lease of the host; only an answer from its attachment and its MAC address counts
     * @param subnet where that is
     */
    record Ask(Lease holder, Tenant.Subnet subnet) implements Answer { }

    /** Nothing is sent. */
    record Nothing(Reason reason) implements Answer { }

    /**
     * How a message is sent (RFC 2131, section 4.1).
     *
     * @param source our address
     * @param mac destination of the frame
     * @param address destination of the packet
     * @param port destination of the datagram
     */
    record Delivery(Ipv4 source, Mac mac, Ipv4 address, int port) { }

    /** Why nothing is sent. */
    enum Reason {
        NOT_A_REQUEST("not a message to a server"),
        BOOTP("BOOTP is not served, because it has no leases"),
        UNKNOWN_TYPE("unknown message type"),
        HARDWARE("the client has no MAC address of its own"),
        FOREIGN_MAC("the client's MAC address is not the sender's"),
        INCOMPLETE("a required address or option is missing or contradicts another one"),
        NO_SUBNET("no subnet at its origin is served"),
        NO_ADDRESS("no free address"),
        QUOTA("the tenant has reached its limit of leases"),
        OTHER_SERVER("for another server"),
        NO_RECORD("the client is unknown and may belong to another server"),
        NOT_THEIRS("the client does not have the address"),
        RELAY_UNKNOWN("no packet from the relay agent, which is the router, since the start"),
        DECLINED("the address is declined and not allocated for a while"),
        RELEASED("the address is free");

        private final String text;

        Reason(final String text) {
            this.text = text;
        }

        /** The reason in words, a sentence without a full stop. */
        public String text() {
            return text;
        }
    }
}
