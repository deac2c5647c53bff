// SPDX-License-Identifier: Apache-2.0
package io.penstock.diagnosis;

import io.penstock.operations.LearnedHost;
import io.penstock.operations.WhyQuestion;
import io.penstock.pipeline.allocation.Allocations.TenantAllocation;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Ipv6Side;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.intent.Tenant.Attachment;
import io.penstock.pipeline.net.FiveTuple;
import io.penstock.pipeline.net.IpFamily;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The packet that a question is about.
 *
 * @param sender absent for all hosts
 * @param packet absent if the question has no destination; from any host of the tenant if it has no sender; the reply
 *     to one from an external host
 * @param inbound what the external host sends; absent unless the question is about one
 */
record Subject(Facts facts, Optional<Sender> sender, Optional<FiveTuple> packet, Optional<Inbound> inbound) {
    /** The first of the ports that clients choose from (RFC 6335, section 6). */
    private static final int CLIENT_PORT = 49152;
    private static final Pattern MAC = Pattern.compile("(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}");

    /**
     * The host that sends.
     *
     * @param text as it is named in sentences
     * @param address of IPv4 in the low 32 bits; absent if it is not known
     * @param mac absent if it is not known
     * @param named the attachment, if the question names one
     * @param seen where switches have learned the host
     */
    record Sender(String text, Optional<Address> address, Optional<Mac> mac, Optional<Attachment> named,
            List<LearnedHost> seen) { }

