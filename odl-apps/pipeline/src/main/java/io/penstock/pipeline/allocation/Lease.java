// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.allocation;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;

/**
 * An address that the DHCP server of a VRF has given to a host, or remembers.
 *
 * @param client who has it: hexadecimal client identifier (RFC 2131, section 2; RFC 4361), or hardware type and address
 *     when it sent none
 * @param mac its MAC address
 * @param attachment where it is; empty behind a relay agent
 * @param hostName the name it told or has by its reservation; empty if none
 * @param expires end of the lease, seconds since 1970
 */
public record Lease(Ipv4 address, State state, String client, Mac mac, String attachment, String hostName,
        long expires) {
    public Lease {
        requireNonNull(state);
        requireNonNull(client);
        requireNonNull(attachment);
        requireNonNull(hostName);
    }

    /** What became of the address. */
    public enum State {
        /** The host uses it. */
        BOUND,
        /** It was released or ran out. The host gets it again if it comes back before somebody else needs it. */
        FREE,
        /** Somebody else uses it, a host or the conflict probe said. Nobody gets it until it expires. */
        DECLINED
    }

    /** The same in another state, until another time. */
    public Lease with(final State other, final long until) {
        return new Lease(address, other, client, mac, attachment, hostName, until);
    }

    /** Whether the host may use the address now. */
    public boolean isBound() {
        return state == State.BOUND;
    }
}
