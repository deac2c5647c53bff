// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.intent.Dhcp.Reservation;
import io.penstock.pipeline.net.Range;
import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;

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
    static OptionalLong choose(final Exchange exchange, final boolean takeover) {
        final Optional<Long> known = kept(exchange, takeover)
            .or(() -> exchange.offers().to(exchange.client()).map(Offers.Offer::address)
                .filter(address -> mayHave(exchange, address)))
            .or(() -> hadBefore(exchange))
            .or(() -> exchange.message().options().number(OptionCode.REQUESTED_ADDRESS)
                .filter(address -> mayHave(exchange, address)));
        if (known.isPresent()) {
            return OptionalLong.of(known.orElseThrow());
        }
        final OptionalLong unused = unused(exchange);
        return unused.isPresent() ? unused : longestFree(exchange);
    }

    private static Optional<Long> kept(final Exchange exchange, final boolean takeover) {
        for (final ServedSubnet subnet : exchange.subnets()) {
            final Optional<Long> address = subnet.reservationFor(exchange.query()).map(Reservation::address)
                .filter(each -> exchange.mayHave(subnet, each, takeover));
            if (address.isPresent()) {
                return address;
            }
        }
        return Optional.empty();
    }

    private static Optional<Long> hadBefore(final Exchange exchange) {
        return exchange.leases().of(exchange.client()).stream()
            .filter(lease -> mayHave(exchange, lease.address()))
            .max(Comparator.comparing(Lease::isBound).thenComparing(Lease::expires)).map(Lease::address);
    }

    private static boolean mayHave(final Exchange exchange, final long address) {
        return exchange.subnetOf(address).filter(subnet -> exchange.mayHave(subnet, address, false)).isPresent();
    }

    private static OptionalLong unused(final Exchange exchange) {
        for (final ServedSubnet subnet : exchange.subnets()) {
            for (final Range range : subnet.openRanges()) {
                final long address = unused(exchange, range.first());
                if (address <= range.last()) {
                    return OptionalLong.of(address);
                }
            }
        }
        return OptionalLong.empty();
    }

    private static long unused(final Exchange exchange, final long first) {
        long address = first;
        while (true) {
            long next = exchange.offers().nextUnoffered(exchange.leases().nextUnused(address));
            if (next == exchange.message().addresses().relay()) {
                next++;
            }
            if (next == address) {
                return address;
            }
            address = next;
        }
    }

    private static OptionalLong longestFree(final Exchange exchange) {
        for (final Lease lease : exchange.leases().oldestFree()) {
            if (mayHave(exchange, lease.address())) {
                return OptionalLong.of(lease.address());
            }
        }
        return OptionalLong.empty();
    }
}
