// SPDX-License-Identifier: Apache-2.0
package io.penstock.pipeline.rules;

import static io.penstock.pipeline.rules.ServiceFixtures.excluding;
import static io.penstock.pipeline.rules.ServiceFixtures.forAttachment;
import static io.penstock.pipeline.rules.ServiceFixtures.forCircuit;
import static io.penstock.pipeline.rules.ServiceFixtures.forMac;
import static io.penstock.pipeline.rules.ServiceFixtures.named;
import static io.penstock.pipeline.rules.ServiceFixtures.pools;
import static io.penstock.pipeline.rules.ServiceFixtures.reserving;
import static io.penstock.pipeline.rules.ServiceFixtures.subnet;
import static io.penstock.pipeline.rules.ServiceFixtures.telling;
import static io.penstock.pipeline.rules.ServiceFixtures.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.pipeline.allocation.Allocations;
import io.penstock.pipeline.intent.Dhcp;
import io.penstock.pipeline.intent.Route;
import io.penstock.pipeline.intent.Services;
import io.penstock.pipeline.intent.Tenant;
import io.penstock.pipeline.net.Ipv4;
import io.penstock.pipeline.net.Mac;
import io.penstock.pipeline.net.Prefix;
import io.penstock.pipeline.plan.Fixtures;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule for the DHCP server, each with leaf and words, and alone: nothing else is wrong with the tenant. */
class DhcpRulesTest {
    private static final String ONE = "02:00:00:00:00:01";
    private static final String TWO = "02:00:00:00:00:02";
    private static final List<Ipv4> NO_ADDRESS = List.of();

    private static Arguments lan(final Dhcp.Subnet subnet, final String leaf, final String rule) {
        return Arguments.of(with(subnet), "dhcp / subnet 10.0.0.0/24 / " + leaf, rule);
    }

    private static Arguments lan(final Dhcp.Reservation reservation, final String leaf, final String rule) {
        return lan(reserving("10.0.0.0/24", reservation), leaf, rule);
    }

    private static Arguments lan(final Dhcp.Options options, final String leaf, final String rule) {
        return lan(telling(options), leaf, rule);
    }

    static Stream<Arguments> badSubnets() {
        return Stream.of(
            Arguments.of(ServiceFixtures.tenant().with(new Services(Optional.of(new Dhcp(2001, List.of())),
                Optional.empty())), "dhcp / conflict-probe", "2001 is not in 0..2000"),
            Arguments.of(with(subnet("10.9.0.0/24")), "dhcp / subnet 10.9.0.0/24 / prefix",
                "is neither the prefix of a subnet of the tenant nor inside a route of it"),
            Arguments.of(with(subnet("10.0.0.0/25")), "dhcp / subnet 10.0.0.0/25 / prefix", "is neither the prefix"),
            Arguments.of(with(subnet("172.16.0.0/15")), "dhcp / subnet 172.16.0.0/15 / prefix", "is neither"),
            Arguments.of(with(subnet("172.16.0.0/16"), subnet("172.16.5.0/24")),
                "dhcp / subnet 172.16.5.0/24 / prefix", "overlaps 172.16.0.0/16 of another entry"),
            Arguments.of(with(new Dhcp.Subnet(ServiceFixtures.LAN, List.of(), List.of(), List.of(), 59,
                Dhcp.Options.NONE)), "dhcp / subnet 10.0.0.0/24 / lease-time", "59 is not in 60..2147483647"),
            Arguments.of(with(IntStream.range(0, 257).mapToObj(each -> subnet("172.16." + each / 2 + "."
                + each % 2 * 128 + "/25")).toArray(Dhcp.Subnet[]::new)), "dhcp / subnet",
                "257 subnets are more than 256"));
    }

