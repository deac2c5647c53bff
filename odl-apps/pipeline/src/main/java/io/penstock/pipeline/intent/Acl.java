// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An RFC 8519 access control list. The first entry that matches decides; what none permits is dropped. */
public record Acl(String name, List<Entry> entries) {
    /** Types of ICMP by which a connection begins in conntrack, and those that answer: echo, timestamp, information. */
    private static final Map<Integer, Integer> REPLIES = Map.of(8, 0, 13, 14, 15, 16);

    public Acl {
        entries = List.copyOf(entries);
    }

    /**
     * The list that answers to what this one permits meet: the two ends have changed places, and ICMP queries are the
     * replies to them (RFC 792). Entries to which nobody answers are not in it.
     */
    public Acl answers() {
        return new Acl(name, entries.stream().filter(entry -> entry.icmpType().stream().allMatch(REPLIES::containsKey))
            .map(Entry::answer).toList());
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

        private Entry answer() {
            return new Entry(name, permit, destination, source, protocol, destinationPorts, sourcePorts,
                icmpType.map(REPLIES::get), icmpCode, inexpressible);
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
