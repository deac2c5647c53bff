// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Backbone;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Dns;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Snapshot;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.plan.DualStack;
import io.penstock.pipeline.plan.Fixtures;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule for the resolver of a tenant, each with leaf and words. */
class DnsRulesTest {
    private static final String ZONE = "example.net";

    private static Arguments zone(final String leaf, final String rule, final String... records) {
        return Arguments.of(dns(ZONE, records), "dns / record " + leaf, rule);
    }

    static Stream<Arguments> bad() {
        return Stream.of(
            Arguments.of(dns(null, "www A 10.0.0.5"), "dns / domain", "is missing"),
            Arguments.of(dns("-x.net"), "dns / domain", "'-x.net' is not a domain name"),
            Arguments.of(dns("x.net."), "dns / domain", "'x.net.' is not a domain name"),
            Arguments.of(dns("a".repeat(64) + ".net"), "dns / domain", "is not a domain name"),
            Arguments.of(dns("a.".repeat(126) + "ab"), "dns / domain", "is not a domain name"),
            zone("a..b A / name", "'a..b' is not a name below example.net", "a..b A 10.0.0.5"),
            zone("* A / name", "'*' is not a name below", "* A 10.0.0.5"),
            zone("www.example.org. A / name", "'www.example.org.' is outside the zone example.net",
                "www.example.org. A 10.0.0.5"),
            zone("wwwexample.net. A / name", "is outside the zone", "wwwexample.net. A 10.0.0.5"),
            zone("WWW.example.NET. A / name", "has to be written below example.net and without a dot",
                "WWW.example.NET. A 10.0.0.5"),
            zone("www HINFO / type", "'HINFO' is none of A, AAAA, CNAME, MX, NS, PTR, SRV, TXT", "www HINFO x"),
            zone("www a / type", "'a' is none of", "www a 10.0.0.5"),
            zone("@ CNAME / type", "the zone itself cannot be an alias", "@ CNAME www"),
            zone("WWW CNAME / type", "a name with CNAME has no other record", "WWW CNAME web", "www A 10.0.0.5"),
            zone("www CNAME / type", "a name with CNAME has no other record", "www CNAME a", "www CNAME b"),
            Arguments.of(upstream("dns.example.net", false), "dns / upstream dns.example.net / address",
                "'dns.example.net' is not an IP address"),
            Arguments.of(upstream("10.0.0.256", true), "dns / upstream 10.0.0.256 / address", "is not an IP address"),
            Arguments.of(upstream("10.0.2.5", true), "dns / upstream 10.0.2.5 / inside",
                "10.0.2.5 is not in a subnet or route of the tenant"),
            Arguments.of(upstream("2001:db8::1", true), "dns / upstream 2001:db8::1 / inside", "is not in a subnet"),
            Arguments.of(upstream("10.0.0.1", true), "dns / upstream 10.0.0.1 / inside",
                "10.0.0.1 is the VRF's own gateway"),
            Arguments.of(limits(0, null), "dns / queries-per-second", "0 is not in 1..100000"),
            Arguments.of(limits(100_001, null), "dns / queries-per-second", "100001 is not in 1..100000"),
            Arguments.of(limits(1, "64:ff9b::"), "dns / dns64", "'64:ff9b::' is not an IPv6 prefix"),
            Arguments.of(limits(1, "10.0.0.0/32"), "dns / dns64", "'10.0.0.0/32' is not an IPv6 prefix"),
            Arguments.of(limits(1, "64:ff9b::/80"), "dns / dns64", "has the length 80; it is one of 32, 40"),
            Arguments.of(limits(1, "64:ff9b::1/96"), "dns / dns64", "bits set that are zero by RFC 6052"),
            Arguments.of(limits(1, "2001:db8:0:0:100::/96"), "dns / dns64", "bits set that are zero by RFC 6052"));
    }

