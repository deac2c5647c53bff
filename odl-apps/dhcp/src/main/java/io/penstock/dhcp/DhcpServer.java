// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import static java.util.Objects.requireNonNull;

import io.penstock.dhcp.Answer.Nothing;
import io.penstock.dhcp.Answer.Reason;
import io.penstock.pipeline.allocation.Lease;
import io.penstock.pipeline.net.Ipv4;
import java.time.Clock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The server of RFC 2131 for any number of VRFs. It remembers nothing but offers, for half a minute, and relay agents;
 * another one with the same leases goes on where it stopped. The same message, clock and leases give the same answer.
 * For one thread. Nothing that a message says makes it throw.
 *
 * <p>A client that turns up at another attachment, or with another MAC address, takes its lease along when the host
 * that has the lease does not answer any more: anybody may say that it is somebody else.
 */
public final class DhcpServer {
    /** How long an address that somebody else was found at is given to nobody. Seconds. */
    public static final int DECLINED_SECONDS = 600;

    /** What is remembered of a VRF. */
    private record Memory(Offers offers, Routers routers) { }

    private final Clock clock;
    private final Map<Integer, Memory> memories = new HashMap<>();

    /** A server that has offered nothing yet. */
    public DhcpServer(final Clock clock) {
        this.clock = requireNonNull(clock);
    }

    /** Forgets a VRF that is gone, whose id another tenant may get. */
    public void forget(final int id) {
        memories.remove(id);
    }

    /** Frees leases that ran out, and addresses that were declined long enough ago. */
    public void expire(final LeaseTable leases) {
        leases.expire(clock.instant().getEpochSecond());
    }

    /**
     * Answers a message and puts what changes into the leases. Those have to be stored before a reply is sent, or a
     * restart would give the address to somebody else.
     */
    public Answer answer(final Query query, final Scope scope, final LeaseTable leases) {
        expire(leases);
        final DhcpMessage message = query.message();
        if (message.header().operation() != DhcpMessage.REQUEST) {
            return new Nothing(Reason.NOT_A_REQUEST);
        }
        if (message.options().get(OptionCode.MESSAGE_TYPE).isEmpty()) {
            return new Nothing(Reason.BOOTP);
        }
        if (!message.hasMac() || !message.mac().isHost()) {
            return new Nothing(Reason.HARDWARE);
        }
        if (!message.mac().equals(query.sourceMac()) && !message.isRelayed() && !scope.isRouted(query)) {
            return new Nothing(Reason.FOREIGN_MAC);
        }
        final List<ServedSubnet> subnets = scope.servedAt(query);
        if (subnets.isEmpty()) {
            return new Nothing(Reason.NO_SUBNET);
        }
        final Memory memory = memories.computeIfAbsent(scope.id(), key -> new Memory(new Offers(), new Routers()));
        final long now = clock.instant().getEpochSecond();
        memory.offers.expire(now);
        memory.routers.hear(message, subnets.get(0));
        return answer(new Exchange(query, scope, leases, memory.offers, subnets, now), memory.routers);
    }

    private static Answer answer(final Exchange exchange, final Routers routers) {
        final MessageType type = exchange.message().type().orElse(null);
        if (type == null) {
            return new Nothing(Reason.UNKNOWN_TYPE);
        }
        return switch (type) {
            case DISCOVER -> offer(exchange, routers, true);
            case REQUEST -> Requests.answer(exchange, routers);
            case DECLINE -> decline(exchange);
            case RELEASE -> release(exchange);
            case INFORM -> inform(exchange, routers);
            case OFFER, ACK, NAK -> new Nothing(Reason.NOT_A_REQUEST);
        };
    }

    /**
     * Goes on after a probe.
     *
     * @param query the message that led to the probe
     * @param address that was asked for
     * @param conflict whether somebody answered
     */
    public Answer probed(final Query query, final Scope scope, final LeaseTable leases, final Ipv4 address,
            final boolean conflict) {
        expire(leases);
        final Memory memory = memories.computeIfAbsent(scope.id(), key -> new Memory(new Offers(), new Routers()));
        final List<ServedSubnet> subnets = scope.servedAt(query);
        if (subnets.isEmpty() || !query.message().hasMac()) {
            return new Nothing(Reason.NO_SUBNET);
        }
        final long now = clock.instant().getEpochSecond();
        memory.offers.expire(now);
        final Exchange exchange = new Exchange(query, scope, leases, memory.offers, subnets, now);
        final ServedSubnet subnet = exchange.subnetOf(address).orElse(null);
        if (conflict) {
            memory.offers.remove(exchange.client());
            if (subnet != null && leases.at(address).filter(Lease::isBound).isEmpty()) {
                markDeclined(exchange, address);
            }
            return offer(exchange, memory.routers, false);
        }
        if (subnet == null || !exchange.mayHave(subnet, address, true)) {
            return offer(exchange, memory.routers, true);
        }
        memory.offers.hold(exchange.client(), address, true, now);
        return Replies.lease(exchange, MessageType.OFFER, subnet, address, memory.routers.of(subnet));
    }

