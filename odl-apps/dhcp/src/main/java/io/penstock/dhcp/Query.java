// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import java.util.Optional;

/**
 * A message of a client or a relay agent, and how it came.
 *
 * @param attachment where it came from; empty if that is none of the tenant's
 * @param sourceMac of the frame: the client's, or that of the router before us
 * @param source address of the packet, {@link Ipv4#UNSPECIFIED} if the sender had none
 * @param destination address of the packet, one of ours or everybody's
 */
public record Query(DhcpMessage message, Optional<String> attachment, Mac sourceMac, Ipv4 source, Ipv4 destination) {
    public Query {
        requireNonNull(message);
        requireNonNull(attachment);
    }

    /** Whether it was sent to us alone. */
    boolean isToUs() {
        return !destination.equals(Ipv4.BROADCAST);
    }
}
