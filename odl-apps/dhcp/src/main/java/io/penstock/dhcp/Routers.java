// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The relay agents of a VRF's subnets, which are routers there. A client renews its lease without the agent, and has to
 * be told the same router then.
 */
final class Routers {
    /** Empty where the agent's address is not in the subnet. */
    private final Map<Prefix, Optional<Ipv4>> heard = new HashMap<>();

    /** Learns from a message that came through an agent. */
    void hear(final DhcpMessage message, final ServedSubnet subnet) {
        if (message.isRelayed() && subnet.attached().isEmpty()) {
            heard.put(subnet.config().prefix(),
                Optional.of(message.addresses().relay()).filter(subnet::contains));
        }
    }

    /** Whether it is known who the router of a subnet is, or that it has none. */
    boolean isKnown(final ServedSubnet subnet) {
        return subnet.attached().isPresent() || subnet.options().hasRouters()
            || heard.containsKey(subnet.config().prefix());
    }

    /** The router of a subnet unless one is configured. */
    Optional<Ipv4> of(final ServedSubnet subnet) {
        return subnet.attached().isPresent() ? subnet.attached().map(Tenant.Subnet::gateway)
            : heard.getOrDefault(subnet.config().prefix(), Optional.empty());
    }
}
