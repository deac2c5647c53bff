// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.plan;

import io.penstock.pipeline.intent.Acl;
import io.penstock.pipeline.intent.AclMatch;
import io.penstock.pipeline.intent.AclMatch.Ends;
import io.penstock.pipeline.intent.Matches;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** Access lists and packets at random, and what a list means, worked out the simple way. */
public final class RandomLists {
    private static final int ENTRIES = 8;
    private static final int[] PORTS = {0, 1, 53, 80, 443, 1023, 1024, 1025, 4999, 5000, 32767, 32768, 65534, 65535};
    private static final int[] PROTOCOLS = {1, 6, 17, 47};

    private final Random random;

    public RandomLists(final long seed) {
        random = new Random(seed);
    }

    /** Of a packet what lists look at; of ICMP the ports are type and code. */
    public record Flow(Ipv4 source, Ipv4 destination, int protocol, int sourcePort, int destinationPort) {
        /** In the words of ovs-fields(7). */
        public String text() {
            final String addresses = "nw_src=" + source + ",nw_dst=" + destination + ",nw_ttl=64";
            return switch (protocol) {
                case 1 -> "icmp," + addresses + ",icmp_type=" + sourcePort + ",icmp_code=" + destinationPort;
                case 6 -> "tcp," + addresses + ",tcp_src=" + sourcePort + ",tcp_dst=" + destinationPort;
                case 17 -> "udp," + addresses + ",udp_src=" + sourcePort + ",udp_dst=" + destinationPort;
                default -> "ip," + addresses + ",nw_proto=" + protocol;
            };
        }

        /** As the other end answers it. */
        public Flow answer() {
            return protocol == 1
                ? new Flow(/* source= */ destination, /* destination= */ source, 1, sourcePort == 8 ? 0 : sourcePort,
                    destinationPort)
                : new Flow(destination, source, protocol, destinationPort, sourcePort);
        }
    }

    /** A list of some entries, most of them with two ranges of ports. */
    public Acl list(final String name) {
        final List<Acl.Entry> entries = new ArrayList<>();
        final int count = 1 + random.nextInt(ENTRIES);
        for (int index = 0; index < count; index++) {
            entries.add(entry(name + index));
        }
        return new Acl(name, entries);
    }

    private Acl.Entry entry(final String name) {
        final int kind = random.nextInt(10);
        final Optional<Integer> protocol = kind == 0 ? Optional.empty()
            : Optional.of(kind == 1 ? 1 : kind < 6 ? 6 : 17);
        final boolean ports = kind > 1;
        return new Acl.Entry(name, random.nextInt(3) > 0, Matches.ipv4(
            new Ends<>(prefix("10.0.0.0"), prefix("198.18.0.0")), protocol,
            new Ends<>(ports ? range() : Optional.empty(), ports ? range() : Optional.empty()),
            kind == 1 ? Optional.of(random.nextBoolean() ? 8 : random.nextInt(14)) : Optional.empty()), List.of());
    }

    private Optional<Prefix> prefix(final String base) {
        final int length = 24 + random.nextInt(9);
        return random.nextInt(3) > 0 ? Optional.empty()
            : Optional.of(Prefix.parse(address(base) + "/" + length));
    }

    private Optional<PortRange> range() {
        final int one = port();
        final int other = port();
        return random.nextInt(4) == 0 ? Optional.empty()
            : Optional.of(new PortRange(Math.min(one, other), Math.max(one, other)));
    }

    private int port() {
        return random.nextBoolean() ? PORTS[random.nextInt(PORTS.length)] : random.nextInt(0x10000);
    }

    private Ipv4 address(final String base) {
        return Ipv4.parse(base).plus(2 + random.nextInt(6));
    }

    /** A packet from inside to the world. */
    public Flow packet() {
        final int protocol = PROTOCOLS[random.nextInt(PROTOCOLS.length)];
        return switch (protocol) {
            case 1 -> new Flow(address("10.0.0.0"), address("198.18.0.0"), 1, random.nextBoolean() ? 8
                : random.nextInt(14), 0);
            case 6, 17 -> new Flow(address("10.0.0.0"), address("198.18.0.0"), protocol, port(), port());
            default -> new Flow(address("10.0.0.0"), address("198.18.0.0"), protocol, 0, 0);
        };
    }

    /** Whether a list permits a packet. */
    public static boolean permits(final Acl acl, final Flow packet) {
        return acl.entries().stream().filter(entry -> isAbout(entry.match(), packet)).findFirst().map(Acl.Entry::permit)
            .orElse(false);
    }

    private static boolean isAbout(final AclMatch match, final Flow packet) {
        return match.ipv4().source().stream().allMatch(prefix -> prefix.contains(packet.source()))
            && match.ipv4().destination().stream().allMatch(prefix -> prefix.contains(packet.destination()))
            && match.protocol().stream().allMatch(protocol -> protocol == packet.protocol())
            && match.ports().source().stream().allMatch(range -> isIn(range, packet.sourcePort()))
            && match.ports().destination().stream().allMatch(range -> isIn(range, packet.destinationPort()))
            && match.icmp().type().stream().allMatch(type -> type == packet.sourcePort());
    }

    private static boolean isIn(final PortRange range, final int port) {
        return range.low() <= port && port <= range.high();
    }
}
