// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What is configured of a VRF as far as its DHCP server is concerned. Made once for a configuration, as it takes a
 * while with many reservations; never changes.
 */
public final class Scope {
    private final int id;
    private final Dhcp dhcp;
    private final List<Tenant.Subnet> subnets;
    private final Optional<Integer> quota;
    private final boolean resolver;
    private final List<ServedSubnet> served = new ArrayList<>();
    private final Set<String> keptNames = new HashSet<>();

    /**
     * Makes one.
     *
     * @param id of its tenant, by which offers are kept apart
     * @param subnets of the VRF
     * @param quota most leases at a time; none is no limit
     * @param resolver whether the gateways are resolvers
     */
    public Scope(final int id, final Dhcp dhcp, final List<Tenant.Subnet> subnets, final Optional<Integer> quota,
            final boolean resolver) {
        this.id = id;
        this.dhcp = requireNonNull(dhcp);
        this.subnets = List.copyOf(subnets);
        this.quota = requireNonNull(quota);
        this.resolver = resolver;
        for (final Dhcp.Subnet subnet : dhcp.subnets()) {
            served.add(new ServedSubnet(subnet,
                subnets.stream().filter(each -> each.prefix().equals(subnet.prefix())).findFirst()));
            subnet.reservations().forEach(
                each -> each.hostName().ifPresent(name -> keptNames.add(name.toLowerCase(Locale.ROOT))));
        }
    }

    /** That of a tenant, if it has a DHCP server. */
    public static Optional<Scope> of(final Tenant tenant, final int id) {
        return tenant.services().dhcp().map(dhcp -> new Scope(id, dhcp, tenant.subnets(),
            tenant.protection().quota().mostLeases(), tenant.services().dns().isPresent()));
    }

    /** The id of the tenant. */
    public int id() {
        return id;
    }

    /** The configuration. */
    public Dhcp dhcp() {
        return dhcp;
    }

    Optional<Integer> quota() {
        return quota;
    }

    boolean hasResolver() {
        return resolver;
    }

    /** Whether a host name is kept for somebody. */
    boolean isKept(final String hostName) {
        return keptNames.contains(hostName);
    }

    /** Whether an address is one of ours. */
    boolean isGateway(final Ipv4 address) {
        return subnets.stream().anyMatch(subnet -> subnet.gateway().equals(address));
    }

    /** The subnet that an address is in, wherever that is. */
    Optional<ServedSubnet> servedWith(final Ipv4 address) {
        return served.stream().filter(subnet -> subnet.contains(address)).findFirst();
    }

    /**
     * The subnets that the sender of a message is in. Behind a relay agent that is the one of the link that the agent
     * or the client names (RFC 3527; RFC 3011), or else of the agent's address. A client behind a router that renews
     * its lease without the agent, as it has to, is known by its address.
     */
    List<ServedSubnet> servedAt(final Query query) {
        final DhcpMessage message = query.message();
        if (message.isRelayed()) {
            final Ipv4 link = RelayAgent.link(message)
                .or(() -> message.options().address(OptionCode.SUBNET_SELECTION)).orElse(message.addresses().relay());
            return servedWith(link).stream().toList();
        }
        final List<ServedSubnet> here = served.stream()
            .filter(each -> each.attached().filter(subnet -> isAt(subnet, query)).isPresent()).toList();
        return isRouted(query) ? servedWith(message.addresses().client()).map(List::of).orElse(here) : here;
    }

    /** The subnet of which the sender of a message gets an address if one is free; empty when it has no pools. */
    public Optional<Prefix> poolsFor(final Query query) {
        return servedAt(query).stream().filter(subnet -> subnet.openRanges().iterator().hasNext()).findFirst()
            .map(subnet -> subnet.config().prefix());
    }

    /** Whether a subnet has pools. */
    public boolean hasPools(final Prefix subnet) {
        return pools(subnet).anyMatch(each -> each.openRanges().iterator().hasNext());
    }

    /** Whether a host that is not known could get an address of a subnet; offers that others may still accept count. */
    public boolean hasFree(final Prefix subnet, final LeaseTable leases) {
        return pools(subnet).anyMatch(each -> each.hasFree(leases));
    }

    private Stream<ServedSubnet> pools(final Prefix subnet) {
        return served.stream().filter(each -> each.config().prefix().equals(subnet));
    }

    /** Whether a client behind a router of the tenant renews its lease without a relay agent. */
    boolean isRouted(final Query query) {
        final Ipv4 address = query.message().addresses().client();
        return !query.message().isRelayed() && query.isToUs() && !address.isUnspecified()
            && query.source().equals(address)
            && servedWith(address).filter(subnet -> subnet.attached().isEmpty()).isPresent();
    }

    private static boolean isAt(final Tenant.Subnet subnet, final Query query) {
        return query.attachment().isPresent() && (subnet.attachments().isEmpty()
            || subnet.attachments().contains(query.attachment().orElseThrow()));
    }

    /** Whether an address is in a subnet of the VRF at the sender's attachment, served or not. */
    boolean isHere(final Ipv4 address, final Query query) {
        return subnets.stream().anyMatch(subnet -> isAt(subnet, query) && subnet.prefix().contains(address));
    }

    /**
     * The address of ours that a client knows us by: the gateway that the message was sent to, or that of the client's
     * subnet. Through a relay agent the gateway of the subnet that the agent's address is in, or else that the packet
     * came from; if neither is ours, the first one.
     */
    Ipv4 identifier(final Query query, final ServedSubnet subnet) {
        if (isGateway(query.destination())) {
            return query.destination();
        }
        if (!query.message().isRelayed() && subnet.attached().isPresent()) {
            return subnet.attached().orElseThrow().gateway();
        }
        return gatewayOf(query.message().addresses().relay()).or(() -> gatewayOf(query.source()))
            .orElseGet(() -> subnets.get(0).gateway());
    }

    private Optional<Ipv4> gatewayOf(final Ipv4 address) {
        return subnets.stream().filter(subnet -> subnet.prefix().contains(address)).map(Tenant.Subnet::gateway)
            .findFirst();
    }
}