    /** An address of either family. */
    record Address(IpFamily family, Ipv6 value) {
        static Optional<Address> parse(final String text) {
            if (Ipv4.isAddress(text)) {
                return Optional.of(new Address(IpFamily.IPV4, new Ipv6(0, Ipv4.parse(text).number())));
            }
            try {
                return text.indexOf(':') < 0 ? Optional.empty()
                    : Optional.of(new Address(IpFamily.IPV6, Ipv6.parse(text)));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        boolean isV4() {
            return family == IpFamily.IPV4;
        }

        Ipv4 v4() {
            return new Ipv4(value.low());
        }

        @Override
        public String toString() {
            return isV4() ? v4().toString() : value.toString();
        }
    }

    /**
     * Reads a question.
     *
     * @throws IllegalArgumentException when a leaf will not do; the message begins with its name
     */
    static Subject of(final Facts facts, final WhyQuestion question) {
        if (question.inbound()) {
            final Inbound inbound = Inbound.of(facts, question);
            return new Subject(facts, inbound.inside().map(inside -> ofAddress(facts, destination(inside))),
                inbound.inside().map(FiveTuple::answer), Optional.of(inbound));
        }
        final Optional<Sender> sender = question.host().map(host -> sender(facts, host));
        final Optional<Address> destination = question.destination().map(text -> Address.parse(text)
            .orElseThrow(() -> new IllegalArgumentException("destination: '" + text + "' is no IP address")));
        if (destination.isEmpty() && (question.port().isPresent() || question.protocol().isPresent())) {
            throw new IllegalArgumentException("destination: is missing; port and protocol need it");
        }
        return new Subject(facts, sender, destination.flatMap(address -> packet(facts, sender, address, question)),
            Optional.empty());
    }

    private static Optional<FiveTuple> packet(final Facts facts, final Optional<Sender> sender,
            final Address destination, final WhyQuestion question) {
        final Optional<Address> source = sender.flatMap(Sender::address)
            .or(() -> sender.isPresent() ? Optional.empty() : anyHost(facts.tenant(), destination.family()));
        if (source.filter(from -> from.family() != destination.family()).isPresent()) {
            throw new IllegalArgumentException("destination: " + destination + " is of another family than host "
                + source.orElseThrow());
        }
        return source.map(from -> packet(from, destination, question));
    }

    /**
     * The packet that a question means, from a host to a destination of the same family.
     *
     * @throws IllegalArgumentException when protocol and port do not fit; the message begins with the leaf's name
     */
    static FiveTuple packet(final Address from, final Address to, final WhyQuestion question) {
        final String protocol = question.protocol().orElse(question.port().isPresent() ? "tcp" : "icmp");
        final boolean hasPorts = !"icmp".equals(protocol);
        if (hasPorts && question.port().isEmpty()) {
            throw new IllegalArgumentException("port: is missing; protocol " + protocol + " needs it");
        }
        return FiveTuple.parse(from.toString(), to.toString(), protocol, hasPorts ? CLIENT_PORT : 0,
            question.port().orElse(0));
    }

    private static Optional<Address> anyHost(final Tenant tenant, final IpFamily family) {
        return family == IpFamily.IPV4
            ? tenant.subnets().stream().findFirst().map(subnet -> Stream.of(1L, 2L).map(subnet.prefix().address()::plus)
                .filter(address -> !address.equals(subnet.gateway())).findFirst().orElseThrow())
                .map(address -> new Address(family, new Ipv6(0, address.number())))
            : tenant.ipv6().subnets().stream().findFirst().map(subnet ->
                new Address(family, new Ipv6(subnet.gateway().high(), subnet.gateway().low() + 1)));
    }

    private static Sender sender(final Facts facts, final String host) {
        if (MAC.matcher(host).matches()) {
            return ofMac(facts, Mac.parse(host.replace('-', ':')));
        }
        final Optional<Address> address = Address.parse(host);
        if (address.isPresent()) {
            return ofAddress(facts, address.orElseThrow());
        }
        final Optional<Attachment> attachment = facts.tenant().attachments().stream()
            .filter(each -> each.name().equals(host)).findFirst();
        if (attachment.isPresent()) {
            return new Sender("attachment " + host, Optional.empty(), Optional.empty(), attachment,
                seen(facts, each -> each.attachment().equals(host)));
        }
        return leases(facts).filter(lease -> lease.hostName().equalsIgnoreCase(host)).findFirst()
            .map(lease -> ofAddress(facts, new Address(IpFamily.IPV4, new Ipv6(0, lease.address().number()))))
            .orElseThrow(() -> new IllegalArgumentException("host: '" + host + "' is no address, and tenant "
                + facts.tenant().name() + " has no attachment and no lease of this name"));
    }

    private static Sender ofMac(final Facts facts, final Mac mac) {
        final List<LearnedHost> seen = seen(facts, each -> each.mac().equals(mac.toString()));
        final Optional<Address> address = leases(facts).filter(lease -> lease.isBound() && lease.mac().equals(mac))
            .findFirst().map(lease -> new Address(IpFamily.IPV4, new Ipv6(0, lease.address().number())))
            .or(() -> seen.stream().flatMap(each -> each.addresses().stream()).map(Address::parse)
                .flatMap(Optional::stream).filter(Address::isV4).findFirst());
        return new Sender("host " + mac + address.map(known -> " (" + known + ")").orElse(""), address,
            Optional.of(mac), Optional.empty(), seen);
    }

    private static Sender ofAddress(final Facts facts, final Address address) {
        final List<LearnedHost> seen = seen(facts, each -> each.addresses().stream().map(Address::parse)
            .flatMap(Optional::stream).anyMatch(address::equals));
        return new Sender("host " + address, Optional.of(address),
            seen.stream().findFirst().map(each -> Mac.parse(each.mac())), Optional.empty(), seen);
    }

    private static List<LearnedHost> seen(final Facts facts, final Predicate<LearnedHost> wanted) {
        return facts.nodes().values().stream().flatMap(node -> node.hosts().stream()).filter(wanted).toList();
    }

    private static Stream<Lease> leases(final Facts facts) {
        return facts.given().map(TenantAllocation::leases).orElse(List.of()).stream();
    }

    /** Leases of the tenant. */
    Stream<Lease> leases() {
        return leases(facts);
    }

    Tenant tenant() {
        return facts.tenant();
    }

    /** Attachments by which the packet may come: where the host is, or may be. */
    List<Attachment> attachments() {
        if (sender.flatMap(Sender::named).isPresent()) {
            return List.of(sender.flatMap(Sender::named).orElseThrow());
        }
        final Set<String> seen = sender.stream().flatMap(each -> each.seen().stream()).map(LearnedHost::attachment)
            .collect(Collectors.toSet());
        final List<Attachment> there = tenant().attachments().stream().filter(each -> seen.contains(each.name()))
            .toList();
        return there.isEmpty() ? sender.flatMap(Sender::address).map(this::attachmentsOf)
            .filter(found -> !found.isEmpty()).orElse(tenant().attachments()) : there;
    }

    /** Attachments at which an address may be used; none if it is in no subnet and no route. */
    List<Attachment> attachmentsOf(final Address address) {
        return address.isV4()
            ? Stream.concat(Stream.of(address.v4()), tenant().routes().stream()
                .filter(route -> route.prefix().contains(address.v4())).map(route -> route.nextHop()))
                .flatMap(hop -> subnet(hop).stream()).flatMap(subnet -> tenant().attachmentsOf(subnet).stream())
                .distinct().toList()
            : Stream.concat(Stream.of(address.value()), tenant().ipv6().routes().stream()
                .filter(route -> route.prefix().contains(address.value())).map(route -> route.nextHop()))
                .flatMap(hop -> subnet6(hop).stream()).flatMap(subnet -> tenant().attachmentsOf(subnet).stream())
                .distinct().toList();
    }

    /** The subnet that has an address. */
    Optional<Tenant.Subnet> subnet(final Ipv4 address) {
        return tenant().subnets().stream().filter(subnet -> subnet.prefix().contains(address)).findFirst();
    }

    /** The subnet that has an address. */
    Optional<Ipv6Side.Subnet> subnet6(final Ipv6 address) {
        return tenant().ipv6().subnets().stream().filter(subnet -> subnet.prefix().contains(address)).findFirst();
    }

    /** Whether a switch of the tenant has learned the address. */
    boolean isSeen(final Address address) {
        return !seen(facts, each -> each.addresses().stream().map(Address::parse).flatMap(Optional::stream)
            .anyMatch(address::equals)).isEmpty();
    }

    /** The source of the packet. */
    static Address source(final FiveTuple packet) {
        return new Address(packet.family(), packet.source());
    }

    /** The destination of the packet. */
    static Address destination(final FiveTuple packet) {
        return new Address(packet.family(), packet.destination());
    }

    /** The packet in words. */
    static String text(final FiveTuple packet) {
        final String protocol = switch (packet.protocol()) {
            case 6 -> "TCP port " + packet.destinationPort();
            case 17 -> "UDP port " + packet.destinationPort();
            default -> "ping";
        };
        return "from " + source(packet) + " to " + destination(packet) + ", " + protocol;
    }
}
