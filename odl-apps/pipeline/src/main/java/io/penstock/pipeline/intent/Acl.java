// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.flow.IpProtocol;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An RFC 8519 access control list. The first entry that matches decides; what none permits is dropped. */
public record Acl(String name, List<Entry> entries) {
    /** Types of ICMP by which a connection begins in conntrack, and those that answer: echo, timestamp, information. */
    private static final Map<Integer, Integer> REPLIES = Map.of(8, 0, 13, 14, 15, 16);
    /** The same of ICMPv6: echo. */
    private static final Map<Integer, Integer> REPLIES6 = Map.of(128, 129);

    public Acl {
        entries = List.copyOf(entries);
    }

    /** Which packets an entry is about. */
    public enum Family { IPV4, IPV6 }

    /** What answers which type of ICMP, where somebody does. */
    static Map<Integer, Integer> replies(final Family family) {
        return family == Family.IPV4 ? REPLIES : REPLIES6;
    }

    /**
     * The list that answers to what this one permits meet: the two ends have changed places, and ICMP queries are the
     * replies to them (RFC 792; RFC 4443). Entries to which nobody answers are not in it.
     */
    public Acl answers() {
        return new Acl(name, entries.stream().filter(Entry::hasAnswers).map(Entry::answer).toList());
    }

    /**
     * One entry.
     *
     * @param family both when absent; an entry with addresses or ICMP types has one
     * @param protocol IP protocol number, of IPv6 packets the one behind the extension headers
     * @param inexpressible RFC 8519 leaves in the entry that the data plane has no match or action for; an entry with
     *     any is refused
     */
    public record Entry(String name, boolean permit, Optional<Prefix> source, Optional<Prefix> destination,
            Optional<Integer> protocol, Optional<PortRange> sourcePorts, Optional<PortRange> destinationPorts,
            Optional<Integer> icmpType, Optional<Integer> icmpCode, List<String> inexpressible,
            Optional<Family> family, Optional<Prefix6> source6, Optional<Prefix6> destination6) {
        public Entry {
            inexpressible = List.copyOf(inexpressible);
        }

        /** About IPv4 when it says anything that is IPv4's, else about both. */
        public Entry(final String name, final boolean permit, final Optional<Prefix> source,
                final Optional<Prefix> destination, final Optional<Integer> protocol,
                final Optional<PortRange> sourcePorts, final Optional<PortRange> destinationPorts,
                final Optional<Integer> icmpType, final Optional<Integer> icmpCode,
                final List<String> inexpressible) {
            this(name, permit, source, destination, protocol, sourcePorts, destinationPorts, icmpType, icmpCode,
                inexpressible, source.isPresent() || destination.isPresent()
                    || protocol.equals(Optional.of(IpProtocol.ICMP)) ? Optional.of(Family.IPV4) : Optional.empty(),
                Optional.empty(), Optional.empty());
        }

        /** Whether packets of a family can meet it. */
        public boolean isAbout(final Family other) {
            return family.isEmpty() || family.orElseThrow() == other;
        }

        /** Whether a packet meets it; what the planned flows of the entry match. */
        public boolean isAbout(final FiveTuple packet) {
            final boolean ipv4 = packet.family() == Family.IPV4;
            return isAbout(packet.family()) && protocol.stream().allMatch(number -> number == packet.protocol())
                && source.stream().allMatch(prefix -> ipv4 && prefix.contains(packet.source().low()))
                && destination.stream().allMatch(prefix -> ipv4 && prefix.contains(packet.destination().low()))
                && source6.stream().allMatch(prefix -> !ipv4 && prefix.contains(packet.source()))
                && destination6.stream().allMatch(prefix -> !ipv4 && prefix.contains(packet.destination()))
                && sourcePorts.stream().allMatch(ports -> ports.contains(packet.sourcePort()))
                && destinationPorts.stream().allMatch(ports -> ports.contains(packet.destinationPort()))
                && icmpType.stream().allMatch(type -> type == packet.sourcePort())
                && icmpCode.stream().allMatch(code -> code == packet.destinationPort());
        }

        /** Whether somebody answers to what it permits. */
        public boolean hasAnswers() {
            return icmpType.stream().allMatch(replies()::containsKey);
        }

        /** The same with the two ends changed. */
        public Entry answer() {
            return new Entry(name, permit, /* source= */ destination, /* destination= */ source, protocol,
                destinationPorts, sourcePorts, icmpType.map(replies()::get), icmpCode, inexpressible, family,
                destination6, source6);
        }

        private Map<Integer, Integer> replies() {
            return Acl.replies(isAbout(Family.IPV4) ? Family.IPV4 : Family.IPV6);
        }
    }

    /** TCP or UDP ports, both ends included. */
    public record PortRange(int low, int high) {
        public PortRange {
            if (low < 0 || high < low || high > 0xffff) {
                throw new IllegalArgumentException("ports " + low + ".." + high);
            }
        }

        boolean contains(final int port) {
            return low <= port && port <= high;
        }
    }
}
