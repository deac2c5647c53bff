// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.pipeline.registry.Constants;
import io.penstock.testkit.Await;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gateways answer DNS: each tenant's its own zone, whoever else has the same names and addresses. */
@OnSystem
class DnsIT {
    private static final int FIRST_VLAN = 870;
    private static final int SECOND_VLAN = 871;
    private static final Duration PATIENCE = Await.PATIENCE;
    /** Answers every query for an address with 192.0.2.77, as a tenant's own resolver. */
    private static final String RESOLVER = """
        import socket, sys
        family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
        server = socket.socket(family, socket.SOCK_DGRAM)
        server.bind((sys.argv[1], 53))
        while True:
            query, client = server.recvfrom(4096)
            end = query.index(b"\\0", 12) + 5
            server.sendto(query[:2] + b"\\x84\\x00\\0\\1\\0\\1\\0\\0\\0\\0" + query[12:end]
                          + b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4\\xc0\\0\\2\\x4d", client)
        """;

    /** Asks for a router until one has told resolvers, and prints them (RFC 8106, section 5.1). */
    private static final String TOLD = """
        import socket
        with socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as link:
            link.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
            link.settimeout(1)
            index = socket.if_nametoindex("eth0")
            found = []
            while not found:
                try:
                    link.sendto(bytes.fromhex("8500000000000000"), ("ff02::2", 0, 0, index))
                    told, at = link.recv(2000), 16
                except OSError:
                    continue
                while told[0] == 134 and at < len(told):
                    if told[at] == 25:
                        found.append(socket.inet_ntop(socket.AF_INET6, told[at + 8:at + 24]))
                    at += 8 * told[at + 1]
            print(*found)
        """;

    private static final String QUERIES = """
        import socket, sys
        query = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\3www\\4corp\\7example\\0\\0\\1\\0\\1"
        with socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM) as client:
            for _ in range(500):
                client.sendto(query, (sys.argv[1], 53))
        """;

    private final EdgeSystem system;
    private final EdgeNode node;

    DnsIT(final EdgeSystem system) {
        this.system = system;
        node = system.first();
    }

    @BeforeEach
    void reset() {
        system.reset();
    }

    @AfterEach
    void silence() {
        List.of(FIRST_VLAN, SECOND_VLAN).forEach(vlan -> node.host(vlan).shell()
            .run("sysctl", "-qw", "net.ipv6.conf." + Host.DEVICE + ".disable_ipv6=1"));
    }

    @Test
    void theSameNameIsAnotherHostInAnotherTenant() {
        provide(tenant("first", FIRST_VLAN, "10.0.0.80", ""), tenant("second", SECOND_VLAN, "10.0.0.81", ""));
        final Host first = node.host(FIRST_VLAN);
        final Host second = node.host(SECOND_VLAN);
        awaitAnswer(first, "www.corp.example", "10.0.0.80");
        awaitAnswer(second, "www.corp.example", "10.0.0.81");
        assertThat(dig(first, "+tcp", "+short", "www.corp.example")).isEqualTo("10.0.0.80");
        assertThat(dig(second, "+short", "-x", "10.0.0.9")).isEqualTo("printer.corp.example.");
        assertThat(dig(first, "+short", "printer.corp.example")).isEqualTo("10.0.0.9");
        final String unknown = dig(first, "nobody.corp.example");
        assertThat(unknown).contains("status: NXDOMAIN").contains("SOA");
    }

    @Test
    void itIsSoOverIpv6() {
        provide(tenant("first", FIRST_VLAN, "10.0.0.80", ""), tenant("second", SECOND_VLAN, "10.0.0.81", ""));
        final Host first = withIpv6(FIRST_VLAN);
        final Host second = withIpv6(SECOND_VLAN);
        final String resolver = gateway6(FIRST_VLAN);
        assertThat(first.shell().run(PATIENCE, "/usr/bin/python3", "-c", TOLD)).isEqualTo(resolver);
        awaitAnswer(first, resolver, "www.corp.example", "10.0.0.80");
        awaitAnswer(second, gateway6(SECOND_VLAN), "www.corp.example", "10.0.0.81");
        assertThat(ask(first, resolver, "+tcp", "+short", "www.corp.example")).isEqualTo("10.0.0.80");
        assertThat(ask(second, gateway6(SECOND_VLAN), "+tcp", "+short", "www.corp.example")).isEqualTo("10.0.0.81");
        assertThat(ask(second, gateway6(SECOND_VLAN), "+short", "-x", "10.0.0.9")).isEqualTo("printer.corp.example.");
        assertThat(ask(first, resolver, "nobody.corp.example")).contains("status: NXDOMAIN").contains("SOA");
        assertThat(system.packets("first", "query to the gateway " + resolver)).isPositive();
        // Of the link nobody answers: what has such an address is not routed back.
        assertThat(ask(first, Constants.GATEWAY_LINK_LOCAL + "%" + Host.DEVICE, "+tries=1", "+timeout=1",
            "www.corp.example")).contains("timed out");
        awaitAnswer(first, Intent.GATEWAY, "www.corp.example", "10.0.0.80");
    }

