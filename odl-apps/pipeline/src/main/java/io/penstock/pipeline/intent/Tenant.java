// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.intent;

import io.penstock.pipeline.net.AddressPorts;
import io.penstock.pipeline.net.Alg;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mtu;
import io.penstock.pipeline.net.PortRange;
import io.penstock.pipeline.net.Prefix;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A customer: one VRF.
 *
 * @param chain what packets pass to and from the backbone of which no rule says anything else
 * @param chainRules by their priority
 */
public record Tenant(String name, List<Attachment> attachments, List<Subnet> subnets, List<Route> routes,
        Optional<Nat> nat, Optional<String> egressAcl, Optional<String> chain, Services services,
        Protection protection, Ipv6Side ipv6, List<ChainRule> chainRules) {
    public Tenant {
        chainRules = chainRules.stream().sorted(Comparator.comparingInt(ChainRule::priority)).toList();
        attachments = List.copyOf(attachments);
        subnets = List.copyOf(subnets);
        routes = List.copyOf(routes);
    }

    /** IPv4 alone, without services and limits. */
    public Tenant(final String name, final List<Attachment> attachments, final List<Subnet> subnets,
            final List<Route> routes, final Optional<Nat> nat, final Optional<String> egressAcl,
            final Optional<String> chain) {
        this(name, attachments, subnets, routes, nat, egressAcl, chain, Services.NONE, Protection.NONE,
            Ipv6Side.NONE, List.of());
    }

    /**
     * A VLAN on an access port.
     *
     * @param trusted whether who is there may use any address, and be a router or a server of DHCP
     */
    public record Attachment(String name, String node, String port, int vlan, boolean trusted) {
        /** Of which nobody is trusted. */
        public Attachment(final String name, final String node, final String port, final int vlan) {
            this(name, node, port, vlan, false);
        }

        /** Where it is on its node. */
        public AccessPlace place() {
            return new AccessPlace(port, vlan);
        }
    }

    /**
     * A subnet.
     *
     * @param attachments where it is; everywhere when there is none
     * @param mtu longest packet that its hosts take, bytes of IP
     */
    public record Subnet(String name, Prefix prefix, Ipv4 gateway, List<String> attachments, int mtu) {
        public Subnet {
            attachments = List.copyOf(attachments);
        }

        /** Of ordinary Ethernet. */
        public Subnet(final String name, final Prefix prefix, final Ipv4 gateway, final List<String> attachments) {
            this(name, prefix, gateway, attachments, Mtu.DEFAULT);
        }

        /** The same with another MTU. */
        public Subnet withMtu(final int other) {
            return new Subnet(name, prefix, gateway, attachments, other);
        }
    }

    /**
     * Translation (RFC 3022). Source NAT of the whole VRF when there is an address or a pool to take it from, never
     * both; addresses in {@code oneToOne}, {@code deterministic} or {@code portBlocks} have that translation alone.
     *
     * @param forwards services behind the address of the source NAT
     * @param algs whose connections source NAT looks into
     * @param twice networks outside that hosts see at other addresses
     */
    public record Nat(Optional<Ipv4> address, Optional<String> pool, List<OneToOne> oneToOne,
            List<Deterministic> deterministic, List<PortBlocks> portBlocks, List<PortForward> forwards,
            Set<Alg> algs, List<Twice> twice) {
        public Nat {
            oneToOne = List.copyOf(oneToOne);
            deterministic = List.copyOf(deterministic);
            portBlocks = List.copyOf(portBlocks);
            forwards = List.copyOf(forwards);
            algs = Set.copyOf(algs);
            twice = List.copyOf(twice);
        }

        /** All networks outside are seen as they are. */
        public Nat(final Optional<Ipv4> address, final Optional<String> pool, final List<OneToOne> oneToOne,
                final List<Deterministic> deterministic, final List<PortBlocks> portBlocks,
                final List<PortForward> forwards, final Set<Alg> algs) {
            this(address, pool, oneToOne, deterministic, portBlocks, forwards, algs, List.of());
        }

        /** Without subscribers, and without an application level gateway. */
        public Nat(final Optional<Ipv4> address, final Optional<String> pool, final List<OneToOne> oneToOne,
                final List<PortForward> forwards) {
            this(address, pool, oneToOne, List.of(), List.of(), forwards, Set.of());
        }

        /** The same with networks that are seen at other addresses. */
        public Nat with(final List<Twice> others) {
            return new Nat(address, pool, oneToOne, deterministic, portBlocks, forwards, algs, others);
        }

        /** The same with other port blocks. */
        public Nat withPortBlocks(final List<PortBlocks> others) {
            return new Nat(address, pool, oneToOne, deterministic, others, forwards, algs, twice);
        }

        /** Whatever has public addresses of its own. */
        public List<Mapping> mappings() {
            if (oneToOne.isEmpty() && deterministic.isEmpty() && portBlocks.isEmpty()) {
                // As for most tenants, of which each change asks all.
                return List.of();
            }
            return Stream.<List<? extends Mapping>>of(oneToOne, deterministic, portBlocks)
                .<Mapping>flatMap(List::stream).toList();
        }

        /** Source NAT and nothing else. */
        public Nat(final Optional<Ipv4> address, final Optional<String> pool) {
            this(address, pool, List.of(), List.of());
        }

        /** Whether whoever has no translation of its own gets the VRF's. */
        public boolean hasSource() {
            return address.isPresent() || pool.isPresent();
        }
    }

    /** Inside addresses that have certain public addresses. */
    public sealed interface Mapping {
        /** Who is translated. */
        Prefix inside();

        /** The public addresses, which nobody else has. */
        Prefix outside();

        /** Name of its list in the model. */
        String kind();
    }

    /** Every address of {@code inside} has the address at the same place of {@code outside}, which is as long. */
    public record OneToOne(Prefix inside, Prefix outside) implements Mapping {
        public static final String KIND = "one-to-one";

        @Override
        public String kind() {
            return KIND;
        }
    }

    /**
     * Every address of {@code inside}, a subscriber, has a block of ports of one public address, which its place in the
     * prefix tells (RFC 7422). All blocks have the same size, a power of two; together they are the upper half of the
     * ports of each public address.
     *
     * @param independent whether mapping and filtering of UDP do not depend on the destination
     */
    public record Deterministic(Prefix inside, Prefix outside, boolean independent) implements Mapping {
        public static final String KIND = "deterministic";

        private static final int FIRST_PORT = 32768;

        /** Whose mapping and filtering depend on the destination. */
        public Deterministic(final Prefix inside, final Prefix outside) {
            this(inside, outside, false);
        }

        @Override
        public String kind() {
            return KIND;
        }

        /** Where the first block of a public address begins. */
        public int firstPort() {
            return FIRST_PORT;
        }

        /** Ports in a block. */
        public int blockSize() {
            return FIRST_PORT >> outside.length() - inside.length();
        }

        /** The public address and ports of a subscriber, who is in {@code inside}. */
        public AddressPorts blockOf(final Ipv4 subscriber) {
            final long place = subscriber.minus(inside.address());
            final int shared = FIRST_PORT / blockSize();
            final int first = FIRST_PORT + (int) (place % shared) * blockSize();
            return new AddressPorts(outside.address().plus(place / shared),
                new PortRange(first, first + blockSize() - 1));
        }

        /** Whose a port of a public address is; nobody's when the address is not one of these or the port too low. */
        public Optional<Ipv4> subscriberAt(final Ipv4 address, final int port) {
            if (!outside.contains(address) || port < FIRST_PORT || port > 65535) {
                return Optional.empty();
            }
            final int shared = FIRST_PORT / blockSize();
            return Optional.of(
                inside.address().plus(address.minus(outside.address()) * shared + (port - FIRST_PORT) / blockSize()));
        }
    }

    /**
     * Addresses of {@code inside}, subscribers, that get blocks of ports when they need them. All blocks of a
     * subscriber are of one public address (paired pooling: RFC 4787, REQ-2).
     *
     * @param blockSize ports in a block, a power of two; a block begins at a multiple of it, from port 1024 on
     * @param mostBlocks blocks that a subscriber may have
     * @param force whether a change may take blocks away that subscribers have
     * @param drain addresses of {@code outside} of which only subscribers get a block who have one of the same address
     * @param thresholds when to tell how much is used
     * @param independent whether mapping and filtering of UDP do not depend on the destination
     */
    public record PortBlocks(Prefix inside, Prefix outside, int blockSize, int mostBlocks, boolean force,
            List<Prefix> drain, Optional<Thresholds> thresholds, boolean independent) implements Mapping {
        public static final String KIND = "port-block";

        private static final int FIRST_PORT = 1024;
        private static final int PORTS = 65536;

        public PortBlocks {
            drain = List.copyOf(drain);
        }

        /** Of which nothing is drained, taken away or told. */
        public PortBlocks(final Prefix inside, final Prefix outside, final int blockSize, final int mostBlocks) {
            this(inside, outside, blockSize, mostBlocks, false, List.of(), Optional.empty(), false);
        }

        /** The same, but whether a change may take blocks away. */
        public PortBlocks force(final boolean may) {
            return new PortBlocks(inside, outside, blockSize, mostBlocks, may, drain, thresholds, independent);
        }

        /** Whether no subscriber gets a first block of an address. */
        public boolean drains(final Ipv4 address) {
            return Prefix.anyContains(drain, address);
        }

        @Override
        public String kind() {
            return KIND;
        }

        /** The first port of the first block of each public address. */
        public int firstPort() {
            return Math.max(FIRST_PORT, blockSize);
        }

        /** Blocks of each public address. */
        public int blocksOfAddress() {
            return (PORTS - firstPort()) / blockSize;
        }
    }

    /**
     * A service inside that the world reaches at a port of the public address.
     *
     * @param protocol 6 for TCP, 17 for UDP
     */
    public record PortForward(String name, int protocol, int publicPort, Ipv4 address, int port) { }

    /**
     * A network outside that hosts of the tenant see at other addresses, because its own are used inside as well: twice
     * NAT (RFC 2663, section 4.3). Every address of {@code outside} is seen at the same place of {@code seen}, which is
     * as long.
     */
    public record Twice(Prefix seen, Prefix outside) { }

    /** The same with another translation. */
    public Tenant with(final Nat other) {
        return new Tenant(name, attachments, subnets, routes, Optional.of(other), egressAcl, chain, services,
            protection, ipv6, chainRules);
    }

    /** The same with other services. */
    public Tenant with(final Services other) {
        return new Tenant(name, attachments, subnets, routes, nat, egressAcl, chain, other, protection, ipv6,
            chainRules);
    }

    /** The same with another protection. */
    public Tenant with(final Protection other) {
        return new Tenant(name, attachments, subnets, routes, nat, egressAcl, chain, services, other, ipv6,
            chainRules);
    }

    /** The same with another IPv6 half. */
    public Tenant with(final Ipv6Side other) {
        return new Tenant(name, attachments, subnets, routes, nat, egressAcl, chain, services, protection, other,
            chainRules);
    }

    /** The same with other rules for chains. */
    public Tenant with(final List<ChainRule> others) {
        return new Tenant(name, attachments, subnets, routes, nat, egressAcl, chain, services, protection, ipv6,
            others);
    }

    /** Whether it has any chain. */
    public boolean hasChain() {
        return chain.isPresent() || chainRules.stream().anyMatch(rule -> rule.chain().isPresent());
    }

    /** Names of the nodes that it is attached to. */
    public Set<String> nodes() {
        // Nearly all have one, and each change asks all of them.
        return attachments.size() == 1 ? Set.of(attachments.get(0).node())
            : attachments.stream().map(Attachment::node).collect(Collectors.toUnmodifiableSet());
    }

    /** Names of all its chains, each once: its own one first, then those of its rules by their priority. */
    public List<String> chains() {
        return Stream.concat(chain.stream(), chainRules.stream().flatMap(rule -> rule.chain().stream())).distinct()
            .toList();
    }

    /** Attachments that a subnet is on. */
    public List<Attachment> attachmentsOf(final Subnet subnet) {
        return named(subnet.attachments());
    }

    /** Attachments that an IPv6 subnet is on. */
    public List<Attachment> attachmentsOf(final Ipv6Side.Subnet subnet) {
        return named(subnet.attachments());
    }

    /** Attachments of these names; all when there is none. */
    private List<Attachment> named(final List<String> names) {
        if (names.isEmpty()) {
            return attachments;
        }
        final Set<String> wanted = new HashSet<>(names);
        return attachments.stream().filter(each -> wanted.contains(each.name())).toList();
    }

    /** IPv4 prefixes that are inside the VRF: its subnets, and what is routed to routers behind its hosts. */
    public List<Prefix> insidePrefixes() {
        return Stream.concat(subnets.stream().map(Subnet::prefix), routes.stream().map(Route::prefix))
            .distinct().sorted().toList();
    }
}
