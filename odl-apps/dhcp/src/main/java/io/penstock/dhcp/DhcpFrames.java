// SPDX-License-Identifier: Apache-2.0
package io.penstock.dhcp;

import io.penstock.frames.Bytes;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Ipv4Packet;
import io.penstock.frames.PseudoHeader;
import io.penstock.frames.Udp;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import java.util.Optional;

/** Messages of DHCP to and from untagged Ethernet frames. */
public final class DhcpFrames {
    private DhcpFrames() {
        // Only functions.
    }

    /**
     * Reads a frame.
     *
     * @param attachment where it came from; empty if that is none of the tenant's
     * @return nothing if it is malformed, a fragment, or not for a DHCP server
     */
    public static Optional<Query> query(final byte[] frame, final Optional<String> attachment) {
        final Ethernet ethernet = Ethernet.parse(Bytes.of(frame))
            .filter(each -> each.etherType() == Ethernet.TYPE_IPV4).orElse(null);
        if (ethernet == null) {
            return Optional.empty();
        }
        return Ipv4Packet.parse(ethernet.payload())
            .filter(packet -> packet.protocol() == Ipv4Packet.PROTOCOL_UDP && !packet.isFragment())
            .flatMap(packet -> Udp.parse(packet.payload(), packet.pseudoHeader())
                .filter(datagram -> datagram.destinationPort() == Replies.SERVER_PORT)
                .flatMap(datagram -> DhcpMessage.parse(datagram.payload()))
                .map(message -> new Query(message, attachment, new Mac(ethernet.source()),
                    new Ipv4(packet.source()), new Ipv4(packet.destination()))));
    }

    /** The frame of a reply, from the gateway. */
    public static byte[] frame(final Answer.Reply reply) {
        final Answer.Delivery delivery = reply.delivery();
        final long source = delivery.source().number();
        final long destination = delivery.address().number();
        final Bytes datagram = new Udp(Replies.SERVER_PORT, delivery.port(), reply.message().bytes())
            .bytes(PseudoHeader.ofIpv4(source, destination));
        final Bytes packet = new Ipv4Packet(Ipv4Packet.PROTOCOL_UDP, source, destination, datagram).bytes();
        return new Ethernet(delivery.mac().number(), Constants.GATEWAY_MAC.number(), Ethernet.TYPE_IPV4, packet).bytes()
            .toArray();
    }
}
