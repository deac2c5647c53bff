// SPDX-License-Identifier: Apache-2.0
package io.penstock.operations;

import java.util.List;

/**
 * A host that a switch has learned.
 *
 * @param attachment its name, or {@code port/vlan} of one that is not configured any more
 * @param addresses those that the switch has learned, IPv4 and IPv6, sorted; none of a host that the switch has
 *     only bridged
 * @param ageSeconds since it was learned there
 */
public record LearnedHost(String node, String attachment, String mac, List<String> addresses, long ageSeconds) {
    public LearnedHost {
        addresses = List.copyOf(addresses);
    }
}
