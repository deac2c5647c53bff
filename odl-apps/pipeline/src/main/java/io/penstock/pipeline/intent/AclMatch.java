// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.net.Prefix6;
import java.util.Map;
import java.util.Optional;

/**
 * The packets that an entry of a list is about. They have all that is given; what is absent may be anything.
 *
 * @param family both when absent; a match with addresses or an ICMP type has one
 * @param protocol IP protocol number, of IPv6 packets the one behind the extension headers
 */
public record AclMatch(Optional<IpFamily> family, Optional<Integer> protocol, Ends<Prefix> ipv4, Ends<Prefix6> ipv6,
        Ends<PortRange> ports, Icmp icmp) {
    /** What the source and the destination of a packet have. */
    public record Ends<T>(Optional<T> source, Optional<T> destination) {
        Ends<T> swapped() {
            return new Ends<>(/* source= */ destination, /* destination= */ source);
        }
    }

    /** What an ICMP packet has, of the protocol of its family. */
    public record Icmp(Optional<Integer> type, Optional<Integer> code) { }

    /** Whether packets of a family can meet it. */
    public boolean isAbout(final IpFamily other) {
        return family.isEmpty() || family.orElseThrow() == other;
    }

    /** Whether a packet meets it; what the planned flows of the entry match. */
    public boolean isAbout(final FiveTuple packet) {
        final boolean is4 = packet.family() == IpFamily.IPV4;
        return isAbout(packet.family()) && protocol.stream().allMatch(number -> number == packet.protocol())
            && ipv4.source.stream().allMatch(prefix -> is4 && prefix.contains(packet.source4()))
            && ipv4.destination.stream().allMatch(prefix -> is4 && prefix.contains(packet.destination4()))
            && ipv6.source.stream().allMatch(prefix -> !is4 && prefix.contains(packet.source()))
            && ipv6.destination.stream().allMatch(prefix -> !is4 && prefix.contains(packet.destination()))
            && ports.source.stream().allMatch(range -> range.contains(packet.sourcePort()))
            && ports.destination.stream().allMatch(range -> range.contains(packet.destinationPort()))
            && icmp.type.stream().allMatch(type -> type == packet.sourcePort())
            && icmp.code.stream().allMatch(code -> code == packet.destinationPort());
    }

    /** Whether there are answers to such packets. */
    public boolean hasAnswers() {
        return icmp.type.stream().allMatch(replies()::containsKey);
    }

    /** The answers to such packets: the two ends have changed places. */
    public AclMatch answer() {
        return new AclMatch(family, protocol, ipv4.swapped(), ipv6.swapped(), ports.swapped(),
            new Icmp(icmp.type.map(replies()::get), icmp.code));
    }

    private Map<Integer, Integer> replies() {
        return (isAbout(IpFamily.IPV4) ? IpFamily.IPV4 : IpFamily.IPV6).replies();
    }
}
