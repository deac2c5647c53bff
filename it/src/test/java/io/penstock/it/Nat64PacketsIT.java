// SPDX-License-Identifier: Apache-2.0
package io.penstock.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import io.penstock.testkit.Capture;
import io.penstock.testkit.EdgeNetwork;
import io.penstock.testkit.Host;
import io.penstock.testkit.Shell;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * IPv6 hosts of a tenant behind a translator on its network: NAT64 (RFC 6146 in two steps), 464XLAT (RFC 6877), and a
 * host with IPv6 alone that the world reaches by IPv4.
 */
class Nat64PacketsIT {
    private static final Path TOOL = Path.of("..", "service-chains", "nat64").toAbsolutePath().normalize();
    private static final String PUBLIC = "198.51.100.7";
    private static final String PUBLISHED = "198.51.100.9";
    private static final String SERVER6 = "fd00:64:9b::" + EdgeNetwork.SERVER;
    private static final Tenant.Deterministic MAPPING =
        new Tenant.Deterministic(Prefix.parse("10.64.0.0/24"), Prefix.parse(PUBLIC + "/32"));
    private static final Tenant.OneToOne OWN =
        new Tenant.OneToOne(Prefix.parse("10.64.1.5/32"), Prefix.parse(PUBLISHED + "/32"));

    /** Asks by UDP and by TCP who it is. */
    private static final String ASK = """
        import socket, sys
        for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
            family, _, _, _, address = socket.getaddrinfo(sys.argv[1], int(sys.argv[2]), type=kind)[0]
            link = socket.socket(family, kind)
            link.settimeout(60)
            link.connect(address)
            link.send(b"?")
            print(link.recv(100).decode().strip())
        """;
    /** A server with IPv6 alone. */
    private static final String SERVE6 = """
        import socket
        link = socket.create_server(("::", 8080), family=socket.AF_INET6)
        print("ready", flush=True)
        while True:
            peer, _ = link.accept()
            peer.sendall(b"hello by IPv6\\n")
            peer.close()
        """;

    private static NatPair pair;
    private static Host box;
    private static Host six;

    @BeforeAll
    static void start() {
        pair = new NatPair();
        box = pair.first();
        six = pair.second();
        pair.node().network().transit().route("198.51.100.0/24", Networks.BACKBONE_ADDRESS);
        address(six, "fd00:64::10/64");
        tool("start", box.namespace().name(), "--inside", "fd00:64::1/64", "--prefix", "fd00:64:9b::/96", "--pool",
            "10.64.0.0/24", "--map", "10.64.1.5=fd00:64::10");
        six.shell().run("ip", "-6", "route", "add", "fd00:64:9b::/96", "via", "fd00:64::1");
    }

    /** Hosts of tests have no IPv6 of their own, so that nothing but what is tested is on the wire. */
    private static void address(final Host host, final String address) {
        host.shell().run("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=0");
        host.shell().run("ip", "-6", "address", "add", address, "dev", Host.DEVICE, "nodad");
    }

    @AfterAll
    static void stop() {
        tool("stop", box.namespace().name());
        pair.close();
    }

    private static String tool(final String... arguments) {
        final List<String> command = new ArrayList<>(List.of(TOOL.toString(), "--run-dir",
            pair.node().run().directory().toString(), "--state-dir", pair.node().run().directory() + "/state"));
        command.addAll(List.of(arguments));
        return Shell.PLAIN.run(command.toArray(String[]::new));
    }

    @BeforeEach
    void load() {
        final Tenant translated = NatPair.translated(Fixtures.mapped(MAPPING, OWN));
        pair.load(new Tenant(translated.name(), translated.attachments(), translated.subnets(),
            List.of(new Route(Prefix.parse("10.64.0.0/16"), Ipv4.parse(box.address()))), translated.nat(),
            Optional.empty(), Optional.empty()));
    }

    @Test
    void aHostWithIpv6IsASubscriberLikeOthers() {
        final Host other = pair.host("10.0.0.7");
        address(other, "fd00:64::20/64");
        other.shell().run("ip", "-6", "route", "add", "fd00:64:9b::/96", "via", "fd00:64::1");
        try (Capture uplink = pair.node().network().transit().capture(TenantPair.PRIVATE)) {
            for (final String answer : Script.run(other, ASK, SERVER6, NatPair.TELL).lines().toList()) {
                final String[] seen = answer.split(" ");
                assertThat(seen[0]).isEqualTo(PUBLIC);
                assertThat(MAPPING.subscriberAt(Ipv4.parse(seen[0]), Integer.parseInt(seen[1]))).hasValueSatisfying(
                    subscriber -> assertThat(MAPPING.inside().contains(subscriber)).isTrue());
            }
            other.shell().run("ping", "-c", "2", "-W", "5", SERVER6);
            assertThat(uplink.all()).isEmpty();
        }
    }

    @Test
    void theWorldReachesAHostWithIpv6Alone() {
        try (Script server = new Script(pair.node(), six, SERVE6)) {
            assertThat(pair.server().askTcp(PUBLISHED, 8080)).isEqualTo("hello by IPv6");
            assertThat(Script.run(six, ASK, SERVER6, NatPair.TELL)).contains(PUBLISHED + " ");
            assertThat(server.lines()).isEmpty();
        }
    }

    /** 464XLAT: a program that knows IPv4 alone, on a host that has IPv6 alone, with a translator of its own. */
    @Test
    void aProgramWithIpv4OnAHostWithIpv6ReachesTheWorld() {
        final Host customer = pair.host("10.0.0.8");
        final String namespace = customer.namespace().name();
        customer.shell().run("ip", "address", "flush", "dev", "eth0", "scope", "global");
        address(customer, "fd00:64::30/64");
        customer.shell().run("ip", "-6", "route", "add", "fd00:64:9b::/96", "via", "fd00:64::1");
        box.shell().run("ip", "-6", "route", "add", "fd00:65::/64", "via", "fd00:64::30");
        tool("start", namespace, "--inside", "fd00:66::1/64", "--prefix", "fd00:64:9b::/96", "--pool", "192.0.0.8/29",
            "--map", "192.0.0.1=fd00:65::1");
        try {
            // What is on the way to the other translator must not come to this one again.
            customer.shell().run("ip", "-6", "route", "replace", "fd00:64:9b::/96", "via", "fd00:64::1", "dev", "eth0");
            customer.shell().run("ip", "-6", "route", "add", "fd00:65::/64", "dev", "nat64");
            customer.shell().run("ip", "address", "add", "192.0.0.1/32", "dev", "nat64");
            customer.shell().run("ip", "route", "add", "default", "dev", "nat64", "src", "192.0.0.1");
            assertThat(Script.run(customer, ASK, EdgeNetwork.SERVER, NatPair.TELL).lines())
                .hasSize(2).allMatch(seen -> seen.startsWith(PUBLIC + " "));
        } finally {
            tool("stop", namespace);
        }
    }
}