    @ParameterizedTest(name = "{1}: {2}")
    @MethodSource("bad")
    void aBadResolverIsNamedWithLeafAndRule(final Dns dns, final String leaf, final String rule) {
        assertThat(violations(ServiceFixtures.with(dns))).anySatisfy(violation -> {
            assertThat(violation.entry()).isEqualTo("tenant t");
            assertThat(violation.leaf()).isEqualTo(leaf);
            assertThat(violation.rule()).contains(rule);
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '#', value = {
        "A | 2001:db8::1 | is not an IPv4 address", "A | 10.0.0 | is not an IPv4 address",
        "AAAA | 10.0.0.5 | is not an IPv6 address", "AAAA | ::1%lo | is not an IPv6 address",
        "CNAME | a b | is not a domain name", "PTR | .a | is not a domain name", "NS | a.. | is not a domain name",
        "NS | . | is not a domain name",
        "MX | mail | is not a preference and a name", "MX | 70000 mail | is not a preference",
        "MX | 10 mail x | is not a preference", "MX | 10 a..b | is not a preference",
        "SRV | 0 5 pbx | is not priority, weight, port and a name", "SRV | 0 5 65536 pbx | is not priority",
        "SRV | 0 5 -1 pbx | is not priority", "TXT | # # | has no string", "TXT | \"a | a quote that is not closed",
        "TXT | a\"b | has a character at 1 that", "TXT | grün | has a character at 2 that",
        "TXT | a\\256 | has a character at 1", "TXT | a\\ | has a character at 1"})
    void dataThatIsNotOfItsTypeIsNamed(final String type, final String data, final String rule) {
        assertThat(violations(ServiceFixtures.with(dns(ZONE, "x " + type + " " + data))))
            .singleElement().satisfies(violation -> {
                assertThat(violation.leaf()).isEqualTo("dns / record x " + type + " / data");
                assertThat(violation.rule()).contains(rule);
            });
    }

    @Test
    void stringsAndNamesHaveTheirLengths() {
        final String label = "a".repeat(63);
        final String longest = (label + ".").repeat(3) + "a".repeat(60 - ZONE.length());
        assertThat(violations(ServiceFixtures.with(dns(ZONE, "x TXT " + "a".repeat(255) + " \"" + "\\200".repeat(255)
            + "\"", longest + " CNAME " + longest)))).isEmpty();
        assertThat(violations(ServiceFixtures.with(dns(ZONE, "x TXT " + "a".repeat(256))))).singleElement().asString()
            .endsWith("has a string of 256 bytes, more than 255");
        assertThat(violations(ServiceFixtures.with(dns(ZONE, longest + "a CNAME " + longest + "a")))).hasSize(2);
    }

    @Test
    void aGoodResolverBreaksNoRule() {
        final Dns dns = new Dns(Optional.of(ZONE), Stream.of("@ A 10.0.0.5", "@ NS ns", "@ MX 10 mail.example.org.",
            "@ MX 0 .", "@ TXT \"v=spf1 -all\" \"a \\\"quote\\\"\" b", "www AAAA 2001:db8::5", "Www A 10.0.0.5",
            "alias CNAME @", "_sip._udp SRV 0 5 5060 pbx", "_x SRV 0 0 0 .", "a.b.c PTR _x.example.org.")
            .map(DnsRulesTest::parse).toList(),
            List.of(new Dns.Upstream("127.0.0.1", false), new Dns.Upstream("2001:db8::53", false)),
            Optional.of(100_000), Optional.of("64:ff9b::/96"));
        assertThat(violations(ServiceFixtures.with(dns))).isEmpty();
        final Dns inside = dns.withUpstreams(
            List.of(new Dns.Upstream("10.0.0.53", true), new Dns.Upstream("172.16.9.9", true)));
        assertThat(violations(ServiceFixtures.with(inside))).isEmpty();
        // The provider's resolvers, or, without any, nothing but an empty zone.
        assertThat(violations(ServiceFixtures.with(dns(ZONE)))).isEmpty();
        for (final String prefix : List.of("2001:db8::/32", "2001:db8:ff00::/40", "2001:db8:ffff::/48",
                "2001:db8:ffff:ff00::/56", "2001:db8:ffff:ffff::/64", "2001:db8:1:2:0:3::/96")) {
            assertThat(violations(ServiceFixtures.with(limits(1, prefix)))).isEmpty();
        }
    }

    @Test
    void resolversInsideMayHaveIpv6() {
        assertThat(askingInside("2001:db8:2::53", "10.0.0.53", "2001:db8:1fff::53")).isEmpty();
        assertThat(askingInside("2001:db8:3::53")).singleElement().asString()
            .endsWith("/ inside: 2001:db8:3::53 is not in a subnet or route of the tenant");
        assertThat(askingInside("2001:DB8:2::1")).singleElement().asString()
            .endsWith("/ inside: 2001:DB8:2::1 is the VRF's own gateway");
        assertThat(askingInside("2001:db8:2::53", "2001:db8:2:0::53")).singleElement().asString()
            .endsWith("dns / upstream 2001:db8:2:0::53 / address: occurs twice: 2001:db8:2::53");
    }

    private static List<Violation> askingInside(final String... addresses) {
        return Validator.validate(DualStack.network(DualStack.tenant().with(new Services(Optional.empty(),
            Optional.of(dns(ZONE).withUpstreams(
                Stream.of(addresses).map(address -> new Dns.Upstream(address, true)).toList()))))),
            Allocations.none());
    }

    @Test
    void aTenantAsksInsideOrOutside() {
        final Dns both = dns(ZONE).withUpstreams(
            List.of(new Dns.Upstream("10.0.0.53", true), new Dns.Upstream("192.0.2.53", false)));
        assertThat(violations(ServiceFixtures.with(both))).extracting(Violation::toString).containsExactly(
            "tenant t: dns / upstream / inside: is not the same for all upstreams;"
                + " set it to true or false for all of them");
    }

    @Test
    void anAliasIsNoHostWithAReservation() {
        final Dhcp.Subnet subnet = ServiceFixtures.reserving("10.0.0.0/24",
            ServiceFixtures.named("10.0.0.9", "02:00:00:00:00:01", "Printer"));
        final Tenant tenant = ServiceFixtures.tenant().with(new Services(Optional.of(new Dhcp(0, List.of(subnet))),
            Optional.of(dns(ZONE, "printer CNAME www", "printer-2 CNAME www"))));
        assertThat(violations(tenant)).extracting(Violation::toString).containsExactly(
            "tenant t: dns / record printer CNAME / name: 'printer' is the host-name of a reservation");
    }

    @Test
    void resolversOfTheProviderAreAddresses() {
        final Snapshot plain = Fixtures.network();
        final Snapshot snapshot = new Snapshot(plain.nodes(), new Backbone(plain.backbone().interfaces(),
            plain.backbone().routes(), List.of("198.51.100.53", "2001:db8::53", "dns.example.net")), plain.pools(),
            plain.functions(), plain.chains(), plain.tenants(), plain.acls());
        assertThat(Validator.validate(snapshot, Allocations.none())).extracting(Violation::toString).containsExactly(
            "resolver: upstream: 'dns.example.net' is not an IP address");
    }

    private static List<Violation> violations(final Tenant tenant) {
        return Validator.validate(Fixtures.network(tenant), Allocations.none());
    }

    private static Dns dns(final String domain, final String... records) {
        return new Dns(Optional.ofNullable(domain), Stream.of(records).map(DnsRulesTest::parse).toList(), List.of(),
            Optional.empty(), Optional.empty());
    }

    private static Dns.Record parse(final String text) {
        final String[] parts = text.split(" ", 3);
        return new Dns.Record(parts[0], parts[1], 60, parts[2]);
    }

    private static Dns upstream(final String address, final boolean inside) {
        return new Dns(Optional.of(ZONE), List.of(), List.of(new Dns.Upstream(address, inside)), Optional.empty(),
            Optional.empty());
    }

    private static Dns limits(final int queries, final String dns64) {
        return new Dns(Optional.of(ZONE), List.of(), List.of(), Optional.of(queries), Optional.ofNullable(dns64));
    }
}
