// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Capture;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** IPv6 of real hosts, from nothing but what the router tells them. */
@Tag("safety")
@OnSystem
class DualStackIT {
    private static final int FIRST_VLAN = 170;
    private static final int SECOND_VLAN = 171;
    private static final int OTHER_VLAN = 172;
    private static final String GATEWAY = "2001:db8:1::1";
    private static final Duration PATIENCE = Await.PATIENCE;

    /** Sends ICMPv6 to all nodes, or to whom it is told; the kernel adds the checksum. */
    private static final String SEND = """
        import socket, sys
        link = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
        link.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        index = socket.if_nametoindex("eth0")
        for _ in range(3):
            link.sendto(bytes.fromhex(sys.argv[2]), (sys.argv[1], 0, 0, index))
        """;
    /**
     * Puts packets on the link as nobody should: MAC addresses of sender and receiver, then for each packet the two
     * addresses, its protocol, and its payload with zeros for the checksum, which is always the second word of ICMPv6
     * and the fourth of UDP; a piece of a packet has none.
     */
    private static final String FORGE = """
        import socket, struct, sys
        link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        link.bind(("eth0", 0))
        ethernet = bytes.fromhex((sys.argv[2] + sys.argv[1]).replace(":", "") + "86dd")
        for packet in sys.argv[3:]:
            source, target, protocol, payload = packet.split()
            payload = bytearray.fromhex(payload)
            ends = socket.inet_pton(socket.AF_INET6, source) + socket.inet_pton(socket.AF_INET6, target)
            words = ends + struct.pack("!II", len(payload), int(protocol)) + payload + bytes(len(payload) % 2)
            total = sum(struct.unpack("!%dH" % (len(words) // 2), words))
            while total > 0xffff:
                total = (total & 0xffff) + (total >> 16)
            if protocol != "44":
                struct.pack_into("!H", payload, 2 if protocol == "58" else 6, ~total & 0xffff)
            link.send(ethernet + struct.pack("!IHBB", 0x60000000, len(payload), int(protocol), 255) + ends + payload)
        """;
    /** Asks for information by DHCPv6 and prints the answer. */
    private static final String INFORMATION = """
        import socket
        link = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        link.bind(("::", 546))
        link.settimeout(2)
        index = socket.if_nametoindex("eth0")
        for _ in range(10):
            link.sendto(bytes.fromhex("0b123456000600040017001800010004aabbccdd"), ("ff02::1:2", 547, 0, index))
            try:
                answer, sender = link.recvfrom(2000)
                print(sender[0].split("%")[0], answer.hex())
                break
            except TimeoutError:
                pass
        """;

    private final EdgeSystem system;
    private final EdgeNode node;

    DualStackIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
        Ipv6World.start(node);
        Ipv6World.backbone(system, node, "::/0");
    }

    @AfterEach
    void silence() {
        for (final int vlan : List.of(FIRST_VLAN, SECOND_VLAN, OTHER_VLAN)) {
            Ipv6World.disable(node.host(vlan));
        }
    }

    @Test
    void hostsHaveWhatTheRouterTells() {
        provision();
        final Host host = node.host(FIRST_VLAN);
        Ipv6World.enable(host, Host.DEVICE);
        final String address = Ipv6World.address(host, "2001:db8:1:");
        Await.until("there is a default route", PATIENCE, () -> routes(host), routes ->
            routes.contains("default via " + Ipv6World.ROUTER) && routes.contains("mtu 1400"));
        host.reaches(GATEWAY);
        host.reaches(Ipv6World.ROUTER + "%" + Host.DEVICE);
        host.reaches(Ipv6World.SERVER);
        node.network().server().reaches(address);
        assertThat(host.shell().run("ip", "-6", "neighbour", "show", "dev", Host.DEVICE))
            .contains(Ipv6World.ROUTER + " lladdr 02:50:53:00:00:01 router");

        // Without knowing anything the router asks, and so does the host.
        node.ovs().ofctl("del-flows", Constants.BRIDGE, "table=" + Table.NEIGHBOURS.number());
        host.shell().run("ip", "-6", "neighbour", "flush", "dev", Host.DEVICE);
        node.network().server().reaches(address);

        final String answer = Ipv6World.python(host, INFORMATION);
        assertThat(answer).startsWith(Ipv6World.ROUTER + " 07123456")
            .contains("00170010" + "20010db8000000000000000000000053")
            .contains("0018000d" + "076578616d706c6503636f6d00").contains("00010004aabbccdd");

        assertThat(host.shell().run("ip", "-6", "address", "show", "dev", Host.DEVICE)).doesNotContain("dadfailed");
        system.awaitSync();
    }

    @Test
    void whoAsksNeedNotWait() {
        provision();
        final Host host = node.host(OTHER_VLAN);
        Ipv6World.enable(host, Host.DEVICE);
        Ipv6World.address(host, "2001:db8:2:");
        // It begins anew each time, with nothing left of what it was told.
        for (int round = 0; round < 3; round++) {
            Ipv6World.disable(host);
            Ipv6World.enable(host, Host.DEVICE);
            Ipv6World.address(host, "2001:db8:2:");
        }
        assertThat(system.packets("other", "router solicitation or DHCPv6 request")).isGreaterThanOrEqualTo(3);
    }

    @Test
    void tenantsMeetAndCannotPretend() {
        provision();
        final Host host = node.host(FIRST_VLAN);
        final Host other = node.host(OTHER_VLAN);
        Ipv6World.enable(host, Host.DEVICE);
        Ipv6World.enable(other, Host.DEVICE);
        final String address = Ipv6World.address(host, "2001:db8:1:");
        final String otherAddress = Ipv6World.address(other, "2001:db8:2:");
        host.reaches(otherAddress);
        other.reaches(address);

        host.shell().run("ip", "-6", "address", "add", "2001:db8:2::77/128", "dev", Host.DEVICE, "nodad");
        assertThat(host.shell().attempt("ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", "-I", "2001:db8:2::77",
            Ipv6World.SERVER).isGood()).isFalse();
        counted("acme", "IPv6 source address is not the sender's");
        host.shell().run("ip", "-6", "address", "del", "2001:db8:2::77/128", "dev", Host.DEVICE);
    }

    @Test
    void nobodyElseIsTheRouter() {
        provision();
        final Host host = node.host(FIRST_VLAN);
        final Host neighbour = node.host(SECOND_VLAN);
        Ipv6World.enable(host, Host.DEVICE);
        Ipv6World.enable(neighbour, Host.DEVICE);
        Ipv6World.address(host, "2001:db8:1:");
        host.reaches(Ipv6World.address(neighbour, "2001:db8:1:"));

        host.shell().run("ip", "-6", "address", "add", GATEWAY + "/64", "dev", Host.DEVICE);
        Await.until("the router defends its address", PATIENCE,
            () -> host.shell().run("ip", "-6", "address", "show", "dev", Host.DEVICE),
            text -> text.contains("dadfailed"));
        host.shell().run("ip", "-6", "address", "del", GATEWAY + "/64", "dev", Host.DEVICE);

        // A prefix and a default route of its own.
        Ipv6World.python(host, SEND, "ff02::1", "8600000040000708" + "00".repeat(8) + "030440c0" + "00278d00"
            + "00093a80" + "00000000" + "20010db80bad00000000000000000000");
        counted("acme", "router advertisement of a host on lan");
        assertThat(neighbour.shell().run("ip", "-6", "address", "show", "dev", Host.DEVICE)).doesNotContain("db8:bad");
        // The router's address is at the host.
        Ipv6World.python(host, SEND, "ff02::1", "8800000020000000" + "20010db8000100000000000000000001"
            + "0201020000000005");
        counted("acme", "neighbour discovery claims the gateway " + GATEWAY);
        neighbour.reaches(Ipv6World.SERVER);
    }

    @Test
    void whatIsForgedReachesNoNeighbour() {
        provision();
        final Host host = node.host(FIRST_VLAN);
        final Host neighbour = node.host(SECOND_VLAN);
        Ipv6World.enable(host, Host.DEVICE);
        Ipv6World.enable(neighbour, Host.DEVICE);
        final String own = Ipv6World.address(host, "2001:db8:1:");
        final String target = Ipv6World.address(neighbour, "2001:db8:1:");
        host.reaches(target);
        final String redirect = " 58 89000000" + "00000000" + "fe80000000000000" + "0000000000000bad"
            + "20010db8aaaa00000000000000000010";
        try (Capture heard = neighbour.capture("ether src " + host.mac() + " and (udp or ip6 proto 44"
                + " or icmp6[icmp6type] == 134 or icmp6[icmp6type] == 137"
                + " or (icmp6[icmp6type] == 136 and ip6[48:4] == 0x20010db8 and ip6[52:2] == 2))")) {
            Ipv6World.python(host, FORGE, host.mac(), neighbour.mac(),
                // From another tenant's host, and from nobody's.
                "2001:db8:2::77 " + target + " 17 00090009000a00002121", ":: " + target + " 17 00090009000a00002121",
                // The router, which is none any more, and one of another address and prefix.
                Ipv6World.ROUTER + " ff02::1 58 86000000" + "40000000" + "00".repeat(8),
                "fe80::bad " + target + " 58 86000000" + "40000708" + "00".repeat(8) + "030440c0" + "00278d00"
                    + "00093a80" + "00000000" + "20010db80bad00000000000000000000",
                // The same in a piece, which shows nobody what it is.
                "fe80::bad " + target + " 44 3a00000100000001" + "86000000" + "40000708" + "00".repeat(8),
                // The way to the server is by fe80::bad.
                Ipv6World.ROUTER + " " + target + redirect, "fe80::bad " + target + redirect,
                // A DHCPv6 server that knows a resolver.
                "fe80::bad " + target + " 17 0223022200200000" + "07123456"
                    + "0017001020010db80bad00000000000000000001",
                // Who has an address of another tenant.
                own + " " + target + " 58 88000000" + "20000000" + "20010db8000200000000000000000077"
                    + "0201020000000005");
            for (final String label : List.of("router advertisement of a host on lan", "redirect of a host on lan",
                    "fragment from a link-local address of a host on lan", "DHCPv6 answer of a host on lan",
                    "neighbour discovery for an address that is not the sender's")) {
                counted("acme", label);
            }
            Await.until("both are counted", () -> system.packets("acme", "IPv6 source address is not the sender's") >= 2
                && system.packets("acme", "packet from the address of the gateway " + Ipv6World.ROUTER) >= 2);
            assertThat(heard.all()).isEmpty();
            // What it says of itself arrives.
            Ipv6World.python(host, FORGE, host.mac(), neighbour.mac(), own + " " + target
                + " 17 00090009000a00002121");
            Await.until("it arrives", heard::frames, frames -> frames.size() == 1);
        }
        assertThat(routes(neighbour)).contains("default via " + Ipv6World.ROUTER).doesNotContain("bad");
        neighbour.reaches(Ipv6World.SERVER);
    }

    @Test
    void connectionsFromOutsideNeedAPermission() {
        provision("replies");
        final Host host = node.host(FIRST_VLAN);
        final Host other = node.host(OTHER_VLAN);
        Ipv6World.enable(host, Host.DEVICE);
        Ipv6World.enable(other, Host.DEVICE);
        final String address = Ipv6World.address(host, "2001:db8:1:");
        final String otherAddress = Ipv6World.address(other, "2001:db8:2:");
        host.reaches(Ipv6World.SERVER);
        host.reaches(otherAddress);
        for (final Host outside : List.of(node.network().server(), other)) {
            assertThat(outside.shell().attempt("ping", "-6", "-n", "-c", "3", "-i", "0.2", "-W", "1", address)
                .isGood()).isFalse();
        }
        counted("acme", "IPv6 from outside the VRF without a permission");
        provision("any");
        node.network().server().reaches(address);
        other.reaches(address);
    }

    private void provision() {
        provision("any");
    }

    private void provision(final String inbound) {
        final String told = "'router-advertisement': {'mtu': 1400, 'rdnss': ['2001:db8::53'], 'dnssl': ['example.com'],"
            + " 'other-config': true}";
        final String acme = """
            {'name': 'acme', 'attachment': [{'name': 'lan', 'node': '%1$s', 'port': '%2$s', 'vlan': %3$d},
              {'name': 'lab', 'node': '%1$s', 'port': '%2$s', 'vlan': %4$d}],
             'ipv6': {'inbound': '%6$s', 'subnet': [{'prefix': '2001:db8:1::/64', %5$s}]}}"""
            .formatted(node.name(), EdgeNode.ACCESS, FIRST_VLAN, SECOND_VLAN, told, inbound);
        final String other = Intent.tenant("other", node, OTHER_VLAN, Intent.FIRST_POOL,
            "'ipv6': {'inbound': 'any', 'subnet': [{'prefix': '2001:db8:2::/64'}]}");
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(acme, other)));
        system.awaitApplied();
    }

    private void counted(final String tenant, final String label) {
        Await.until(label + " is counted", PATIENCE, () -> system.packets(tenant, label) > 0);
    }

    private static String routes(final Host host) {
        return host.shell().run("ip", "-6", "route", "show") + host.shell().run("sh", "-c",
            "echo mtu $(cat /proc/sys/net/ipv6/conf/eth0/mtu)");
    }
}