    static Stream<Arguments> badPools() {
        return Stream.of(
            lan(pools("10.0.0.0/24", "10.0.1.9-10.0.1.9"), "pool 10.0.1.9 / last", "10.0.1.9 is outside its subnet"),
            lan(pools("10.0.0.0/24", "9.9.9.9-10.0.0.9"), "pool 9.9.9.9 / first", "9.9.9.9 is outside its subnet"),
            lan(pools("10.0.0.0/24", "10.0.0.9-10.0.1.9"), "pool 10.0.0.9 / last", "10.0.1.9 is outside its subnet"),
            lan(pools("10.0.0.0/24", "10.0.0.0-10.0.0.9"), "pool 10.0.0.0 / first", "network or broadcast address"),
            lan(pools("10.0.0.0/24", "10.0.0.9-10.0.0.255"), "pool 10.0.0.9 / last", "network or broadcast address"),
            lan(pools("10.0.0.0/24", "10.0.0.9-10.0.0.8"), "pool 10.0.0.9 / last",
                "10.0.0.8 is below the first, 10.0.0.9"),
            lan(pools("10.0.0.0/24", "10.0.0.9-10.0.0.20", "10.0.0.20-10.0.0.30"), "pool 10.0.0.20 / first",
                "10.0.0.20-10.0.0.30 overlaps 10.0.0.9-10.0.0.20"),
            lan(excluding("10.0.0.9-10.0.1.9"), "exclude 10.0.0.9 / last", "10.0.1.9 is outside its subnet"),
            lan(excluding("9.0.0.9-10.0.0.9"), "exclude 9.0.0.9 / first", "9.0.0.9 is outside its subnet"),
            lan(excluding("10.0.0.9-10.0.0.8"), "exclude 10.0.0.9 / last", "is below the first"));
    }

    static Stream<Arguments> badReservations() {
        final Dhcp.Reservation nobodys = new Dhcp.Reservation(Ipv4.parse("10.0.0.9"), Optional.empty(),
            Optional.empty(), Optional.empty(), Optional.empty());
        final Dhcp.Reservation everybodys = new Dhcp.Reservation(Ipv4.parse("10.0.0.9"), Optional.of(new Mac(2)),
            Optional.of("lan"), Optional.of("00"), Optional.empty());
        return Stream.of(
            lan(forMac("10.0.1.9", ONE), "reservation 10.0.1.9 / address", "is outside its subnet 10.0.0.0/24"),
            lan(forMac("10.0.0.0", ONE), "reservation 10.0.0.0 / address", "network or broadcast address"),
            lan(forMac("10.0.0.255", ONE), "reservation 10.0.0.255 / address", "network or broadcast address"),
            lan(forMac("10.0.0.1", ONE), "reservation 10.0.0.1 / address", "10.0.0.1 is the VRF's own gateway"),
            lan(forMac("10.0.0.9", "01:00:5e:00:00:01"), "reservation 10.0.0.9 / mac", "is not the address of a host"),
            lan(forMac("10.0.0.9", "00:00:00:00:00:00"), "reservation 10.0.0.9 / mac", "is not the address of a host"),
            lan(nobodys, "reservation 10.0.0.9 / mac", "exactly one of mac, attachment and circuit-id, and has none"),
            lan(everybodys, "reservation 10.0.0.9 / mac", "attachment and circuit-id, and has 3"),
            lan(forAttachment("10.0.0.9", "attic"), "reservation 10.0.0.9 / attachment", "no attachment 'attic'"),
            lan(forAttachment("10.0.0.9", "dmz"), "reservation 10.0.0.9 / attachment",
                "subnet lan is not on attachment 'dmz'"),
            Arguments.of(with(reserving("172.16.0.0/24", forAttachment("172.16.0.9", "lan"))),
                "dhcp / subnet 172.16.0.0/24 / reservation 172.16.0.9 / attachment", "behind a relay agent"),
            lan(forCircuit("10.0.0.9", "0"), "reservation 10.0.0.9 / circuit-id", "'0' is not pairs of hexadecimal"),
            lan(forCircuit("10.0.0.9", "port 7"), "reservation 10.0.0.9 / circuit-id", "is not pairs"),
            lan(forCircuit("10.0.0.9", "ab".repeat(256)), "reservation 10.0.0.9 / circuit-id", "255 at most"),
            lan(named("10.0.0.9", ONE, "a.b"), "reservation 10.0.0.9 / host-name", "'a.b' is not one label"),
            lan(named("10.0.0.9", ONE, "-a"), "reservation 10.0.0.9 / host-name", "'-a' is not one label"),
            lan(named("10.0.0.9", ONE, "a".repeat(64)), "reservation 10.0.0.9 / host-name", "is not one label"),
            lan(reserving("10.0.0.0/24", forMac("10.0.0.8", ONE), forMac("10.0.0.9", ONE)),
                "reservation 10.0.0.9 / mac", "is the same as that of reservation 10.0.0.8"),
            lan(reserving("10.0.0.0/24", forMac("10.0.0.9", ONE), forMac("10.0.0.9", TWO)),
                "reservation 10.0.0.9 / address", "is the same as that of reservation 10.0.0.9"),
            lan(reserving("10.0.0.0/24", forAttachment("10.0.0.8", "lan"), forAttachment("10.0.0.9", "lan")),
                "reservation 10.0.0.9 / attachment", "is the same as that of reservation 10.0.0.8"),
            lan(reserving("10.0.0.0/24", forCircuit("10.0.0.8", "0a"), forCircuit("10.0.0.9", "0A")),
                "reservation 10.0.0.9 / circuit-id", "is the same as that of reservation 10.0.0.8"),
            Arguments.of(with(reserving("10.0.0.0/24", named("10.0.0.9", ONE, "printer")),
                reserving("10.0.1.0/24", named("10.0.1.9", ONE, "Printer"))),
                "dhcp / subnet 10.0.1.0/24 / reservation 10.0.1.9 / host-name",
                "'Printer' is taken by dhcp / subnet 10.0.0.0/24 / reservation 10.0.0.9 / host-name"));
    }

