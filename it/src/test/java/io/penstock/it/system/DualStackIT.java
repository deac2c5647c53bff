// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.registry.Constants;
import io.penstock.pipeline.registry.Table;
import io.penstock.testkit.Await;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** IPv6 of real hosts, from nothing but what the router tells them. */
@OnSystem
class DualStackIT {
    private static final int FIRST_VLAN = 170;
    private static final int SECOND_VLAN = 171;
    private static final int OTHER_VLAN = 172;
    private static final String SERVER = "2001:db8:aaaa::10";
    private static final String GATEWAY = "2001:db8:1::1";
    private static final String ROUTER = Constants.GATEWAY_LINK_LOCAL.toString();
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Sends ICMPv6 to all nodes, or to whom it is told; the kernel adds the checksum. */
    private static final String SEND = """
        import socket, sys
        link = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
        link.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
        index = socket.if_nametoindex("eth0")
        for _ in range(3):
            link.sendto(bytes.fromhex(sys.argv[2]), (sys.argv[1], 0, 0, index))
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
        final Host transit = node.network().transit();
        enable(transit, "eth0", "eth1");
        transit.shell().run("sysctl", "-qw", "net.ipv6.conf.all.forwarding=1");
        transit.shell().run("ip", "-6", "address", "replace", "2001:db8:ffff::1/64", "dev", "eth0", "nodad");
        transit.shell().run("ip", "-6", "address", "replace", "2001:db8:aaaa::1/64", "dev", "eth1", "nodad");
        transit.shell().run("ip", "-6", "route", "replace", "2001:db8::/36", "via", "2001:db8:ffff::2");
        final Host server = node.network().server();
        enable(server, Host.DEVICE);
        server.shell().run("ip", "-6", "address", "replace", SERVER + "/64", "dev", Host.DEVICE, "nodad");
        server.shell().run("ip", "-6", "route", "replace", "default", "via", "2001:db8:aaaa::1");
        system.restconf().put(Intent.NETWORK + "/backbone/ipv6", """
            {'penstock:ipv6': {'interface': [{'node': '%s', 'port': 'up0', 'prefix': '2001:db8:ffff::/64',
             'address': '2001:db8:ffff::2'}], 'route': [{'prefix': '::/0', 'next-hop': '2001:db8:ffff::1'}]}}"""
            .formatted(node.name()));
    }

    @AfterEach
    void silence() {
        for (final int vlan : List.of(FIRST_VLAN, SECOND_VLAN, OTHER_VLAN)) {
            sysctl(node.host(vlan), Host.DEVICE, 1);
        }
    }

    @Test
    void hostsHaveWhatTheRouterTells() {
        provision();
        final Host host = node.host(FIRST_VLAN);
        enable(host, Host.DEVICE);
        final String address = address(host, "2001:db8:1:");
        Await.until("there is a default route", PATIENCE, () -> routes(host), routes ->
            routes.contains("default via " + ROUTER) && routes.contains("mtu 1400"));
        reaches(host, GATEWAY);
        reaches(host, ROUTER + "%" + Host.DEVICE);
        reaches(host, SERVER);
        reaches(node.network().server(), address);
        assertThat(host.shell().run("ip", "-6", "neighbour", "show", "dev", Host.DEVICE))
            .contains(ROUTER + " lladdr 02:50:53:00:00:01 router");

        // Without knowing anything the router asks, and so does the host.
        node.ovs().ofctl("del-flows", Constants.BRIDGE, "table=" + Table.NEIGHBOURS.number());
        host.shell().run("ip", "-6", "neighbour", "flush", "dev", Host.DEVICE);
        reaches(node.network().server(), address);

        final String answer = python(host, INFORMATION);
        assertThat(answer).startsWith(ROUTER + " 07123456").contains("00170010" + "20010db8000000000000000000000053")
            .contains("0018000d" + "076578616d706c6503636f6d00").contains("00010004aabbccdd");

        assertThat(host.shell().run("ip", "-6", "address", "show", "dev", Host.DEVICE)).doesNotContain("dadfailed");
        system.awaitSync();
    }

    @Test
    void whoAsksNeedNotWait() {
        provision();
        final Host host = node.host(OTHER_VLAN);
        enable(host, Host.DEVICE);
        address(host, "2001:db8:2:");
        // It begins anew each time, with nothing left of what it was told.
        for (int round = 0; round < 3; round++) {
            sysctl(host, Host.DEVICE, 1);
            sysctl(host, Host.DEVICE, 0);
            address(host, "2001:db8:2:");
        }
        assertThat(system.packets("other", "asks for a router or by DHCPv6")).isGreaterThanOrEqualTo(3);
    }

    @Test
    void tenantsMeetAndCannotPretend() {
        provision();
        final Host host = node.host(FIRST_VLAN);
        final Host other = node.host(OTHER_VLAN);
        enable(host, Host.DEVICE);
        enable(other, Host.DEVICE);
        final String address = address(host, "2001:db8:1:");
        final String otherAddress = address(other, "2001:db8:2:");
        reaches(host, otherAddress);
        reaches(other, address);

        host.shell().run("ip", "-6", "address", "add", "2001:db8:2::77/128", "dev", Host.DEVICE, "nodad");
        assertThat(host.shell().attempt("ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", "-I", "2001:db8:2::77",
            SERVER).isGood()).isFalse();
        counted("acme", "IPv6 source address is not the sender's");
        host.shell().run("ip", "-6", "address", "del", "2001:db8:2::77/128", "dev", Host.DEVICE);
    }

    @Test
    void nobodyElseIsTheRouter() {
        provision();
        final Host host = node.host(FIRST_VLAN);
        final Host neighbour = node.host(SECOND_VLAN);
        enable(host, Host.DEVICE);
        enable(neighbour, Host.DEVICE);
        address(host, "2001:db8:1:");
        reaches(host, address(neighbour, "2001:db8:1:"));

        host.shell().run("ip", "-6", "address", "add", GATEWAY + "/64", "dev", Host.DEVICE);
        Await.until("the router defends its address", PATIENCE,
            () -> host.shell().run("ip", "-6", "address", "show", "dev", Host.DEVICE),
            text -> text.contains("dadfailed"));
        host.shell().run("ip", "-6", "address", "del", GATEWAY + "/64", "dev", Host.DEVICE);

        // A prefix and a default route of its own.
        python(host, SEND, "ff02::1", "8600000040000708" + "00".repeat(8) + "030440c0" + "00278d00" + "00093a80"
            + "00000000" + "20010db80bad00000000000000000000");
        counted("acme", "router advertisement of a host on lan");
        assertThat(neighbour.shell().run("ip", "-6", "address", "show", "dev", Host.DEVICE)).doesNotContain("db8:bad");
        // The router's address is at the host.
        python(host, SEND, "ff02::1", "8800000020000000" + "20010db8000100000000000000000001" + "0201020000000005");
        counted("acme", "claims the gateway " + GATEWAY);
        reaches(neighbour, SERVER);
    }

    private void provision() {
        final String told = "'router-advertisement': {'mtu': 1400, 'rdnss': ['2001:db8::53'], 'dnssl': ['example.com'],"
            + " 'other-config': true}";
        final String acme = """
            {'name': 'acme', 'attachment': [{'name': 'lan', 'node': '%1$s', 'port': '%2$s', 'vlan': %3$d},
              {'name': 'lab', 'node': '%1$s', 'port': '%2$s', 'vlan': %4$d}],
             'ipv6': {'subnet': [{'prefix': '2001:db8:1::/64', %5$s}]}}"""
            .formatted(node.name(), EdgeNode.ACCESS, FIRST_VLAN, SECOND_VLAN, told);
        final String other = Intent.tenant("other", node, OTHER_VLAN, Intent.FIRST_POOL,
            "'ipv6': {'subnet': [{'prefix': '2001:db8:2::/64'}]}");
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(acme, other)));
        system.awaitApplied();
    }

    private void counted(final String tenant, final String label) {
        Await.until(label + " is counted", PATIENCE, () -> system.packets(tenant, label) > 0);
    }

    private static void enable(final Host host, final String... devices) {
        for (final String device : devices) {
            sysctl(host, device, 0);
        }
    }

    private static void sysctl(final Host host, final String device, final int disabled) {
        host.shell().run("sysctl", "-qw", "net.ipv6.conf." + device + ".disable_ipv6=" + disabled);
    }

    /** The address that the host has made of a prefix, once nobody else turned out to have it. */
    private static String address(final Host host, final String prefix) {
        final String text = Await.until(host + " has an address of " + prefix, PATIENCE, () -> host.shell().run("ip",
            "-6", "-o", "address", "show", "dev", Host.DEVICE, "scope", "global", "-tentative"), shown ->
                shown.contains(prefix));
        return text.lines().filter(line -> line.contains(prefix)).findFirst().orElseThrow()
            .replaceAll(".*inet6 ([0-9a-f:]+)/.*", "$1");
    }

    private static String routes(final Host host) {
        return host.shell().run("ip", "-6", "route", "show") + host.shell().run("sh", "-c",
            "echo mtu $(cat /proc/sys/net/ipv6/conf/eth0/mtu)");
    }

    private static void reaches(final Host host, final String destination) {
        Await.until(host + " reaches " + destination, PATIENCE, () -> {
            final Result result = host.shell().attempt("ping", "-6", "-n", "-c", "1", "-W", "1", destination);
            return result.isGood();
        });
    }

    private static String python(final Host host, final String program, final String... arguments) {
        final List<String> command = new ArrayList<>(List.of("/usr/bin/python3", "-c", program));
        command.addAll(List.of(arguments));
        return host.shell().run(PATIENCE, command.toArray(String[]::new));
    }
}
