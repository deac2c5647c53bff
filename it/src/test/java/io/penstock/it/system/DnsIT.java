// SPDX-License-Identifier: Apache-2.0
package io.penstock.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.penstock.testkit.Await;
import io.penstock.testkit.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Gateways answer DNS: each tenant's its own zone, whoever else has the same names and addresses. */
@OnSystem
class DnsIT {
    private static final int FIRST_VLAN = 870;
    private static final int SECOND_VLAN = 871;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Answers every query for an address with 192.0.2.77, as a tenant's own resolver. */
    private static final String RESOLVER = """
        import socket
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("10.0.0.5", 53))
        while True:
            query, client = server.recvfrom(4096)
            end = query.index(b"\\0", 12) + 5
            server.sendto(query[:2] + b"\\x84\\x00\\0\\1\\0\\1\\0\\0\\0\\0" + query[12:end]
                          + b"\\xc0\\x0c\\0\\1\\0\\1\\0\\0\\0\\x3c\\0\\4\\xc0\\0\\2\\x4d", client)
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
    void namesComeAndGoWithTheConfigurationAndStayWithoutTheController() {
        provide(tenant("first", FIRST_VLAN, "10.0.0.80", ""));
        final Host host = node.host(FIRST_VLAN);
        awaitAnswer(host, "www.corp.example", "10.0.0.80");
        system.restconf().put(Intent.path("first"),
            Intent.tenants(List.of(tenant("first", FIRST_VLAN, "10.0.0.90", ""))));
        awaitAnswer(host, "www.corp.example", "10.0.0.90");
        system.controller().kill();
        try {
            assertThat(dig(host, "+short", "www.corp.example")).isEqualTo("10.0.0.90");
        } finally {
            system.controller().start();
        }
        system.awaitSync();
        system.restconf().delete(Intent.path("first"));
        Await.until("nobody answers", PATIENCE, () -> dig(host, "+short", "+timeout=1", "+tries=1", "www.corp.example"),
            answer -> !answer.contains("10.0.0.90"));
    }

    @Test
    void whatIsNotTheTenantsIsAskedOfItsOwnResolver() {
        provide(tenant("first", FIRST_VLAN, "10.0.0.80", ", 'upstream': [{'address': '10.0.0.5', 'inside': true}]"));
        final Host host = node.host(FIRST_VLAN);
        host.serve("/usr/bin/python3", "-c", RESOLVER);
        awaitAnswer(host, "elsewhere.example.net", "192.0.2.77");
        awaitAnswer(host, "www.corp.example", "10.0.0.80");
    }

    @Test
    void aFloodOfQueriesIsCutAndCounted() {
        provide(tenant("first", FIRST_VLAN, "10.0.0.80", ", 'queries-per-second': 10"),
            tenant("second", SECOND_VLAN, "10.0.0.81", ""));
        final Host host = node.host(FIRST_VLAN);
        final Host other = node.host(SECOND_VLAN);
        awaitAnswer(host, "www.corp.example", "10.0.0.80");
        awaitAnswer(other, "www.corp.example", "10.0.0.81");
        host.shell().run("/usr/bin/python3", "-c", """
            import socket
            query = b"\\0\\1\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\3www\\4corp\\7example\\0\\0\\1\\0\\1"
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
                for _ in range(500):
                    client.sendto(query, ("10.0.0.1", 53))
            """);
        assertThat(dig(other, "+short", "www.corp.example")).isEqualTo("10.0.0.81");
        Await.until("the drops are counted", () -> limit("first", "dns").get("dropped-packets").getAsLong(),
            dropped -> dropped >= 100);
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
                    'record': [{'name': 'www', 'type': 'A', 'data': '%s', 'ttl': 1}]%s}""".formatted(web, more));
    }

    private void awaitAnswer(final Host host, final String name, final String address) {
        Await.until(name + " is " + address, PATIENCE,
            () -> dig(host, "+short", "+timeout=1", "+tries=1", name), address::equals);
    }

    private static String dig(final Host host, final String... arguments) {
        final List<String> command = new ArrayList<>(List.of("dig", "@" + Intent.GATEWAY));
        command.addAll(Arrays.asList(arguments));
        return host.shell().attempt(command.toArray(String[]::new)).output().lines().map(String::strip)
            .collect(Collectors.joining("\n"));
    }
}