    static Stream<Arguments> badOptions() {
        final List<Ipv4> many = Collections.nCopies(64, Ipv4.parse("10.0.0.2"));
        final List<Route> routes = IntStream.range(0, 30)
            .mapToObj(each -> new Route(Prefix.host(new Ipv4(each)), Ipv4.parse("10.0.0.2"))).toList();
        final Route home = new Route(Prefix.parse("10.9.0.0/16"), Ipv4.parse("10.0.0.2"));
        return Stream.of(
            lan(routers(List.of(Ipv4.parse("10.0.1.1"))), "router", "10.0.1.1 is outside its subnet 10.0.0.0/24"),
            lan(routers(many), "router", "has 256 bytes together; an option has 255 at most"),
            lan(servers(many, NO_ADDRESS), "dns-server", "has 256 bytes together"),
            lan(servers(NO_ADDRESS, many), "ntp-server", "has 256 bytes together"),
            lan(names("a..b", List.of()), "domain", "'a..b' is not a domain name"),
            lan(names("example.net.", List.of()), "domain", "'example.net.' is not a domain name"),
            lan(names(null, List.of("a_b")), "search", "'a_b' is not a domain name"),
            lan(names(null, Collections.nCopies(20, "search.example.net")), "search", "has 400 bytes together"),
            lan(mtu(575), "mtu", "575 is not in 576..9216"),
            lan(mtu(9217), "mtu", "9217 is not in 576..9216"),
            lan(routes(List.of(new Route(Prefix.DEFAULT, Ipv4.parse("10.0.1.1")))), "static-route 0.0.0.0/0 / next-hop",
                "10.0.1.1 is outside its subnet 10.0.0.0/24"),
            lan(routes(List.of(home, home)), "static-route 10.9.0.0/16 / prefix", "occurs twice"),
            lan(routes(routes), "static-route", "has 270 bytes together"),
            lan(boot("", "x"), "tftp-server", "is not 1 to 255 characters"),
            lan(boot("x", "y".repeat(128)), "boot-file", "is not 1 to 127 characters of printable ASCII"),
            lan(boot("x", "grün"), "boot-file", "printable ASCII"),
            lan(raw(new Dhcp.RawOption(53, "uint8", "5")), "option 53 / code", "53 is the protocol's own"),
            lan(raw(new Dhcp.RawOption(43, "bits", "1")), "option 43 / type", "'bits' is none of hex"),
            lan(raw(new Dhcp.RawOption(43, "hex", "1")), "option 43 / value", "'1' is not pairs of hexadecimal"),
            lan(raw(new Dhcp.RawOption(43, "hex", "01"), new Dhcp.RawOption(43, "hex", "02")), "option 43 / code",
                "occurs twice"));
    }

