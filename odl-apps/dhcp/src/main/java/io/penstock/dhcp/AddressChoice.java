// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp.Reservation;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Range;
import java.util.Comparator;
import java.util.Optional;

/** Which address a client is offered (RFC 2131, section 4.3.1). */
final class AddressChoice {
    private AddressChoice() {
        // Only functions.
    }

    /**
     * The address kept for the client; the one it was offered, has or had; the one it asks for; one that nobody had
     * yet; the one that is free for longest.
     *
     * @param takeover whether what is kept for the client's place may be taken from who was there before
     */
    static Optional<Ipv4> choose(final Exchange exchange, final boolean takeover) {
        final Optional<Ipv4> known = kept(exchange, takeover)
            .or(() -> exchange.offers().to(exchange.client()).map(Offers.Offer::address)
                .filter(address -> mayHave(exchange, address)))
            .or(() -> hadBefore(exchange))
            .or(() -> exchange.message().options().address(OptionCode.REQUESTED_ADDRESS)
                .filter(address -> mayHave(exchange, address)));
        return known.or(() -> unused(exchange)).or(() -> longestFree(exchange));
    }

    private static Optional<Ipv4> kept(final Exchange exchange, final boolean takeover) {
        for (final ServedSubnet subnet : exchange.subnets()) {
            final Optional<Ipv4> address = subnet.reservationFor(exchange.query()).map(Reservation::address)
                .filter(each -> exchange.mayHave(subnet, each, takeover));
            if (address.isPresent()) {
                return address;
            }
        }
        return Optional.empty();
    }

    private static Optional<Ipv4> hadBefore(final Exchange exchange) {
        return exchange.leases().of(exchange.client()).stream()
            .filter(lease -> mayHave(exchange, lease.address()))
            .max(Comparator.comparing(Lease::isBound).thenComparing(Lease::expires)).map(Lease::address);
    }

    private static boolean mayHave(final Exchange exchange, final Ipv4 address) {
        return exchange.subnetOf(address).filter(subnet -> exchange.mayHave(subnet, address, false)).isPresent();
    }

    private static Optional<Ipv4> unused(final Exchange exchange) {
        for (final ServedSubnet subnet : exchange.subnets()) {
            for (final Range range : subnet.openRanges()) {
                final Optional<Ipv4> address = unused(exchange, range);
                if (address.isPresent()) {
                    return address;
                }
            }
        }
        return Optional.empty();
    }

    private static Optional<Ipv4> unused(final Exchange exchange, final Range range) {
        // Numbers, for the search may come out behind the last address that there is.
        long address = range.first().number();
        while (address <= range.last().number()) {
            long next = exchange.offers().nextUnoffered(exchange.leases().nextUnused(address));
            if (next == exchange.message().addresses().relay().number()) {
                next++;
            }
            if (next == address) {
                return Optional.of(new Ipv4(address));
            }
            address = next;
        }
        return Optional.empty();
    }

    private static Optional<Ipv4> longestFree(final Exchange exchange) {
        for (final Lease lease : exchange.leases().oldestFree()) {
            if (mayHave(exchange, lease.address())) {
                return Optional.of(lease.address());
            }
        }
        return Optional.empty();
    }
}
