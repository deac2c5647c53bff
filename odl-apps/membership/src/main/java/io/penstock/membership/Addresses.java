// SPDX-License-Identifier: Apache-2.0
package io.penstock.membership;

import akka.actor.Address;
import java.util.Map;
import java.util.TreeMap;

/** Where the members of the cluster are. Stateless. */
final class Addresses {
    private Addresses() {
        // Only functions.
    }

    /**
     * Addresses by name.
     *
     * @param system name of the actor system, the same on all members
     * @param members as NAME=ADDRESS, with commas between them
     * @param port of all members
     */
    static Map<String, Address> of(final String system, final String members, final int port) {
        final Map<String, Address> addresses = new TreeMap<>();
        for (final String member : members.split(",", 0)) {
            final String[] parts = member.split("=", 2);
            if (parts.length == 2) {
                addresses.put(parts[0], new Address("akka", system, parts[1], port));
            }
        }
        return addresses;
    }
}
