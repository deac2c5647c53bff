// SPDX-License-Identifier: Apache-2.0
package io.penstock.packets.ipv6;

import static java.util.Objects.requireNonNull;

import io.penstock.base.tasks.TaskThread;
import io.penstock.configuration.Desired;
import io.penstock.frames.Bytes;
import io.penstock.frames.Dhcpv6;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Ipv6Packet;
import io.penstock.frames.RouterSolicitation;
import io.penstock.frames.Udp;
import io.penstock.packets.link.Fate;
import io.penstock.packets.link.Links;
import io.penstock.packets.link.Place;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv6;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix6;
import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Register;
import io.penstock.pipeline.registry.VrfId;
import io.penstock.southbound.openflow.PacketIn;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** What hosts and next hops of IPv6 get from the controller. Safe for all threads; never blocks. */
public final class Ipv6Services implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(250);
    private static final Bytes SERVER = Dhcpv6.duid(Constants.GATEWAY_MAC.number());
    private static final Bytes ROUTER = Addresses.bytes(Constants.GATEWAY_LINK_LOCAL);

    private final Links links;
    private final LongSupplier millis;
    private final NeighbourSolicitor solicitor;
    private final RouterAdvertiser advertiser;
    private final TaskThread thread = new TaskThread("penstock-ipv6");

    /**
     * Services that answer, and tell nothing by themselves until they are started.
     *
     * @param millis milliseconds since any moment
     */
    public Ipv6Services(final Links links, final LongSupplier millis, final RandomGenerator random) {
        this.links = requireNonNull(links);
        this.millis = requireNonNull(millis);
        solicitor = new NeighbourSolicitor(links);
        advertiser = new RouterAdvertiser(links, random);
    }

    /** Begins to send advertisements. */
    public void start() {
        thread.every(TICK, TICK, () -> advertiser.tick(millis.getAsLong()));
    }

    @Override
    public void close() {
        thread.close();
    }

    /** Asks for the IPv6 transit gateways of a node. */
    public void refreshGateways(final String node) {
        solicitor.refreshGateways(node);
    }

    /** Takes a packet that had no known next hop. */
    public Fate onNextHop(final PacketIn packet) {
        return solicitor.onPacketIn(packet);
    }

    /** Takes a request of a host; packets of other tables are not looked at. */
    public Fate onPacketIn(final PacketIn packet) {
        final Desired now = links.desired();
        final Tenant tenant = now.node(packet.source().datapathId())
            .flatMap(node -> VrfId.of(packet.value(Register.VRF)).flatMap(vrf -> now.tenant(node, vrf))).orElse(null);
        final Tenant.Attachment at =
            tenant == null ? null : Place.of(packet).attachment(tenant, now.allocations()).orElse(null);
        if (tenant == null || at == null) {
            return Fate.IGNORED;
        }
        final Ethernet frame = Ethernet.parse(Bytes.of(packet.frame())).orElse(null);
        if (frame == null || Ethernet.isGroup(frame.source())) {
            return Fate.MALFORMED;
        }
        return Ipv6Packet.parse(frame.payload()).map(request -> answer(tenant, at, new Mac(frame.source()), request))
            .orElse(Fate.MALFORMED);
    }

    private Fate answer(final Tenant tenant, final Tenant.Attachment at, final Mac mac, final Ipv6Packet request) {
        final Ipv6 source = Addresses.of(request.source());
        final boolean onLink = Prefix6.LINK_LOCAL.contains(source)
            || tenant.ipv6().subnets().stream().anyMatch(subnet -> subnet.prefix().contains(source));
        if (!onLink && !source.equals(Ipv6.UNSPECIFIED)) {
            return Fate.IGNORED;
        }
        if (request.nextHeader() != Ipv6Packet.PROTOCOL_UDP) {
            return RouterSolicitation.parse(request).map(asked -> {
                advertiser.answer(tenant, at, mac, onLink ? Optional.of(asked.source()) : Optional.empty(),
                    millis.getAsLong());
                return Fate.TAKEN;
            }).orElse(Fate.MALFORMED);
        }
        return onLink ? inform(tenant, at, mac, request) : Fate.IGNORED;
    }

    private Fate inform(final Tenant tenant, final Tenant.Attachment at, final Mac mac, final Ipv6Packet request) {
        final Dhcpv6 message = Udp.parse(request.payload(), request.pseudoHeader())
            .filter(datagram -> datagram.destinationPort() == Dhcpv6.SERVER_PORT)
            .flatMap(datagram -> Dhcpv6.parse(datagram.payload())).orElse(null);
        if (message == null) {
            return Fate.MALFORMED;
        }
        final Optional<Dhcpv6> reply = StatelessDhcp.answer(message, Announcement.of(tenant, at), SERVER);
        reply.ifPresent(each -> send(at, mac, request.source(), each));
        return reply.isPresent() ? Fate.TAKEN : Fate.IGNORED;
    }

    private void send(final Tenant.Attachment at, final Mac mac, final Bytes host, final Dhcpv6 reply) {
        final Ipv6Packet empty = new Ipv6Packet(Ipv6Packet.PROTOCOL_UDP, ROUTER, host, Bytes.EMPTY);
        final Bytes datagram =
            new Udp(Dhcpv6.SERVER_PORT, Dhcpv6.CLIENT_PORT, reply.bytes()).bytes(empty.pseudoHeader());
        links.send(at.node(), at.port(), at.vlan(), new Ethernet(mac.number(), Constants.GATEWAY_MAC.number(),
            Ethernet.TYPE_IPV6, new Ipv6Packet(Ipv6Packet.PROTOCOL_UDP, ROUTER, host, datagram).bytes()).bytes());
    }
}
