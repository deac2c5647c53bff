// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp.Reservation;
import io.penstock.pipeline.net.Ipv4;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One message while it is answered.
 *
 * @param subnets where its client is, never empty
 * @param now seconds since 1970
 */
record Exchange(Query query, Scope scope, LeaseTable leases, Offers offers, List<ServedSubnet> subnets, long now) {
    DhcpMessage message() {
        return query.message();
    }

    String client() {
        return message().client();
    }

    /** The client's subnet that an address is in. */
    Optional<ServedSubnet> subnetOf(final Ipv4 address) {
        return subnets.stream().filter(subnet -> subnet.contains(address)).findFirst();
    }

    /** Whether the client uses an address now. */
    boolean isBoundHere(final Ipv4 address) {
        return leases.at(address).filter(lease -> lease.isBound() && lease.client().equals(client())).isPresent();
    }

    /**
     * Whether the client may have an address: its reservation, or one that nobody else has or was offered.
     *
     * @param takeover whether a reservation of its place may be taken from who was there before
     */
    boolean mayHave(final ServedSubnet subnet, final Ipv4 address, final boolean takeover) {
        final Optional<Reservation> kept = subnet.reservationOf(address);
        final boolean theirs = kept.filter(each -> isKeptForClient(subnet, each)).isPresent();
        if (!theirs && !subnet.isOpen(address) || address.equals(message().addresses().relay())
                || offers.isOthers(address, client())) {
            return false;
        }
        final Lease lease = leases.at(address).orElse(null);
        return lease == null || switch (lease.state()) {
            case FREE -> true;
            case DECLINED -> false;
            case BOUND -> lease.client().equals(client())
                || takeover && theirs && kept.orElseThrow().mac().isEmpty();
        };
    }

    /** A client that renews without its relay agent cannot say on which circuit it is; its lease does. */
    private boolean isKeptForClient(final ServedSubnet subnet, final Reservation kept) {
        return subnet.reservationFor(query).filter(kept::equals).isPresent()
            || kept.circuitId().isPresent() && !message().isRelayed() && isBoundHere(kept.address());
    }

    /** The same, and that no other address is kept for the client in the subnet that it may have. */
    boolean shouldHave(final ServedSubnet subnet, final Ipv4 address, final boolean takeover) {
        return mayHave(subnet, address, takeover) && subnet.reservationFor(query).map(Reservation::address)
            .filter(other -> !other.equals(address) && mayHave(subnet, other, false)).isEmpty();
    }

    /** Whether an address would be one lease too many. Other leases of the client here end with a new one. */
    boolean exceedsQuota(final Ipv4 address) {
        if (scope.quota().isEmpty() || leases.at(address).filter(Lease::isBound).isPresent()) {
            return false;
        }
        return leases.bound() - othersHere(address).size() >= scope.quota().orElseThrow();
    }

    /** Other leases that the client has where it is. */
    List<Lease> othersHere(final Ipv4 address) {
        return leases.of(client()).stream().filter(lease -> lease.isBound() && !lease.address().equals(address)
            && subnetOf(lease.address()).isPresent()).toList();
    }

    /** The attachment of the client; empty behind a relay agent. */
    String place() {
        return message().isRelayed() ? "" : query.attachment().orElse("");
    }

    /**
     * A lease that would go from a host to another one that calls itself the same: from another attachment, or of
     * another MAC address. Both may be one host that has moved, or has another card now.
     *
     * @param address what the client is about to get
     */
    Optional<Lease> holderElsewhere(final Ipv4 address) {
        return Stream.concat(leases.at(address).stream().filter(lease -> isBoundHere(address)),
                othersHere(address).stream())
            .filter(lease -> subnetOf(lease.address()).filter(subnet -> subnet.attached().isPresent()).isPresent())
            .filter(lease -> !lease.mac().equals(message().mac()) || !lease.attachment().equals(place())).findFirst();
    }

    /** The name that the client's lease gets: the one kept for it, or what it tells if nobody else has that. */
    String hostName(final ServedSubnet subnet, final Ipv4 address) {
        final Optional<String> kept = subnet.reservationOf(address).flatMap(Reservation::hostName);
        if (kept.isPresent()) {
            return kept.orElseThrow();
        }
        final Optional<Lease> before = leases.at(address).filter(lease -> lease.client().equals(client()));
        final String name = message().options().get(OptionCode.HOST_NAME)
            .map(told -> DomainNames.hostName(told).orElse(""))
            .orElseGet(() -> before.map(Lease::hostName).orElse(""));
        final boolean taken = scope.isKept(name)
            || leases.clientOfName(name).filter(other -> !other.equals(client())).isPresent();
        return taken ? "" : name;
    }
}
