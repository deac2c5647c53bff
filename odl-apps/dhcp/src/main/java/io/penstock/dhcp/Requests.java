// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.dhcp.Answer.Nothing;
import io.penstock.dhcp.Answer.Reason;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import java.util.Optional;

/** Answers requests in the four states that a client sends them in (RFC 2131, section 4.3.2). */
final class Requests {
    private static final String WRONG_NETWORK = "address is not of this network";
    private static final String NOT_THEIRS = "address is not available";
    private static final String STILL_THERE = "a host with this identity is connected elsewhere";

    private Requests() {
        // Only functions.
    }

    static Answer answer(final Exchange exchange, final Routers routers) {
        final DhcpMessage message = exchange.message();
        final Optional<Ipv4> server = message.options().address(OptionCode.SERVER);
        final Optional<Ipv4> requested = message.options().address(OptionCode.REQUESTED_ADDRESS);
        final Ipv4 current = message.addresses().client();
        if (server.isPresent() && !exchange.scope().isGateway(server.orElseThrow())) {
            exchange.offers().remove(exchange.client());
            return new Nothing(Reason.OTHER_SERVER);
        }
        if (current.isUnspecified() ? requested.orElse(current).isUnspecified()
                : !requested.orElse(current).equals(current)) {
            return new Nothing(Reason.INCOMPLETE);
        }
        if (!current.isUnspecified()) {
            return renew(exchange, routers, current);
        }
        return server.isPresent() ? select(exchange, routers, requested.orElseThrow())
            : reboot(exchange, routers, requested.orElseThrow());
    }

    /** SELECTING: what we offered, or would have. */
    private static Answer select(final Exchange exchange, final Routers routers, final Ipv4 address) {
        final ServedSubnet subnet = exchange.subnetOf(address).orElse(null);
        if (subnet == null) {
            return nak(exchange, WRONG_NETWORK);
        }
        final boolean offered = exchange.offers().to(exchange.client())
            .filter(offer -> offer.address().equals(address) && offer.probed()).isPresent();
        return exchange.shouldHave(subnet, address, offered) ? bind(exchange, routers, subnet, address)
            : nak(exchange, NOT_THEIRS);
    }

    /** INIT-REBOOT: what it had. */
    private static Answer reboot(final Exchange exchange, final Routers routers, final Ipv4 address) {
        return extend(exchange, routers, address, false);
    }

    /** RENEWING, which is sent to us alone and so means us; or REBINDING, which may mean any server. */
    private static Answer renew(final Exchange exchange, final Routers routers, final Ipv4 address) {
        final boolean renewing = exchange.query().isToUs() && !exchange.message().isRelayed();
        if (renewing && exchange.subnetOf(address).filter(subnet -> !routers.isKnown(subnet)).isPresent()) {
            // Without an answer the client comes through its relay agent, in time.
            return new Nothing(Reason.RELAY_UNKNOWN);
        }
        return extend(exchange, routers, address, renewing);
    }

    private static Answer extend(final Exchange exchange, final Routers routers, final Ipv4 address,
            final boolean meansUs) {
        final ServedSubnet subnet = exchange.subnetOf(address).orElse(null);
        if (subnet == null) {
            return exchange.scope().isHere(address, exchange.query()) && !exchange.message().isRelayed()
                ? new Nothing(Reason.NO_RECORD) : nak(exchange, WRONG_NETWORK);
        }
        final boolean theirs = exchange.leases().at(address)
            .filter(lease -> lease.state() != Lease.State.DECLINED && lease.client().equals(exchange.client()))
            .isPresent()
            || subnet.reservationFor(exchange.query()).filter(kept -> kept.address().equals(address)).isPresent();
        if (theirs && exchange.shouldHave(subnet, address, false)) {
            return bind(exchange, routers, subnet, address);
        }
        return theirs || meansUs || isKnown(exchange) ? nak(exchange, NOT_THEIRS) : new Nothing(Reason.NO_RECORD);
    }

    private static boolean isKnown(final Exchange exchange) {
        return exchange.leases().of(exchange.client()).stream()
            .anyMatch(lease -> lease.state() != Lease.State.DECLINED)
            || exchange.subnets().stream().anyMatch(subnet -> subnet.reservationFor(exchange.query()).isPresent());
    }

    private static Answer bind(final Exchange exchange, final Routers routers, final ServedSubnet subnet,
            final Ipv4 address) {
        if (exchange.exceedsQuota(address)) {
            return new Nothing(Reason.QUOTA);
        }
        final Optional<Answer> ask = exchange.holderElsewhere(address).flatMap(holder ->
            exchange.subnetOf(holder.address()).flatMap(ServedSubnet::attached).map(at -> new Answer.Ask(holder, at)));
        if (ask.isPresent()) {
            return ask.orElseThrow();
        }
        final DhcpMessage message = exchange.message();
        exchange.othersHere(address)
            .forEach(other -> exchange.leases().put(other.with(Lease.State.FREE, exchange.now())));
        exchange.leases().put(new Lease(address, Lease.State.BOUND, exchange.client(), message.mac(),
            subnet.attached().isPresent() ? placeOf(exchange) : "", exchange.hostName(subnet, address),
            exchange.now() + Replies.leaseSeconds(message, subnet)));
        exchange.offers().remove(exchange.client());
        return Replies.lease(exchange, MessageType.ACK, subnet, address, routers.of(subnet));
    }

    /** The attachment of a client; empty behind a relay agent. */
    static String placeOf(final Exchange exchange) {
        return exchange.place();
    }

    /** What a client is told while the host that has its lease still answers where it was. */
    static Answer refuse(final Exchange exchange) {
        return nak(exchange, STILL_THERE);
    }

    private static Answer nak(final Exchange exchange, final String reason) {
        exchange.offers().remove(exchange.client());
        return Replies.nak(exchange, reason);
    }
}
