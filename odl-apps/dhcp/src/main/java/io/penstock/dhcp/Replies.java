// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.frames.Bytes;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dhcp.Reservation;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.registry.Constants;
import java.util.Map;
import java.util.Optional;

/** Makes the messages of the server (RFC 2131, section 4.3.1, table 3) and says where to (section 4.1). */
final class Replies {
    static final int SERVER_PORT = 67;
    static final int CLIENT_PORT = 68;
    /** Shortest lease, whatever a client asks for. Seconds. */
    private static final long SHORTEST_LEASE = 60;

    private Replies() {
        // Only functions.
    }

    /** How long a lease lasts: as configured, or shorter if the client wants. Seconds. */
    static long leaseSeconds(final DhcpMessage message, final ServedSubnet subnet) {
        final long configured = subnet.config().leaseSeconds();
        return message.options().number(OptionCode.LEASE_TIME)
            .map(asked -> Math.min(configured, Math.max(SHORTEST_LEASE, asked))).orElse(configured);
    }

    /** OFFER or ACK of an address. */
    static Answer.Reply lease(final Exchange exchange, final MessageType type, final ServedSubnet subnet,
            final Ipv4 address, final Optional<Ipv4> router) {
        final DhcpMessage query = exchange.message();
        final Ipv4 server = exchange.scope().identifier(exchange.query(), subnet);
        final OptionSet options = new ReplyOptions(query, type, server).lease(leaseSeconds(query, subnet))
            .configured(configured(exchange, subnet, address, router)).done();
        final Ipv4 client = type == MessageType.ACK ? query.addresses().client() : Ipv4.UNSPECIFIED;
        final DhcpMessage message = message(query, query.header().flags(), subnet,
            new DhcpMessage.Addresses(client, address, nextServer(subnet), query.addresses().relay()), options);
        return new Answer.Reply(message, delivery(exchange.query(), server, address));
    }

    /** ACK of an INFORM: no lease and no address, sent to the client itself (RFC 2131, section 4.3.5). */
    static Answer.Reply inform(final Exchange exchange, final ServedSubnet subnet, final Optional<Ipv4> router) {
        final DhcpMessage query = exchange.message();
        final Ipv4 server = exchange.scope().identifier(exchange.query(), subnet);
        final Ipv4 client = query.addresses().client();
        final OptionSet options = new ReplyOptions(query, MessageType.ACK, server)
            .configured(configured(exchange, subnet, client, router)).done();
        final DhcpMessage message = message(query, query.header().flags(), subnet,
            new DhcpMessage.Addresses(client, Ipv4.UNSPECIFIED, nextServer(subnet), query.addresses().relay()),
            options);
        return new Answer.Reply(message,
            new Answer.Delivery(server, exchange.query().sourceMac(), client, CLIENT_PORT));
    }

    /** NAK: to everybody on the client's link, as its address may be wrong (RFC 2131, sections 4.1 and 4.3.2). */
    static Answer.Reply nak(final Exchange exchange, final String reason) {
        final DhcpMessage query = exchange.message();
        final Ipv4 server = exchange.scope().identifier(exchange.query(), exchange.subnets().get(0));
        final OptionSet options = new ReplyOptions(query, MessageType.NAK, server).message(reason).done();
        final Ipv4 relay = query.addresses().relay();
        final int flags = query.isRelayed() ? query.header().flags() | DhcpMessage.BROADCAST : query.header().flags();
        final DhcpMessage message = new DhcpMessage(header(query, flags),
            new DhcpMessage.Addresses(Ipv4.UNSPECIFIED, Ipv4.UNSPECIFIED, Ipv4.UNSPECIFIED, relay), query.hardware(),
            Bytes.EMPTY, Bytes.EMPTY, options);
        return new Answer.Reply(message, query.isRelayed()
            ? new Answer.Delivery(server, exchange.query().sourceMac(), relay, SERVER_PORT)
            : new Answer.Delivery(server, Constants.BROADCAST_MAC, Ipv4.BROADCAST, CLIENT_PORT));
    }

    private static Map<Integer, Bytes> configured(final Exchange exchange, final ServedSubnet subnet,
            final Ipv4 address, final Optional<Ipv4> router) {
        final Optional<Ipv4> resolver = exchange.scope().hasResolver()
            ? Optional.of(exchange.scope().identifier(exchange.query(), subnet)) : Optional.empty();
        return subnet.options().with(router, resolver,
            subnet.reservationOf(address).flatMap(Reservation::hostName));
    }

    private static DhcpMessage message(final DhcpMessage query, final int flags, final ServedSubnet subnet,
            final DhcpMessage.Addresses addresses, final OptionSet options) {
        final Bytes file = Bytes.ofText(subnet.config().options().bootFile().orElse(""));
        return new DhcpMessage(header(query, flags), addresses, query.hardware(), Bytes.EMPTY,
            file.length() < DhcpMessage.FILE ? file : Bytes.EMPTY, options);
    }

    private static DhcpMessage.Header header(final DhcpMessage query, final int flags) {
        return new DhcpMessage.Header(DhcpMessage.REPLY, query.header().hardwareType(), 0,
            query.header().transaction(), 0, flags);
    }

    private static Ipv4 nextServer(final ServedSubnet subnet) {
        final Dhcp.Options options = subnet.config().options();
        return options.nextServer().orElse(Ipv4.UNSPECIFIED);
    }

    private static Answer.Delivery delivery(final Query query, final Ipv4 server, final Ipv4 address) {
        final DhcpMessage message = query.message();
        if (message.isRelayed()) {
            return new Answer.Delivery(server, query.sourceMac(), message.addresses().relay(), SERVER_PORT);
        }
        if (!message.addresses().client().isUnspecified()) {
            return new Answer.Delivery(server, query.sourceMac(), message.addresses().client(), CLIENT_PORT);
        }
        if ((message.header().flags() & DhcpMessage.BROADCAST) != 0) {
            return new Answer.Delivery(server, Constants.BROADCAST_MAC, Ipv4.BROADCAST, CLIENT_PORT);
        }
        return new Answer.Delivery(server, message.mac(), address, CLIENT_PORT);
    }
}
