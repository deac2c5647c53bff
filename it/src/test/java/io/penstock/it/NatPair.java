// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.testkit.Host;
import java.util.List;
import java.util.Optional;

/** Two hosts of one VRF, and a server that tells everybody the address and port it is spoken to from. */
final class NatPair implements AutoCloseable {
    static final String PUBLIC = TenantPair.FIRST_PUBLIC;
    static final String GATEWAY = "10.0.0.1";
    static final int VLAN = 100;
    /** Ports of the server, of UDP and TCP: it tells who asks; nobody is there. */
    static final int TELL = 10;
    static final int TELL_TOO = 11;
    static final int CLOSED = 9;

    private static final String TELLER = """
        import contextlib, socket, sys, threading
        def datagrams(link):
            while True:
                _, peer = link.recvfrom(1000)
                link.sendto(f"{peer[0]} {peer[1]}".encode(), peer)
        def stream(link, peer):
            with contextlib.suppress(OSError), link:
                while link.recv(1000):
                    link.sendall(f"{peer[0]} {peer[1]}\\n".encode())
        def streams(server):
            while True:
                threading.Thread(target=stream, args=server.accept(), daemon=True).start()
        threads = []
        for port in map(int, sys.argv[1:]):
            link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            link.bind(("", port))
            threads.append(threading.Thread(target=datagrams, args=[link]))
            threads.append(threading.Thread(target=streams, args=[socket.create_server(("", port), backlog=50)]))
        for thread in threads:
            thread.start()
        print("ready", flush=True)
        """;

    private final PacketNode node = new PacketNode();
    private final Host first;
    private final Host second;
    private final Script teller;

    NatPair() {
        first = host("10.0.0.5");
        second = host("10.0.0.6");
        teller = new Script(node, server(), TELLER, TELL, TELL_TOO);
    }

    /** One more host of the VRF. */
    Host host(final String address) {
        return node.network().host("acc0", VLAN, address + "/24", GATEWAY);
    }

    PacketNode node() {
        return node;
    }

    Host first() {
        return first;
    }

    Host second() {
        return second;
    }

    Host server() {
        return node.network().server();
    }

    /** The VRF with source NAT. */
    static Tenant translated() {
        return Networks.plain("acme", VLAN, PUBLIC);
    }

    /** The VRF with a translation of its own. */
    static Tenant translated(final Tenant.Nat nat) {
        return translated().with(nat);
    }

    /** The VRF with source NAT and what the world reaches. */
    static Tenant published(final List<Tenant.OneToOne> own, final Tenant.PortForward... forwards) {
        return translated(new Tenant.Nat(Optional.of(Ipv4.parse(PUBLIC)), Optional.empty(), own, List.of(forwards)));
    }

    /** Begins anew, with no connection, and with hosts that the switch has heard of. */
    void load(final Tenant tenant, final Host... others) {
        node.load(Networks.of(tenant));
        node.node().ovs().appctl("dpctl/flush-conntrack");
        reachGateway(first);
        reachGateway(second);
        for (final Host other : others) {
            reachGateway(other);
        }
    }

    private static void reachGateway(final Host host) {
        host.meets(GATEWAY);
    }

    @Override
    public void close() {
        teller.close();
        node.close();
    }
}
