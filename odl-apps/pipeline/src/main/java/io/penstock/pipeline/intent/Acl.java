// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.IpProtocol;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An RFC 8519 access control list. The first entry that matches decides; what none permits is dropped. */
public record Acl(String name, List<Entry> entries) {
    public Acl {
        entries = List.copyOf(entries);
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
            Optional<IpFamily> family, Optional<Prefix6> source6, Optional<Prefix6> destination6) {
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
                    || protocol.equals(Optional.of(IpProtocol.ICMP)) ? Optional.of(IpFamily.IPV4) : Optional.empty(),
                Optional.empty(), Optional.empty());
        }

        /** Whether packets of a family can meet it. */
        public boolean isAbout(final IpFamily other) {
            return family.isEmpty() || family.orElseThrow() == other;
        }

        /** Whether a packet meets it; what the planned flows of the entry match. */
        public boolean isAbout(final FiveTuple packet) {
            final boolean ipv4 = packet.family() == IpFamily.IPV4;
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
            return (isAbout(IpFamily.IPV4) ? IpFamily.IPV4 : IpFamily.IPV6).replies();
        }
    }
}
