// SPDX-License-Identifier: Apache-2.0
package io.penstock.functions.health;

import io.penstock.frames.Bytes;
import io.penstock.frames.BytesWriter;
import io.penstock.frames.Ethernet;
import io.penstock.frames.Icmp;
import io.penstock.frames.Ipv4Packet;
import io.penstock.pipeline.intent.NetworkFunction.Routed;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import java.util.Optional;

/**
 * A probe: an ICMP echo request (RFC 792) from the tenant's side, or the reply from the backbone's. A stateful function
 * lets both pass, the reply as an answer.
 *
 * @param port OpenFlow port of the tenant's side of the instance
 * @param nonce what a function cannot guess
 */
record ProbeFrame(boolean reply, int port, int sequence, long nonce) {
    private static final int ECHO_REPLY = 0;
    private static final int ECHO_REQUEST = 8;
    private static final int NONCE_BYTES = 8;
    private static final int HALF = 16;
    private static final long MASK = 0xffff;

    /** The frame without its tag. A router takes what is for its MAC address. */
    Bytes bytes(final Optional<Routed> routed) {
        final Bytes message = new Icmp(reply ? ECHO_REPLY : ECHO_REQUEST, 0, (long) port << HALF | sequence,
            new BytesWriter().u32(nonce >>> Integer.SIZE).u32(nonce & 0xffffffffL).bytes()).bytes();
        final Ipv4Packet packet = new Ipv4Packet(Ipv4Packet.PROTOCOL_ICMP,
            (reply ? Constants.PROBE_OUTSIDE : Constants.PROBE_INSIDE).number(),
            (reply ? Constants.PROBE_INSIDE : Constants.PROBE_OUTSIDE).number(), message);
        final Mac receiver = reply
            ? routed.map(links -> links.outside().mac()).orElse(Constants.CHAIN_INSIDE_MAC)
            : routed.map(links -> links.inside().mac()).orElse(Constants.CHAIN_OUTSIDE_MAC);
        final Mac sender = reply ? Constants.CHAIN_OUTSIDE_MAC : Constants.CHAIN_INSIDE_MAC;
        return new Ethernet(receiver.number(), sender.number(), Ethernet.TYPE_IPV4, packet.bytes()).bytes();
    }

    /** The reply to a request. */
    ProbeFrame answer() {
        return new ProbeFrame(true, port, sequence, nonce);
    }

    /** Reads a frame; nothing if it is no probe. Its MAC addresses may be others: routers change them. */
    static Optional<ProbeFrame> parse(final Bytes frame) {
        return Ethernet.parse(frame).filter(ethernet -> ethernet.etherType() == Ethernet.TYPE_IPV4)
            .flatMap(ethernet -> Ipv4Packet.parse(ethernet.payload()))
            .filter(packet -> packet.protocol() == Ipv4Packet.PROTOCOL_ICMP && !packet.isFragment())
            .flatMap(packet -> Icmp.parse(packet.payload()))
            .filter(icmp -> (icmp.type() == ECHO_REPLY || icmp.type() == ECHO_REQUEST) && icmp.code() == 0
                && icmp.payload().length() == NONCE_BYTES)
            .map(icmp -> new ProbeFrame(icmp.type() == ECHO_REPLY, (int) (icmp.rest() >>> HALF & MASK),
                (int) (icmp.rest() & MASK), icmp.payload().u32(0) << Integer.SIZE | icmp.payload().u32(4)));
    }
}