    @ParameterizedTest(name = "{1}: {2}")
    @MethodSource({"badSubnets", "badPools", "badReservations", "badOptions"})
    void aBadServerIsNamedWithLeafAndRule(final Tenant tenant, final String leaf, final String rule) {
        final List<Violation> violations = Validator.validate(Fixtures.network(tenant), Allocations.none());
        assertThat(violations).anySatisfy(violation -> {
            assertThat(violation.entry()).isEqualTo("tenant t");
            assertThat(violation.leaf()).isEqualTo(leaf);
            assertThat(violation.rule()).contains(rule);
        });
        // A rule that finds what another one is for would be found out by this.
        assertThat(violations.stream().map(Violation::leaf).distinct().count()).isLessThanOrEqualTo(2);
    }

    @Test
    void poolsHaveAnEnd() {
        final Tenant wide = ServiceFixtures.tenant();
        final Tenant tenant = new Tenant("t", wide.attachments(), wide.subnets(),
            List.of(new Route(Prefix.parse("172.16.0.0/12"), Ipv4.parse("10.0.0.9"))), wide.nat(), Optional.empty(),
            Optional.empty());
        assertThat(violations(tenant, pools("172.16.0.0/12", "172.16.0.1-172.17.0.0"))).isEmpty();
        assertThat(violations(tenant, pools("172.16.0.0/12", "172.16.0.1-172.17.0.1"))).containsExactly(
            "tenant t: dhcp / subnet 172.16.0.0/12 / pool 172.16.0.1 / last: 172.16.0.1-172.17.0.1 has 65537 "
                + "addresses, more than 65536");
    }

    /** A default route to a router of the tenant does not make parts of a subnet places with a relay agent. */
    @Test
    void aPartOfASubnetIsNotBehindTheDefaultRoute() {
        final Tenant plain = ServiceFixtures.tenant();
        final Tenant tenant = new Tenant("t", plain.attachments(), plain.subnets(),
            List.of(new Route(Prefix.DEFAULT, Ipv4.parse("10.0.0.9"))), Optional.empty(), Optional.empty(),
            Optional.empty());
        assertThat(violations(tenant, subnet("192.168.0.0/24"))).isEmpty();
        assertThat(violations(tenant, subnet("10.0.0.0/25"))).singleElement().asString().contains("is neither");
        assertThat(violations(tenant, subnet("10.0.0.0/16"))).singleElement().asString().contains("is neither");
    }

