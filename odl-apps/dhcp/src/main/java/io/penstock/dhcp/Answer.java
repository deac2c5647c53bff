// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.pipeline.intent.Tenant;

/** What a message leads to. */
public sealed interface Answer {
    /** A message is sent. */
    record Reply(DhcpMessage message, Delivery delivery) implements Answer { }

    /**
     * An address is asked for by ARP in a subnet, and {@link DhcpServer#probed} called with what came of it. The same
     * message again gives the same probe until then.
     */
    record Probe(long address, Tenant.Subnet subnet) implements Answer { }

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
    record Delivery(long source, long mac, long address, int port) { }

    /** Why nothing is sent. */
    enum Reason {
        NOT_A_REQUEST("it is no message to a server"),
        BOOTP("BOOTP, which has no leases, is not served"),
        UNKNOWN_TYPE("its type is unknown"),
        HARDWARE("the client has no MAC address of its own"),
        FOREIGN_MAC("the client's MAC address is not the sender's"),
        INCOMPLETE("an address or option that it has to have is missing, or two contradict each other"),
        NO_SUBNET("no subnet where it came from is served"),
        NO_ADDRESS("no address is left"),
        QUOTA("the tenant has as many leases as it may have"),
        OTHER_SERVER("it is for another server"),
        NO_RECORD("the client is unknown, and may be another server's"),
        NOT_THEIRS("the client has not the address"),
        RELAY_UNKNOWN("the relay agent, which is the router, was not heard since the start"),
        DECLINED("the address is not given to anybody for a while"),
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