    /**
     * Goes on after the holder of a lease was asked whether it is still there.
     *
     * @param query the message that led to the question
     * @param holder the lease as it was then
     * @param present whether its host answered
     */
    public Answer asked(final Query query, final Scope scope, final LeaseTable leases, final Lease holder,
            final boolean present) {
        expire(leases);
        final Memory memory = memories.computeIfAbsent(scope.id(), key -> new Memory(new Offers(), new Routers()));
        final List<ServedSubnet> subnets = scope.servedAt(query);
        if (subnets.isEmpty() || !query.message().hasMac()) {
            return new Nothing(Reason.NO_SUBNET);
        }
        final long now = clock.instant().getEpochSecond();
        if (present) {
            return Requests.refuse(new Exchange(query, scope, leases, memory.offers, subnets, now));
        }
        // A lease that was renewed in the meantime has a host, which is asked again.
        if (leases.at(holder.address()).filter(holder::equals).isPresent()) {
            leases.put(holder.with(Lease.State.FREE, now));
        }
        return answer(query, scope, leases);
    }

    private static Answer offer(final Exchange exchange, final Routers routers, final boolean takeover) {
        final Optional<Ipv4> choice = AddressChoice.choose(exchange, takeover);
        if (choice.isEmpty()) {
            return new Nothing(Reason.NO_ADDRESS);
        }
        final Ipv4 address = choice.orElseThrow();
        if (exchange.exceedsQuota(address)) {
            return new Nothing(Reason.QUOTA);
        }
        final ServedSubnet subnet = exchange.subnetOf(address).orElseThrow();
        final boolean probed = !needsProbe(exchange, subnet, address) || exchange.offers().to(exchange.client())
            .filter(offer -> offer.address().equals(address) && offer.probed()).isPresent();
        exchange.offers().hold(exchange.client(), address, probed, exchange.now());
        return probed ? Replies.lease(exchange, MessageType.OFFER, subnet, address, routers.of(subnet))
            : new Answer.Probe(address, subnet.attached().orElseThrow());
    }

    /** RFC 2131, section 2.2. Not for what a host has, or what is kept for one host, which may well have it by hand. */
    private static boolean needsProbe(final Exchange exchange, final ServedSubnet subnet, final Ipv4 address) {
        return exchange.scope().dhcp().probeMillis() > 0 && subnet.attached().isPresent()
            && !exchange.isBoundHere(address)
            && subnet.reservationOf(address).filter(kept -> kept.mac().isPresent()).isEmpty();
    }

    private static Answer inform(final Exchange exchange, final Routers routers) {
        final Ipv4 address = exchange.message().addresses().client();
        if (address.isUnspecified()) {
            return new Nothing(Reason.INCOMPLETE);
        }
        final ServedSubnet subnet = exchange.subnetOf(address).orElse(null);
        return subnet == null ? new Nothing(Reason.NO_SUBNET)
            : Replies.inform(exchange, subnet, routers.of(subnet));
    }

    /** RFC 2131, section 4.3.3. */
    private static Answer decline(final Exchange exchange) {
        final OptionSet options = exchange.message().options();
        final Ipv4 address = options.address(OptionCode.REQUESTED_ADDRESS).orElse(Ipv4.UNSPECIFIED);
        if (address.isUnspecified() || options.get(OptionCode.SERVER).isEmpty()) {
            return new Nothing(Reason.INCOMPLETE);
        }
        if (!exchange.scope().isGateway(options.address(OptionCode.SERVER).orElseThrow())) {
            return new Nothing(Reason.OTHER_SERVER);
        }
        if (!isTheirs(exchange, address)) {
            return new Nothing(Reason.NOT_THEIRS);
        }
        exchange.offers().remove(exchange.client());
        markDeclined(exchange, address);
        return new Nothing(Reason.DECLINED);
    }

    private static void markDeclined(final Exchange exchange, final Ipv4 address) {
        exchange.leases().put(new Lease(address, Lease.State.DECLINED, exchange.client(), exchange.message().mac(),
            Requests.placeOf(exchange), "", exchange.now() + DECLINED_SECONDS));
    }

    /** RFC 2131, section 4.3.4. */
    private static Answer release(final Exchange exchange) {
        final Ipv4 address = exchange.message().addresses().client();
        final OptionSet options = exchange.message().options();
        if (address.isUnspecified()) {
            return new Nothing(Reason.INCOMPLETE);
        }
        if (options.address(OptionCode.SERVER).filter(exchange.scope()::isGateway).isEmpty()) {
            return new Nothing(Reason.OTHER_SERVER);
        }
        if (!isTheirs(exchange, address)) {
            return new Nothing(Reason.NOT_THEIRS);
        }
        final Lease lease = exchange.leases().at(address).orElseThrow();
        exchange.leases().put(lease.with(Lease.State.FREE, exchange.now()));
        return new Nothing(Reason.RELEASED);
    }

    /** Whether a client has an address where the message comes from: nobody else's word ends a lease. */
    private static boolean isTheirs(final Exchange exchange, final Ipv4 address) {
        return exchange.isBoundHere(address) && exchange.leases().at(address)
            .filter(lease -> lease.mac().equals(exchange.message().mac()))
            .filter(lease -> lease.attachment().isEmpty()
                || lease.attachment().equals(exchange.query().attachment().orElse(""))).isPresent();
    }
}