    @Test
    void aGoodServerBreaksNoRule() {
        final Dhcp.Options options = new Dhcp.Options(List.of(Ipv4.parse("10.0.0.254")),
            List.of(Ipv4.parse("198.51.100.53")), Optional.of("example.net"), List.of("a.example.net", "example.net"),
            List.of(Ipv4.parse("198.51.100.123")), Optional.of(576),
            List.of(new Route(Prefix.DEFAULT, Ipv4.parse("10.0.0.254"))), Optional.of(Ipv4.parse("198.51.100.69")),
            Optional.of("boot.example.net"), Optional.of("pxe/image 1"),
            List.of(new Dhcp.RawOption(1, "ipv4-address", "255.255.255.0"), new Dhcp.RawOption(252, "text", "x")));
        final Dhcp.Subnet lan = new Dhcp.Subnet(ServiceFixtures.LAN,
            // The server leaves the gateway out by itself.
            List.of(ServiceFixtures.range("10.0.0.1-10.0.0.99"), ServiceFixtures.range("10.0.0.101-10.0.0.254")),
            List.of(ServiceFixtures.range("10.0.0.2-10.0.0.5"), ServiceFixtures.range("10.0.0.0-10.0.0.255")),
            List.of(named("10.0.0.9", ONE, "printer"), forAttachment("10.0.0.10", "lan"),
                forCircuit("10.0.0.11", "00Ff"), forMac("10.0.0.100", TWO)), Integer.MAX_VALUE, options);
        final Dhcp.Subnet relayed = reserving("172.16.7.0/24", named("172.16.7.1", ONE, "printer-2"),
            forCircuit("172.16.7.2", "00ff"));
        final Tenant tenant = ServiceFixtures.tenant().with(new Services(
            Optional.of(new Dhcp(2000, List.of(lan, subnet("10.0.1.0/24"), relayed))), Optional.empty()));
        assertThat(Validator.validate(Fixtures.network(tenant), Allocations.none())).isEmpty();
        assertThat(Validator.validate(Fixtures.network(with(IntStream.range(0, 256).mapToObj(each ->
            subnet("172.16." + each + ".0/24")).toArray(Dhcp.Subnet[]::new))), Allocations.none())).isEmpty();
    }

    private static List<String> violations(final Tenant tenant, final Dhcp.Subnet subnet) {
        return Validator.validate(Fixtures.network(tenant.with(new Services(
            Optional.of(new Dhcp(0, List.of(subnet))), Optional.empty()))), Allocations.none()).stream()
            .map(Violation::toString).toList();
    }

    private static Dhcp.Options routers(final List<Ipv4> routers) {
        return new Dhcp.Options(routers, List.of(), Optional.empty(), List.of(), List.of(), Optional.empty(),
            List.of(), Optional.empty(), Optional.empty(), Optional.empty(), List.of());
    }

    private static Dhcp.Options servers(final List<Ipv4> dns, final List<Ipv4> ntp) {
        return new Dhcp.Options(List.of(), dns, Optional.empty(), List.of(), ntp, Optional.empty(), List.of(),
            Optional.empty(), Optional.empty(), Optional.empty(), List.of());
    }

    private static Dhcp.Options names(final String domain, final List<String> search) {
        return new Dhcp.Options(List.of(), List.of(), Optional.ofNullable(domain), search, List.of(),
            Optional.empty(), List.of(), Optional.empty(), Optional.empty(), Optional.empty(), List.of());
    }

    private static Dhcp.Options mtu(final int mtu) {
        return new Dhcp.Options(List.of(), List.of(), Optional.empty(), List.of(), List.of(), Optional.of(mtu),
            List.of(), Optional.empty(), Optional.empty(), Optional.empty(), List.of());
    }

    private static Dhcp.Options routes(final List<Route> routes) {
        return new Dhcp.Options(List.of(), List.of(), Optional.empty(), List.of(), List.of(), Optional.empty(),
            routes, Optional.empty(), Optional.empty(), Optional.empty(), List.of());
    }

    private static Dhcp.Options boot(final String server, final String file) {
        return new Dhcp.Options(List.of(), List.of(), Optional.empty(), List.of(), List.of(), Optional.empty(),
            List.of(), Optional.empty(), Optional.of(server), Optional.of(file), List.of());
    }

    private static Dhcp.Options raw(final Dhcp.RawOption... options) {
        return new Dhcp.Options(List.of(), List.of(), Optional.empty(), List.of(), List.of(), Optional.empty(),
            List.of(), Optional.empty(), Optional.empty(), Optional.empty(), List.of(options));
    }
}
