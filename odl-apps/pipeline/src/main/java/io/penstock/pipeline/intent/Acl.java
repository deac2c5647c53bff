// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
import java.util.Optional;

/** An RFC 8519 access control list. The first entry that matches decides; what none permits is dropped. */
public record Acl(String name, List<Entry> entries) {
    public Acl {
        entries = List.copyOf(entries);
    }

    /**
     * One entry.
     *
     * @param protocol IP protocol number
     * @param inexpressible RFC 8519 leaves in the entry that the data plane has no match or action for; an entry with
     *     any is refused
     */
    public record Entry(String name, boolean permit, Optional<Prefix> source, Optional<Prefix> destination,
            Optional<Integer> protocol, Optional<PortRange> sourcePorts, Optional<PortRange> destinationPorts,
            Optional<Integer> icmpType, Optional<Integer> icmpCode, List<String> inexpressible) {
        public Entry {
            inexpressible = List.copyOf(inexpressible);
        }
    }

    /** TCP or UDP ports, both ends included. */
    public record PortRange(int low, int high) {
        public PortRange {
            if (low < 0 || high < low || high > 0xffff) {
                throw new IllegalArgumentException("ports " + low + ".." + high);
            }
        }
    }
}
