// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Frame;
import io.penstock.testkit.Frame.Way;
import io.penstock.testkit.Wire.Sent;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A host of a tenant that talks to a server in the rest of the world: the frames of both, as they are on the wire. */
record Caller(String port, int vlan, String address, String gateway, String publicAddress, String server) {
    private static final long LOCAL_MAC = 0x020000000000L;
    private static final Mac TRANSIT_MAC = new Mac(0x020000000099L);
    private static final Mac BACKBONE_MAC = Constants.backboneMac(1);
    private static final int SERVICE = 5000;
    /** Source port of the connection that may get sessions, and the first one of those that do not. */
    private static final int CALL = 40000;
    private static final int MANY_CALLS = 1024;
    private static final int PORT_STEP = 640;

    /** A host that sees the server where it is. */
    Caller(final String port, final int vlan, final String address, final String gateway, final String publicAddress) {
        this(port, vlan, address, gateway, publicAddress, EdgeNetwork.SERVER);
    }

    /** The same host, but that it sees the server at another address. */
    Caller seeing(final String elsewhere) {
        return new Caller(port, vlan, address, gateway, publicAddress, elsewhere);
    }

    /** The host of a {@link Networks#plain} tenant. */
    static Caller plain(final int vlan, final String publicAddress) {
        return new Caller("acc0", vlan, "10.0.0.5", TenantPair.GATEWAY, publicAddress);
    }

    /** The transit router asks for the node, which learns from that where it is. */
    static Sent transitSpeaks() {
        return new Sent(EdgeNetwork.UPLINK,
            Frame.arpRequest(TRANSIT_MAC, EdgeNetwork.TRANSIT, Networks.BACKBONE_ADDRESS));
    }

    /** The transit router pings the node. */
    static Sent transitPings() {
        return new Sent(EdgeNetwork.UPLINK, Frame.ping(
            new Way(TRANSIT_MAC, BACKBONE_MAC, EdgeNetwork.TRANSIT, Networks.BACKBONE_ADDRESS), false));
    }

    /** Asks for the gateway, and is known to the node from then on. */
    Sent speaks() {
        return tagged(Frame.arpRequest(mac(), address, gateway));
    }

    Stream<Sent> pings() {
        return Stream.of(tagged(Frame.ping(out(), false)));
    }

    Stream<Sent> getsPong() {
        return Stream.of(fromServer(Frame.ping(in(), true)));
    }

    Stream<Sent> isSilent() {
        return Stream.of();
    }

    /** The first packets of many connections, whose ports are all over the range. */
    Stream<Sent> datagrams(final int count) {
        return IntStream.range(0, count)
            .mapToObj(index -> tagged(Frame.udp(out(), MANY_CALLS + index * PORT_STEP, SERVICE)));
    }

    Stream<Sent> calls() {
        return Stream.of(tagged(Frame.udp(out(), CALL, SERVICE)));
    }

    Stream<Sent> isAnswered() {
        return Stream.of(fromServer(Frame.udp(in(), SERVICE, CALL)));
    }

    /** The switch learns sessions from a packet of a connection that is known. */
    Stream<Sent> talks() {
        return Stream.of(calls(), isAnswered(), calls()).flatMap(sent -> sent);
    }

    /** Three segments; from the last one the switch learns sessions. */
    Stream<Sent> handshake() {
        return Stream.of(tagged(Frame.tcp(out(), CALL, SERVICE, Frame.SYN, 100, 0)),
            fromServer(Frame.tcp(in(), SERVICE, CALL, Frame.SYN | Frame.ACK, 500, 101)), acknowledges());
    }

    Sent acknowledges() {
        return tagged(Frame.tcp(out(), CALL, SERVICE, Frame.ACK, 101, 501));
    }

    Sent isAcknowledged() {
        return fromServer(Frame.tcp(in(), SERVICE, CALL, Frame.ACK, 501, 101));
    }

    /** Has a connection of each protocol that gets sessions. */
    Stream<Sent> hasSessions() {
        return Stream.of(talks(), handshake()).flatMap(sent -> sent);
    }

    /** Packets in sessions and such that have none, both ways. */
    Stream<Sent> doesAll() {
        return Stream.of(calls(), isAnswered(), Stream.of(acknowledges(), isAcknowledged()), datagrams(1), pings(),
            getsPong()).flatMap(sent -> sent);
    }

    /** A datagram to a host of the same broadcast domain. */
    Sent bridged(final Caller other) {
        return tagged(Frame.udp(new Way(mac(), other.mac(), address, other.address), CALL, SERVICE));
    }

    /** A datagram to a host of another subnet of the tenant. */
    Sent routed(final Caller other) {
        return tagged(Frame.udp(new Way(mac(), Constants.GATEWAY_MAC, address, other.address), CALL, SERVICE));
    }

    /** Different for hosts of one tenant, the same for those of different tenants. */
    private Mac mac() {
        return new Mac(LOCAL_MAC | Ipv4.parse(address).number());
    }

    private Way out() {
        return new Way(mac(), Constants.GATEWAY_MAC, address, server);
    }

    private Way in() {
        return new Way(TRANSIT_MAC, BACKBONE_MAC, EdgeNetwork.SERVER, publicAddress);
    }

    private Sent tagged(final Frame frame) {
        return new Sent(port, frame.tagged(vlan));
    }

    private static Sent fromServer(final Frame frame) {
        return new Sent(EdgeNetwork.UPLINK, frame);
    }
}