    @Test
    void namesComeAndGoWithTheConfiguration() {
        provide(tenant("first", FIRST_VLAN, "10.0.0.80", ""));
        final Host host = node.host(FIRST_VLAN);
        awaitAnswer(host, "www.corp.example", "10.0.0.80");
        system.restconf().put(Intent.path("first"),
            Intent.tenants(List.of(tenant("first", FIRST_VLAN, "10.0.0.90", ""))));
        awaitAnswer(host, "www.corp.example", "10.0.0.90");
        system.restconf().delete(Intent.path("first"));
        Await.until("nobody answers", PATIENCE, () -> dig(host, "+short", "+timeout=1", "+tries=1", "www.corp.example"),
            answer -> !answer.contains("10.0.0.90"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.5", "2001:db8:870::5"})
    void whatIsNotTheTenantsIsAskedOfItsOwnResolver(final String resolver) {
        provide(tenant("first", FIRST_VLAN, "10.0.0.80", ", 'upstream': [{'address': '%s', 'inside': true}]"
            .formatted(resolver)));
        final Host host = withIpv6(FIRST_VLAN);
        host.serve("/usr/bin/python3", "-c", RESOLVER, resolver);
        awaitAnswer(host, "elsewhere.example.net", "192.0.2.77");
        awaitAnswer(host, "www.corp.example", "10.0.0.80");
    }

    @ParameterizedTest
    @ValueSource(strings = {Intent.GATEWAY, "2001:db8:870::1"})
    void aFloodOfQueriesIsCutAndCounted(final String gateway) {
        provide(tenant("first", FIRST_VLAN, "10.0.0.80", ", 'queries-per-second': 10"),
            tenant("second", SECOND_VLAN, "10.0.0.81", ""));
        final Host host = withIpv6(FIRST_VLAN);
        final Host other = node.host(SECOND_VLAN);
        awaitAnswer(host, gateway, "www.corp.example", "10.0.0.80");
        awaitAnswer(other, "www.corp.example", "10.0.0.81");
        // The queue of the port takes a part of a burst only, the less the busier the machine is.
        Await.until("the drops are counted", () -> {
            host.shell().run("/usr/bin/python3", "-c", QUERIES, gateway);
            return limit("first", "dns").get("dropped-packets").getAsLong();
        }, dropped -> dropped >= 100);
        assertThat(dig(other, "+short", "www.corp.example")).isEqualTo("10.0.0.81");
        assertThat(limit("second", "dns").get("dropped-packets").getAsLong()).isZero();
    }

    private JsonObject limit(final String tenant, final String meter) {
        return StreamSupport.stream(system.restconf().call("limits", "{'tenant': '" + tenant + "'}")
            .getAsJsonArray("limit").spliterator(), false).map(JsonElement::getAsJsonObject)
            .filter(each -> each.get("meter").getAsString().equals(meter)).findFirst().orElseThrow();
    }

    private void provide(final String... tenants) {
        system.restconf().patch(Intent.NETWORK, Intent.patch("tenant", List.of(tenants)));
        system.awaitApplied();
    }

    private String tenant(final String name, final int vlan, final String web, final String more) {
        return Intent.tenant(name, node, vlan, Intent.FIRST_POOL, """
            'dhcp': {'subnet': [{'prefix': '10.0.0.0/24', 'pool': [{'first': '10.0.0.100', 'last': '10.0.0.199'}],
                     'reservation': [{'address': '10.0.0.9', 'mac': '02:00:00:00:00:09', 'host-name': 'printer'}]}]},
            'dns': {'domain': 'corp.example',
                    'record': [{'name': 'www', 'type': 'A', 'data': '%s', 'ttl': 1}]%s},
            'ipv6': {'subnet': [{'prefix': '%s/64'}]}""".formatted(web, more, network6(vlan)));
    }

    private static String network6(final int vlan) {
        return "2001:db8:" + vlan + "::";
    }

    private static String gateway6(final int vlan) {
        return network6(vlan) + "1";
    }

    /** The host of a VLAN, with an IPv6 address too. */
    private Host withIpv6(final int vlan) {
        final Host host = node.host(vlan);
        host.shell().run("sysctl", "-qw", "net.ipv6.conf." + Host.DEVICE + ".disable_ipv6=0");
        host.shell().run("ip", "-6", "address", "replace", network6(vlan) + "5/64", "dev", Host.DEVICE, "nodad");
        return host;
    }

    private void awaitAnswer(final Host host, final String name, final String address) {
        awaitAnswer(host, Intent.GATEWAY, name, address);
    }

    private void awaitAnswer(final Host host, final String server, final String name, final String address) {
        Await.until(name + " is " + address, PATIENCE,
            () -> ask(host, server, "+short", "+timeout=1", "+tries=1", name), address::equals);
    }

    private static String dig(final Host host, final String... arguments) {
        return ask(host, Intent.GATEWAY, arguments);
    }

    private static String ask(final Host host, final String server, final String... arguments) {
        final List<String> command = new ArrayList<>(List.of("dig", "@" + server));
        command.addAll(Arrays.asList(arguments));
        return host.shell().attempt(command.toArray(String[]::new)).output().lines().map(String::strip)
            .collect(Collectors.joining("\n"));
    }
}
